// SPDX-License-Identifier: Apache-2.0
/*
 * drvq.c - the driver's side of a split virtqueue; see drvq.h. Runs in tests
 * and benchmarks.
 */
#include "tests/support/ring/drvq.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "ipc/fds.h"

/** drvq_now_ms() - CLOCK_MONOTONIC. */
static int64_t drvq_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/** drvq_used_event() - where the driver says when to interrupt. */
static uint16_t *drvq_used_event(struct drvq *q)
{
	return &q->avail->ring[q->cfg.size];
}

/** drvq_avail_event() - where the device says when to notify. */
static uint16_t *drvq_avail_event(struct drvq *q)
{
	return (uint16_t *)(void *)&q->used->ring[q->cfg.size];
}

void drvq_restart(struct drvq *q)
{
	uint16_t size = q->cfg.size;

	q->avail_idx = 0;
	q->used_idx = 0;
	q->published = 0;
	q->avail->idx = 0;
	q->avail->flags = 0;
	q->used->idx = 0;
	*drvq_used_event(q) = 0;
	*drvq_avail_event(q) = 0;
	q->free_head = 0;
	q->free_cnt = size;
	for (uint16_t i = 0; i < size; i++) {
		q->next[i] = (uint16_t)(i + 1);
		q->in_use[i] = false;
	}
}

/** drvq_memory() - rings and tables. 0 or -ENOMEM. */
static int drvq_memory(struct drvq *q)
{
	uint64_t size = q->cfg.size;

	q->next = calloc(size, sizeof(*q->next));
	q->in_use = calloc(size, sizeof(*q->in_use));
	q->desc_gpa = guest_alloc(q->g, size * sizeof(struct vring_desc), 16);
	q->avail_gpa = guest_alloc(q->g, 6 + 2 * size, 2);
	q->used_gpa = guest_alloc(q->g, 6 + 8 * size, 4);
	if (!q->next || !q->in_use || !q->desc_gpa || !q->avail_gpa ||
	    !q->used_gpa)
		return -ENOMEM;
	q->desc = guest_at(q->g, q->desc_gpa);
	q->avail = guest_at(q->g, q->avail_gpa);
	q->used = guest_at(q->g, q->used_gpa);
	if (!q->cfg.indirect)
		return 0;
	q->indirect_gpa = guest_alloc(
		q->g, size * DRVQ_INDIRECT_MAX * sizeof(struct vring_desc), 16);
	return q->indirect_gpa ? 0 : -ENOMEM;
}

int drvq_init(struct drvq *q, struct guest *g, const struct drvq_config *cfg)
{
	int rc;

	*q = (struct drvq){.g = g, .cfg = *cfg, .kick_fd = -1, .call_fd = -1};
	q->kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	q->call_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (q->kick_fd < 0 || q->call_fd < 0) {
		rc = -errno;
		drvq_fini(q);
		return rc;
	}
	rc = drvq_memory(q);
	if (rc < 0) {
		drvq_fini(q);
		return rc;
	}
	drvq_restart(q);
	return 0;
}

void drvq_fini(struct drvq *q)
{
	fd_cleanup(&q->kick_fd);
	fd_cleanup(&q->call_fd);
	free(q->next);
	free(q->in_use);
	q->next = NULL;
	q->in_use = NULL;
}

/** drvq_fill() - writes @cnt linked descriptors into an indirect table. */
static void drvq_fill(struct vring_desc *table, const struct drvq_seg *segs,
		      uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		bool last = i + 1 == cnt;

		table[i] = (struct vring_desc){
			.addr = segs[i].gpa,
			.len = segs[i].len,
			.flags = (uint16_t)((segs[i].write ? VRING_DESC_F_WRITE
							   : 0) |
					    (last ? 0 : VRING_DESC_F_NEXT)),
			.next = (uint16_t)(last ? 0 : i + 1),
		};
	}
}

/** drvq_add_indirect() - one descriptor that names a table. Its head. */
static int drvq_add_indirect(struct drvq *q, const struct drvq_seg *segs,
			     uint32_t cnt)
{
	uint16_t head = q->free_head;
	uint64_t gpa = q->indirect_gpa + (uint64_t)head * DRVQ_INDIRECT_MAX *
						 sizeof(struct vring_desc);

	if (cnt > DRVQ_INDIRECT_MAX || q->free_cnt == 0)
		return -ENOSPC;
	drvq_fill(guest_at(q->g, gpa), segs, cnt);
	q->desc[head] = (struct vring_desc){
		.addr = gpa,
		.len = cnt * (uint32_t)sizeof(struct vring_desc),
		.flags = VRING_DESC_F_INDIRECT,
	};
	q->free_head = q->next[head];
	q->next[head] = UINT16_MAX;
	q->free_cnt--;
	drvq_add_raw(q, head);
	return head;
}

/** drvq_add_direct() - a chain in the queue's own table. Its head. */
static int drvq_add_direct(struct drvq *q, const struct drvq_seg *segs,
			   uint32_t cnt)
{
	uint16_t head = q->free_head;
	uint16_t at = head;

	if (cnt > q->free_cnt)
		return -ENOSPC;
	for (uint32_t i = 0; i < cnt; i++) {
		bool last = i + 1 == cnt;

		q->desc[at] = (struct vring_desc){
			.addr = segs[i].gpa,
			.len = segs[i].len,
			.flags = (uint16_t)((segs[i].write ? VRING_DESC_F_WRITE
							   : 0) |
					    (last ? 0 : VRING_DESC_F_NEXT)),
			.next = last ? 0 : q->next[at],
		};
		q->free_head = q->next[at];
		if (last)
			q->next[at] = UINT16_MAX;
		at = q->free_head;
	}
	q->free_cnt = (uint16_t)(q->free_cnt - cnt);
	drvq_add_raw(q, head);
	return head;
}

int drvq_add(struct drvq *q, const struct drvq_seg *segs, uint32_t cnt)
{
	if (q->cfg.indirect && cnt > 1)
		return drvq_add_indirect(q, segs, cnt);
	return drvq_add_direct(q, segs, cnt);
}

void drvq_add_raw(struct drvq *q, uint16_t head)
{
	q->avail->ring[q->avail_idx & (q->cfg.size - 1)] = head;
	q->avail_idx++;
	if (head < q->cfg.size)
		q->in_use[head] = true;
}

void drvq_kick(struct drvq *q)
{
	const uint64_t one = 1;

	q->kick_cnt++;
	if (write(q->kick_fd, &one, sizeof(one)) != sizeof(one))
		q->error = true;
}

void drvq_publish(struct drvq *q)
{
	uint16_t old = q->published;
	bool kick;

	__atomic_store_n(&q->avail->idx, q->avail_idx, __ATOMIC_RELEASE);
	q->published = q->avail_idx;
	/* Pairs with the device's fence between its wish and its last look. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (q->cfg.event_idx)
		kick = vring_need_event(__atomic_load_n(drvq_avail_event(q),
							__ATOMIC_RELAXED),
					q->avail_idx, old);
	else
		kick = !(__atomic_load_n(&q->used->flags, __ATOMIC_RELAXED) &
			 VRING_USED_F_NO_NOTIFY);
	if (kick)
		drvq_kick(q);
}

/** drvq_free() - the descriptors of a chain are ours again. */
static void drvq_free(struct drvq *q, uint16_t head)
{
	uint16_t last = head;
	uint16_t cnt = 1;

	while (q->next[last] != UINT16_MAX && cnt < q->cfg.size) {
		last = q->next[last];
		cnt++;
	}
	q->next[last] = q->free_head;
	q->free_head = head;
	q->free_cnt = (uint16_t)(q->free_cnt + cnt);
	q->in_use[head] = false;
}

int drvq_take(struct drvq *q, uint32_t *ret_len)
{
	const struct vring_used_elem *e;
	uint16_t idx = __atomic_load_n(&q->used->idx, __ATOMIC_ACQUIRE);

	if (idx == q->used_idx)
		return -EAGAIN;
	e = &q->used->ring[q->used_idx & (q->cfg.size - 1)];
	if ((uint16_t)(idx - q->used_idx) > q->cfg.size ||
	    e->id >= q->cfg.size || !q->in_use[e->id]) {
		q->error = true;
		return -EPROTO;
	}
	*ret_len = e->len;
	q->used_idx++;
	drvq_free(q, (uint16_t)e->id);
	return (int)e->id;
}

int drvq_wait(struct drvq *q, uint32_t *ret_len, int ms)
{
	int64_t end = drvq_now_ms() + ms;
	unsigned spins = 0;
	int rc;

	while ((rc = drvq_take(q, ret_len)) == -EAGAIN) {
		if (++spins % 256)
			continue;
		if (drvq_now_ms() > end)
			return -ETIMEDOUT;
		/* Two cores only: let the device run. */
		poll(NULL, 0, 0);
	}
	return rc;
}

void drvq_calls_on(struct drvq *q)
{
	if (q->cfg.event_idx)
		__atomic_store_n(drvq_used_event(q), q->used_idx,
				 __ATOMIC_RELAXED);
	else
		__atomic_store_n(&q->avail->flags, (uint16_t)0,
				 __ATOMIC_RELAXED);
	/* Pairs with the device's fence between used.idx and its decision. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void drvq_calls_off(struct drvq *q)
{
	/*
	 * As far away as it can be: the device may still be deciding about
	 * what we have taken already.
	 */
	if (q->cfg.event_idx)
		__atomic_store_n(drvq_used_event(q),
				 (uint16_t)(q->used_idx + 0x8000),
				 __ATOMIC_RELAXED);
	else
		__atomic_store_n(&q->avail->flags,
				 (uint16_t)VRING_AVAIL_F_NO_INTERRUPT,
				 __ATOMIC_RELAXED);
}

int drvq_wait_call(struct drvq *q, uint32_t *ret_len, int ms)
{
	struct pollfd p = {.fd = q->call_fd, .events = POLLIN};
	uint64_t cnt;

	for (;;) {
		int rc = drvq_take(q, ret_len);

		if (rc != -EAGAIN)
			return rc;
		drvq_calls_on(q);
		rc = drvq_take(q, ret_len);
		if (rc != -EAGAIN)
			return rc;
		if (poll(&p, 1, ms) <= 0)
			return -ETIMEDOUT;
		if (read(q->call_fd, &cnt, sizeof(cnt)) == sizeof(cnt))
			q->call_cnt++;
	}
}
