// SPDX-License-Identifier: Apache-2.0
/*
 * blk_life_test.c - queues stop, start and are reset while requests are in
 * flight; nothing is lost or done twice, nothing leaks. CASES.md C6 and C27,
 * FIGURES.md trap 14.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/blk_fixture.h"
#include "tests/support/unit/unit.h"

#define SECTOR 512u
#define DEPTH 64u
#define DATA (64u * SECTOR)

static const struct drvq_config life_mode = {256, true, true};

static const struct fixture_config life_disk = {.direct = true};

/** life_fill() - @DEPTH reads or writes, published. */
static bool life_fill(struct blkdrv *b, uint32_t type)
{
	for (uint32_t i = 0; i < DEPTH; i++) {
		struct blkdrv_request r = {type, i * 64, DATA, 4};

		if (blkdrv_add(b, i, &r) < 0)
			return false;
	}
	drvq_publish(&b->q);
	return true;
}

/* After the answer to RESET the device writes to guest memory no more. */
static void test_reset_in_flight(void)
{
	struct fixture f;
	struct blkdrv b;
	int fds = 0;
	bool quiet = true;

	if (fixture_start(&f, &life_disk) ||
	    fixture_blkdrv(&f, &b, &life_mode, DEPTH, DATA)) {
		CU_FAIL("start");
		return;
	}
	for (int n = 0; n < 50; n++) {
		uint16_t used;

		CU_ASSERT_TRUE_FATAL(life_fill(&b, VIRTIO_BLK_T_IN));
		CU_ASSERT_EQUAL_FATAL(testdev_reset(&f.dev), 0);
		used = b.q.used->idx;
		for (uint32_t i = 0; i < DEPTH; i++)
			memset(blkdrv_data(&b, i), 0x11, DATA);
		usleep(1000);
		for (uint32_t i = 0; i < DEPTH; i++) {
			const uint8_t *d = blkdrv_data(&b, i);

			quiet = quiet && d[0] == 0x11 &&
				memcmp(d, d + 1, DATA - 1) == 0;
		}
		quiet = quiet && used == b.q.used->idx;
		blkdrv_restart(&b);
		CU_ASSERT_EQUAL_FATAL(
			testdev_features(&f.dev, FIXTURE_FEATURES), 0);
		CU_ASSERT_EQUAL_FATAL(blkdrv_attach(&b, &f.dev, 0), 0);
		if (n == 4)
			fds = fixture_fd_cnt(f.dev.child.pid);
	}
	CU_ASSERT_TRUE(quiet);
	CU_ASSERT_EQUAL(fixture_fd_cnt(f.dev.child.pid), fds);
	CU_ASSERT_EQUAL(blkdrv_sync(&b,
				    &(struct blkdrv_request){VIRTIO_BLK_T_IN, 0,
							     DATA, 1}),
			0);
	CU_ASSERT_EQUAL(memcmp(blkdrv_data(&b, 0), f.shadow, DATA), 0);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/** life_take_all() - everything in flight comes back once, and well. */
static uint32_t life_take_all(struct blkdrv *b, uint32_t in_flight)
{
	uint32_t good = 0;

	while (in_flight--) {
		struct blkdrv_done d;

		if (blkdrv_take(b, true, 5000, &d) == 0 &&
		    d.status == VIRTIO_BLK_S_OK)
			good++;
	}
	return good;
}

/* Stop drains and tells the position; start goes on from there. */
static void test_stop_start(void)
{
	struct fixture f;
	struct blkdrv b;

	if (fixture_start(&f, &life_disk) ||
	    fixture_blkdrv(&f, &b, &life_mode, DEPTH, DATA)) {
		CU_FAIL("start");
		return;
	}
	for (int n = 0; n < 30; n++) {
		uint16_t position = 0;

		CU_ASSERT_TRUE_FATAL(life_fill(&b, VIRTIO_BLK_T_IN));
		CU_ASSERT_EQUAL_FATAL(testdev_queue_stop(&f.dev, 0, &position),
				      0);
		/* All that was taken has come back, and nothing more. */
		CU_ASSERT_EQUAL(position, b.q.used->idx);
		if (n % 2)
			CU_ASSERT_EQUAL(testdev_queue_set(&f.dev, 0, &b.q,
							  position),
					0);
		/* The kicks of what was not taken are gone: it looks anyway. */
		CU_ASSERT_EQUAL_FATAL(testdev_queue_start(&f.dev, 0), 0);
		CU_ASSERT_EQUAL_FATAL(life_take_all(&b, DEPTH), DEPTH);
	}
	CU_ASSERT_FALSE(b.q.error);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/* STOP with writes in flight: they end first, then the process, with 0. */
static void test_end_in_flight(void)
{
	struct fixture f;
	struct blkdrv b;
	struct blkdrv_done d;
	uint32_t done = 0;

	if (fixture_start(&f, &life_disk) ||
	    fixture_blkdrv(&f, &b, &life_mode, DEPTH, DATA)) {
		CU_FAIL("start");
		return;
	}
	for (uint32_t i = 0; i < DEPTH; i++)
		memset(blkdrv_data(&b, i), 0x77, DATA);
	CU_ASSERT_TRUE(life_fill(&b, VIRTIO_BLK_T_OUT));
	CU_ASSERT_EQUAL(testdev_end(&f.dev), 0);
	CU_ASSERT_TRUE(f.dev.exit_seen);
	CU_ASSERT_EQUAL(f.dev.exit_reason,
			BULKHEAD__CHILD__EXIT_REASON__EXIT_STOPPED);
	while (blkdrv_take(&b, false, 0, &d) == 0) {
		memset(f.shadow + (size_t)d.slot * DATA, 0x77, DATA);
		CU_ASSERT_EQUAL(d.status, VIRTIO_BLK_S_OK);
		done++;
	}
	CU_ASSERT_EQUAL(done, b.q.used->idx);
	CU_ASSERT_TRUE(fixture_image_equal(&f));
	blkdrv_fini(&b);
	fixture_free(&f);
}

/* Without FLUSH negotiated and after a reset, all still works. */
static void test_features_change(void)
{
	struct fixture f;
	struct blkdrv b;
	const struct drvq_config mode = {256, false, false};
	struct blkdrv_request w = {VIRTIO_BLK_T_OUT, 0, SECTOR, 1};

	if (fixture_start(&f, &(struct fixture_config){0}) ||
	    testdev_features(&f.dev, FIXTURE_BIT(VIRTIO_F_VERSION_1)) ||
	    blkdrv_init(&b, &f.guest, &mode, 1, SECTOR) ||
	    blkdrv_attach(&b, &f.dev, 0)) {
		CU_FAIL("start");
		return;
	}
	memcpy(blkdrv_data(&b, 0), f.shadow, SECTOR);
	CU_ASSERT_EQUAL(blkdrv_sync(&b, &w), VIRTIO_BLK_S_OK);
	CU_ASSERT_TRUE(fixture_image_equal(&f));
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

static const struct unit_case life_cases[] = {
	UNIT_CASE(test_reset_in_flight),
	UNIT_CASE(test_stop_start),
	UNIT_CASE(test_end_in_flight),
	UNIT_CASE(test_features_change),
};

const struct unit_suite unit_suites[] = {
	{"blk life", life_cases, ARRAY_SIZE(life_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
