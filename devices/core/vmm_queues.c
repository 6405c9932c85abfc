// SPDX-License-Identifier: Apache-2.0
/*
 * vmm_queues.c - the rows of backend.proto that set, start, stop and reset
 * queues. Runs on the main thread of every device process. The vmm is not
 * trusted, and it passes on what the guest wrote: what may be the guest's doing
 * is answered with an error, what only a broken vmm sends fails the channel.
 *
 * Theory of operation: per queue one command may be open (queue.h); its end
 * answers the request that asked for it. A reset stops every queue, waits for
 * all, and then forgets features and addresses. Whatever is being stopped must
 * end within RUNTIME_DRAIN_NS: we cannot answer "stopped" while the kernel may
 * still write into guest memory, so after that the process ends instead.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/virtio_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "devices/core/runtime.h"
#include "proto/backend.pb-c.h"

#define LOG_MODULE "vmm"
#include "ipc/log.h"

/** vmm_queue() - the queue of an index from the wire; NULL if not ours. */
static struct queue *vmm_queue(struct runtime *rt, uint32_t idx)
{
	return idx < rt->queue_cnt ? &rt->queues[idx] : NULL;
}

/**
 * vmm_fd_is_event() - is @fd an eventfd that cannot hold a worker?
 * The inode of an eventfd has no file type, as that of an epoll, a timerfd, a
 * pidfd and more. Of these it alone takes bytes, which it tries to copy first:
 * nothing else says EFAULT.
 */
static bool vmm_fd_is_event(int fd)
{
	/* Volatile: the compiler knows that write(2) wants a buffer. */
	const void *volatile nowhere = NULL;
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || !(flags & O_NONBLOCK) || fstat(fd, &st) < 0 ||
	    (st.st_mode & S_IFMT) != 0)
		return false;
	return write(fd, nowhere, sizeof(uint64_t)) < 0 && errno == EFAULT;
}

/** vmm_queue_config() - what QUEUE_SET said. */
static struct vq_config vmm_queue_config(const Bulkhead__Backend__QueueSet *m)
{
	return (struct vq_config){
		.size = m->size,
		.desc_gpa = m->desc_gpa,
		.driver_gpa = m->driver_gpa,
		.device_gpa = m->device_gpa,
		.position = (uint16_t)m->position,
	};
}

int vmm_queue_set(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		  struct fdset *fds)
{
	const uint32_t op = BULKHEAD__BACKEND__OP__OP_QUEUE_SET_REPLY;
	const Bulkhead__Backend__QueueSet *m = (const void *)msg;
	struct runtime *rt = p->ctx;
	struct queue *q = vmm_queue(rt, m->index);

	if (!q || m->size > rt->shape.queue_size)
		return vmm_reply(rt, op, id, -EINVAL);
	if (rt->stopping || q->state > QUEUE_SET)
		return vmm_reply(rt, op, id, -EBUSY);
	if (!vmm_fd_is_event(fds->fd[0]) || !vmm_fd_is_event(fds->fd[1]))
		return -EPROTO;
	queue_clear(q);
	q->kick_fd = fdset_take(fds, 0);
	q->call_fd = fdset_take(fds, 1);
	q->cfg = vmm_queue_config(m);
	q->state = QUEUE_SET;
	return vmm_reply(rt, op, id, 0);
}

/** vmm_queue_prepare() - all memory that the queue will need. 0 or -errno. */
static int vmm_queue_prepare(struct runtime *rt, struct queue *q)
{
	int rc;

	/* FEATURES may have come after QUEUE_SET. */
	q->cfg.event_idx = rt->acked >> VIRTIO_RING_F_EVENT_IDX & 1;
	q->cfg.indirect = rt->acked >> VIRTIO_RING_F_INDIRECT_DESC & 1;
	rc = vq_init(&q->pub.vq, &rt->mem, &q->cfg);
	if (rc < 0)
		return rc;
	q->pub.slots = calloc(q->cfg.size, rt->ops->slot_bytes);
	if (q->pub.slots)
		return 0;
	queue_memory_free(q);
	return -ENOMEM;
}

int vmm_queue_start(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		    struct fdset *fds)
{
	const uint32_t op = BULKHEAD__BACKEND__OP__OP_QUEUE_START_REPLY;
	const Bulkhead__Backend__QueueStart *m = (const void *)msg;
	struct runtime *rt = p->ctx;
	struct queue *q = vmm_queue(rt, m->index);
	int rc;

	(void)fds;
	if (!q || q->state == QUEUE_EMPTY)
		return vmm_reply(rt, op, id, -EINVAL);
	if (rt->stopping || q->state != QUEUE_SET)
		return vmm_reply(rt, op, id, -EBUSY);
	rc = vmm_queue_prepare(rt, q);
	if (rc < 0)
		return vmm_reply(rt, op, id, rc);
	q->state = QUEUE_STARTING;
	q->answer_id = id;
	queue_command(q, QUEUE_CMD_START);
	return 0;
}

/** vmm_drain_expired() - something in flight did not end. */
static void vmm_drain_expired(void *ctx)
{
	runtime_fail(ctx, -ETIMEDOUT, "requests in flight did not end");
}

/** vmm_stop() - asks the worker to drain. */
static void vmm_stop(struct runtime *rt, struct queue *q)
{
	q->state = QUEUE_STOPPING;
	if (!rt->drain.armed) {
		rt->drain.fn = vmm_drain_expired;
		rt->drain.ctx = rt;
		loop_deadline_arm(rt->loop, &rt->drain, RUNTIME_DRAIN_NS);
	}
	queue_command(q, QUEUE_CMD_STOP);
}

int vmm_queue_stop(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		   struct fdset *fds)
{
	const uint32_t op = BULKHEAD__BACKEND__OP__OP_QUEUE_STOP_REPLY;
	const Bulkhead__Backend__QueueStop *m = (const void *)msg;
	Bulkhead__Backend__QueueStopReply r =
		BULKHEAD__BACKEND__QUEUE_STOP_REPLY__INIT;
	struct runtime *rt = p->ctx;
	struct queue *q = vmm_queue(rt, m->index);

	(void)fds;
	if (q && q->state == QUEUE_RUNNING && !rt->stopping) {
		q->answer_id = id;
		vmm_stop(rt, q);
		return 0;
	}
	r.error = !q || q->state < QUEUE_STARTING ? EINVAL : EBUSY;
	return peer_answer(p, op, id, &r.base);
}

/** vmm_all_stopped() - a reset or the end goes on. */
static void vmm_all_stopped(struct runtime *rt)
{
	uint32_t id = rt->stop_id;

	/* The round still ends, and with @stopping left set nothing starts. */
	if (rt->ending) {
		loop_stop(rt->loop, 0);
		return;
	}
	rt->stopping = false;
	rt->stop_id = 0;
	for (uint32_t i = 0; i < rt->queue_cnt; i++)
		queue_clear(&rt->queues[i]);
	rt->acked = 0;
	rt->ops->reset(rt->state);
	rt->vmm.state = VMM_STATE_RESET;
	if (vmm_reply(rt, BULKHEAD__BACKEND__OP__OP_RESET_REPLY, id, 0) < 0)
		peer_fail(&rt->vmm, -EAGAIN, "RESET");
}

/** vmm_stop_step() - has all that must stop stopped? */
static void vmm_stop_step(struct runtime *rt)
{
	bool open = false;

	for (uint32_t i = 0; i < rt->queue_cnt; i++) {
		struct queue *q = &rt->queues[i];

		if (rt->stopping && q->state == QUEUE_RUNNING)
			vmm_stop(rt, q);
		open = open || q->state == QUEUE_STARTING ||
		       q->state == QUEUE_STOPPING;
	}
	if (open)
		return;
	loop_deadline_disarm(rt->loop, &rt->drain);
	if (rt->stopping)
		vmm_all_stopped(rt);
}

int vmm_reset(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
	      struct fdset *fds)
{
	struct runtime *rt = p->ctx;

	(void)msg;
	(void)fds;
	if (rt->stopping)
		return vmm_reply(rt, BULKHEAD__BACKEND__OP__OP_RESET_REPLY, id,
				 -EBUSY);
	rt->stopping = true;
	rt->stop_id = id;
	vmm_stop_step(rt);
	return 0;
}

void vmm_queues_end(struct runtime *rt)
{
	if (rt->ending)
		return;
	rt->ending = true;
	/*
	 * STOP came with GRANT: there is nothing to stop yet, and backend.c
	 * looks before it serves. A reset that is under way ends first, and
	 * then us.
	 */
	if (!rt->serving || rt->stopping)
		return;
	rt->stopping = true;
	vmm_stop_step(rt);
}

/** vmm_queue_started() - answers QUEUE_START. 0 or -errno of the channel. */
static int vmm_queue_started(struct runtime *rt, struct queue *q)
{
	q->state = q->result == 0 ? QUEUE_RUNNING : QUEUE_SET;
	if (q->result < 0)
		queue_memory_free(q);
	return vmm_reply(rt, BULKHEAD__BACKEND__OP__OP_QUEUE_START_REPLY,
			 q->answer_id, q->result);
}

/** vmm_queue_stopped() - answers QUEUE_STOP if one asked. 0 or -errno. */
static int vmm_queue_stopped(struct runtime *rt, struct queue *q)
{
	Bulkhead__Backend__QueueStopReply r =
		BULKHEAD__BACKEND__QUEUE_STOP_REPLY__INIT;
	uint32_t id = q->answer_id;

	q->cfg.position = vq_position(&q->pub.vq);
	queue_memory_free(q);
	q->state = QUEUE_SET;
	if (id == 0)
		return 0;
	r.has_position = true;
	r.position = q->cfg.position;
	return peer_answer(&rt->vmm, BULKHEAD__BACKEND__OP__OP_QUEUE_STOP_REPLY,
			   id, &r.base);
}

void vmm_queue_done(void *ctx)
{
	struct queue *q = ctx;
	struct runtime *rt = q->rt;
	int rc;

	if (q->state == QUEUE_STARTING)
		rc = vmm_queue_started(rt, q);
	else
		rc = vmm_queue_stopped(rt, q);
	q->answer_id = 0;
	if (rc < 0)
		peer_fail(&rt->vmm, rc, "answer");
	vmm_stop_step(rt);
}

void vmm_queue_trouble(void *ctx)
{
	Bulkhead__Backend__NeedsReset m = BULKHEAD__BACKEND__NEEDS_RESET__INIT;
	struct queue *q = ctx;
	struct runtime *rt = q->rt;
	int fatal = __atomic_load_n(&q->fatal, __ATOMIC_ACQUIRE);
	char reason[96];
	int rc;

	if (fatal) {
		runtime_fail(rt, fatal, "ring of a queue");
		return;
	}
	/* The worker wrote it before it posted this, and never again. */
	snprintf(reason, sizeof(reason), "queue %u: %s", q->pub.idx,
		 q->pub.vq.broken ? q->pub.vq.broken : "stopped meanwhile");
	log_guest(LOG_LEVEL_WARN, "device needs a reset: %s", reason);
	m.reason = reason;
	rc = peer_event(&rt->vmm, BULKHEAD__BACKEND__OP__OP_NEEDS_RESET,
			&m.base, NULL, 0);
	if (rc < 0)
		peer_fail(&rt->vmm, rc, "NEEDS_RESET");
}
