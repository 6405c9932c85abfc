// SPDX-License-Identifier: Apache-2.0
/*
 * Tests of queues as a whole: full rings, index wrap, reset of device and of
 * one queue while requests are in flight (VIRTIO 1.2 sections 2.4, 2.6.1).
 */
#include "test.h"

#define RESETS 10
#define INFLIGHT 32
#define INFLIGHT_BYTES 65536u
#define WRAP_REQUESTS 70000u
#define SENTINEL 0xa5
#define RINGS_BYTES (0x2000u + 6 + 8 * 256)

/** t_depth - as many requests as the ring holds, all come back once. */
static int t_depth(void)
{
	const char *bad = disk_start();
	struct vq *q = &disk.q[0];
	bool ind = disk.features & VF_INDIRECT;
	unsigned int cnt = ind ? q->size : q->size / 3;

	CHECK(!bad, "%s", bad);
	for (int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < cnt; i++) {
			struct blk_io io = {.type = BT_IN,
					    .sector = i * 3,
					    .data = dma + i * 8192,
					    .bytes = 8192,
					    .indirect = ind};
			CHECK(blk_submit(q, &io) >= 0, "no room at %u", i);
		}
		for (unsigned int i = 0; i < cnt; i++) {
			uint32_t len = 0;
			int head = blk_next(q, &len, BLK_WAIT_MS);

			CHECK(head >= 0, "%u of %u come back", i, cnt);
			CHECK(blk_slot(q, (unsigned int)head)->status == BS_OK,
			      "status %u",
			      blk_slot(q, (unsigned int)head)->status);
			CHECK(len == 8193, "used length %u", len);
		}
		CHECK(blk_next(q, NULL, 5) < 0, "more come back than went");
		for (unsigned int i = 0; i < cnt; i++)
			CHECK(pattern_check(dma + i * 8192, SEED_DISK, i * 3,
					    8192) < 0,
			      "request %u brings wrong data", i);
	}
	return TEST_OK;
}

/** t_small - a ring of two entries works as well as a large one. */
static int t_small(void)
{
	struct blk_opts o = {.irq = test_mode_irq(), .size = 4};
	const char *bad = blk_start(&disk, &o);

	for (int i = 0; i < 40 && !bad; i++)
		bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** t_wrap - more requests than a ring index counts. */
static int t_wrap(void)
{
	const char *bad = disk_start();
	struct vq *q = &disk.q[0];
	struct blk_io io = {
		.type = BT_IN, .sector = 9, .data = dma, .bytes = SECTOR_BYTES};
	uint32_t sent = 0, back = 0;

	CHECK(!bad, "%s", bad);
	while (back < WRAP_REQUESTS) {
		while (sent < WRAP_REQUESTS && q->free_cnt >= 3) {
			CHECK(blk_submit(q, &io) >= 0, "no room");
			sent++;
		}
		CHECK(blk_next(q, NULL, BLK_WAIT_MS) >= 0, "%u of %u come back",
		      back, sent);
		back++;
	}
	CHECK(q->used_idx == (uint16_t)WRAP_REQUESTS, "used index %u",
	      q->used_idx);
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** load - many large reads, nobody waits. */
static void load(struct vq *q)
{
	for (uint32_t i = 0; i < INFLIGHT; i++) {
		struct blk_io io = {.type = BT_IN,
				    .sector = i * 50,
				    .data = dma + i * INFLIGHT_BYTES,
				    .bytes = INFLIGHT_BYTES};

		(void)blk_submit(q, &io);
	}
}

/** all_are - do all bytes have this value? */
static bool all_are(const volatile uint8_t *p, uint8_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (p[i] != value)
			return false;
	}
	return true;
}

/** t_reset - reset with requests in flight; afterwards nothing is written. */
static int t_reset(void)
{
	for (unsigned int i = 0; i < RESETS; i++) {
		struct blk_opts o = {.irq = i & 1};
		const char *bad = blk_start(&disk, &o);
		uint8_t *ring = at_addr(addr_of(disk.q[0].desc));

		CHECK(!bad, "round %u: %s", i, bad);
		load(&disk.q[0]);
		if (i % 3 == 1)
			delay_us(100 * i);
		CHECK(virtio_reset(&disk.v), "round %u: reset does not end", i);
		memset(dma, SENTINEL, sizeof(dma));
		memset(ring, SENTINEL, RINGS_BYTES);
		delay_us(5000);
		CHECK(all_are(ring, SENTINEL, RINGS_BYTES),
		      "round %u: the ring is written after reset", i);
		CHECK(all_are(dma, SENTINEL, sizeof(dma)),
		      "round %u: a buffer is written after reset", i);
		bad = blk_start(&disk, &o);
		CHECK(!bad, "round %u, again: %s", i, bad);
		bad = disk_alive();
		CHECK(!bad, "round %u, again: %s", i, bad);
	}
	return TEST_OK;
}

/** t_restart - set up and torn down without any request. */
static int t_restart(void)
{
	const char *bad = NULL;

	for (int i = 0; i < RESETS && !bad; i++)
		bad = disk_start();
	for (int i = 0; i < RESETS && !bad; i++) {
		virtio_status_set(&disk.v, 0); /* and no look whether it is */
		virtio_status_set(&disk.v, 0);
		bad = disk_start();
	}
	if (!bad)
		bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** queue_reset - VIRTIO 1.2 section 2.6.1; NULL, or what is wrong. */
static const char *queue_reset(uint16_t n)
{
	volatile uint8_t *c = disk.v.common;
	uint64_t end = deadline_ms(VIRTIO_RESET_MS);

	mmio_w16(c + VC_QUEUE_SELECT, n);
	mmio_w16(c + VC_QUEUE_RESET, 1);
	while (mmio_r16(c + VC_QUEUE_RESET)) {
		if (deadline_over(end))
			return "queue reset does not end";
		cpu_relax();
	}
	return mmio_r16(c + VC_QUEUE_ENABLE) ? "still enabled" : NULL;
}

/** t_ringreset - one queue alone, with requests in flight, then reused. */
static int t_ringreset(void)
{
	const char *bad = disk_start();

	CHECK(!bad, "%s", bad);
	if (!(disk.features & VF_RING_RESET))
		return test_skip("RING_RESET is not offered");
	for (unsigned int i = 0; i < RESETS; i++) {
		uint16_t size = i & 1 ? 16 : 64;
		struct vq *other = &disk.q[disk.queue_cnt - 1];

		load(&disk.q[0]);
		bad = queue_reset(0);
		CHECK(!bad, "round %u: %s", i, bad);
		memset(dma, SENTINEL, sizeof(dma));
		delay_us(3000);
		CHECK(all_are(dma, SENTINEL, sizeof(dma)),
		      "round %u: a buffer is written after reset", i);
		if (disk.queue_cnt > 1) {
			bad = disk_read_check(
				other, (struct blk_io){.sector = 5,
						       .data = dma,
						       .bytes = SECTOR_BYTES});
			CHECK(!bad, "round %u, other queue: %s", i, bad);
		}
		bad = blk_queue_start(&disk, 0, size);
		CHECK(!bad, "round %u: %s", i, bad);
		bad = disk_alive();
		CHECK(!bad, "round %u: %s", i, bad);
	}
	return TEST_OK;
}

const struct test tests_queue[] = {
	{"depth", t_depth, TEST_DISK},
	{"small", t_small, TEST_DISK},
	{"wrap", t_wrap, TEST_DISK | TEST_ASKED},
	{"reset", t_reset, TEST_DISK},
	{"restart", t_restart, TEST_DISK},
	{"ringreset", t_ringreset, TEST_DISK},
	{NULL, NULL, 0},
};
