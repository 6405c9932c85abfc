/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer.h - a channel bound to an event loop and a protocol table: requests
 * with deadlines, answers, events. A peer that breaks the protocol, closes or
 * misses a deadline has failed: on_fail is called once, and nothing more is
 * read from it.
 */
#ifndef IPC_PEER_H
#define IPC_PEER_H

#include "ipc/arena.h"
#include "ipc/chan.h"
#include "ipc/compiler.h"
#include "ipc/dispatch.h"
#include "ipc/loop.h"

/* Requests of ours that may be open at a time. */
#define PEER_PENDING_MAX 64

/**
 * typedef peer_answer_fn - what to do with an answer
 * @ctx: as given to peer_request
 * @error: 0; -ETIMEDOUT, -ECONNRESET when the peer failed before answering
 * @msg: the answer, valid during the call; NULL when @error != 0
 */
typedef void (*peer_answer_fn)(void *ctx, int error,
			       const ProtobufCMessage *msg);

struct peer_pending {
	uint32_t id; /* 0 = free */
	uint32_t op; /* of the request */
	peer_answer_fn fn;
	void *ctx;
	struct deadline deadline;
	struct peer *peer;
};

/**
 * struct peer - the other end of a channel
 * @name: for logs, borrowed
 * @table: ops that it may send us
 * @state: current state, index of the bits in dispatch_row.states
 * @ctx: for handlers, borrowed
 * @on_fail: called once on the loop's thread with the cause (-EPROTO, -EBADMSG,
 * -EMSGSIZE, -ETIMEDOUT, -ECONNRESET for a closed channel, -EAGAIN when it
 * does not read); @what names the op or step
 * @refuse: answers a request (even op, id) that was not admitted or decoded,
 * for a peer that may be newer than we are; @row is NULL when no row has its
 * op. NULL: such a request fails the peer. Return: 0 or -errno, which fails it.
 */
struct peer {
	const char *name;
	const struct dispatch_table *table;
	uint32_t state;
	void *ctx;
	void (*on_fail)(struct peer *peer, int error, const char *what);
	int (*refuse)(struct peer *peer, const struct dispatch_row *row,
		      const struct frame_header *header, int error);

	/* private to peer.c */
	struct loop *loop;
	struct chan chan;
	struct arena arena;
	struct loop_source source;
	uint64_t seen;
	uint32_t next_id;
	bool failed;
	bool *gone;              /* set when peer_fini runs in a callback */
	struct deadline overrun; /* a send found the peer not reading */
	int overrun_error;       /* what it is to fail with */
	struct peer_pending pending[PEER_PENDING_MAX];
};

/**
 * peer_init() - starts to read from @fd, which it owns from here, also on
 * failure. The public fields must be set before.
 * Return: 0 or -errno.
 */
MUST_CHECK int peer_init(struct peer *p, struct loop *l, int fd);
/**
 * peer_fini() - closes; open requests end with -ECONNRESET. Safe in a handler
 * of this peer, and after failure; @p may be freed as soon as it returns.
 * Accepts a zeroed struct.
 */
void peer_fini(struct peer *p);
/** peer_fail() - as if the peer had failed with @error. */
void peer_fail(struct peer *p, int error, const char *what);

/**
 * peer_event() - sends an event
 * Return: 0 or -errno as chan_send; after -EAGAIN and -EPIPE the peer fails
 * from the loop, not inside this call. -EPIPE also after it has failed.
 */
MUST_CHECK int peer_event(struct peer *p, uint32_t op,
			  const ProtobufCMessage *msg, const int *fds,
			  size_t fd_cnt);
/** peer_answer() - answers request @id of op @op - 1. */
MUST_CHECK int peer_answer(struct peer *p, uint32_t op, uint32_t id,
			   const ProtobufCMessage *msg);

/**
 * struct peer_call - a request of ours
 * @op: even op number
 * @msg: borrowed
 * @fds: borrowed, @fd_cnt of them
 * @timeout_ns: when it passes without an answer, the peer has failed
 * @fn: called exactly once if peer_request returned 0
 */
struct peer_call {
	uint32_t op;
	const ProtobufCMessage *msg;
	const int *fds;
	size_t fd_cnt;
	uint64_t timeout_ns;
	peer_answer_fn fn;
	void *ctx;
};

/** peer_request() - Return: 0; -EBUSY too many open; as chan_send. */
MUST_CHECK int peer_request(struct peer *p, const struct peer_call *call);

#endif
