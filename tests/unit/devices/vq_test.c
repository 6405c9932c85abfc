// SPDX-License-Identifier: Apache-2.0
/*
 * vq_test.c - split rings over a plain buffer: set-up, order, wrap of indexes,
 * notification wishes, and that every popped head is returned once. Malformed
 * chains are in tests/device/blk_ring_test.c and in the fuzzer.
 */
#include <errno.h>
#include <linux/virtio_ring.h>
#include <string.h>

#include "devices/core/gmem.h"
#include "devices/core/vq.h"
#include "tests/unit/devices/core_suites.h"

#define SIZE 8u
#define DESC 0x1000u
#define AVAIL 0x2000u
#define USED 0x3000u
#define DATA 0x4000u
#define BYTES 0x8000u

static _Alignas(4096) uint8_t vq_mem[BYTES];
static struct gmem vq_gmem;

static struct vring_desc *const vq_desc = (void *)(vq_mem + DESC);
static struct vring_avail *const vq_avail = (void *)(vq_mem + AVAIL);
static struct vring_used *const vq_used = (void *)(vq_mem + USED);

/** vq_cfg() - the rings above. */
static struct vq_config vq_cfg(uint16_t position, bool event_idx)
{
	const struct memtable table = {
		.region = {{.gpa = 0, .size = BYTES, .offset = 0}}, .cnt = 1};

	memset(vq_mem, 0, sizeof(vq_mem));
	gmem_wrap(&vq_gmem, vq_mem, sizeof(vq_mem), &table);
	for (uint16_t i = 0; i < SIZE; i++)
		vq_desc[i] = (struct vring_desc){.addr = DATA + i, .len = 1};
	vq_avail->idx = position;
	vq_used->idx = position;
	return (struct vq_config){.size = SIZE,
				  .desc_gpa = DESC,
				  .driver_gpa = AVAIL,
				  .device_gpa = USED,
				  .position = position,
				  .event_idx = event_idx,
				  .indirect = true};
}

/** vq_give() - the driver enters @head. */
static void vq_give(uint16_t head)
{
	vq_avail->ring[vq_avail->idx % SIZE] = head;
	vq_avail->idx++;
}

static void vq_init_test(void)
{
	struct vq q;
	struct vq_config c;

	c = vq_cfg(0, false);
	CU_ASSERT_EQUAL(vq_init(&q, &vq_gmem, &c), 0);
	vq_fini(&q);
	c.size = 0;
	CU_ASSERT_EQUAL(vq_init(&q, &vq_gmem, &c), -EINVAL);
	c.size = 6;
	CU_ASSERT_EQUAL(vq_init(&q, &vq_gmem, &c), -EINVAL);
	c.size = VQ_SIZE_MAX * 2;
	CU_ASSERT_EQUAL(vq_init(&q, &vq_gmem, &c), -EINVAL);
	c.size = SIZE;
	c.device_gpa = 0;
	CU_ASSERT_EQUAL(vq_init(&q, &vq_gmem, &c), -EINVAL);
	/* The event field behind the used ring counts, too. */
	c.device_gpa = BYTES - (4 + 8 * SIZE);
	CU_ASSERT_EQUAL(vq_init(&q, &vq_gmem, &c), -EFAULT);
	c.device_gpa = BYTES - (4 + 8 * SIZE + 4);
	CU_ASSERT_EQUAL(vq_init(&q, &vq_gmem, &c), 0);
	vq_fini(&q);
}

/* Indexes run over 65535, chains come back out of order. */
static void vq_order_test(void)
{
	struct vq q;
	struct vq_config c = vq_cfg(65534, false);
	struct chain *chain[SIZE];

	CU_ASSERT_EQUAL_FATAL(vq_init(&q, &vq_gmem, &c), 0);
	q.budget = 100;
	for (uint16_t i = 0; i < 4; i++)
		vq_give((uint16_t)(3 - i));
	for (uint16_t i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL_FATAL(vq_pop(&q, &chain[i]), 1);
		CU_ASSERT_EQUAL(chain[i]->head, 3 - i);
		CU_ASSERT_EQUAL(chain[i]->out_bytes, 1);
	}
	CU_ASSERT_EQUAL(vq_pop(&q, &chain[4]), 0);
	CU_ASSERT_EQUAL(vq_position(&q), 2);
	CU_ASSERT_PTR_EQUAL(vq_chain(&q, chain[0]->idx, chain[0]->generation),
			    chain[0]);
	CU_ASSERT_PTR_NULL(
		vq_chain(&q, chain[0]->idx, chain[0]->generation + 1));
	CU_ASSERT_PTR_NULL(vq_chain(&q, SIZE, 0));
	vq_push(&q, chain[2], 11);
	CU_ASSERT_PTR_NULL(vq_chain(&q, chain[2]->idx, chain[2]->generation));
	vq_push(&q, chain[0], 22);
	CU_ASSERT_EQUAL(vq_used->idx, 0);
	CU_ASSERT_EQUAL(vq_used->ring[65534 % SIZE].id, 1);
	CU_ASSERT_EQUAL(vq_used->ring[65534 % SIZE].len, 11);
	CU_ASSERT_EQUAL(vq_used->ring[65535 % SIZE].id, 3);
	CU_ASSERT_EQUAL(vq_used->ring[65535 % SIZE].len, 22);
	CU_ASSERT_EQUAL(q.busy_cnt, 2);
	vq_push(&q, chain[1], 0);
	vq_push(&q, chain[3], 0);
	CU_ASSERT_EQUAL(q.busy_cnt, 0);
	vq_fini(&q);
}

/* A driver that gives out more than it has: no slot, no loss. */
static void vq_slots_test(void)
{
	struct vq q;
	struct vq_config c = vq_cfg(0, false);
	struct chain *chain[SIZE];
	struct chain *more;

	CU_ASSERT_EQUAL_FATAL(vq_init(&q, &vq_gmem, &c), 0);
	q.budget = 100;
	for (uint16_t i = 0; i < SIZE; i++)
		vq_give(i);
	for (uint16_t i = 0; i < SIZE; i++)
		CU_ASSERT_EQUAL_FATAL(vq_pop(&q, &chain[i]), 1);
	vq_give(0);
	CU_ASSERT_EQUAL(vq_pop(&q, &more), 0);
	CU_ASSERT_FALSE(vq_has_more(&q));
	vq_push(&q, chain[5], 0);
	CU_ASSERT_TRUE(vq_has_more(&q));
	CU_ASSERT_EQUAL(vq_pop(&q, &more), 1);
	vq_push(&q, more, 0);
	vq_give(1);
	q.budget = 0;
	CU_ASSERT_EQUAL(vq_pop(&q, &more), 0);
	CU_ASSERT_TRUE(vq_has_more(&q));
	vq_fini(&q);
}

static void vq_broken_test(void)
{
	struct vq q;
	struct vq_config c = vq_cfg(0, false);
	struct chain *chain;

	CU_ASSERT_EQUAL_FATAL(vq_init(&q, &vq_gmem, &c), 0);
	q.budget = 100;
	vq_avail->idx = SIZE + 1;
	CU_ASSERT_EQUAL(vq_pop(&q, &chain), -EPROTO);
	CU_ASSERT_PTR_NOT_NULL(q.broken);
	vq_avail->idx = 0;
	CU_ASSERT_EQUAL(vq_pop(&q, &chain), -EPROTO);
	CU_ASSERT_FALSE(vq_has_more(&q));
	vq_fini(&q);
	c = vq_cfg(0, false);
	CU_ASSERT_EQUAL_FATAL(vq_init(&q, &vq_gmem, &c), 0);
	q.budget = 100;
	vq_give(SIZE);
	CU_ASSERT_EQUAL(vq_pop(&q, &chain), -EPROTO);
	vq_fini(&q);
}

/** vq_round() - gives, pops and pushes @n chains. */
static void vq_round(struct vq *q, unsigned n)
{
	struct chain *chain;

	q->budget = n;
	for (unsigned i = 0; i < n; i++) {
		vq_give(0);
		CU_ASSERT_EQUAL_FATAL(vq_pop(q, &chain), 1);
		vq_push(q, chain, 0);
	}
}

static void vq_flags_test(void)
{
	struct vq q;
	struct vq_config c = vq_cfg(0, false);

	CU_ASSERT_EQUAL_FATAL(vq_init(&q, &vq_gmem, &c), 0);
	CU_ASSERT_FALSE(vq_call_needed(&q));
	vq_round(&q, 1);
	CU_ASSERT_TRUE(vq_call_needed(&q));
	CU_ASSERT_FALSE(vq_call_needed(&q));
	vq_avail->flags = VRING_AVAIL_F_NO_INTERRUPT;
	vq_round(&q, 1);
	CU_ASSERT_FALSE(vq_call_needed(&q));
	vq_notify_disable(&q);
	CU_ASSERT_EQUAL(vq_used->flags, VRING_USED_F_NO_NOTIFY);
	CU_ASSERT_FALSE(vq_notify_enable(&q));
	CU_ASSERT_EQUAL(vq_used->flags, 0);
	vq_give(0);
	CU_ASSERT_TRUE(vq_notify_enable(&q));
	vq_fini(&q);
}

static void vq_event_test(void)
{
	struct vq q;
	struct vq_config c = vq_cfg(65535, true);
	uint16_t *used_event = &vq_avail->ring[SIZE];
	const uint16_t *avail_event = (const void *)&vq_used->ring[SIZE];

	CU_ASSERT_EQUAL_FATAL(vq_init(&q, &vq_gmem, &c), 0);
	vq_round(&q, 1);
	CU_ASSERT_TRUE(vq_call_needed(&q));
	*used_event = 2; /* wants one when index 2 was used: idx becomes 3 */
	vq_round(&q, 2);
	CU_ASSERT_FALSE(vq_call_needed(&q));
	vq_round(&q, 3);
	CU_ASSERT_TRUE(vq_call_needed(&q));
	vq_round(&q, 3);
	CU_ASSERT_FALSE(vq_call_needed(&q));
	vq_notify_disable(&q);
	CU_ASSERT_FALSE(vq_notify_enable(&q));
	CU_ASSERT_EQUAL(*avail_event, vq_position(&q));
	vq_fini(&q);
}

const struct unit_case vq_cases[] = {
	UNIT_CASE(vq_init_test),  UNIT_CASE(vq_order_test),
	UNIT_CASE(vq_slots_test), UNIT_CASE(vq_broken_test),
	UNIT_CASE(vq_flags_test), UNIT_CASE(vq_event_test),
};
const size_t vq_case_cnt = sizeof(vq_cases) / sizeof(vq_cases[0]);
