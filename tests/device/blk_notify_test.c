// SPDX-License-Identifier: Apache-2.0
/*
 * blk_notify_test.c - notifications and ring state at their edges: what an
 * earlier owner left in the rings, features that change between QUEUE_SET and
 * QUEUE_START, indexes that wrap, rings that overlap, memory on both sides of
 * the hole. A kick that is not sent because the device did not say that it
 * wants one hangs the disk: nothing here kicks more than a driver must.
 * VIRTIO 1.2 sections 2.7.7, 2.7.10; FIGURES.md traps 13 and 14.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/blk_fixture.h"
#include "tests/support/unit/unit.h"

#define SECTOR 512u
#define DATA 4096u
#define WAIT_MS 5000

static const struct drvq_config notify_event = {64, true, true};
static const struct drvq_config notify_flags = {64, false, false};

/** notify_begin() - a device and a driver whose queue is not attached yet. */
static bool notify_begin(struct fixture *f, struct blkdrv *b,
			 const struct drvq_config *mode, uint64_t acked)
{
	if (fixture_start(f, &(struct fixture_config){0}) ||
	    testdev_features(&f->dev, acked) ||
	    blkdrv_init(b, &f->guest, mode, 32, DATA)) {
		CU_FAIL("start");
		return false;
	}
	return true;
}

/** notify_end() - the device ends as told. */
static void notify_end(struct fixture *f, struct blkdrv *b)
{
	CU_ASSERT_FALSE(b->q.error);
	blkdrv_fini(b);
	CU_ASSERT_EQUAL(fixture_end(f), 0);
}

/** notify_read() - one read that kicks and sleeps only as a driver must. */
static bool notify_read(struct fixture *f, struct blkdrv *b)
{
	struct blkdrv_request r = {VIRTIO_BLK_T_IN, 5, SECTOR, 1};
	struct blkdrv_done d;

	memset(blkdrv_data(b, 0), 0, SECTOR);
	if (blkdrv_add(b, 0, &r) < 0)
		return false;
	drvq_publish(&b->q);
	return blkdrv_take(b, true, WAIT_MS, &d) == 0 &&
	       d.status == VIRTIO_BLK_S_OK &&
	       memcmp(blkdrv_data(b, 0), f->shadow + 5 * SECTOR, SECTOR) == 0;
}

/** notify_index_set() - as if @at chains had gone through the rings. */
static void notify_index_set(struct drvq *q, uint16_t at)
{
	q->avail_idx = at;
	q->published = at;
	q->used_idx = at;
	q->avail->idx = at;
	q->used->idx = at;
}

/*
 * The rings hold what an earlier device or system left there: the wish for a
 * kick is that of the device that runs now.
 */
static void test_stale_wish(void)
{
	static const uint16_t stale[] = {1, 63, 100, 0x7fff, 0x8000, 0xffff};

	for (size_t i = 0; i < ARRAY_SIZE(stale); i++) {
		uint16_t *event;
		struct fixture f;
		struct blkdrv b;

		if (!notify_begin(&f, &b, &notify_event, FIXTURE_FEATURES))
			return;
		event = (uint16_t *)(void *)&b.q.used->ring[b.q.cfg.size];
		*event = stale[i];
		b.q.used->flags = VRING_USED_F_NO_NOTIFY;
		CU_ASSERT_EQUAL(blkdrv_attach(&b, &f.dev, 0), 0);
		CU_ASSERT_TRUE(notify_read(&f, &b));
		notify_end(&f, &b);
	}
}

/* A queue runs with the features that hold when it starts. */
static void test_features_between(void)
{
	const uint64_t bare = FIXTURE_BIT(VIRTIO_F_VERSION_1);

	for (int to_event = 0; to_event < 2; to_event++) {
		struct fixture f;
		struct blkdrv b;

		if (!notify_begin(&f, &b,
				  to_event ? &notify_event : &notify_flags,
				  to_event ? bare : FIXTURE_FEATURES))
			return;
		CU_ASSERT_EQUAL(testdev_queue_set(&f.dev, 0, &b.q, 0), 0);
		CU_ASSERT_EQUAL(testdev_features(&f.dev,
						 to_event ? FIXTURE_FEATURES
							  : bare),
				0);
		CU_ASSERT_EQUAL(testdev_queue_start(&f.dev, 0), 0);
		for (int n = 0; n < 200; n++)
			CU_ASSERT_TRUE_FATAL(notify_read(&f, &b));
		notify_end(&f, &b);
	}
}

/** notify_soak() - @cnt requests in batches of changing depth. */
static bool notify_soak(struct blkdrv *b, uint32_t cnt)
{
	static const uint32_t types[] = {VIRTIO_BLK_T_GET_ID, VIRTIO_BLK_T_IN,
					 VIRTIO_BLK_T_FLUSH};
	uint64_t seed = 7;
	uint32_t out = 0;

	while (cnt || out) {
		struct blkdrv_done d;
		uint32_t add = (uint32_t)(fixture_random(&seed) % 16);

		for (; add && cnt && out < 16; add--, cnt--, out++) {
			uint32_t type =
				types[fixture_random(&seed) % 64
					      ? 0
					      : fixture_random(&seed) % 3];
			struct blkdrv_request r = {
				type, 0, type == VIRTIO_BLK_T_IN ? SECTOR : 20,
				1};

			if (type == VIRTIO_BLK_T_FLUSH)
				r.data_bytes = 0;
			if (blkdrv_add(b, (uint32_t)blkdrv_slot_free(b), &r))
				return false;
		}
		drvq_publish(&b->q);
		if (out && (blkdrv_take(b, fixture_random(&seed) % 2, WAIT_MS,
					&d) < 0 ||
			    d.status != VIRTIO_BLK_S_OK))
			return false;
		out -= out ? 1 : 0;
	}
	return true;
}

/* Every index goes through its wrap more than once; no wake-up is lost. */
static void test_wrap(void)
{
	static const struct drvq_config modes[] = {
		{64, true, true}, {64, false, false}, {1, true, true}};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct fixture f;
		struct blkdrv b;
		uint64_t acked = FIXTURE_FEATURES;
		uint32_t cnt = modes[i].size == 1 ? 0 : 140000;

		if (!modes[i].event_idx)
			acked = FIXTURE_BIT(VIRTIO_F_VERSION_1);
		if (!notify_begin(&f, &b, &modes[i], acked))
			return;
		notify_index_set(&b.q, 0xfff0);
		CU_ASSERT_EQUAL(testdev_queue_set(&f.dev, 0, &b.q, 0xfff0), 0);
		CU_ASSERT_EQUAL(testdev_queue_start(&f.dev, 0), 0);
		if (cnt)
			CU_ASSERT_TRUE(notify_soak(&b, cnt));
		for (uint32_t n = 0; n < 40; n++)
			CU_ASSERT_TRUE_FATAL(notify_read(&f, &b));
		notify_end(&f, &b);
	}
}

/** notify_set() - QUEUE_SET with the addresses of @m and the fds of @q. */
static int notify_set(struct fixture *f, const struct drvq *q,
		      Bulkhead__Backend__QueueSet *m)
{
	const int fds[2] = {q->kick_fd, q->call_fd};

	return testdev_queue_set_raw(&f->dev, m, fds);
}

/* Rings that lie upon each other hurt nobody but their owner. */
static void test_overlap(void)
{
	for (int which = 0; which < 4; which++) {
		Bulkhead__Backend__QueueSet m =
			BULKHEAD__BACKEND__QUEUE_SET__INIT;
		struct fixture f;
		struct blkdrv b;
		uint16_t position = 0;

		if (!notify_begin(&f, &b, &notify_flags, FIXTURE_FEATURES))
			return;
		m.size = 64;
		m.desc_gpa = which & 1 ? b.q.used_gpa & ~15ull : b.q.desc_gpa;
		m.driver_gpa = which & 2 ? b.q.used_gpa : b.q.avail_gpa;
		m.device_gpa = which == 3 ? b.q.desc_gpa : b.q.used_gpa;
		CU_ASSERT_EQUAL(notify_set(&f, &b.q, &m), 0);
		CU_ASSERT_EQUAL(testdev_queue_start(&f.dev, 0), 0);
		for (int n = 0; n < 200; n++) {
			uint16_t *idx = guest_at(&f.guest, m.driver_gpa + 2);

			*idx = (uint16_t)(*idx + n % 3);
			drvq_kick(&b.q);
		}
		CU_ASSERT_EQUAL(testdev_queue_stop(&f.dev, 0, &position), 0);
		CU_ASSERT_EQUAL(testdev_reset(&f.dev), 0);
		CU_ASSERT_EQUAL(
			testdev_features(&f.dev,
					 FIXTURE_BIT(VIRTIO_F_VERSION_1)),
			0);
		memset(b.q.desc, 0, 64 * 16);
		blkdrv_restart(&b);
		CU_ASSERT_EQUAL(blkdrv_attach(&b, &f.dev, 0), 0);
		CU_ASSERT_TRUE(notify_read(&f, &b));
		notify_end(&f, &b);
	}
}

/* The disk's data goes over the rings, the descriptors and its own header. */
static void test_data_over_rings(void)
{
	struct fixture f;
	struct blkdrv b;
	uint16_t position = 0;
	uint64_t targets[3];

	if (!notify_begin(&f, &b, &notify_event, FIXTURE_FEATURES))
		return;
	targets[0] = b.q.desc_gpa;
	targets[1] = b.q.avail_gpa;
	targets[2] = b.q.used_gpa;
	for (int n = 0; n < 60; n++) {
		const uint64_t to = targets[n % 3];
		const struct drvq_seg segs[] = {
			{b.slots[0].header_gpa, 16, false},
			{to & ~15ull, 2 * SECTOR, true},
			{b.slots[0].status_gpa, 1, true},
		};
		struct virtio_blk_outhdr h = {.type = VIRTIO_BLK_T_IN};

		CU_ASSERT_EQUAL_FATAL(blkdrv_attach(&b, &f.dev, 0), 0);
		memcpy(guest_at(&f.guest, b.slots[0].header_gpa), &h,
		       sizeof(h));
		CU_ASSERT(drvq_add(&b.q, segs, 3) >= 0);
		drvq_publish(&b.q);
		for (int k = 0; k < 5; k++)
			drvq_kick(&b.q);
		usleep(500);
		CU_ASSERT_EQUAL_FATAL(testdev_queue_stop(&f.dev, 0, &position),
				      0);
		CU_ASSERT_EQUAL_FATAL(testdev_reset(&f.dev), 0);
		CU_ASSERT_EQUAL_FATAL(
			testdev_features(&f.dev, FIXTURE_FEATURES), 0);
		blkdrv_restart(&b);
	}
	CU_ASSERT_EQUAL(blkdrv_attach(&b, &f.dev, 0), 0);
	CU_ASSERT_TRUE(notify_read(&f, &b));
	notify_end(&f, &b);
}

/* After QUEUE_STOP a queue may come back elsewhere and in another size. */
static void test_move(void)
{
	struct fixture f;
	struct blkdrv b[3];
	const struct drvq_config modes[3] = {
		{64, true, true}, {256, true, true}, {8, true, true}};

	if (!notify_begin(&f, &b[0], &modes[0], FIXTURE_FEATURES))
		return;
	CU_ASSERT_EQUAL_FATAL(blkdrv_init(&b[1], &f.guest, &modes[1], 32, DATA),
			      0);
	CU_ASSERT_EQUAL_FATAL(blkdrv_init(&b[2], &f.guest, &modes[2], 8, DATA),
			      0);
	for (uint32_t n = 0; n < 60; n++) {
		struct blkdrv *on = &b[n % 3];
		uint16_t before = on->q.published;
		uint16_t position = 0;

		CU_ASSERT_EQUAL_FATAL(
			testdev_queue_set(&f.dev, 0, &on->q, before), 0);
		CU_ASSERT_EQUAL_FATAL(testdev_queue_start(&f.dev, 0), 0);
		for (uint32_t i = 0; i < on->slot_cnt / 2; i++) {
			struct blkdrv_request r = {VIRTIO_BLK_T_IN, i, DATA, 2};

			CU_ASSERT_EQUAL_FATAL(blkdrv_add(on, i, &r), 0);
		}
		drvq_publish(&on->q);
		CU_ASSERT_EQUAL_FATAL(testdev_queue_stop(&f.dev, 0, &position),
				      0);
		CU_ASSERT_EQUAL(position, on->q.used->idx);
		/* What was not taken goes on when the queue is back. */
		CU_ASSERT_EQUAL_FATAL(
			testdev_queue_set(&f.dev, 0, &on->q, position), 0);
		CU_ASSERT_EQUAL_FATAL(testdev_queue_start(&f.dev, 0), 0);
		for (uint32_t i = 0; i < on->slot_cnt / 2; i++) {
			struct blkdrv_done d;

			CU_ASSERT_EQUAL_FATAL(
				blkdrv_take(on, true, WAIT_MS, &d), 0);
			CU_ASSERT_EQUAL(d.status, VIRTIO_BLK_S_OK);
			CU_ASSERT_EQUAL(memcmp(blkdrv_data(on, d.slot),
					       f.shadow + d.slot * SECTOR,
					       DATA),
					0);
		}
		CU_ASSERT_EQUAL_FATAL(testdev_queue_stop(&f.dev, 0, &position),
				      0);
		CU_ASSERT_EQUAL(position, on->q.published);
	}
	blkdrv_fini(&b[1]);
	blkdrv_fini(&b[2]);
	notify_end(&f, &b[0]);
}

static const struct unit_case notify_cases[] = {
	UNIT_CASE(test_stale_wish),
	UNIT_CASE(test_features_between),
	UNIT_CASE(test_wrap),
	UNIT_CASE(test_overlap),
	UNIT_CASE(test_data_over_rings),
	UNIT_CASE(test_move),
};

const struct unit_suite unit_suites[] = {
	{"blk notify", notify_cases, ARRAY_SIZE(notify_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
