// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: split virtqueue, driver's side (VIRTIO 1.2 section 2.7).
 */
#include "vq.h"

#define AVAIL_OFF 0x1000
#define USED_OFF 0x2000

void vq_init(struct vq *q, uint16_t idx, uint16_t size, uint8_t *mem)
{
	volatile uint8_t *door = q->door;

	memset(q, 0, sizeof(*q));
	memset(mem, 0, VQ_BYTES);
	q->door = door;
	q->idx = idx;
	q->size = size;
	q->desc = (volatile void *)mem;
	q->avail = (volatile void *)(mem + AVAIL_OFF);
	q->used = (volatile void *)(mem + USED_OFF);
	q->used_ring = (volatile void *)(mem + USED_OFF + 4);
	q->free_cnt = size;
	for (uint16_t i = 0; i < size; i++)
		q->link[i] = (uint16_t)(i + 1);
}

int vq_add(struct vq *q, const struct vq_desc *list, unsigned int cnt)
{
	uint16_t head = q->free_head, d = head;

	if (!cnt || cnt > q->free_cnt)
		return -1;
	for (unsigned int i = 0; i < cnt; i++) {
		bool last = i + 1 == cnt;

		q->desc[d].addr = list[i].addr;
		q->desc[d].len = list[i].len;
		q->desc[d].flags =
			(uint16_t)(list[i].flags | (last ? 0 : VD_NEXT));
		q->desc[d].next = last ? 0 : q->link[d];
		if (!last)
			d = q->link[d];
	}
	q->free_head = q->link[d];
	q->free_cnt = (uint16_t)(q->free_cnt - cnt);
	q->chain_cnt[head] = (uint16_t)cnt;
	return head;
}

void vq_expose(struct vq *q, uint16_t head)
{
	q->avail[2 + q->avail_idx % q->size] = head;
	q->avail_idx++;
	/* Ring entry before index: pairs with the device's acquire load. */
	__atomic_store_n(&q->avail[1], q->avail_idx, __ATOMIC_RELEASE);
}

void vq_kick_always(struct vq *q)
{
	mem_fence();
	mmio_w16(q->door, q->idx);
}

bool vq_kick(struct vq *q)
{
	uint16_t old = q->kick_idx, event;

	/* Our index before their wish: pairs with the fence on the device's
	 * side between its avail_event and its last look at our index. */
	mem_fence();
	q->kick_idx = q->avail_idx;
	if (!q->event_idx) {
		if (q->used[0] & 1)
			return false;
	} else {
		event = q->used[2 + 4 * q->size];
		if ((uint16_t)(q->avail_idx - event - 1) >=
		    (uint16_t)(q->avail_idx - old))
			return false;
	}
	mmio_w16(q->door, q->idx);
	return true;
}

bool vq_has_used(const struct vq *q)
{
	return __atomic_load_n(&q->used[1], __ATOMIC_ACQUIRE) != q->used_idx;
}

int vq_pop(struct vq *q, uint32_t *ret_len)
{
	uint16_t head, d;
	uint32_t id;

	if (!vq_has_used(q))
		return -1;
	id = q->used_ring[q->used_idx % q->size].id;
	if (ret_len)
		*ret_len = q->used_ring[q->used_idx % q->size].len;
	q->used_idx++;
	if (id >= q->size || !q->chain_cnt[id])
		return -2; /* a head that we did not give, or twice */
	head = d = (uint16_t)id;
	for (uint16_t i = 1; i < q->chain_cnt[head]; i++)
		d = q->link[d];
	q->link[d] = q->free_head;
	q->free_head = head;
	q->free_cnt = (uint16_t)(q->free_cnt + q->chain_cnt[head]);
	q->chain_cnt[head] = 0;
	return head;
}

void vq_irq_want(struct vq *q, bool want)
{
	if (!q->event_idx)
		q->avail[0] = (uint16_t)(want ? 0 : VA_NO_INTERRUPT);
	else
		*vq_used_event(q) = (uint16_t)(q->used_idx - !want);
	/* Wish before the next look at used: pairs with the device's fence
	 * between its used index and its look at our wish. */
	mem_fence();
}
