// SPDX-License-Identifier: Apache-2.0
/*
 * vq_split.c - split virtqueues, VIRTIO 1.2 section 2.7. Runs in every device
 * process on the thread that serves the queue. The guest is not trusted: it may
 * write any value into the rings and descriptors at any instant.
 *
 * Theory of operation
 * - Each value is loaded once with an atomic load; from then on only the copy
 *   is used.
 * - A walk ends after as many descriptors as the table has entries, so a loop
 *   cannot hold us.
 * - A chain that makes no sense is given back unused: its head is known. A ring
 *   that makes no sense (index jump, head outside the table) marks the queue
 *   broken: no head can be given back for it.
 */
#include <endian.h>
#include <errno.h>
#include <linux/virtio_ring.h>
#include <stdlib.h>

#include "devices/core/gmem.h"
#include "devices/core/vq.h"

#define DESC_BYTES 16u
#define AVAIL_FLAGS 0u
#define AVAIL_IDX 2u
#define AVAIL_RING 4u
#define USED_FLAGS 0u
#define USED_IDX 2u
#define USED_RING 4u
#define USED_ELEM_BYTES 8u

_Static_assert(sizeof(struct vring_desc) == DESC_BYTES, "descriptor layout");
_Static_assert(sizeof(struct vring_used_elem) == USED_ELEM_BYTES,
	       "used layout");

/**
 * struct vq_desc - a descriptor, copied and in host order
 */
struct vq_desc {
	uint64_t gpa;
	uint32_t len;
	uint16_t flags;
	uint16_t next;
};

/**
 * struct vq_walk - state of a walk over one chain
 * @table: descriptors, @cnt of them
 * @seen: descriptors visited in @table
 * @indirect: @table is an indirect one
 * @segs: buffers stored in the chain so far
 */
struct vq_walk {
	const uint8_t *table;
	uint32_t cnt;
	uint32_t seen;
	bool indirect;
	uint32_t segs;
};

/** vq_load16() - one atomic load of a little-endian ring field. */
static uint16_t vq_load16(const uint8_t *at, int order)
{
	const uint16_t *p = (const uint16_t *)(const void *)at;

	/* The order argument must be constant for GCC: two cases. */
	if (order == __ATOMIC_ACQUIRE)
		return le16toh(__atomic_load_n(p, __ATOMIC_ACQUIRE));
	return le16toh(__atomic_load_n(p, __ATOMIC_RELAXED));
}

/** vq_store16() - one atomic store of a little-endian ring field. */
static void vq_store16(uint8_t *at, uint16_t value)
{
	__atomic_store_n((uint16_t *)(void *)at, htole16(value),
			 __ATOMIC_RELAXED);
}

/** vq_desc_copy() - loads entry @i of a table, each half exactly once. */
static struct vq_desc vq_desc_copy(const uint8_t *table, uint32_t i)
{
	const uint64_t *p =
		(const uint64_t *)(const void *)(table +
						 (size_t)i * DESC_BYTES);
	uint64_t gpa = le64toh(__atomic_load_n(p, __ATOMIC_RELAXED));
	uint64_t rest = le64toh(__atomic_load_n(p + 1, __ATOMIC_RELAXED));

	return (struct vq_desc){.gpa = gpa,
				.len = (uint32_t)rest,
				.flags = (uint16_t)(rest >> 32),
				.next = (uint16_t)(rest >> 48)};
}

/** vq_rings_map() - translates the three parts. 0, -EINVAL or -EFAULT. */
static int vq_rings_map(struct vq *q, const struct vq_config *cfg)
{
	/* Each ring ends with one 16-bit event field. */
	uint64_t avail_bytes = AVAIL_RING + 2ull * cfg->size + 2;
	uint64_t used_bytes = USED_RING + (uint64_t)USED_ELEM_BYTES * cfg->size;

	if (!cfg->desc_gpa || !cfg->driver_gpa || !cfg->device_gpa)
		return -EINVAL;
	if (cfg->desc_gpa % VRING_DESC_ALIGN_SIZE ||
	    cfg->driver_gpa % VRING_AVAIL_ALIGN_SIZE ||
	    cfg->device_gpa % VRING_USED_ALIGN_SIZE)
		return -EINVAL;
	q->desc = gmem_at(q->mem, cfg->desc_gpa,
			  (uint64_t)DESC_BYTES * cfg->size);
	q->avail = gmem_at(q->mem, cfg->driver_gpa, avail_bytes);
	q->used = gmem_at(q->mem, cfg->device_gpa, used_bytes + 2);
	if (!q->desc || !q->avail || !q->used)
		return -EFAULT;
	return 0;
}

/** vq_slots_alloc() - all memory that requests will need. 0 or -ENOMEM. */
static int vq_slots_alloc(struct vq *q)
{
	q->slots = calloc(q->size, sizeof(*q->slots));
	q->iovs = calloc((size_t)q->size * VQ_SEGS_MAX, sizeof(*q->iovs));
	q->free = calloc(q->size, sizeof(*q->free));
	if (!q->slots || !q->iovs || !q->free)
		return -ENOMEM;
	for (uint16_t i = 0; i < q->size; i++) {
		q->slots[i].idx = i;
		/* Slot 0 is on top of the stack. */
		q->free[i] = (uint16_t)(q->size - 1u - i);
	}
	q->free_cnt = q->size;
	return 0;
}

int vq_init(struct vq *q, const struct gmem *mem, const struct vq_config *cfg)
{
	int rc;

	if (cfg->size == 0 || cfg->size > VQ_SIZE_MAX ||
	    (cfg->size & (cfg->size - 1)))
		return -EINVAL;
	*q = (struct vq){.mem = mem,
			 .size = (uint16_t)cfg->size,
			 .mask = (uint16_t)(cfg->size - 1),
			 .next_avail = cfg->position,
			 .next_used = cfg->position,
			 .signalled_used = cfg->position,
			 .event_idx = cfg->event_idx,
			 .indirect = cfg->indirect};
	rc = vq_rings_map(q, cfg);
	if (!rc)
		rc = vq_slots_alloc(q);
	if (rc < 0) {
		vq_fini(q);
		return rc;
	}
	/* What an earlier owner of this memory left there must not count. */
	vq_store16(q->used + USED_FLAGS, 0);
	return 0;
}

void vq_fini(struct vq *q)
{
	free(q->slots);
	free(q->iovs);
	free(q->free);
	*q = (struct vq){.mem = NULL};
}

/** vq_seg_add() - stores one buffer in the chain. 0 or -EBADMSG. */
static int vq_seg_add(struct vq *q, struct vq_walk *w, struct chain *c,
		      const struct vq_desc *d)
{
	struct iovec *iov = c->out + w->segs;
	void *at = gmem_at(q->mem, d->gpa, d->len);

	if (!at || w->segs >= VQ_SEGS_MAX)
		return -EBADMSG;
	if (d->flags & VRING_DESC_F_WRITE) {
		c->in_cnt++;
		c->in_bytes += d->len;
	} else {
		/* VIRTIO 1.2 section 2.7.4.2: readable ones come first. */
		if (c->in_cnt)
			return -EBADMSG;
		c->out_cnt++;
		c->out_bytes += d->len;
	}
	*iov = (struct iovec){.iov_base = at, .iov_len = d->len};
	w->segs++;
	return 0;
}

/** vq_walk_indirect() - goes on in the table that @d names. 0 or -EBADMSG. */
static int vq_walk_indirect(struct vq *q, struct vq_walk *w,
			    const struct vq_desc *d)
{
	/* Never nested, never continued: VIRTIO 1.2 section 2.7.5.3.1. */
	if (!q->indirect || w->indirect || (d->flags & VRING_DESC_F_NEXT))
		return -EBADMSG;
	if (d->len == 0 || d->len % DESC_BYTES ||
	    d->len / DESC_BYTES > VQ_SEGS_MAX || d->gpa % sizeof(uint64_t))
		return -EBADMSG;
	w->table = gmem_at(q->mem, d->gpa, d->len);
	if (!w->table)
		return -EBADMSG;
	w->cnt = d->len / DESC_BYTES;
	w->seen = 0;
	w->indirect = true;
	return 0;
}

/** vq_chain_read() - copies the chain at @head. 0 or -EBADMSG. */
static int vq_chain_read(struct vq *q, struct chain *c, uint16_t head)
{
	struct vq_walk w = {.table = q->desc, .cnt = q->size};
	uint32_t i = head;

	for (;;) {
		struct vq_desc d;
		int rc;

		if (i >= w.cnt || w.seen++ >= w.cnt)
			return -EBADMSG;
		d = vq_desc_copy(w.table, i);
		if (d.flags & VRING_DESC_F_INDIRECT) {
			rc = vq_walk_indirect(q, &w, &d);
			i = 0;
		} else {
			rc = vq_seg_add(q, &w, c, &d);
			i = d.next;
			if (!rc && !(d.flags & VRING_DESC_F_NEXT))
				break;
		}
		if (rc < 0)
			return rc;
	}
	c->in = c->out + c->out_cnt;
	return 0;
}

/** vq_slot_take() - an empty chain in a free slot; there must be one. */
static struct chain *vq_slot_take(struct vq *q, uint16_t head)
{
	struct chain *c = &q->slots[q->free[--q->free_cnt]];

	*c = (struct chain){.idx = c->idx,
			    .generation = c->generation + 1,
			    .head = head,
			    .out = q->iovs + (size_t)c->idx * VQ_SEGS_MAX,
			    .busy = true};
	q->busy_cnt++;
	return c;
}

/** vq_avail_cnt() - chains that wait; -EPROTO on an index jump. */
static int vq_avail_cnt(struct vq *q)
{
	/*
	 * Acquire: pairs with the driver's barrier between writing the ring
	 * entry (and descriptors) and avail.idx.
	 */
	uint16_t idx = vq_load16(q->avail + AVAIL_IDX, __ATOMIC_ACQUIRE);
	uint16_t cnt = (uint16_t)(idx - q->next_avail);

	if (cnt > q->size) {
		q->broken = "avail index jumped over the queue size";
		return -EPROTO;
	}
	return cnt;
}

/** vq_head_next() - takes the next avail entry. Head or -EPROTO. */
static int vq_head_next(struct vq *q)
{
	uint32_t at = AVAIL_RING + 2u * (uint32_t)(q->next_avail & q->mask);
	uint16_t head = vq_load16(q->avail + at, __ATOMIC_RELAXED);

	if (head >= q->size) {
		q->broken = "avail entry names a descriptor beyond the table";
		return -EPROTO;
	}
	q->next_avail++;
	return head;
}

int vq_pop(struct vq *q, struct chain **ret_chain)
{
	while (!q->broken && q->free_cnt && q->budget) {
		int rc = vq_avail_cnt(q);
		struct chain *c;

		if (rc <= 0)
			return rc;
		rc = vq_head_next(q);
		if (rc < 0)
			return rc;
		q->budget--;
		c = vq_slot_take(q, (uint16_t)rc);
		if (!vq_chain_read(q, c, c->head)) {
			*ret_chain = c;
			return 1;
		}
		q->bad_cnt++;
		vq_push(q, c, 0);
	}
	return q->broken ? -EPROTO : 0;
}

void vq_push(struct vq *q, struct chain *c, uint32_t len)
{
	uint32_t at = USED_RING +
		      USED_ELEM_BYTES * (uint32_t)(q->next_used & q->mask);
	uint32_t *elem = (uint32_t *)(void *)(q->used + at);

	BUG_ON(!c->busy);
	__atomic_store_n(&elem[0], htole32(c->head), __ATOMIC_RELAXED);
	__atomic_store_n(&elem[1], htole32(len), __ATOMIC_RELAXED);
	q->next_used++;
	/*
	 * Release: pairs with the driver's barrier between reading used.idx
	 * and reading the entry and the buffers.
	 */
	__atomic_store_n((uint16_t *)(void *)(q->used + USED_IDX),
			 htole16(q->next_used), __ATOMIC_RELEASE);
	c->busy = false;
	q->free[q->free_cnt++] = c->idx;
	q->busy_cnt--;
	q->push_cnt++;
}

bool vq_call_needed(struct vq *q)
{
	uint16_t new = q->next_used;
	uint16_t old = q->signalled_used;
	bool first = !q->signalled_valid;
	uint16_t event;

	if (new == old)
		return false;
	/*
	 * Full fence: our store of used.idx before our load of the driver's
	 * wish. Pairs with the driver's full fence between writing used_event
	 * (or clearing NO_INTERRUPT) and its last look at used.idx.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	q->signalled_used = new;
	q->signalled_valid = true;
	if (!q->event_idx)
		return !(vq_load16(q->avail + AVAIL_FLAGS, __ATOMIC_RELAXED) &
			 VRING_AVAIL_F_NO_INTERRUPT);
	event = vq_load16(q->avail + AVAIL_RING + (size_t)2 * q->size,
			  __ATOMIC_RELAXED);
	return first || vring_need_event(event, new, old);
}

void vq_notify_disable(struct vq *q)
{
	/* With EVENT_IDX an avail_event left behind keeps the driver quiet. */
	if (!q->event_idx)
		vq_store16(q->used + USED_FLAGS, VRING_USED_F_NO_NOTIFY);
}

bool vq_notify_enable(struct vq *q)
{
	if (q->event_idx)
		vq_store16(q->used + USED_RING +
				   (size_t)USED_ELEM_BYTES * q->size,
			   q->next_avail);
	else
		vq_store16(q->used + USED_FLAGS, 0);
	/*
	 * Full fence: our wish before our last look at avail.idx. Pairs with
	 * the driver's full fence between writing avail.idx and reading
	 * avail_event or the flags.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return vq_has_more(q);
}

bool vq_has_more(const struct vq *q)
{
	return !q->broken && q->free_cnt &&
	       vq_load16(q->avail + AVAIL_IDX, __ATOMIC_RELAXED) !=
		       q->next_avail;
}

uint16_t vq_position(const struct vq *q)
{
	return q->next_avail;
}

struct chain *vq_chain(struct vq *q, uint32_t idx, uint32_t generation)
{
	if (idx >= q->size || !q->slots[idx].busy ||
	    q->slots[idx].generation != generation)
		return NULL;
	return &q->slots[idx];
}
