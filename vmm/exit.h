/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit.h - why the machine ends: the first reason wins, whoever gives it.
 */
#ifndef VMM_EXIT_H
#define VMM_EXIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/loop.h"
#include "proto/child.pb-c.h"

#define EXIT_MESSAGE_BYTES 256

/**
 * struct exit_cause - the reason, once @set
 * @lock: guards the fields up to @set
 * @set: read by vCPU threads without the lock
 * @code: EXIT_DEBUG only
 * @message: "" for none
 * @work: runs on the main loop when the reason was given
 */
struct exit_cause {
	pthread_mutex_t lock;
	Bulkhead__Child__ExitReason reason;
	uint32_t code;
	char message[EXIT_MESSAGE_BYTES];
	atomic_bool set;
	struct loop *loop;
	struct loop_work work;
};

/** exit_cause_init() - @fn(@ctx) will run on @loop's thread, once. */
void exit_cause_init(struct exit_cause *e, struct loop *loop,
		     void (*fn)(void *ctx), void *ctx);

/**
 * exit_request() - ends the machine; any thread, never blocks on a peer
 * @code: for EXIT_DEBUG, else 0
 * @fmt: message for the user, or NULL
 */
void exit_request(struct exit_cause *e, Bulkhead__Child__ExitReason reason,
		  uint32_t code, const char *fmt, ...) PRINTF_LIKE(4, 5);

/** exit_requested() - cheap; vCPUs ask it after every exit. */
static inline bool exit_requested(const struct exit_cause *e)
{
	return atomic_load_explicit(&e->set, memory_order_acquire);
}

#endif
