/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.h - the event loop of every process: fds, deadlines, and work posted
 * from other threads. Level-triggered epoll; one thread runs it.
 */
#ifndef IPC_LOOP_H
#define IPC_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"

struct loop;

/**
 * struct loop_source - an fd that the loop watches; embedded in its owner
 * @fd: borrowed; the owner closes it after loop_del
 * @events: EPOLLIN and so on
 * @fn: called on the loop's thread with the events that are ready; may delete
 * this or any other source
 * @ctx: borrowed
 */
struct loop_source {
	int fd;
	uint32_t events;
	void (*fn)(void *ctx, uint32_t events);
	void *ctx;
	bool live; /* private to loop.c */
};

/**
 * struct deadline - a one-shot timer; embedded in its owner, zero-initialised
 * @fn: called on the loop's thread when it expires
 * @ctx: borrowed
 */
struct deadline {
	void (*fn)(void *ctx);
	void *ctx;
	uint64_t at_ns;        /* private: CLOCK_MONOTONIC */
	struct deadline *next; /* private */
	bool armed;            /* private */
};

/**
 * struct loop_work - something another thread asks of the loop's thread;
 * embedded in its owner, zero-initialised. Posting it twice before it ran runs
 * it once.
 */
struct loop_work {
	void (*fn)(void *ctx);
	void *ctx;
	struct loop_work *next; /* private */
	bool queued;            /* private, atomic */
};

/** loop_new() - Return: 0 and a loop, or -errno. */
MUST_CHECK int loop_new(struct loop **ret_loop);
/** loop_free() - accepts NULL. Sources and deadlines are not touched. */
void loop_free(struct loop *l);

MUST_CHECK int loop_add(struct loop *l, struct loop_source *src);
/** loop_mod() - changes the events watched for. */
MUST_CHECK int loop_mod(struct loop *l, struct loop_source *src,
			uint32_t events);
/**
 * loop_del() - safe inside any callback, and for a source never added; @src may
 * be freed or added again as soon as it returns
 */
void loop_del(struct loop *l, struct loop_source *src);

/** loop_deadline_arm() - (re)arms @d to fire @in_ns from now. Cannot fail. */
void loop_deadline_arm(struct loop *l, struct deadline *d, uint64_t in_ns);
/** loop_deadline_disarm() - no-op if not armed. */
void loop_deadline_disarm(struct loop *l, struct deadline *d);

/** loop_post() - from any thread; wakes the loop. Lock-free, never blocks. */
void loop_post(struct loop *l, struct loop_work *w);

/** loop_run() - until loop_stop. Return: the value given there, or -errno. */
MUST_CHECK int loop_run(struct loop *l);
/** loop_stop() - on the loop's thread; the current round still ends. */
void loop_stop(struct loop *l, int value);

/** loop_now_ns() - CLOCK_MONOTONIC in ns. */
uint64_t loop_now_ns(void);

#endif
