// SPDX-License-Identifier: Apache-2.0
/*
 * blkdrv.c - a virtio block driver; see blkdrv.h. Runs in tests and benchmarks.
 */
#include "tests/support/ring/blkdrv.h"

#include <errno.h>
#include <linux/virtio_blk.h>
#include <stdlib.h>
#include <string.h>

#define BLKDRV_WAIT_MS 10000
/* A status that no device writes. */
#define BLKDRV_STATUS_NONE 0xa5

/** blkdrv_slots_init() - memory of all requests. 0 or -ENOMEM. */
static int blkdrv_slots_init(struct blkdrv *b, struct guest *g)
{
	b->slots = calloc(b->slot_cnt, sizeof(*b->slots));
	b->slot_of = calloc(b->q.cfg.size, sizeof(*b->slot_of));
	if (!b->slots || !b->slot_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->slot_cnt; i++) {
		struct blkdrv_slot *s = &b->slots[i];

		s->header_gpa = guest_alloc(g, 16, 16);
		s->status_gpa = guest_alloc(g, 1, 16);
		s->data_gpa = guest_alloc(g, b->data_max, 4096);
		if (!s->header_gpa || !s->status_gpa || !s->data_gpa)
			return -ENOMEM;
	}
	return 0;
}

int blkdrv_init(struct blkdrv *b, struct guest *g,
		const struct drvq_config *cfg, uint32_t slot_cnt,
		uint32_t data_max)
{
	int rc;

	*b = (struct blkdrv){.slot_cnt = slot_cnt, .data_max = data_max};
	rc = drvq_init(&b->q, g, cfg);
	if (!rc)
		rc = blkdrv_slots_init(b, g);
	if (rc < 0)
		blkdrv_fini(b);
	return rc;
}

void blkdrv_fini(struct blkdrv *b)
{
	drvq_fini(&b->q);
	free(b->slots);
	free(b->slot_of);
	b->slots = NULL;
	b->slot_of = NULL;
}

void blkdrv_restart(struct blkdrv *b)
{
	drvq_restart(&b->q);
	for (uint32_t i = 0; i < b->slot_cnt; i++)
		b->slots[i].busy = false;
}

int blkdrv_slot_free(const struct blkdrv *b)
{
	for (uint32_t i = 0; i < b->slot_cnt; i++) {
		if (!b->slots[i].busy)
			return (int)i;
	}
	return -ENOSPC;
}

void *blkdrv_data(const struct blkdrv *b, uint32_t slot)
{
	return guest_at(b->q.g, b->slots[slot].data_gpa);
}

/** blkdrv_data_segs() - cuts the data into pieces. Number of pieces. */
static uint32_t blkdrv_data_segs(const struct blkdrv_slot *s,
				 const struct blkdrv_request *r,
				 struct drvq_seg *ret_segs)
{
	uint32_t each = r->data_bytes / r->segs;
	uint32_t at = 0;

	if (r->data_bytes == 0)
		return 0;
	for (uint32_t i = 0; i < r->segs; i++) {
		uint32_t len = i + 1 == r->segs ? r->data_bytes - at : each;

		ret_segs[i] = (struct drvq_seg){
			.gpa = s->data_gpa + at,
			.len = len,
			.write = r->type != VIRTIO_BLK_T_OUT,
		};
		at += len;
	}
	return r->segs;
}

int blkdrv_add(struct blkdrv *b, uint32_t slot, const struct blkdrv_request *r)
{
	struct blkdrv_slot *s = &b->slots[slot];
	struct drvq_seg segs[BLKDRV_SEGS_MAX + 2];
	struct virtio_blk_outhdr h = {.type = r->type, .sector = r->sector};
	uint32_t n;
	int head;

	if (r->segs == 0 || r->segs > BLKDRV_SEGS_MAX ||
	    r->data_bytes > b->data_max)
		return -EINVAL;
	memcpy(guest_at(b->q.g, s->header_gpa), &h, sizeof(h));
	*(uint8_t *)guest_at(b->q.g, s->status_gpa) = BLKDRV_STATUS_NONE;
	segs[0] = (struct drvq_seg){.gpa = s->header_gpa, .len = sizeof(h)};
	n = 1 + blkdrv_data_segs(s, r, &segs[1]);
	segs[n++] = (struct drvq_seg){
		.gpa = s->status_gpa, .len = 1, .write = true};
	head = drvq_add(&b->q, segs, n);
	if (head < 0)
		return head;
	b->slot_of[head] = slot;
	s->data_bytes = r->data_bytes;
	s->type = r->type;
	s->busy = true;
	return 0;
}

int blkdrv_take(struct blkdrv *b, bool call, int ms,
		struct blkdrv_done *ret_done)
{
	struct blkdrv_slot *s;
	int head;

	if (ms == 0)
		head = drvq_take(&b->q, &ret_done->len);
	else if (call)
		head = drvq_wait_call(&b->q, &ret_done->len, ms);
	else
		head = drvq_wait(&b->q, &ret_done->len, ms);
	if (head < 0)
		return head;
	ret_done->slot = b->slot_of[head];
	s = &b->slots[ret_done->slot];
	ret_done->status =
		*(const volatile uint8_t *)guest_at(b->q.g, s->status_gpa);
	s->busy = false;
	return 0;
}

int blkdrv_sync(struct blkdrv *b, const struct blkdrv_request *r)
{
	struct blkdrv_done d;
	int rc = blkdrv_add(b, 0, r);

	if (rc < 0)
		return rc;
	drvq_publish(&b->q);
	rc = blkdrv_take(b, true, BLKDRV_WAIT_MS, &d);
	return rc < 0 ? rc : d.status;
}

int blkdrv_attach(struct blkdrv *b, struct testdev *t, uint32_t idx)
{
	int rc = testdev_queue_set(t, idx, &b->q, 0);

	return rc < 0 ? rc : testdev_queue_start(t, idx);
}
