/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch.h - a protocol as a table of rows. What a frame must satisfy before
 * its handler sees it is checked here, in one place, for every op.
 */
#ifndef IPC_DISPATCH_H
#define IPC_DISPATCH_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdint.h>

#include "ipc/arena.h"
#include "ipc/chan.h"
#include "ipc/compiler.h"
#include "ipc/fds.h"

struct peer;

/* How a row's frames take part in request and answer. */
enum dispatch_kind {
	DISPATCH_EVENT,   /* even op, id 0 */
	DISPATCH_REQUEST, /* even op, id != 0; the handler answers */
	DISPATCH_ANSWER,  /* odd op, id of a request of ours */
};

/**
 * struct dispatch_row - one op of a protocol, as one side receives it
 * @op: op number
 * @name: for logs
 * @kind: event, request or answer
 * @min_fds: fds that must come with it
 * @max_fds: fds that may come with it
 * @states: bit mask (1u << state) of the peer states that allow it
 * @once: a second one is refused
 * @desc: message type
 * @check: pure test of the decoded message's values; NULL if the generic checks
 * (unknown fields, enum values) say all. Return: 0 or -errno. Fuzzed.
 * @handle: acts on it. @id is for peer_answer. Fds not taken out of @fds are
 * closed afterwards. NULL for an answer, whose request brought its function.
 * Return: 0 or -errno, which fails the channel.
 */
struct dispatch_row {
	uint32_t op;
	const char *name;
	enum dispatch_kind kind;
	uint8_t min_fds;
	uint8_t max_fds;
	uint32_t states;
	bool once;
	const ProtobufCMessageDescriptor *desc;
	int (*check)(const ProtobufCMessage *msg);
	int (*handle)(struct peer *peer, uint32_t id,
		      const ProtobufCMessage *msg, struct fdset *fds);
};

/**
 * struct dispatch_table - a protocol as one side receives it
 * @name: for logs, for example "child"
 * @rows: const rows, at most DISPATCH_ROWS_MAX
 * @cnt: number of rows
 */
struct dispatch_table {
	const char *name;
	const struct dispatch_row *rows;
	uint32_t cnt;
};

#define DISPATCH_ROWS_MAX 64

/**
 * dispatch_table_ok() - is the table itself well-formed? Parity of op and kind,
 * no op twice, fd counts, a handler where one is needed. peer_init aborts on
 * one that is not: a mistake of ours.
 */
bool dispatch_table_ok(const struct dispatch_table *t);

/**
 * dispatch_find() - the row of @op; NULL if the protocol has none.
 */
const struct dispatch_row *dispatch_find(const struct dispatch_table *t,
					 uint32_t op);

/**
 * dispatch_admit() - may this frame be handled now?
 * @state: the peer's state
 * @seen: bit per row of the ops that came already (once rows)
 * Return: 0; -EPROTO wrong state, kind and id that do not fit, too many or too
 * few fds, a once-only op repeated.
 */
MUST_CHECK int dispatch_admit(const struct dispatch_table *t,
			      const struct dispatch_row *row,
			      const struct frame *frame, uint32_t state,
			      uint64_t seen);

/**
 * dispatch_decode() - unpacks and checks a payload
 * @arena: holds the message until it is reset
 * Return: 0; -EBADMSG cannot be decoded or over the arena's cap; -EPROTO an
 * unknown field or an enum value that the descriptor does not have, at any
 * depth; what row->check returns.
 */
MUST_CHECK int dispatch_decode(const struct dispatch_row *row,
			       const uint8_t *payload, size_t len,
			       struct arena *arena,
			       const ProtobufCMessage **ret_msg);

#endif
