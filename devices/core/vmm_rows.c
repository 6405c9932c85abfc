// SPDX-License-Identifier: Apache-2.0
/*
 * vmm_rows.c - backend.proto as a device receives it: the table, its pure
 * checks, and the rows that do not concern queues. Runs on the main thread of
 * every device process; the vmm is not trusted.
 */
#include "devices/core/vmm_rows.h"

#include <errno.h>
#include <string.h>

#include "devices/core/runtime.h"
#include "proto/backend.pb-c.h"

#define LOG_MODULE "vmm"
#include "ipc/log.h"

/* Bounds of values that the vmm itself makes. */
#define VMM_QUEUES_MAX 64u
#define VMM_QUEUE_SIZE_MAX 32768u
#define VMM_WRITE_BYTES_MAX 8u

int vmm_memory_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__MemoryTable *m = (const void *)msg;

	return m->n_regions && m->n_regions <= MEMTABLE_REGIONS_MAX ? 0
								    : -EPROTO;
}

int vmm_queue_set_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__QueueSet *m = (const void *)msg;

	if (m->index >= VMM_QUEUES_MAX || m->size > VMM_QUEUE_SIZE_MAX ||
	    m->position > UINT16_MAX)
		return -EPROTO;
	return 0;
}

int vmm_queue_start_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__QueueStart *m = (const void *)msg;

	return m->index < VMM_QUEUES_MAX ? 0 : -EPROTO;
}

int vmm_queue_stop_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__QueueStop *m = (const void *)msg;

	return m->index < VMM_QUEUES_MAX ? 0 : -EPROTO;
}

int vmm_config_write_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__ConfigWrite *m = (const void *)msg;

	if (m->data.len == 0 || m->data.len > VMM_WRITE_BYTES_MAX ||
	    m->offset > BACKEND_CONFIG_MAX)
		return -EPROTO;
	return 0;
}

int vmm_reply(struct runtime *rt, uint32_t op, uint32_t id, int error)
{
	Bulkhead__Backend__Reply r = BULKHEAD__BACKEND__REPLY__INIT;

	r.error = (uint32_t)-error;
	return peer_answer(&rt->vmm, op, id, &r.base);
}

/** vmm_info() - INFO: what the device is. */
static int vmm_info(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		    struct fdset *fds)
{
	Bulkhead__Backend__InfoReply r = BULKHEAD__BACKEND__INFO_REPLY__INIT;
	struct runtime *rt = p->ctx;
	uint32_t sizes[BACKEND_QUEUES_MAX];
	uint8_t config[BACKEND_CONFIG_MAX];

	(void)msg;
	(void)fds;
	for (uint32_t i = 0; i < rt->queue_cnt; i++)
		sizes[i] = rt->shape.queue_size;
	rt->ops->config_read(rt->state, config);
	r.virtio_id = rt->ops->virtio_id;
	r.features = rt->shape.features;
	r.n_queue_sizes = rt->queue_cnt;
	r.queue_sizes = sizes;
	r.config_writable = rt->ops->config_writable;
	r.config = (ProtobufCBinaryData){.len = rt->ops->config_bytes,
					 .data = config};
	p->state = VMM_STATE_INFO;
	return peer_answer(p, BULKHEAD__BACKEND__OP__OP_INFO_REPLY, id,
			   &r.base);
}

/** vmm_memory() - MEMORY: must be what the monitor granted. */
static int vmm_memory(struct peer *p, uint32_t id, const ProtobufCMessage *msg,
		      struct fdset *fds)
{
	const Bulkhead__Backend__MemoryTable *m = (const void *)msg;
	struct runtime *rt = p->ctx;
	const struct memtable *own = &rt->mem.table;
	struct memtable told;
	int rc = memtable_from_proto(m->regions, m->n_regions, rt->mem.size,
				     &told);

	(void)fds;
	if (rc < 0)
		return rc;
	if (told.cnt != own->cnt ||
	    memcmp(told.region, own->region,
		   own->cnt * sizeof(own->region[0])) != 0) {
		log_err("the vmm's memory table is not the granted one");
		return -EPROTO;
	}
	p->state = VMM_STATE_RESET;
	return vmm_reply(rt, BULKHEAD__BACKEND__OP__OP_MEMORY_REPLY, id, 0);
}

/** vmm_queues_idle() - true when no queue runs or changes. */
static bool vmm_queues_idle(const struct runtime *rt)
{
	for (uint32_t i = 0; i < rt->queue_cnt; i++) {
		if (rt->queues[i].state > QUEUE_SET)
			return false;
	}
	return !rt->stopping;
}

/** vmm_features() - FEATURES: what driver and device agreed on. */
static int vmm_features(struct peer *p, uint32_t id,
			const ProtobufCMessage *msg, struct fdset *fds)
{
	const uint32_t op = BULKHEAD__BACKEND__OP__OP_FEATURES_REPLY;
	const Bulkhead__Backend__Features *m = (const void *)msg;
	struct runtime *rt = p->ctx;

	(void)fds;
	if (!vmm_queues_idle(rt))
		return vmm_reply(rt, op, id, -EBUSY);
	if (m->acked & ~rt->shape.features)
		return vmm_reply(rt, op, id, -EINVAL);
	rt->acked = m->acked;
	rt->ops->features_set(rt->state, m->acked);
	p->state = VMM_STATE_FEATURES;
	return vmm_reply(rt, op, id, 0);
}

/** vmm_config_write() - CONFIG_WRITE, bounded by what may be written. */
static int vmm_config_write(struct peer *p, uint32_t id,
			    const ProtobufCMessage *msg, struct fdset *fds)
{
	const uint32_t op = BULKHEAD__BACKEND__OP__OP_CONFIG_WRITE_REPLY;
	const Bulkhead__Backend__ConfigWrite *m = (const void *)msg;
	struct runtime *rt = p->ctx;
	uint64_t end = (uint64_t)m->offset + m->data.len;
	int rc;

	(void)fds;
	if (end > rt->ops->config_writable)
		return vmm_reply(rt, op, id, -EINVAL);
	rc = rt->ops->config_write(rt->state, m->offset, m->data.data,
				   (uint32_t)m->data.len);
	return vmm_reply(rt, op, id, rc);
}

#define STATE(s) (1u << VMM_STATE_##s)
#define ROW(OP, STATES, ONCE, FDS, DESC, CHECK, HANDLE)                   \
	{                                                                 \
		.op = BULKHEAD__BACKEND__OP__OP_##OP, .name = #OP,        \
		.kind = DISPATCH_REQUEST, .min_fds = FDS, .max_fds = FDS, \
		.states = STATES, .once = ONCE,                           \
		.desc = &bulkhead__backend__##DESC##__descriptor,         \
		.check = CHECK, .handle = HANDLE                          \
	}

static const struct dispatch_row vmm_rows[] = {
	ROW(INFO, STATE(NEW), true, 0, info, NULL, vmm_info),
	ROW(MEMORY, STATE(INFO), true, 0, memory_table, vmm_memory_check,
	    vmm_memory),
	ROW(FEATURES, STATE(RESET) | STATE(FEATURES), false, 0, features, NULL,
	    vmm_features),
	ROW(QUEUE_SET, STATE(FEATURES), false, 2, queue_set,
	    vmm_queue_set_check, vmm_queue_set),
	ROW(QUEUE_START, STATE(FEATURES), false, 0, queue_start,
	    vmm_queue_start_check, vmm_queue_start),
	ROW(QUEUE_STOP, STATE(FEATURES), false, 0, queue_stop,
	    vmm_queue_stop_check, vmm_queue_stop),
	ROW(RESET, STATE(RESET) | STATE(FEATURES), false, 0, reset, NULL,
	    vmm_reset),
	ROW(CONFIG_WRITE, STATE(RESET) | STATE(FEATURES), false, 0,
	    config_write, vmm_config_write_check, vmm_config_write),
};

const struct dispatch_table vmm_table = {
	.name = "backend",
	.rows = vmm_rows,
	.cnt = ARRAY_SIZE(vmm_rows),
};
