// SPDX-License-Identifier: Apache-2.0
/*
 * chan_test.c - frames and fds that arrive as sent, and the ends of a channel:
 * closed, full, not a channel at all. What is refused: chan_refuse_test.c.
 */
#include "ipc/chan.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/backend.pb-c.h"
#include "proto/child.pb-c.h"
#include "tests/support/unit/unit.h"
#include "tests/unit/ipc/chan_suites.h"
#include "tests/unit/ipc/support.h"

void chan_ends_open(struct chan_ends *e)
{
	int fds[2];

	CU_ASSERT_EQUAL_FATAL(chan_pair(fds), 0);
	CU_ASSERT_EQUAL_FATAL(chan_init(&e->a, fds[0]), 0);
	CU_ASSERT_EQUAL_FATAL(chan_init(&e->b, fds[1]), 0);
}

void chan_ends_close(struct chan_ends *e)
{
	chan_fini(&e->a);
	chan_fini(&e->b);
}

static void chan_message_arrives(void)
{
	Bulkhead__Child__Hello hello = BULKHEAD__CHILD__HELLO__INIT;
	char build[] = "0.1";
	struct chan_ends e;
	struct frame f;

	hello.version = 1;
	hello.role = BULKHEAD__CHILD__ROLE__ROLE_BLK;
	hello.build = build;
	chan_ends_open(&e);
	CU_ASSERT_EQUAL(chan_recv(&e.b, &f), -EAGAIN);
	CU_ASSERT_EQUAL(chan_send(&e.a, 2, 7, &hello.base, NULL, 0), 0);
	CU_ASSERT_EQUAL(chan_send(&e.a, 4, 0, NULL, NULL, 0), 0);
	CU_ASSERT_EQUAL_FATAL(chan_recv(&e.b, &f), 1);
	CU_ASSERT_EQUAL(f.header.op, 2);
	CU_ASSERT_EQUAL(f.header.id, 7);
	CU_ASSERT_EQUAL(f.fds.cnt, 0);

	Bulkhead__Child__Hello *got = bulkhead__child__hello__unpack(
		NULL, f.header.length, f.payload);

	CU_ASSERT_PTR_NOT_NULL_FATAL(got);
	CU_ASSERT_EQUAL(got->role, BULKHEAD__CHILD__ROLE__ROLE_BLK);
	CU_ASSERT_STRING_EQUAL(got->build, "0.1");
	bulkhead__child__hello__free_unpacked(got, NULL);
	CU_ASSERT_EQUAL_FATAL(chan_recv(&e.b, &f), 1);
	CU_ASSERT_EQUAL(f.header.op, 4);
	CU_ASSERT_EQUAL(f.header.length, 0);
	chan_ends_close(&e);
}

/* Do the two fds name the same open file? Told by a shared offset. */
static bool chan_same_file(int x, int y)
{
	return lseek(x, 1234, SEEK_SET) == 1234 &&
	       lseek(y, 0, SEEK_CUR) == 1234;
}

static void chan_fds_arrive_in_order(void)
{
	size_t before = test_fd_cnt();
	struct chan_ends e;
	struct frame f;
	int sent[FDSET_MAX];

	chan_ends_open(&e);
	for (size_t i = 0; i < FDSET_MAX; i++)
		sent[i] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	for (size_t cnt = 1; cnt <= FDSET_MAX; cnt++) {
		CU_ASSERT_EQUAL(chan_send(&e.a, 6, 0, NULL, sent, cnt), 0);
		CU_ASSERT_EQUAL_FATAL(chan_recv(&e.b, &f), 1);
		CU_ASSERT_EQUAL(f.fds.cnt, cnt);
		for (size_t i = 0; i < cnt; i++) {
			lseek(sent[i], 0, SEEK_SET);
			CU_ASSERT(chan_same_file(sent[i], f.fds.fd[i]));
			CU_ASSERT_EQUAL(fcntl(f.fds.fd[i], F_GETFD),
					FD_CLOEXEC);
		}
		fdset_close(&f.fds);
	}
	for (size_t i = 0; i < FDSET_MAX; i++)
		close(sent[i]);
	chan_ends_close(&e);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
}

static void chan_largest_payload(void)
{
	static char text[FRAME_PAYLOAD_MAX];
	Bulkhead__Backend__NeedsReset msg =
		BULKHEAD__BACKEND__NEEDS_RESET__INIT;
	struct chan_ends e;
	struct frame f;

	chan_ends_open(&e);
	/* A tag and three bytes of length stand before the text. */
	memset(text, 'x', FRAME_PAYLOAD_MAX - 4);
	msg.reason = text;
	CU_ASSERT_EQUAL(chan_send(&e.a, 20, 0, &msg.base, NULL, 0), 0);
	CU_ASSERT_EQUAL(chan_recv(&e.b, &f), 1);
	CU_ASSERT_EQUAL(f.header.length, FRAME_PAYLOAD_MAX);
	text[FRAME_PAYLOAD_MAX - 4] = 'x';
	CU_ASSERT_EQUAL(chan_send(&e.a, 20, 0, &msg.base, NULL, 0), -EMSGSIZE);
	CU_ASSERT_EQUAL(chan_recv(&e.b, &f), -EAGAIN);
	chan_ends_close(&e);
}

static void chan_overrun_is_told(void)
{
	struct chan_ends e;
	struct frame f;
	unsigned sent = 0;
	int err = 0;

	chan_ends_open(&e);
	while (sent < 100000 && !err) {
		err = chan_send(&e.a, 2, 0, NULL, NULL, 0);
		sent += err == 0;
	}
	CU_ASSERT_EQUAL(err, -EAGAIN);
	CU_ASSERT(sent > 0);
	/* None is lost or doubled, and there is room again. */
	for (unsigned i = 0; i < sent; i++)
		CU_ASSERT_EQUAL_FATAL(chan_recv(&e.b, &f), 1);
	CU_ASSERT_EQUAL(chan_recv(&e.b, &f), -EAGAIN);
	CU_ASSERT_EQUAL(chan_send(&e.a, 2, 0, NULL, NULL, 0), 0);
	chan_ends_close(&e);
}

static void chan_closed_peer(void)
{
	struct chan_ends e;
	struct frame f;

	chan_ends_open(&e);
	chan_fini(&e.b);
	CU_ASSERT_EQUAL(chan_recv(&e.a, &f), 0);
	CU_ASSERT_EQUAL(chan_send(&e.a, 2, 0, NULL, NULL, 0), -EPIPE);
	chan_fini(&e.a);
	CU_ASSERT_EQUAL(chan_send(&e.a, 2, 0, NULL, NULL, 0), -EPIPE);
	CU_ASSERT_EQUAL(chan_recv(&e.a, &f), 0);
	chan_fini(&e.a);
}

/*
 * A child says EXIT and goes with a STOP of ours unread: the socket's
 * ECONNRESET must not hide the EXIT, neither when reading nor after a send.
 */
static void chan_last_frame_survives_reset(void)
{
	for (int send_first = 0; send_first < 2; send_first++) {
		struct chan_ends e;
		struct frame f;

		chan_ends_open(&e);
		CU_ASSERT_EQUAL(chan_send(&e.a, 18, 0, NULL, NULL, 0), 0);
		CU_ASSERT_EQUAL(chan_send(&e.b, 20, 0, NULL, NULL, 0), 0);
		chan_fini(&e.b);
		if (send_first)
			CU_ASSERT_EQUAL(chan_send(&e.a, 18, 0, NULL, NULL, 0),
					-EPIPE);
		CU_ASSERT_EQUAL_FATAL(chan_recv(&e.a, &f), 1);
		CU_ASSERT_EQUAL(f.header.op, 20);
		CU_ASSERT_EQUAL(chan_recv(&e.a, &f), 0);
		chan_ends_close(&e);
	}
}

static void chan_only_on_seqpacket(void)
{
	size_t before = test_fd_cnt();
	struct chan c;
	int pair[2];

	CU_ASSERT_EQUAL(chan_init(&c, -1), -EBADF);
	CU_ASSERT_EQUAL(chan_init(&c, open("/dev/null", O_RDWR | O_CLOEXEC)),
			-ENOTSOCK);
	CU_ASSERT_EQUAL_FATAL(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	CU_ASSERT_EQUAL(chan_init(&c, pair[0]), -EPROTOTYPE);
	CU_ASSERT_EQUAL(chan_init(&c, pair[1]), -EPROTOTYPE);
	CU_ASSERT_EQUAL(c.fd, -1);
	chan_fini(&c);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
}

static void chan_init_sets_flags(void)
{
	struct chan c;
	int pair[2];

	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	CU_ASSERT_EQUAL(chan_init(&c, pair[0]), 0);
	CU_ASSERT_EQUAL(fcntl(c.fd, F_GETFD), FD_CLOEXEC);
	CU_ASSERT(fcntl(c.fd, F_GETFL) & O_NONBLOCK);
	chan_fini(&c);
	close(pair[1]);
}

static const struct unit_case chan_cases[] = {
	UNIT_CASE(chan_message_arrives),
	UNIT_CASE(chan_fds_arrive_in_order),
	UNIT_CASE(chan_largest_payload),
	UNIT_CASE(chan_overrun_is_told),
	UNIT_CASE(chan_closed_peer),
	UNIT_CASE(chan_last_frame_survives_reset),
	UNIT_CASE(chan_only_on_seqpacket),
	UNIT_CASE(chan_init_sets_flags),
};

const struct unit_suite unit_suites[] = {
	{"chan", chan_cases, ARRAY_SIZE(chan_cases)},
	{"chan_refuse", chan_refuse_cases, CHAN_REFUSE_CASES},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
