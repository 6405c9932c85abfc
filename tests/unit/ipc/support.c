// SPDX-License-Identifier: Apache-2.0
/*
 * support.c - fd counting, a bounded loop run, hostile datagrams.
 */
#include "tests/unit/ipc/support.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define TEST_FDS_MAX 250

size_t test_fd_cnt(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t cnt = 0;

	if (!dir)
		return 0;
	/* One thread a test binary that counts, and a stream of its own. */
	while (readdir(dir)) /* NOLINT(concurrency-mt-unsafe) */
		cnt++;
	closedir(dir);
	return cnt;
}

struct test_stop {
	struct loop *loop;
};

static void test_stop_fire(void *ctx)
{
	struct test_stop *s = ctx;

	loop_stop(s->loop, -ETIME);
}

int test_loop_run(struct loop *l, unsigned ms)
{
	struct test_stop s = {l};
	struct deadline d = {.fn = test_stop_fire, .ctx = &s};
	int value;

	loop_deadline_arm(l, &d, ms * MS_NS);
	value = loop_run(l);
	loop_deadline_disarm(l, &d);
	return value;
}

int test_datagram_send(int sock, const void *bytes, size_t len, int fd,
		       size_t fd_cnt)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int) * TEST_FDS_MAX)];
		struct cmsghdr align;
	} control = {0};
	char none = 0;
	struct iovec iov = {&none, 0};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	char copy[128 * 1024];

	if (len > sizeof(copy) || fd_cnt > TEST_FDS_MAX)
		return -EINVAL;
	memcpy(copy, bytes, len);
	iov.iov_base = copy;
	iov.iov_len = len;
	if (fd_cnt > 0) {
		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * fd_cnt);

		struct cmsghdr *cmsg = CMSG_FIRSTHDR(&m);

		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int) * fd_cnt);
		for (size_t i = 0; i < fd_cnt; i++)
			memcpy(CMSG_DATA(cmsg) + i * sizeof(int), &fd,
			       sizeof(fd));
	}
	return sendmsg(sock, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
