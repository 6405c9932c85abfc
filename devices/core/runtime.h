/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.h - everything a device process has. Private to devices/core.
 */
#ifndef DEVICES_CORE_RUNTIME_H
#define DEVICES_CORE_RUNTIME_H

#include "devices/core/backend.h"
#include "devices/core/gmem.h"
#include "devices/core/grant.h"
#include "devices/core/queue.h"
#include "ipc/loop.h"
#include "ipc/peer.h"

/*
 * How long in-flight requests may take when queues are stopped: a flush of a
 * busy disk takes seconds. Below the vmm's deadline for STOP and RESET (40 s),
 * so that we end with a reason before it gives up.
 */
#define RUNTIME_DRAIN_NS (30ull * 1000 * 1000 * 1000)
/* Most phases that READY reports. */
#define RUNTIME_PHASES_MAX 8

/**
 * struct runtime_phase - when a step of the start ended
 */
struct runtime_phase {
	const char *name;
	uint64_t cpu_ns;
	uint64_t mono_ns;
};

/**
 * struct runtime - one device process
 * @state: the device's own, ops->state_bytes
 * @control: the monitor
 * @vmm: the vmm
 * @acked: negotiated features
 * @stop_id: RESET to answer when all queues have stopped; 0 for none
 * @stopping: queues are being stopped for a reset or for the end
 * @serving: device and queues are made; before, STOP is only noted
 * @ending: the process ends when they have
 * @drain: fires when they have not in time
 * @failed: why the process ends with status 1; NULL if it does not
 * @peer_gone: that is because a channel was closed
 */
struct runtime {
	const struct backend_ops *ops;
	void *state;
	struct loop *loop;
	struct peer control;
	struct peer vmm;
	struct grant grant;
	struct gmem mem;
	struct backend_shape shape;
	struct queue *queues;
	uint32_t queue_cnt;
	uint64_t acked;
	uint32_t stop_id;
	bool stopping;
	bool serving;
	bool ending;
	struct deadline drain;
	const char *failed;
	bool peer_gone;
	struct runtime_phase phases[RUNTIME_PHASES_MAX];
	size_t phase_cnt;
};

/** runtime_fail() - logs, remembers the first reason, and ends the loop. */
void runtime_fail(struct runtime *rt, int error, const char *what);

/* child_rows.c: the monitor's side of our life */
extern const struct dispatch_table child_table;
/** child_exit_send() - tells the monitor why we end. */
void child_exit_send(struct runtime *rt);

/* vmm_rows.c */
extern const struct dispatch_table vmm_table;

/* States of the vmm's channel. */
enum vmm_state {
	VMM_STATE_NEW,      /* INFO comes */
	VMM_STATE_INFO,     /* MEMORY comes */
	VMM_STATE_RESET,    /* no features */
	VMM_STATE_FEATURES, /* queues may be set and run */
	VMM_STATE_COUNT
};

/* vmm_queues.c: handlers of the rows that concern queues */
int vmm_queue_set(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		  struct fdset *fds);
int vmm_queue_start(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		    struct fdset *fds);
int vmm_queue_stop(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		   struct fdset *fds);
int vmm_reset(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
	      struct fdset *fds);
/** vmm_queue_done() - a worker's command has ended. @ctx: struct queue */
void vmm_queue_done(void *ctx);
/** vmm_queue_trouble() - a worker cannot go on. @ctx: struct queue */
void vmm_queue_trouble(void *ctx);
/** vmm_queues_end() - stops all queues, then ends the loop with 0. */
void vmm_queues_end(struct runtime *rt);
/** vmm_reply() - answers with an error number only; @error: 0 or -errno. */
int vmm_reply(struct runtime *rt, uint32_t op, uint32_t id, int error);

#endif
