/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_fixture.h - a peer under test and the other end of its channel, played
 * by the test frame by frame. The protocol is a small one of child.proto's
 * messages:
 *
 *	2 HELLO event, once	4 GRANT event, 1..2 fds	22 STATS request
 *	23 STATS_REPLY answer	11 PREPARED answer	18 STOP event
 */
#ifndef TESTS_UNIT_IPC_PEER_FIXTURE_H
#define TESTS_UNIT_IPC_PEER_FIXTURE_H

#include "ipc/peer.h"
#include "proto/child.pb-c.h"
#include "tests/support/unit/unit.h"

enum { STATE_NEW, STATE_OPEN };

/* What a handler shall do beside counting. */
enum trick {
	TRICK_NONE,
	TRICK_FINI,  /* peer_fini, and free the peer */
	TRICK_FAIL,  /* peer_fail with -EIO */
	TRICK_ERROR, /* return -ENXIO */
	TRICK_TAKE,  /* keep fd 1 */
};

/**
 * struct fixture - and what came of it
 * @other: the other end, driven by hand
 * @handled: events and requests that reached a handler
 * @answers: answer functions called
 * @answer_error: error of the last one
 */
struct fixture {
	struct loop *loop;
	struct peer *peer;
	struct chan other;
	enum trick trick;
	unsigned handled;
	int kept_fd;
	unsigned answers;
	int answer_error;
	bool answer_fini;
	unsigned fails;
	int fail_error;
	const char *fail_what;
	bool fail_fini;
	size_t fds_before;
	unsigned refused;
	uint32_t refused_op; /* of the last one */
	const char *refused_row;
};

void fixture_open(struct fixture *f, uint32_t state);
/** fixture_open_lenient() - wrong requests are answered with op + 1. */
void fixture_open_lenient(struct fixture *f, uint32_t state);
/** fixture_close() - and checks that no fd is left. */
void fixture_close(struct fixture *f);
/** fixture_run() - lets the peer work on what is there. */
void fixture_run(struct fixture *f);
/** fixture_peer_free() - peer_fini and free; NULL afterwards. */
void fixture_peer_free(struct fixture *f);

/** fixture_send() - a frame from the other end; @fd_cnt copies of fd 0. */
void fixture_send(struct fixture *f, uint32_t op, uint32_t id,
		  const ProtobufCMessage *msg, size_t fd_cnt);
void fixture_send_hello(struct fixture *f, Bulkhead__Child__Role role);
void fixture_send_grant(struct fixture *f, size_t fd_cnt);
void fixture_send_answer(struct fixture *f, uint32_t op, uint32_t id);

/** fixture_request() - STATS from the peer under test; its id as it arrived. */
uint32_t fixture_request(struct fixture *f, uint64_t timeout_ns);

/** fixture_expect_fail() - ran, and failed exactly once in this way. */
void fixture_expect_fail(struct fixture *f, int error, const char *what);

#define PEER_REFUSE_CASES 14
extern const struct unit_case peer_refuse_cases[PEER_REFUSE_CASES];

#endif
