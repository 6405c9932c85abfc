// SPDX-License-Identifier: Apache-2.0
/*
 * fake_frames.c - what a child that was taken over could send to the monitor:
 * wrong headers, wrong lengths, wrong payloads, fds where none belong. By plain
 * calls that the filters of all children allow.
 */
#include "tests/machine/cli/fake_frames.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ipc/frame.h"
#include "ipc/spawn.h"
#include "proto/child.pb-c.h"

#define OP(name) BULKHEAD__CHILD__OP__OP_##name
#define PAYLOAD(s) s, sizeof(s) - 1
#define FAKE_FDS_MAX 32

/**
 * struct fake_frame - one of them
 * @magic: XORed into the right one
 * @more: added to the length field
 * @zeros: bytes behind @payload, counted in the length field
 * @cut: only so many bytes are sent; 0 = all
 * @fds: copies of fd 0 that come with it
 */
struct fake_frame {
	const char *name;
	uint32_t op;
	uint32_t magic;
	uint32_t more;
	uint32_t zeros;
	uint32_t cut;
	int fds;
	const char *payload;
	size_t len;
};

static const struct fake_frame fake_frames[] = {
	{"magic", OP(READY), 1, 0, 0, 0, 0, PAYLOAD("")},
	{"cuthead", OP(READY), 0, 0, 0, 8, 0, PAYLOAD("")},
	{"cutbody", OP(READY), 0, 40, 0, 0, 0, PAYLOAD("")},
	{"trailing", OP(READY), 0, (uint32_t)-1, 1, 0, 0, PAYLOAD("")},
	{"oversize", OP(READY), 0, 0, FRAME_PAYLOAD_MAX + 1, 0, 0, PAYLOAD("")},
	{"hugelength", OP(READY), 0, 0x7fffffff, 0, 0, 0, PAYLOAD("")},
	{"malformed", OP(READY), 0, 0, 0, 0, 0, PAYLOAD("\xff\xff\xff\xff")},
	{"unknownfield", OP(READY), 0, 0, 0, 0, 0, PAYLOAD("\xf8\x07\x01")},
	{"unknownop", 98, 0, 0, 0, 0, 0, PAYLOAD("")},
	{"zeroop", 0, 0, 0, 0, 0, 0, PAYLOAD("")},
	{"monitorop", OP(GRANT), 0, 0, 0, 0, 0, PAYLOAD("")},
	{"otherrole", OP(LOG), 0, 0, 0, 0, 0, PAYLOAD("")},
	{"hello", OP(HELLO), 0, 0, 0, 0, 0, PAYLOAD("\x08\x01\x10\x01")},
	{"onefd", OP(READY), 0, 0, 0, 0, 1, PAYLOAD("")},
	{"eightfds", OP(READY), 0, 0, 0, 0, 8, PAYLOAD("")},
	{"manyfds", OP(READY), 0, 0, 0, 0, FAKE_FDS_MAX, PAYLOAD("")},
	{"exitfd", OP(EXIT), 0, 0, 0, 0, 1, PAYLOAD("\x08\x01")},
	{"exitreason", OP(EXIT), 0, 0, 0, 0, 0, PAYLOAD("\x08\x63")},
};

/* fake_fds() - @cnt copies of fd 0 into @m's control data. */
static void fake_fds(struct msghdr *m, void *control, size_t size, int cnt)
{
	struct cmsghdr *h = control;
	int *fds = (int *)(void *)CMSG_DATA(h);

	memset(control, 0, size);
	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN((size_t)cnt * sizeof(int));
	for (int i = 0; i < cnt; i++)
		fds[i] = 0;
	m->msg_control = control;
	m->msg_controllen = CMSG_SPACE((size_t)cnt * sizeof(int));
}

/* fake_send() - one of them as it stands. */
static void fake_send(const struct fake_frame *f)
{
	static uint8_t bytes[FRAME_BYTES_MAX + 64];
	_Alignas(struct cmsghdr)
		uint8_t control[CMSG_SPACE(FAKE_FDS_MAX * sizeof(int))];
	size_t len = FRAME_HEADER_BYTES + f->len + f->zeros;
	uint32_t head[4] = {FRAME_MAGIC ^ f->magic,
			    (uint32_t)f->len + f->zeros + f->more, f->op, 0};
	struct iovec iov = {bytes, f->cut ? f->cut : len};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + sizeof(head), f->payload, f->len);
	if (f->fds)
		fake_fds(&m, control, sizeof(control), f->fds);
	if (sendmsg(CHILD_FD_CONTROL, &m, MSG_NOSIGNAL) != (ssize_t)iov.iov_len)
		_exit(77);
}

bool fake_frame_send(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fake_frames); i++) {
		if (strcmp(fake_frames[i].name, name) == 0) {
			fake_send(&fake_frames[i]);
			return true;
		}
	}
	return false;
}
