/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: the driver's side of a split virtqueue (VIRTIO 1.2 section 2.7).
 * Tests that break the rules on purpose reach into the rings themselves.
 */
#ifndef GUEST_VQ_H
#define GUEST_VQ_H

#include "lib.h"

#define VQ_SIZE_MAX 256
#define VQ_BYTES 0x4000 /* one queue's rings */

#define VD_NEXT 1u
#define VD_WRITE 2u
#define VD_INDIRECT 4u
#define VA_NO_INTERRUPT 1u

struct vq_desc {
	uint64_t addr;
	uint32_t len;
	uint16_t flags, next;
};

struct vq_used {
	uint32_t id, len;
};

struct vq {
	uint16_t idx, size;
	bool event_idx;
	volatile struct vq_desc *desc; /* desc[size] */
	volatile uint16_t *avail;      /* flags, idx, ring[size], used_event */
	volatile uint16_t *used;       /* flags, idx, ring..., avail_event */
	volatile struct vq_used *used_ring; /* [size] */
	volatile uint8_t *door;
	uint16_t avail_idx, used_idx; /* next to write, next to read */
	uint16_t kick_idx;            /* avail_idx at the last kick check */
	uint16_t free_head, free_cnt;
	uint16_t chain_cnt[VQ_SIZE_MAX]; /* by head; 0: not ours */
	uint16_t link[VQ_SIZE_MAX];      /* next, as the device cannot see */
	uint32_t irq_vec;                /* 0: polled */
};

/* Rings in @mem (VQ_BYTES, page aligned), all clear. */
void vq_init(struct vq *q, uint16_t idx, uint16_t size, uint8_t *mem);
/* One chain; NEXT is set here. Returns its head, or -1 when there is no room.
 */
int vq_add(struct vq *q, const struct vq_desc *list, unsigned int cnt);
/* Makes a head visible to the device; 2.7.13. */
void vq_expose(struct vq *q, uint16_t head);
/* Rings the doorbell if the device wants it; says whether it did. */
bool vq_kick(struct vq *q);
void vq_kick_always(struct vq *q);
/* Next used element: its head and length, or -1. Frees the chain. */
int vq_pop(struct vq *q, uint32_t *ret_len);
bool vq_has_used(const struct vq *q);
/* Ask for an interrupt at the next used element, or for none. */
void vq_irq_want(struct vq *q, bool want);

static inline volatile uint16_t *vq_used_event(struct vq *q)
{
	return &q->avail[2 + q->size];
}

#endif
