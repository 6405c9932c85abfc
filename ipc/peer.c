// SPDX-License-Identifier: Apache-2.0
/*
 * peer.c - a channel, a protocol table and an event loop made one. Every
 * process runs it; the other end is not trusted: it may send anything, nothing,
 * too late, or stop to read.
 *
 * Theory of operation: frames are read, admitted by their row, decoded into the
 * arena, checked, handled. The first thing that is wrong fails the peer:
 * the channel closes, open requests end with an error, on_fail is called. Any
 * callback may call peer_fini and free the peer, so after each one the flag
 * behind peer.gone, which lies on the stack of the outermost function of this
 * file, is looked at before the peer is.
 */
#include "ipc/peer.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

/* Frames read before other sources get their turn. */
#define PEER_FRAMES_PER_ROUND 16
/* For what a peer that takes nothing more had sent before, an EXIT say. */
#define PEER_LAST_WORDS_NS (100u * 1000 * 1000)

/* Runs @fn of an open request, which is free again before. */
static void peer_pending_end(struct peer_pending *slot, int error,
			     const ProtobufCMessage *msg)
{
	peer_answer_fn fn = slot->fn;
	void *ctx = slot->ctx;

	loop_deadline_disarm(slot->peer->loop, &slot->deadline);
	slot->id = 0;
	fn(ctx, error, msg);
}

/* Ends all open requests. Return: true if the peer is gone meanwhile. */
static bool peer_pending_end_all(struct peer *p, int error, const bool *gone)
{
	for (size_t i = 0; i < PEER_PENDING_MAX && !*gone; i++) {
		if (p->pending[i].id)
			peer_pending_end(&p->pending[i], error, NULL);
	}
	return *gone;
}

/* Nothing is read or sent any more. */
static void peer_close(struct peer *p)
{
	p->failed = true;
	loop_del(p->loop, &p->source);
	loop_deadline_disarm(p->loop, &p->overrun);
	chan_fini(&p->chan);
}

void peer_fail(struct peer *p, int error, const char *what)
{
	bool gone_here = false;
	bool *outer = p->gone;
	bool *gone = outer ? outer : &gone_here;

	if (p->failed)
		return;
	p->gone = gone;
	peer_close(p);
	if (peer_pending_end_all(p, -ECONNRESET, gone))
		return;
	p->on_fail(p, error, what);
	if (!*gone)
		p->gone = outer;
}

void peer_fini(struct peer *p)
{
	bool gone_here = false;
	struct loop *l = p->loop;

	if (!l)
		return;
	peer_close(p);
	/* Callbacks below may come back here; the outermost call tells all. */
	if (!p->gone)
		p->gone = &gone_here;
	if (peer_pending_end_all(p, -ECONNRESET, p->gone))
		return;
	arena_fini(&p->arena);
	p->loop = NULL;
	*p->gone = true;
	p->gone = NULL;
}

/* The peer did not read what we had to send, or never will. */
static void peer_overrun(void *ctx)
{
	struct peer *p = ctx;

	peer_fail(p, p->overrun_error, "send");
}

/* An open request has waited too long. */
static void peer_timeout(void *ctx)
{
	struct peer_pending *slot = ctx;
	struct peer *p = slot->peer;
	bool gone_here = false;
	bool *outer = p->gone;
	bool *gone = outer ? outer : &gone_here;

	p->gone = gone;
	peer_pending_end(slot, -ETIMEDOUT, NULL);
	if (*gone)
		return;
	p->gone = outer;
	peer_fail(p, -ETIMEDOUT, "answer");
}

/* The open request with this @id; NULL if there is none. */
static struct peer_pending *peer_pending_find(struct peer *p, uint32_t id)
{
	for (size_t i = 0; i < PEER_PENDING_MAX; i++) {
		if (id && p->pending[i].id == id)
			return &p->pending[i];
	}
	return NULL;
}

/* Hands a checked message to whoever waits for it. */
static int peer_deliver(struct peer *p, const struct dispatch_row *row,
			const ProtobufCMessage *msg, struct frame *frame)
{
	struct peer_pending *slot;

	if (row->kind != DISPATCH_ANSWER)
		return row->handle(p, frame->header.id, msg, &frame->fds);
	slot = peer_pending_find(p, frame->header.id);
	if (!slot || slot->op + 1 != row->op)
		return -EPROTO;
	peer_pending_end(slot, 0, msg);
	return 0;
}

/* Admits and decodes one frame; @row may be NULL. */
static int peer_frame_decode(struct peer *p, const struct dispatch_row *row,
			     const struct frame *frame,
			     const ProtobufCMessage **ret_msg)
{
	int err;

	if (!row)
		return -EPROTO;
	err = dispatch_admit(p->table, row, frame, p->state, p->seen);
	if (err)
		return err;
	arena_reset(&p->arena);
	return dispatch_decode(row, frame->payload, frame->header.length,
			       &p->arena, ret_msg);
}

/* May the protocol answer a request that is wrong? */
static bool peer_may_refuse(const struct peer *p, const struct frame_header *h)
{
	return p->refuse && h->op % 2 == 0 && h->id != 0;
}

/* Admits, decodes and delivers one frame. *@ret_what: where it failed. */
static int peer_frame_handle(struct peer *p, struct frame *frame,
			     const char **ret_what)
{
	const struct dispatch_row *row =
		dispatch_find(p->table, frame->header.op);
	const ProtobufCMessage *msg = NULL;
	int err = peer_frame_decode(p, row, frame, &msg);

	*ret_what = row ? row->name : "unknown op";
	if (err && peer_may_refuse(p, &frame->header))
		return p->refuse(p, row, &frame->header, err);
	if (err)
		return err;
	p->seen |= 1ULL << (row - p->table->rows);
	return peer_deliver(p, row, msg, frame);
}

/*
 * Reads and handles one frame. Return: false when there is nothing more to read
 * now, or the peer has failed or is gone.
 */
static bool peer_frame_read(struct peer *p, const bool *gone)
{
	struct frame frame;
	const char *what = "frame";
	int got = chan_recv(&p->chan, &frame);

	if (got == -EAGAIN)
		return false;
	if (got <= 0) {
		peer_fail(p, got ? got : -ECONNRESET, got ? what : "closed");
		return false;
	}

	int err = peer_frame_handle(p, &frame, &what);

	fdset_close(&frame.fds);
	if (*gone)
		return false;
	if (err)
		peer_fail(p, err, what);
	return !*gone && !p->failed;
}

/*
 * Reads one round of frames; *@gone tells whether the peer outlived it. Not
 * inlined: GCC 12 cannot see that p->gone is reset unless the peer is gone.
 */
__attribute__((noinline)) static void peer_frames_read(struct peer *p,
						       bool *gone)
{
	p->gone = gone;
	for (int i = 0; i < PEER_FRAMES_PER_ROUND; i++) {
		if (!peer_frame_read(p, gone))
			break;
	}
	if (!*gone)
		p->gone = NULL;
}

/* The channel is readable or was closed. */
static void peer_ready(void *ctx, uint32_t events)
{
	bool gone = false;

	(void)events;
	peer_frames_read(ctx, &gone);
}

/* The fields of a peer that are ours. */
static void peer_private_init(struct peer *p, struct loop *l)
{
	p->loop = l;
	p->chan = (struct chan){.fd = -1};
	memset(&p->arena, 0, sizeof(p->arena));
	p->seen = 0;
	p->next_id = 1;
	p->failed = false;
	p->gone = NULL;
	p->overrun = (struct deadline){.fn = peer_overrun, .ctx = p};
	memset(p->pending, 0, sizeof(p->pending));
}

int peer_init(struct peer *p, struct loop *l, int fd)
{
	int err;

	BUG_ON(!dispatch_table_ok(p->table) || !p->on_fail);
	peer_private_init(p, l);
	p->source = (struct loop_source){
		.fd = fd,
		.events = EPOLLIN,
		.fn = peer_ready,
		.ctx = p,
	};
	err = chan_init(&p->chan, fd);
	if (!err)
		err = arena_init(&p->arena);
	if (!err)
		err = loop_add(l, &p->source);
	if (err) {
		arena_fini(&p->arena);
		chan_fini(&p->chan);
		p->loop = NULL;
	}
	return err;
}

/* Sends; a peer that does not read fails from the loop, not in here. */
static int peer_send(struct peer *p, uint32_t op, uint32_t id,
		     const struct peer_call *call)
{
	int err;

	if (p->failed)
		return -EPIPE;
	err = chan_send(&p->chan, op, id, call->msg, call->fds, call->fd_cnt);
	if ((err != -EAGAIN && err != -EPIPE) || p->overrun.armed)
		return err;
	/*
	 * -EPIPE: gone, which the loop will see, or it has only shut down its
	 * receiving half, which nothing but a send tells.
	 */
	p->overrun_error = err == -EPIPE ? -ECONNRESET : err;
	loop_deadline_arm(p->loop, &p->overrun,
			  err == -EPIPE ? PEER_LAST_WORDS_NS : 0);
	return err;
}

int peer_event(struct peer *p, uint32_t op, const ProtobufCMessage *msg,
	       const int *fds, size_t fd_cnt)
{
	struct peer_call call = {.msg = msg, .fds = fds, .fd_cnt = fd_cnt};

	BUG_ON(op % 2);
	return peer_send(p, op, 0, &call);
}

int peer_answer(struct peer *p, uint32_t op, uint32_t id,
		const ProtobufCMessage *msg)
{
	struct peer_call call = {.msg = msg};

	BUG_ON(op % 2 == 0 || id == 0);
	return peer_send(p, op, id, &call);
}

/* A request number that is not 0 and not open. */
static uint32_t peer_id_next(struct peer *p)
{
	uint32_t id;

	do {
		id = p->next_id++;
	} while (id == 0 || peer_pending_find(p, id));
	return id;
}

int peer_request(struct peer *p, const struct peer_call *call)
{
	struct peer_pending *slot = NULL;
	uint32_t id;
	int err;

	BUG_ON(call->op % 2 || !call->fn);
	for (size_t i = 0; i < PEER_PENDING_MAX && !slot; i++) {
		if (p->pending[i].id == 0)
			slot = &p->pending[i];
	}
	if (!slot)
		return -EBUSY;
	id = peer_id_next(p);
	err = peer_send(p, call->op, id, call);
	if (err)
		return err;
	*slot = (struct peer_pending){
		.id = id,
		.op = call->op,
		.fn = call->fn,
		.ctx = call->ctx,
		.deadline = {.fn = peer_timeout, .ctx = slot},
		.peer = p,
	};
	loop_deadline_arm(p->loop, &slot->deadline, call->timeout_ns);
	return 0;
}
