// SPDX-License-Identifier: Apache-2.0
/*
 * peer_refuse_test.c - every break of the protocol fails the peer, once, with
 * its channel closed and no fd left (fixture_close counts them).
 */
#include <errno.h>
#include <string.h>

#include "tests/unit/ipc/peer_fixture.h"
#include "tests/unit/ipc/support.h"

/* The frame that was sent last is refused; the one after it is not read. */
static void peer_refused(struct fixture *f, unsigned handled, const char *what)
{
	(void)!chan_send(&f->other, 18, 0, NULL, NULL, 0);
	fixture_expect_fail(f, -EPROTO, what);
	CU_ASSERT_EQUAL(f->handled, handled);
	CU_ASSERT_EQUAL(chan_send(&f->other, 18, 0, NULL, NULL, 0), -EPIPE);
	fixture_close(f);
}

static void peer_refuses_unknown_op(void)
{
	static const uint32_t ops[] = {0, 1, 3, 26, UINT32_MAX};

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		struct fixture f;

		fixture_open(&f, STATE_NEW);
		fixture_send(&f, ops[i], 0, NULL, 1);
		peer_refused(&f, 0, "unknown op");
	}
}

static void peer_refuses_wrong_state(void)
{
	struct fixture f;

	fixture_open(&f, STATE_OPEN);
	fixture_send_hello(&f, BULKHEAD__CHILD__ROLE__ROLE_VMM);
	peer_refused(&f, 0, "HELLO");
}

static void peer_refuses_once_only_repeated(void)
{
	struct fixture f;

	fixture_open(&f, STATE_NEW);
	fixture_send_hello(&f, BULKHEAD__CHILD__ROLE__ROLE_VMM);
	fixture_send_hello(&f, BULKHEAD__CHILD__ROLE__ROLE_VMM);
	peer_refused(&f, 1, "HELLO");
}

static void peer_refuses_fd_counts(void)
{
	struct fixture f;

	fixture_open(&f, STATE_NEW);
	fixture_send_grant(&f, 0);
	peer_refused(&f, 0, "GRANT");
	fixture_open(&f, STATE_NEW);
	fixture_send_grant(&f, 3);
	peer_refused(&f, 0, "GRANT");
	fixture_open(&f, STATE_NEW);
	fixture_send(&f, 18, 0, NULL, FDSET_MAX);
	peer_refused(&f, 0, "STOP");
}

static void peer_refuses_ids(void)
{
	struct fixture f;

	/* an event with an id */
	fixture_open(&f, STATE_NEW);
	fixture_send(&f, 18, 1, NULL, 0);
	peer_refused(&f, 0, "STOP");
	/* a request without one */
	fixture_open(&f, STATE_OPEN);
	fixture_send(&f, 22, 0, NULL, 0);
	peer_refused(&f, 0, "STATS");
}

static void peer_refuses_answer_to_nothing(void)
{
	struct fixture f;
	uint32_t id;

	fixture_open(&f, STATE_OPEN);
	fixture_send_answer(&f, 23, 1);
	peer_refused(&f, 0, "STATS_REPLY");
	fixture_open(&f, STATE_OPEN);
	id = fixture_request(&f, 1000 * MS_NS);
	fixture_send_answer(&f, 23, id + 1);
	peer_refused(&f, 0, "STATS_REPLY");
	CU_ASSERT_EQUAL(f.answers, 1);
	CU_ASSERT_EQUAL(f.answer_error, -ECONNRESET);
	fixture_open(&f, STATE_OPEN);
	(void)fixture_request(&f, 1000 * MS_NS);
	fixture_send_answer(&f, 23, 0);
	peer_refused(&f, 0, "STATS_REPLY");
}

static void peer_refuses_answer_of_another_op(void)
{
	struct fixture f;
	uint32_t id;

	fixture_open(&f, STATE_OPEN);
	id = fixture_request(&f, 1000 * MS_NS);
	fixture_send_answer(&f, 11, id);
	peer_refused(&f, 0, "PREPARED");
	CU_ASSERT_EQUAL(f.answers, 1);
	CU_ASSERT_EQUAL(f.answer_error, -ECONNRESET);
}

static void peer_refuses_second_answer(void)
{
	struct fixture f;
	uint32_t id;

	fixture_open(&f, STATE_OPEN);
	id = fixture_request(&f, 1000 * MS_NS);
	fixture_send_answer(&f, 23, id);
	fixture_send_answer(&f, 23, id);
	peer_refused(&f, 0, "STATS_REPLY");
	CU_ASSERT_EQUAL(f.answers, 1);
	CU_ASSERT_EQUAL(f.answer_error, 0);
}

static void peer_refuses_bad_messages(void)
{
	static const uint8_t unknown[] = {0xc0, 0x3e, 0x01};
	uint8_t bytes[FRAME_HEADER_BYTES + sizeof(unknown)];
	struct frame_header h = {.length = sizeof(unknown), .op = 18};
	struct fixture f;

	fixture_open(&f, STATE_NEW);
	fixture_send_hello(&f, (Bulkhead__Child__Role)17);
	peer_refused(&f, 0, "HELLO");

	frame_encode(&h, bytes);
	memcpy(bytes + FRAME_HEADER_BYTES, unknown, sizeof(unknown));
	fixture_open(&f, STATE_NEW);
	CU_ASSERT_EQUAL(
		test_datagram_send(f.other.fd, bytes, sizeof(bytes), 0, 0), 0);
	peer_refused(&f, 0, "STOP");

	/* required fields missing */
	fixture_open(&f, STATE_NEW);
	fixture_send(&f, 4, 0, NULL, 2);
	fixture_expect_fail(&f, -EBADMSG, "GRANT");
	fixture_close(&f);
}

static void peer_refuses_bad_frames(void)
{
	static uint8_t bytes[FRAME_BYTES_MAX + 1];
	struct frame_header h = {.length = 0, .op = 18};
	struct fixture f;

	frame_encode(&h, bytes);
	fixture_open(&f, STATE_NEW);
	CU_ASSERT_EQUAL(test_datagram_send(f.other.fd, bytes, 15, 0, 1), 0);
	fixture_expect_fail(&f, -EBADMSG, "frame");
	fixture_close(&f);
	fixture_open(&f, STATE_NEW);
	CU_ASSERT_EQUAL(
		test_datagram_send(f.other.fd, bytes, sizeof(bytes), 0, 1), 0);
	fixture_expect_fail(&f, -EMSGSIZE, "frame");
	fixture_close(&f);
	fixture_open(&f, STATE_NEW);
	CU_ASSERT_EQUAL(test_datagram_send(f.other.fd, bytes, 16, 0, 9), 0);
	fixture_expect_fail(&f, -EBADMSG, "frame");
	fixture_close(&f);
}

static void peer_fails_when_its_handler_does(void)
{
	struct fixture f;

	fixture_open(&f, STATE_NEW);
	f.trick = TRICK_ERROR;
	fixture_send_grant(&f, 2);
	fixture_send_grant(&f, 2);
	fixture_expect_fail(&f, -ENXIO, "GRANT");
	CU_ASSERT_EQUAL(f.handled, 1);
	fixture_close(&f);
}

static void peer_fails_from_inside_its_handler(void)
{
	struct fixture f;

	fixture_open(&f, STATE_NEW);
	f.trick = TRICK_FAIL;
	f.fail_fini = true;
	fixture_send_grant(&f, 2);
	fixture_send_grant(&f, 2);
	fixture_expect_fail(&f, -EIO, "trick");
	CU_ASSERT_EQUAL(f.handled, 1);
	fixture_close(&f);
}

/* An answer of @op to request @id came, and the peer goes on. */
static void peer_answered(struct fixture *f, uint32_t op, uint32_t id)
{
	struct frame frame;

	fixture_run(f);
	CU_ASSERT_EQUAL(f->fails, 0);
	CU_ASSERT_EQUAL_FATAL(chan_recv(&f->other, &frame), 1);
	CU_ASSERT_EQUAL(frame.header.op, op);
	CU_ASSERT_EQUAL(frame.header.id, id);
}

/* What an orchestrator that is newer than the monitor meets. */
static void peer_refuse_answers_wrong_requests(void)
{
	Bulkhead__Child__StatsReply r = BULKHEAD__CHILD__STATS_REPLY__INIT;
	Bulkhead__Child__Counter counter = BULKHEAD__CHILD__COUNTER__INIT;
	Bulkhead__Child__Counter *counters[] = {&counter};
	char name[] = "x";
	struct fixture f;

	fixture_open_lenient(&f, STATE_NEW);
	fixture_send(&f, 1000, 7, NULL, 1); /* no row; its fd is closed */
	peer_answered(&f, 1001, 7);
	CU_ASSERT_EQUAL(f.refused_op, 1000);
	CU_ASSERT_PTR_NULL(f.refused_row);
	fixture_send(&f, 22, 8, NULL, 0); /* not in this state */
	peer_answered(&f, 23, 8);
	CU_ASSERT_STRING_EQUAL(f.refused_row, "STATS");
	f.peer->state = STATE_OPEN;
	counter.name = name;
	r.n_counters = 1;
	r.counters = counters;
	fixture_send(&f, 22, 9, &r.base, 0); /* a field that is not known */
	peer_answered(&f, 23, 9);
	CU_ASSERT_EQUAL(f.refused, 3);
	fixture_send(&f, 22, 10, NULL, 0);
	peer_answered(&f, 23, 10);
	CU_ASSERT_EQUAL(f.refused, 3);
	fixture_close(&f);
}

/* No answer could reach these, or the refusal itself says no. */
static void peer_refuse_is_for_requests_only(void)
{
	static const struct {
		uint32_t op, id;
		enum trick trick;
		int error;
	} rows[] = {
		{1000, 0, TRICK_NONE, -EPROTO}, {1001, 7, TRICK_NONE, -EPROTO},
		{23, 7, TRICK_NONE, -EPROTO},   {22, 0, TRICK_NONE, -EPROTO},
		{1000, 7, TRICK_ERROR, -ENXIO},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fixture f;

		fixture_open_lenient(&f, STATE_OPEN);
		f.trick = rows[i].trick;
		fixture_send(&f, rows[i].op, rows[i].id, NULL, 0);
		fixture_run(&f);
		CU_ASSERT_EQUAL(f.fails, 1);
		CU_ASSERT_EQUAL(f.fail_error, rows[i].error);
		CU_ASSERT_EQUAL(f.refused, rows[i].error == -ENXIO ? 1 : 0);
		fixture_close(&f);
	}
}

const struct unit_case peer_refuse_cases[PEER_REFUSE_CASES] = {
	UNIT_CASE(peer_refuses_unknown_op),
	UNIT_CASE(peer_refuses_wrong_state),
	UNIT_CASE(peer_refuses_once_only_repeated),
	UNIT_CASE(peer_refuses_fd_counts),
	UNIT_CASE(peer_refuses_ids),
	UNIT_CASE(peer_refuses_answer_to_nothing),
	UNIT_CASE(peer_refuses_answer_of_another_op),
	UNIT_CASE(peer_refuses_second_answer),
	UNIT_CASE(peer_refuses_bad_messages),
	UNIT_CASE(peer_refuses_bad_frames),
	UNIT_CASE(peer_fails_when_its_handler_does),
	UNIT_CASE(peer_fails_from_inside_its_handler),
	UNIT_CASE(peer_refuse_answers_wrong_requests),
	UNIT_CASE(peer_refuse_is_for_requests_only),
};
