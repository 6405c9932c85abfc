// SPDX-License-Identifier: Apache-2.0
/*
 * chan.c - sends and receives frames over a SOCK_SEQPACKET socket. Every
 * process runs it; what arrives is not trusted, neither bytes nor fds.
 */
#include "ipc/chan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Room for one more than a frame may carry, so that too many are seen. */
#define CHAN_CONTROL_BYTES CMSG_SPACE(sizeof(int) * (FDSET_MAX + 1))

union chan_control {
	char bytes[CHAN_CONTROL_BYTES];
	struct cmsghdr align;
};

int chan_pair(int ret_fds[2])
{
	int type = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;

	return socketpair(AF_UNIX, type, 0, ret_fds) < 0 ? -errno : 0;
}

/* One integer socket option of @fd. */
static int chan_option(int fd, int option, int *ret_value)
{
	socklen_t len = sizeof(*ret_value);

	if (getsockopt(fd, SOL_SOCKET, option, ret_value, &len) < 0)
		return -errno;
	return 0;
}

/* Is @fd what a channel runs on? Makes it non-blocking and close-on-exec. */
static int chan_fd_prepare(int fd)
{
	int domain = 0;
	int type = 0;
	int err = chan_option(fd, SO_DOMAIN, &domain);

	if (!err)
		err = chan_option(fd, SO_TYPE, &type);
	if (err)
		return err;
	if (domain != AF_UNIX || type != SOCK_SEQPACKET)
		return -EPROTOTYPE;
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;

	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

int chan_init(struct chan *c, int fd)
{
	CLEANUP(fd_cleanup) int owned = fd;
	int err = chan_fd_prepare(owned);

	c->fd = -1;
	c->buf = NULL;
	if (err)
		return err;
	c->buf = malloc(FRAME_BYTES_MAX);
	if (!c->buf)
		return -ENOMEM;
	c->fd = fd_steal(&owned);
	return 0;
}

void chan_fini(struct chan *c)
{
	fd_cleanup(&c->fd);
	free(c->buf);
	c->buf = NULL;
}

/* Puts @fds into the control part of @m; @control is zeroed and outlives it. */
static void chan_control_fill(struct msghdr *m, union chan_control *control,
			      const int *fds, size_t fd_cnt)
{
	size_t bytes = sizeof(int) * fd_cnt;

	m->msg_control = control->bytes;
	m->msg_controllen = CMSG_SPACE(bytes);

	struct cmsghdr *cmsg = CMSG_FIRSTHDR(m);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(bytes);
	memcpy(CMSG_DATA(cmsg), fds, bytes);
}

int chan_send(struct chan *c, uint32_t op, uint32_t id,
	      const ProtobufCMessage *msg, const int *fds, size_t fd_cnt)
{
	union chan_control control = {0};
	size_t len = msg ? protobuf_c_message_get_packed_size(msg) : 0;

	BUG_ON(fd_cnt > FDSET_MAX);
	if (c->fd < 0)
		return -EPIPE;
	if (len > FRAME_PAYLOAD_MAX)
		return -EMSGSIZE;

	struct frame_header h = {.length = (uint32_t)len, .op = op, .id = id};

	frame_encode(&h, c->buf);
	if (msg)
		protobuf_c_message_pack(msg, c->buf + FRAME_HEADER_BYTES);

	struct iovec iov = {c->buf, FRAME_HEADER_BYTES + len};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t sent;

	if (fd_cnt > 0)
		chan_control_fill(&m, &control, fds, fd_cnt);
	do {
		sent = sendmsg(c->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return 0;
	return errno == ECONNRESET ? -EPIPE : -errno;
}

/*
 * Moves the fds of one SCM_RIGHTS message into @set and closes those for which
 * there is no room. Return: how many came.
 */
static size_t chan_rights_take(struct cmsghdr *cmsg, struct fdset *set)
{
	size_t cnt = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);

	for (size_t i = 0; i < cnt; i++) {
		int fd = -1;

		memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
		if (set->cnt < FDSET_MAX)
			set->fd[set->cnt++] = fd;
		else
			fd_cleanup(&fd);
	}
	return cnt;
}

/*
 * Takes all fds out of @m. Return: 0; -EBADMSG more than FDSET_MAX, truncated,
 * or control data of another kind (@ret_set then still owns what came).
 */
static int chan_control_take(struct msghdr *m, struct fdset *ret_set)
{
	size_t cnt = 0;
	int err = m->msg_flags & MSG_CTRUNC ? -EBADMSG : 0;

	fdset_init(ret_set);
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(m); cmsg;
	     cmsg = CMSG_NXTHDR(m, cmsg)) {
		if (cmsg->cmsg_level == SOL_SOCKET &&
		    cmsg->cmsg_type == SCM_RIGHTS)
			cnt += chan_rights_take(cmsg, ret_set);
		else
			err = -EBADMSG;
	}
	return cnt > FDSET_MAX ? -EBADMSG : err;
}

/*
 * recvmsg(2) that never blocks. A peer that closes with our frames unread
 * leaves ECONNRESET ahead of its own last frames; the kernel reports it once,
 * and those frames (an EXIT, say) must still be read.
 */
static ssize_t chan_datagram_recv(int fd, struct msghdr *m)
{
	bool reset = false;

	for (;;) {
		struct msghdr fresh = *m;
		ssize_t n =
			recvmsg(fd, &fresh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == ECONNRESET && !reset) {
			reset = true;
			continue;
		}
		*m = fresh;
		return n < 0 ? -errno : n;
	}
}

/* What is wrong with a datagram of @n bytes, control data aside. */
static int chan_frame_check(const struct chan *c, const struct msghdr *m,
			    size_t n, struct frame_header *ret_h)
{
	if (m->msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	return frame_decode(c->buf, n, ret_h);
}

int chan_recv(struct chan *c, struct frame *ret_frame)
{
	union chan_control control = {0};
	struct iovec iov = {c->buf, FRAME_BYTES_MAX};
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};

	fdset_init(&ret_frame->fds);
	if (c->fd < 0)
		return 0;

	ssize_t n = chan_datagram_recv(c->fd, &m);

	if (n < 0)
		return (int)n;

	int err = chan_control_take(&m, &ret_frame->fds);

	/* An empty datagram looks like the end; neither has a next frame. */
	if (n == 0 && ret_frame->fds.cnt == 0 && !err)
		return 0;
	if (!err)
		err = chan_frame_check(c, &m, (size_t)n, &ret_frame->header);
	if (err) {
		fdset_close(&ret_frame->fds);
		return err;
	}
	ret_frame->payload = c->buf + FRAME_HEADER_BYTES;
	return 1;
}
