// SPDX-License-Identifier: Apache-2.0
/*
 * testdev_calls.c - backend.proto from the vmm's side, one call at a time; see
 * testdev.h. Runs in tests and benchmarks.
 */
#include <errno.h>
#include <string.h>

#include "tests/support/ring/testdev_recv.h"

void testdev_regions_fill(struct testdev_regions *r,
			  const struct memtable *table)
{
	for (uint32_t i = 0; i < table->cnt; i++) {
		bulkhead__memory__region__init(&r->region[i]);
		r->region[i].gpa = table->region[i].gpa;
		r->region[i].size = table->region[i].size;
		r->region[i].offset = table->region[i].offset;
		r->ptr[i] = &r->region[i];
	}
}

/** testdev_event() - an event of the device. */
static void testdev_event(struct testdev *t, const struct frame *f)
{
	if (f->header.op == BULKHEAD__BACKEND__OP__OP_NEEDS_RESET)
		t->needs_reset++;
}

void testdev_events(struct testdev *t)
{
	struct frame f;

	testdev_log_drain(t);
	while (chan_recv(&t->backend, &f) == 1) {
		fdset_close(&f.fds);
		testdev_event(t, &f);
	}
}

int testdev_request(struct testdev *t, uint32_t op, const ProtobufCMessage *msg,
		    const int *fds, size_t fd_cnt, struct frame *ret_answer)
{
	uint32_t id = ++t->next_id;
	int rc = chan_send(&t->backend, op, id, msg, fds, fd_cnt);

	/* A closed channel is the same to the caller whenever it is seen. */
	if (rc == -EPIPE)
		return -ECONNRESET;
	while (!rc) {
		rc = testdev_recv(t, &t->backend, TESTDEV_WAIT_MS, ret_answer);
		if (rc < 0)
			return rc;
		fdset_close(&ret_answer->fds);
		if (ret_answer->header.id != 0)
			break;
		testdev_event(t, ret_answer);
	}
	if (!rc &&
	    (ret_answer->header.op != op + 1 || ret_answer->header.id != id))
		return -EPROTO;
	return rc;
}

/** testdev_simple() - a request that is answered with an error number. */
static int testdev_simple(struct testdev *t, uint32_t op,
			  const ProtobufCMessage *msg, const int *fds,
			  size_t fd_cnt)
{
	Bulkhead__Backend__Reply *m;
	struct frame f;
	int rc = testdev_request(t, op, msg, fds, fd_cnt, &f);

	if (rc < 0)
		return rc;
	m = bulkhead__backend__reply__unpack(NULL, f.header.length, f.payload);
	if (!m)
		return -EBADMSG;
	rc = -(int)m->error;
	bulkhead__backend__reply__free_unpacked(m, NULL);
	return rc;
}

int testdev_info(struct testdev *t)
{
	Bulkhead__Backend__Info q = BULKHEAD__BACKEND__INFO__INIT;
	Bulkhead__Backend__InfoReply *m;
	struct frame f;
	int rc = testdev_request(t, BULKHEAD__BACKEND__OP__OP_INFO, &q.base,
				 NULL, 0, &f);

	if (rc < 0)
		return rc;
	m = bulkhead__backend__info_reply__unpack(NULL, f.header.length,
						  f.payload);
	if (!m || m->config.len > TESTDEV_CONFIG_MAX || m->n_queue_sizes == 0) {
		rc = -EBADMSG;
	} else {
		t->virtio_id = m->virtio_id;
		t->features = m->features;
		t->queue_cnt = (uint32_t)m->n_queue_sizes;
		t->queue_size = m->queue_sizes[0];
		t->config_bytes = m->config.len;
		memcpy(t->config, m->config.data, m->config.len);
	}
	bulkhead__backend__info_reply__free_unpacked(m, NULL);
	return rc;
}

int testdev_memory(struct testdev *t)
{
	Bulkhead__Backend__MemoryTable m =
		BULKHEAD__BACKEND__MEMORY_TABLE__INIT;
	struct testdev_regions r;

	testdev_regions_fill(&r, &t->guest->table);
	m.n_regions = t->guest->table.cnt;
	m.regions = r.ptr;
	return testdev_simple(t, BULKHEAD__BACKEND__OP__OP_MEMORY, &m.base,
			      NULL, 0);
}

int testdev_features(struct testdev *t, uint64_t acked)
{
	Bulkhead__Backend__Features m = BULKHEAD__BACKEND__FEATURES__INIT;

	m.acked = acked;
	return testdev_simple(t, BULKHEAD__BACKEND__OP__OP_FEATURES, &m.base,
			      NULL, 0);
}

int testdev_queue_set_raw(struct testdev *t,
			  const Bulkhead__Backend__QueueSet *m,
			  const int fds[2])
{
	return testdev_simple(t, BULKHEAD__BACKEND__OP__OP_QUEUE_SET, &m->base,
			      fds, 2);
}

int testdev_queue_set(struct testdev *t, uint32_t idx, const struct drvq *q,
		      uint16_t position)
{
	Bulkhead__Backend__QueueSet m = BULKHEAD__BACKEND__QUEUE_SET__INIT;
	const int fds[2] = {q->kick_fd, q->call_fd};

	m.index = idx;
	m.size = q->cfg.size;
	m.desc_gpa = q->desc_gpa;
	m.driver_gpa = q->avail_gpa;
	m.device_gpa = q->used_gpa;
	m.position = position;
	return testdev_queue_set_raw(t, &m, fds);
}

int testdev_queue_start(struct testdev *t, uint32_t idx)
{
	Bulkhead__Backend__QueueStart m = BULKHEAD__BACKEND__QUEUE_START__INIT;

	m.index = idx;
	return testdev_simple(t, BULKHEAD__BACKEND__OP__OP_QUEUE_START, &m.base,
			      NULL, 0);
}

int testdev_queue_stop(struct testdev *t, uint32_t idx, uint16_t *ret_position)
{
	Bulkhead__Backend__QueueStop q = BULKHEAD__BACKEND__QUEUE_STOP__INIT;
	Bulkhead__Backend__QueueStopReply *m;
	struct frame f;
	int rc;

	q.index = idx;
	rc = testdev_request(t, BULKHEAD__BACKEND__OP__OP_QUEUE_STOP, &q.base,
			     NULL, 0, &f);
	if (rc < 0)
		return rc;
	m = bulkhead__backend__queue_stop_reply__unpack(NULL, f.header.length,
							f.payload);
	if (!m)
		return -EBADMSG;
	rc = -(int)m->error;
	if (!rc && !m->has_position)
		rc = -EPROTO;
	*ret_position = (uint16_t)m->position;
	bulkhead__backend__queue_stop_reply__free_unpacked(m, NULL);
	return rc;
}

int testdev_reset(struct testdev *t)
{
	Bulkhead__Backend__Reset m = BULKHEAD__BACKEND__RESET__INIT;

	return testdev_simple(t, BULKHEAD__BACKEND__OP__OP_RESET, &m.base, NULL,
			      0);
}

int testdev_config_write(struct testdev *t, uint32_t offset, uint8_t *data,
			 size_t len)
{
	Bulkhead__Backend__ConfigWrite m =
		BULKHEAD__BACKEND__CONFIG_WRITE__INIT;

	m.offset = offset;
	m.data = (ProtobufCBinaryData){.len = len, .data = data};
	return testdev_simple(t, BULKHEAD__BACKEND__OP__OP_CONFIG_WRITE,
			      &m.base, NULL, 0);
}

int testdev_stat(struct testdev *t, const char *name, uint64_t *ret_value)
{
	Bulkhead__Child__Stats q = BULKHEAD__CHILD__STATS__INIT;
	Bulkhead__Child__StatsReply *m;
	struct frame f;
	int rc = chan_send(&t->control, BULKHEAD__CHILD__OP__OP_STATS,
			   ++t->next_id, &q.base, NULL, 0);

	if (!rc)
		rc = testdev_recv(t, &t->control, TESTDEV_WAIT_MS, &f);
	if (rc < 0)
		return rc;
	fdset_close(&f.fds);
	m = bulkhead__child__stats_reply__unpack(NULL, f.header.length,
						 f.payload);
	if (!m)
		return -EBADMSG;
	rc = -ENOENT;
	for (size_t i = 0; i < m->n_counters; i++) {
		if (strcmp(m->counters[i]->name, name) != 0)
			continue;
		*ret_value = m->counters[i]->value;
		rc = 0;
	}
	bulkhead__child__stats_reply__free_unpacked(m, NULL);
	return rc;
}
