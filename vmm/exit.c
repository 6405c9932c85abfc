// SPDX-License-Identifier: Apache-2.0
/*
 * exit.c - keeps the first reason for which the machine ends.
 */
#include "vmm/exit.h"

#include <stdarg.h>
#include <stdio.h>

void exit_cause_init(struct exit_cause *e, struct loop *loop,
		     void (*fn)(void *ctx), void *ctx)
{
	*e = (struct exit_cause){.loop = loop};
	pthread_mutex_init(&e->lock, NULL);
	e->work.fn = fn;
	e->work.ctx = ctx;
}

void exit_request(struct exit_cause *e, Bulkhead__Child__ExitReason reason,
		  uint32_t code, const char *fmt, ...)
{
	va_list ap;

	pthread_mutex_lock(&e->lock);
	if (exit_requested(e)) {
		pthread_mutex_unlock(&e->lock);
		return;
	}
	e->reason = reason;
	e->code = code;
	if (fmt) {
		va_start(ap, fmt);
		vsnprintf(e->message, sizeof(e->message), fmt, ap);
		va_end(ap);
	}
	/* Release: who sees the flag sees the fields above. */
	atomic_store_explicit(&e->set, true, memory_order_release);
	pthread_mutex_unlock(&e->lock);
	if (e->loop)
		loop_post(e->loop, &e->work);
}
