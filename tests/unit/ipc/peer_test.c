// SPDX-License-Identifier: Apache-2.0
/*
 * peer_test.c - requests, answers and events that are in order; a peer that
 * goes away, is late, or does not read; and peers that are freed inside any of
 * their own callbacks. What is refused: peer_refuse_test.c.
 */
#include "ipc/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/ipc/peer_fixture.h"
#include "tests/unit/ipc/support.h"

static void peer_takes_events(void)
{
	struct fixture f;

	fixture_open(&f, STATE_NEW);
	fixture_send_hello(&f, BULKHEAD__CHILD__ROLE__ROLE_VMM);
	fixture_send_grant(&f, 1);
	fixture_send_grant(&f, 2);
	fixture_run(&f);
	CU_ASSERT_EQUAL(f.handled, 3);
	CU_ASSERT_EQUAL(f.fails, 0);
	fixture_close(&f); /* no fd is left: none was taken */
}

static void peer_handler_keeps_an_fd(void)
{
	struct fixture f;

	fixture_open(&f, STATE_NEW);
	f.trick = TRICK_TAKE;
	fixture_send_grant(&f, 2);
	fixture_run(&f);
	CU_ASSERT(f.kept_fd >= 0);
	CU_ASSERT(fcntl(f.kept_fd, F_GETFD) == FD_CLOEXEC);
	fixture_close(&f);
}

static void peer_many_frames_in_one_go(void)
{
	Bulkhead__Child__Stop s = BULKHEAD__CHILD__STOP__INIT;
	struct fixture f;

	fixture_open(&f, STATE_NEW);
	for (unsigned i = 0; i < 100; i++)
		fixture_send(&f, 18, 0, &s.base, 0);
	fixture_run(&f);
	CU_ASSERT_EQUAL(f.handled, 100);
	fixture_close(&f);
}

static void peer_answers_requests(void)
{
	struct frame frame;
	struct fixture f;

	fixture_open(&f, STATE_OPEN);
	fixture_send(&f, 22, 0xfffffff0u, NULL, 0);
	fixture_run(&f);
	CU_ASSERT_EQUAL(f.fails, 0);
	CU_ASSERT_EQUAL_FATAL(chan_recv(&f.other, &frame), 1);
	CU_ASSERT_EQUAL(frame.header.op, 23);
	CU_ASSERT_EQUAL(frame.header.id, 0xfffffff0u);
	fixture_close(&f);
}

/* Answers may come in any order. */
static void peer_requests_are_answered(void)
{
	uint32_t ids[PEER_PENDING_MAX];
	struct fixture f;

	fixture_open(&f, STATE_OPEN);
	f.peer->next_id = UINT32_MAX - 3; /* ids pass 0 on the way */
	for (size_t i = 0; i < PEER_PENDING_MAX; i++)
		ids[i] = fixture_request(&f, 1000 * MS_NS);
	for (size_t i = PEER_PENDING_MAX; i-- > 0;)
		fixture_send_answer(&f, 23, ids[i]);
	fixture_run(&f);
	CU_ASSERT_EQUAL(f.answers, PEER_PENDING_MAX);
	CU_ASSERT_EQUAL(f.answer_error, 0);
	CU_ASSERT_EQUAL(f.fails, 0);
	CU_ASSERT_PTR_NULL(f.peer->pending[0].deadline.next);
	CU_ASSERT_FALSE(f.peer->pending[0].deadline.armed);
	fixture_close(&f);
}

static void peer_open_requests_are_bounded(void)
{
	Bulkhead__Child__Stats s = BULKHEAD__CHILD__STATS__INIT;
	struct fixture f;

	fixture_open(&f, STATE_OPEN);
	for (size_t i = 0; i < PEER_PENDING_MAX; i++)
		fixture_request(&f, 1000 * MS_NS);

	struct peer_call call = {
		.op = 22,
		.msg = &s.base,
		.timeout_ns = MS_NS,
		.fn = f.peer->pending[0].fn,
		.ctx = &f,
	};

	CU_ASSERT_EQUAL(peer_request(f.peer, &call), -EBUSY);
	fixture_peer_free(&f);
	/* Every one of them ended, and only once. */
	CU_ASSERT_EQUAL(f.answers, PEER_PENDING_MAX);
	CU_ASSERT_EQUAL(f.answer_error, -ECONNRESET);
	CU_ASSERT_EQUAL(f.fails, 0);
	fixture_close(&f);
}

static void peer_closes_mid_request(void)
{
	struct fixture f;

	fixture_open(&f, STATE_OPEN);
	fixture_request(&f, 1000 * MS_NS);
	fixture_request(&f, 1000 * MS_NS);
	chan_fini(&f.other);
	fixture_expect_fail(&f, -ECONNRESET, "closed");
	CU_ASSERT_EQUAL(f.answers, 2);
	CU_ASSERT_EQUAL(f.answer_error, -ECONNRESET);
	CU_ASSERT_EQUAL(peer_event(f.peer, 18, NULL, NULL, 0), -EPIPE);
	fixture_close(&f);
}

static void peer_misses_a_deadline(void)
{
	struct fixture f;
	uint32_t id;

	fixture_open(&f, STATE_OPEN);
	id = fixture_request(&f, 2 * MS_NS);
	fixture_expect_fail(&f, -ETIMEDOUT, "answer");
	CU_ASSERT_EQUAL(f.answers, 1);
	CU_ASSERT_EQUAL(f.answer_error, -ETIMEDOUT);
	/* The channel is closed: a late answer reaches nobody. */
	CU_ASSERT_EQUAL(chan_send(&f.other, 23, id, NULL, NULL, 0), -EPIPE);
	fixture_close(&f);
}

static void peer_that_does_not_read(void)
{
	Bulkhead__Child__Stop s = BULKHEAD__CHILD__STOP__INIT;
	struct fixture f;
	int err = 0;

	fixture_open(&f, STATE_OPEN);
	for (unsigned i = 0; i < 100000 && !err; i++)
		err = peer_event(f.peer, 18, &s.base, NULL, 0);
	CU_ASSERT_EQUAL(err, -EAGAIN);
	CU_ASSERT_EQUAL(f.fails, 0); /* not inside the call */
	fixture_expect_fail(&f, -EAGAIN, "send");
	fixture_close(&f);
}

/* One that will never read, but does not close either, fails at a send. */
static void peer_that_cannot_read(void)
{
	Bulkhead__Child__Stop s = BULKHEAD__CHILD__STOP__INIT;
	struct fixture f;

	fixture_open(&f, STATE_OPEN);
	fixture_request(&f, 5000 * MS_NS);
	CU_ASSERT_EQUAL(shutdown(f.other.fd, SHUT_RD), 0);
	CU_ASSERT_EQUAL(peer_event(f.peer, 18, &s.base, NULL, 0), -EPIPE);
	fixture_run(&f);
	CU_ASSERT_EQUAL(f.fails, 0);
	CU_ASSERT_EQUAL(test_loop_run(f.loop, 200), -ETIME);
	CU_ASSERT_EQUAL(f.answers, 1);
	fixture_expect_fail(&f, -ECONNRESET, "send");
	fixture_close(&f);
}

/* What a peer sent before it closed is read after a send that failed. */
static void peer_last_words(void)
{
	Bulkhead__Child__Stop s = BULKHEAD__CHILD__STOP__INIT;
	struct fixture f;

	fixture_open(&f, STATE_OPEN);
	for (unsigned i = 0; i < 100; i++)
		fixture_send(&f, 18, 0, &s.base, 0);
	chan_fini(&f.other);
	CU_ASSERT_EQUAL(peer_event(f.peer, 18, &s.base, NULL, 0), -EPIPE);
	fixture_expect_fail(&f, -ECONNRESET, "closed");
	CU_ASSERT_EQUAL(f.handled, 100);
	fixture_close(&f);
}

static void peer_freed_in_its_handler(void)
{
	struct fixture f;

	fixture_open(&f, STATE_NEW);
	f.trick = TRICK_FINI;
	fixture_send_grant(&f, 2);
	fixture_send_grant(&f, 2);
	fixture_run(&f);
	CU_ASSERT_EQUAL(f.handled, 1);
	CU_ASSERT_PTR_NULL(f.peer);
	CU_ASSERT_EQUAL(f.fails, 0);
	fixture_close(&f);
}

static void peer_freed_in_on_fail(void)
{
	struct fixture f;

	for (int late = 0; late < 2; late++) {
		fixture_open(&f, STATE_OPEN);
		f.fail_fini = true;
		fixture_request(&f, late ? MS_NS : 1000 * MS_NS);
		if (!late)
			chan_fini(&f.other);
		fixture_run(&f);
		CU_ASSERT_EQUAL(f.fails, 1);
		CU_ASSERT_EQUAL(f.answers, 1);
		CU_ASSERT_PTR_NULL(f.peer);
		fixture_close(&f);
	}
}

/* The other open requests still end, and on_fail is not called any more. */
static void peer_freed_in_an_answer(void)
{
	struct fixture f;

	for (int how = 0; how < 3; how++) {
		uint32_t id;

		fixture_open(&f, STATE_OPEN);
		f.answer_fini = true;
		id = fixture_request(&f, how == 1 ? MS_NS : 1000 * MS_NS);
		fixture_request(&f, 1000 * MS_NS);
		if (how == 0)
			fixture_send_answer(&f, 23, id);
		else if (how == 2)
			chan_fini(&f.other);
		fixture_run(&f);
		CU_ASSERT_PTR_NULL(f.peer);
		CU_ASSERT_EQUAL(f.answers, 2);
		CU_ASSERT_EQUAL(f.fails, 0);
		fixture_close(&f);
	}
}

static void peer_fini_of_nothing(void)
{
	struct peer zero = {0};
	size_t before = test_fd_cnt();

	peer_fini(&zero);
	CU_ASSERT_EQUAL(test_fd_cnt(), before); /* fd 0 is still there */
}

static void peer_init_owns_its_fd(void)
{
	struct fixture f;

	fixture_open(&f, STATE_OPEN);

	struct peer again = *f.peer;
	size_t before = test_fd_cnt();

	CU_ASSERT_EQUAL(peer_init(&again, f.loop, open("/dev/null", O_RDONLY)),
			-ENOTSOCK);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
	peer_fini(&again);
	fixture_close(&f);
}

static const struct unit_case peer_cases[] = {
	UNIT_CASE(peer_takes_events),
	UNIT_CASE(peer_handler_keeps_an_fd),
	UNIT_CASE(peer_many_frames_in_one_go),
	UNIT_CASE(peer_answers_requests),
	UNIT_CASE(peer_requests_are_answered),
	UNIT_CASE(peer_open_requests_are_bounded),
	UNIT_CASE(peer_closes_mid_request),
	UNIT_CASE(peer_misses_a_deadline),
	UNIT_CASE(peer_that_does_not_read),
	UNIT_CASE(peer_that_cannot_read),
	UNIT_CASE(peer_last_words),
	UNIT_CASE(peer_freed_in_its_handler),
	UNIT_CASE(peer_freed_in_on_fail),
	UNIT_CASE(peer_freed_in_an_answer),
	UNIT_CASE(peer_fini_of_nothing),
	UNIT_CASE(peer_init_owns_its_fd),
};

const struct unit_suite unit_suites[] = {
	{"peer", peer_cases, ARRAY_SIZE(peer_cases)},
	{"peer_refuse", peer_refuse_cases, PEER_REFUSE_CASES},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
