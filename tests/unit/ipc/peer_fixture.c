// SPDX-License-Identifier: Apache-2.0
/*
 * peer_fixture.c - see peer_fixture.h.
 */
#include "tests/unit/ipc/peer_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/ipc/support.h"

#define FIXTURE_RUN_MS 5

void fixture_peer_free(struct fixture *f)
{
	struct peer *p = f->peer;

	if (!p)
		return;
	f->peer = NULL;
	peer_fini(p);
	free(p);
}

static int fixture_handle(struct peer *peer, uint32_t id,
			  const ProtobufCMessage *msg, struct fdset *fds)
{
	struct fixture *f = peer->ctx;

	f->handled++;
	(void)id;
	(void)msg;
	switch (f->trick) {
	case TRICK_FINI:
		fixture_peer_free(f);
		return 0;
	case TRICK_FAIL:
		peer_fail(peer, -EIO, "trick");
		return -ENXIO;
	case TRICK_ERROR:
		return -ENXIO;
	case TRICK_TAKE:
		f->kept_fd = fdset_take(fds, 1);
		return 0;
	case TRICK_NONE:
	default:
		return 0;
	}
}

/* Answers a STATS with an empty STATS_REPLY. */
static int fixture_stats(struct peer *peer, uint32_t id,
			 const ProtobufCMessage *msg, struct fdset *fds)
{
	Bulkhead__Child__StatsReply r = BULKHEAD__CHILD__STATS_REPLY__INIT;

	(void)msg;
	(void)fds;
	return peer_answer(peer, 23, id, &r.base);
}

static const struct dispatch_row fixture_rows[] = {
	{.op = 2,
	 .name = "HELLO",
	 .states = 1u << STATE_NEW,
	 .once = true,
	 .desc = &bulkhead__child__hello__descriptor,
	 .handle = fixture_handle},
	{.op = 4,
	 .name = "GRANT",
	 .min_fds = 1,
	 .max_fds = 2,
	 .states = 1u << STATE_NEW,
	 .desc = &bulkhead__child__grant__descriptor,
	 .handle = fixture_handle},
	{.op = 18,
	 .name = "STOP",
	 .states = ~0u,
	 .desc = &bulkhead__child__stop__descriptor,
	 .handle = fixture_handle},
	{.op = 22,
	 .name = "STATS",
	 .kind = DISPATCH_REQUEST,
	 .states = 1u << STATE_OPEN,
	 .desc = &bulkhead__child__stats__descriptor,
	 .handle = fixture_stats},
	{.op = 23,
	 .name = "STATS_REPLY",
	 .kind = DISPATCH_ANSWER,
	 .states = 1u << STATE_OPEN,
	 .desc = &bulkhead__child__stats_reply__descriptor},
	{.op = 11,
	 .name = "PREPARED",
	 .kind = DISPATCH_ANSWER,
	 .states = 1u << STATE_OPEN,
	 .desc = &bulkhead__child__prepared__descriptor},
};

static const struct dispatch_table fixture_table = {"fixture", fixture_rows,
						    ARRAY_SIZE(fixture_rows)};

/* Answers what was wrong with an empty STATS_REPLY. */
static int fixture_refuse(struct peer *peer, const struct dispatch_row *row,
			  const struct frame_header *header, int error)
{
	Bulkhead__Child__StatsReply r = BULKHEAD__CHILD__STATS_REPLY__INIT;
	struct fixture *f = peer->ctx;

	CU_ASSERT(error < 0);
	f->refused++;
	f->refused_op = header->op;
	f->refused_row = row ? row->name : NULL;
	return f->trick == TRICK_ERROR
		       ? -ENXIO
		       : peer_answer(peer, header->op + 1, header->id, &r.base);
}

static void fixture_failed(struct peer *peer, int error, const char *what)
{
	struct fixture *f = peer->ctx;

	f->fails++;
	f->fail_error = error;
	f->fail_what = what;
	if (f->fail_fini)
		fixture_peer_free(f);
}

void fixture_open_lenient(struct fixture *f, uint32_t state)
{
	fixture_open(f, state);
	f->peer->refuse = fixture_refuse;
}

void fixture_open(struct fixture *f, uint32_t state)
{
	int fds[2];

	*f = (struct fixture){.kept_fd = -1, .other = {.fd = -1}};
	f->fds_before = test_fd_cnt();
	CU_ASSERT_EQUAL_FATAL(loop_new(&f->loop), 0);
	CU_ASSERT_EQUAL_FATAL(chan_pair(fds), 0);
	CU_ASSERT_EQUAL_FATAL(chan_init(&f->other, fds[1]), 0);
	f->peer = calloc(1, sizeof(*f->peer));
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->peer);
	f->peer->name = "fixture";
	f->peer->table = &fixture_table;
	f->peer->state = state;
	f->peer->ctx = f;
	f->peer->on_fail = fixture_failed;
	CU_ASSERT_EQUAL_FATAL(peer_init(f->peer, f->loop, fds[0]), 0);
}

void fixture_close(struct fixture *f)
{
	fixture_peer_free(f);
	chan_fini(&f->other);
	loop_free(f->loop);
	if (f->kept_fd >= 0)
		close(f->kept_fd);
	CU_ASSERT_EQUAL(test_fd_cnt(), f->fds_before);
}

void fixture_run(struct fixture *f)
{
	CU_ASSERT_EQUAL(test_loop_run(f->loop, FIXTURE_RUN_MS), -ETIME);
}

void fixture_send(struct fixture *f, uint32_t op, uint32_t id,
		  const ProtobufCMessage *msg, size_t fd_cnt)
{
	static const int fds[FDSET_MAX] = {0};

	CU_ASSERT_EQUAL(chan_send(&f->other, op, id, msg, fds, fd_cnt), 0);
}

void fixture_send_hello(struct fixture *f, Bulkhead__Child__Role role)
{
	Bulkhead__Child__Hello h = BULKHEAD__CHILD__HELLO__INIT;
	char build[] = "x";

	h.role = role;
	h.build = build;
	fixture_send(f, 2, 0, &h.base, 0);
}

void fixture_send_grant(struct fixture *f, size_t fd_cnt)
{
	Bulkhead__Child__Grant g = BULKHEAD__CHILD__GRANT__INIT;
	Bulkhead__Child__Memory m = BULKHEAD__CHILD__MEMORY__INIT;
	char id[] = "x";

	g.id = id;
	g.memory = &m;
	g.confine = BULKHEAD__CHILD__CONFINE__CONFINE_OFF;
	fixture_send(f, 4, 0, &g.base, fd_cnt);
}

void fixture_send_answer(struct fixture *f, uint32_t op, uint32_t id)
{
	Bulkhead__Child__StatsReply r = BULKHEAD__CHILD__STATS_REPLY__INIT;
	Bulkhead__Child__Prepared p = BULKHEAD__CHILD__PREPARED__INIT;

	fixture_send(f, op, id, op == 11 ? &p.base : &r.base, 0);
}

static void fixture_answered(void *ctx, int error, const ProtobufCMessage *msg)
{
	struct fixture *f = ctx;

	f->answers++;
	f->answer_error = error;
	CU_ASSERT_EQUAL(msg != NULL, error == 0);
	if (f->answer_fini)
		fixture_peer_free(f);
}

uint32_t fixture_request(struct fixture *f, uint64_t timeout_ns)
{
	Bulkhead__Child__Stats s = BULKHEAD__CHILD__STATS__INIT;
	struct peer_call call = {
		.op = 22,
		.msg = &s.base,
		.timeout_ns = timeout_ns,
		.fn = fixture_answered,
		.ctx = f,
	};
	struct frame frame;

	CU_ASSERT_EQUAL(peer_request(f->peer, &call), 0);
	CU_ASSERT_EQUAL_FATAL(chan_recv(&f->other, &frame), 1);
	CU_ASSERT_EQUAL(frame.header.op, 22);
	CU_ASSERT_NOT_EQUAL(frame.header.id, 0);
	return frame.header.id;
}

void fixture_expect_fail(struct fixture *f, int error, const char *what)
{
	fixture_run(f);
	CU_ASSERT_EQUAL(f->fails, 1);
	CU_ASSERT_EQUAL(f->fail_error, error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->fail_what);
	CU_ASSERT_STRING_EQUAL(f->fail_what, what);
}
