// SPDX-License-Identifier: Apache-2.0
/*
 * chan_refuse_test.c - datagrams that are no frames. Each comes with fds, none
 * of which may stay open (OpenSSH's monitor_fdpass has no such check).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/ipc/chan_suites.h"
#include "tests/unit/ipc/support.h"

static uint8_t good[FRAME_HEADER_BYTES];
static uint8_t large[FRAME_BYTES_MAX + 1];

static void chan_good_make(uint32_t length, uint8_t *ret_bytes)
{
	struct frame_header h = {.length = length, .op = 2};

	frame_encode(&h, ret_bytes);
}

/* Sends @bytes with @fd_cnt fds; it must be refused with @error, leak-free. */
static void chan_refused(const void *bytes, size_t len, size_t fd_cnt,
			 int error)
{
	struct chan_ends e;
	struct frame f;

	chan_ends_open(&e);

	size_t before = test_fd_cnt();

	CU_ASSERT_EQUAL(test_datagram_send(e.a.fd, bytes, len, 0, fd_cnt), 0);
	CU_ASSERT_EQUAL(chan_recv(&e.b, &f), error);
	CU_ASSERT_EQUAL(f.fds.cnt, 0);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
	/* The datagram is gone, whole. */
	CU_ASSERT_EQUAL(chan_recv(&e.b, &f), -EAGAIN);
	chan_ends_close(&e);
}

static void chan_refuses_truncated_frames(void)
{
	chan_good_make(0, good);
	for (size_t len = 1; len < FRAME_HEADER_BYTES; len++) {
		chan_refused(good, len, 0, -EBADMSG);
		chan_refused(good, len, 2, -EBADMSG);
	}
	chan_good_make(5, large);
	chan_refused(large, FRAME_HEADER_BYTES + 4, 1, -EBADMSG);
	chan_refused(large, FRAME_HEADER_BYTES + 6, 1, -EBADMSG);
}

static void chan_refuses_other_magic(void)
{
	chan_good_make(0, good);
	good[0] ^= 1;
	chan_refused(good, sizeof(good), 3, -EBADMSG);
}

static void chan_refuses_truncated_data(void)
{
	chan_good_make(FRAME_PAYLOAD_MAX, large);
	chan_refused(large, FRAME_BYTES_MAX + 1, 0, -EMSGSIZE);
	chan_refused(large, FRAME_BYTES_MAX + 1, FDSET_MAX, -EMSGSIZE);
}

/* Nine fit the control buffer and are counted, more truncate it. */
static void chan_refuses_too_many_fds(void)
{
	chan_good_make(0, good);
	chan_refused(good, sizeof(good), FDSET_MAX + 1, -EBADMSG);
	chan_refused(good, sizeof(good), FDSET_MAX + 2, -EBADMSG);
	chan_refused(good, sizeof(good), FDSET_MAX + 3, -EBADMSG);
	chan_refused(good, sizeof(good), 250, -EBADMSG);
}

/* The table of fds is full: the kernel cuts the control data. */
static void chan_refuses_truncated_control(void)
{
	struct rlimit old;
	struct rlimit tight;
	struct chan_ends e;
	struct frame f;

	chan_good_make(0, good);
	chan_ends_open(&e);
	CU_ASSERT_EQUAL(test_datagram_send(e.a.fd, good, sizeof(good), 0,
					   FDSET_MAX),
			0);

	size_t before = test_fd_cnt();
	int lowest = dup(0);

	close(lowest);
	CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = old;
	tight.rlim_cur = (rlim_t)lowest + 3;
	CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_NOFILE, &tight), 0);
	CU_ASSERT_EQUAL(chan_recv(&e.b, &f), -EBADMSG);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &old), 0);
	CU_ASSERT_EQUAL(f.fds.cnt, 0);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
	chan_ends_close(&e);
}

/* An empty datagram must not pass for the end while it carries fds. */
static void chan_refuses_empty_datagram_with_fds(void)
{
	chan_refused(good, 0, 1, -EBADMSG);
}

/* Control data that nobody asked for: the sender's credentials. */
static void chan_refuses_other_control(void)
{
	struct chan_ends e;
	struct frame f;
	int on = 1;

	chan_good_make(0, good);
	chan_ends_open(&e);
	CU_ASSERT_EQUAL_FATAL(setsockopt(e.b.fd, SOL_SOCKET, SO_PASSCRED, &on,
					 sizeof(on)),
			      0);

	size_t before = test_fd_cnt();

	CU_ASSERT_EQUAL(test_datagram_send(e.a.fd, good, sizeof(good), 0, 1),
			0);
	CU_ASSERT_EQUAL(chan_recv(&e.b, &f), -EBADMSG);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
	chan_ends_close(&e);
}

const struct unit_case chan_refuse_cases[CHAN_REFUSE_CASES] = {
	UNIT_CASE(chan_refuses_truncated_frames),
	UNIT_CASE(chan_refuses_other_magic),
	UNIT_CASE(chan_refuses_truncated_data),
	UNIT_CASE(chan_refuses_too_many_fds),
	UNIT_CASE(chan_refuses_truncated_control),
	UNIT_CASE(chan_refuses_empty_datagram_with_fds),
	UNIT_CASE(chan_refuses_other_control),
};
