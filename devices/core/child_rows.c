// SPDX-License-Identifier: Apache-2.0
/*
 * child_rows.c - child.proto as a device receives it, and what it sends there.
 * Runs on the main thread of every device process.
 */
#include <errno.h>
#include <string.h>

#include "devices/core/runtime.h"

#define LOG_MODULE "child"
#include "ipc/log.h"

/* States of the monitor's channel. */
enum child_state { CHILD_STATE_WAIT, CHILD_STATE_GRANTED };

/** child_grant() - GRANT: copied here, acted on by backend_main. */
static int child_grant(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		       struct fdset *fds)
{
	const Bulkhead__Child__Grant *m = (const void *)msg;
	struct runtime *rt = p->ctx;
	int rc = grant_take(&rt->grant, rt->ops, m, fds);

	(void)id;
	if (!rc)
		rc = rt->ops->grant(rt->state, m);
	if (rc < 0)
		return rc;
	p->state = CHILD_STATE_GRANTED;
	loop_stop(rt->loop, 0);
	return 0;
}

/** child_stop() - STOP: ends in order, when all in flight is done. */
static int child_stop(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		      struct fdset *fds)
{
	(void)id;
	(void)msg;
	(void)fds;
	vmm_queues_end(p->ctx);
	return 0;
}

/** child_sum() - one core counter over all queues. */
static uint64_t child_sum(const struct runtime *rt, unsigned core)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < rt->queue_cnt; i++)
		sum += __atomic_load_n(&rt->queues[i].counts[core],
				       __ATOMIC_RELAXED);
	return sum;
}

/** child_sum_device() - one counter of the device over all queues. */
static uint64_t child_sum_device(const struct runtime *rt, size_t row)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < rt->queue_cnt; i++)
		sum += __atomic_load_n(&rt->queues[i].pub.counters[row],
				       __ATOMIC_RELAXED);
	return sum;
}

/* Counter names are constants; protobuf-c has no const in its structs. */
static char *child_text(const char *s)
{
	union {
		const char *c;
		char *v;
	} u = {.c = s};

	return u.v;
}

/** child_stats() - STATS: the core's counters, the device's, the walls'. */
static int child_stats(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		       struct fdset *fds)
{
	enum { CNT = QUEUE_COUNTERS + BACKEND_COUNTERS_MAX + 1 };
	Bulkhead__Child__StatsReply r = BULKHEAD__CHILD__STATS_REPLY__INIT;
	Bulkhead__Child__Counter counter[CNT];
	Bulkhead__Child__Counter *row[CNT];
	struct runtime *rt = p->ctx;
	size_t n = 0;

	(void)msg;
	(void)fds;
	for (unsigned i = 0; i < CNT; i++) {
		bulkhead__child__counter__init(&counter[i]);
		row[i] = &counter[i];
	}
	for (unsigned i = 0; i < QUEUE_COUNTERS; i++, n++) {
		counter[n].name =
			child_text(queue_counter_name((enum queue_counter)i));
		counter[n].value = child_sum(rt, i);
	}
	for (size_t i = 0; i < rt->ops->counter_cnt; i++, n++) {
		counter[n].name = child_text(rt->ops->counters[i]);
		counter[n].value = child_sum_device(rt, i);
	}
	counter[n].name = child_text("seccomp-refusals");
	counter[n++].value = confine_refusals();
	r.n_counters = n;
	r.counters = row;
	return peer_answer(p, BULKHEAD__CHILD__OP__OP_STATS_REPLY, id, &r.base);
}

static const struct dispatch_row child_rows[] = {
	{.op = BULKHEAD__CHILD__OP__OP_GRANT,
	 .name = "GRANT",
	 .kind = DISPATCH_EVENT,
	 .min_fds = 2,
	 .max_fds = FDSET_MAX,
	 .states = 1u << CHILD_STATE_WAIT,
	 .once = true,
	 .desc = &bulkhead__child__grant__descriptor,
	 .check = grant_check,
	 .handle = child_grant},
	{.op = BULKHEAD__CHILD__OP__OP_STOP,
	 .name = "STOP",
	 .kind = DISPATCH_EVENT,
	 .states = 1u << CHILD_STATE_GRANTED,
	 .desc = &bulkhead__child__stop__descriptor,
	 .handle = child_stop},
	{.op = BULKHEAD__CHILD__OP__OP_STATS,
	 .name = "STATS",
	 .kind = DISPATCH_REQUEST,
	 .states = 1u << CHILD_STATE_GRANTED,
	 .desc = &bulkhead__child__stats__descriptor,
	 .handle = child_stats},
};

const struct dispatch_table child_table = {
	.name = "child",
	.rows = child_rows,
	.cnt = ARRAY_SIZE(child_rows),
};

void child_exit_send(struct runtime *rt)
{
	Bulkhead__Child__Exit m = BULKHEAD__CHILD__EXIT__INIT;

	m.reason = BULKHEAD__CHILD__EXIT_REASON__EXIT_STOPPED;
	if (rt->failed)
		m.reason = rt->peer_gone
				   ? BULKHEAD__CHILD__EXIT_REASON__EXIT_PEER
				   : BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR;
	m.message = child_text(rt->failed ? rt->failed : "stopped");
	/* The monitor may be the reason why we end: then it is gone. */
	if (peer_event(&rt->control, BULKHEAD__CHILD__OP__OP_EXIT, &m.base,
		       NULL, 0) < 0)
		log_debug("EXIT could not be sent");
}
