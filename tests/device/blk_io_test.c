// SPDX-License-Identifier: Apache-2.0
/*
 * blk_io_test.c - what a well-behaved driver gets: probe, every request type,
 * depths, layouts and notification modes, several queues at once; contents are
 * compared with a shadow. Guards VIRTIO 1.2 sections 2.7.7, 2.7.10, 5.2.6 and
 * CASES.md C8.
 */
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/blk_fixture.h"
#include "tests/support/unit/unit.h"

#define SECTOR 512u

static const struct drvq_config io_modes[] = {
	{.size = 256, .event_idx = false, .indirect = false},
	{.size = 256, .event_idx = true, .indirect = false},
	{.size = 256, .event_idx = false, .indirect = true},
	{.size = 256, .event_idx = true, .indirect = true},
	{.size = 16, .event_idx = true, .indirect = false},
};

/** io_config() - the device's config space. */
static struct virtio_blk_config io_config(const struct testdev *t)
{
	struct virtio_blk_config c = {0};

	memcpy(&c, t->config,
	       t->config_bytes < sizeof(c) ? t->config_bytes : sizeof(c));
	return c;
}

static void test_probe(void)
{
	struct fixture f;
	struct virtio_blk_config c;

	if (fixture_start(&f, &(struct fixture_config){.queue_cnt = 4})) {
		CU_FAIL("start");
		return;
	}
	c = io_config(&f.dev);
	CU_ASSERT_EQUAL(f.dev.virtio_id, 2);
	CU_ASSERT_EQUAL(f.dev.queue_cnt, 4);
	CU_ASSERT_EQUAL(f.dev.queue_size, 256);
	CU_ASSERT_EQUAL(f.dev.features & FIXTURE_FEATURES, FIXTURE_FEATURES);
	CU_ASSERT(f.dev.features & FIXTURE_BIT(VIRTIO_BLK_F_MQ));
	CU_ASSERT_FALSE(f.dev.features & FIXTURE_BIT(VIRTIO_BLK_F_RO));
	/* A size of nothing would stop the driver: offered never. */
	CU_ASSERT_FALSE(f.dev.features & FIXTURE_BIT(VIRTIO_BLK_F_SIZE_MAX));
	CU_ASSERT_EQUAL(le64toh(c.capacity), FIXTURE_IMAGE_BYTES / SECTOR);
	CU_ASSERT_EQUAL(le32toh(c.seg_max), 254);
	CU_ASSERT_EQUAL(le32toh(c.blk_size), SECTOR);
	CU_ASSERT_EQUAL(le16toh(c.num_queues), 4);
#ifndef BULKHEAD_SANITIZED
	CU_ASSERT_EQUAL(f.dev.walls_down, 0);
#endif
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/** io_one() - write, read back, flush, id in one mode. */
static void io_one(struct fixture *f, struct blkdrv *b)
{
	struct blkdrv_request w = {VIRTIO_BLK_T_OUT, 8, 4096, 3};
	struct blkdrv_request r = {VIRTIO_BLK_T_IN, 8, 4096, 2};
	struct blkdrv_request flush = {VIRTIO_BLK_T_FLUSH, 0, 0, 1};
	struct blkdrv_request id = {VIRTIO_BLK_T_GET_ID, 0, 20, 1};
	struct blkdrv_request first = {VIRTIO_BLK_T_IN, 0, 512, 1};
	uint8_t want[20] = FIXTURE_SERIAL;
	uint8_t *data = blkdrv_data(b, 0);

	CU_ASSERT_EQUAL(blkdrv_sync(b, &first), VIRTIO_BLK_S_OK);
	CU_ASSERT_EQUAL(memcmp(data, f->shadow, 512), 0);
	memset(data, 0x5a, 4096);
	memset(f->shadow + 8 * SECTOR, 0x5a, 4096);
	CU_ASSERT_EQUAL(blkdrv_sync(b, &w), VIRTIO_BLK_S_OK);
	memset(data, 0, 4096);
	CU_ASSERT_EQUAL(blkdrv_sync(b, &r), VIRTIO_BLK_S_OK);
	CU_ASSERT_EQUAL(memcmp(data, f->shadow + 8 * SECTOR, 4096), 0);
	CU_ASSERT_EQUAL(blkdrv_sync(b, &flush), VIRTIO_BLK_S_OK);
	memset(data, 0xff, 20);
	CU_ASSERT_EQUAL(blkdrv_sync(b, &id), VIRTIO_BLK_S_OK);
	CU_ASSERT_EQUAL(memcmp(data, want, sizeof(want)), 0);
	CU_ASSERT_TRUE(fixture_image_equal(f));
}

/** io_called() - an interrupt came, also where nobody had to wait for it. */
static bool io_called(const struct drvq *q)
{
	struct pollfd p = {.fd = q->call_fd, .events = POLLIN};

	return q->call_cnt > 0 || poll(&p, 1, TESTDEV_WAIT_MS) == 1;
}

static void test_modes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(io_modes); i++) {
		struct fixture f;
		struct blkdrv b;

		if (fixture_start(&f, &(struct fixture_config){0}) ||
		    fixture_blkdrv(&f, &b, &io_modes[i], 2, 8192)) {
			CU_FAIL("start");
			return;
		}
		io_one(&f, &b);
		CU_ASSERT_FALSE(b.q.error);
		CU_ASSERT_TRUE(io_called(&b.q));
		blkdrv_fini(&b);
		CU_ASSERT_EQUAL(fixture_end(&f), 0);
	}
}

/**
 * struct io_mix - a random workload
 * @busy: sectors that a request in flight covers
 */
struct io_mix {
	struct fixture *f;
	struct blkdrv *b;
	uint64_t seed;
	uint64_t first_sector;
	uint32_t sectors;
	uint32_t depth;
	uint32_t in_flight;
	bool call;
	bool *busy;
	uint32_t bad;
};

/** mix_range_busy() - does the range touch one in flight? Marks it if not. */
static bool mix_range_busy(struct io_mix *m, uint64_t at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (m->busy[at + i])
			return true;
	}
	memset(&m->busy[at], true, n);
	return false;
}

/** mix_add() - one random request. */
static void mix_add(struct io_mix *m)
{
	int slot = blkdrv_slot_free(m->b);
	uint32_t n = (uint32_t)(fixture_random(&m->seed) % 32 + 1);
	uint64_t at = fixture_random(&m->seed) % (m->sectors - n);
	bool write = fixture_random(&m->seed) & 1;
	struct blkdrv_request r = {
		.type = write ? VIRTIO_BLK_T_OUT : VIRTIO_BLK_T_IN,
		.sector = m->first_sector + at,
		.data_bytes = n * SECTOR,
		.segs = (uint32_t)(fixture_random(&m->seed) % 8 + 1),
	};
	uint8_t *shadow = m->f->shadow + r.sector * SECTOR;

	if (slot < 0 || mix_range_busy(m, at, n))
		return;
	if (blkdrv_add(m->b, (uint32_t)slot, &r) < 0) {
		memset(&m->busy[at], false, n);
		return;
	}
	m->b->slots[slot].tag = r.sector;
	m->in_flight++;
	for (uint32_t i = 0; write && i < r.data_bytes; i++)
		shadow[i] = (uint8_t)fixture_random(&m->seed);
	/* Not visible to the device before it is published. */
	if (write)
		memcpy(blkdrv_data(m->b, (uint32_t)slot), shadow, r.data_bytes);
	else
		memset(blkdrv_data(m->b, (uint32_t)slot), 0xee, r.data_bytes);
}

/** mix_take() - one completion, checked. */
static void mix_take(struct io_mix *m)
{
	struct blkdrv_done d;
	const struct blkdrv_slot *s;

	if (blkdrv_take(m->b, m->call, 10000, &d)) {
		m->bad++;
		m->in_flight = 0;
		return;
	}
	s = &m->b->slots[d.slot];
	m->in_flight--;
	memset(&m->busy[s->tag - m->first_sector], false,
	       s->data_bytes / SECTOR);
	if (d.status != VIRTIO_BLK_S_OK)
		m->bad++;
	if (s->type == VIRTIO_BLK_T_IN &&
	    (d.len != s->data_bytes + 1 ||
	     memcmp(blkdrv_data(m->b, d.slot), m->f->shadow + s->tag * SECTOR,
		    s->data_bytes) != 0))
		m->bad++;
}

/** mix_run() - @rounds batches; bad counts what went wrong. */
static void mix_run(struct io_mix *m, uint32_t rounds)
{
	bool *busy = calloc(m->sectors, sizeof(*busy));

	m->busy = busy;
	for (uint32_t i = 0; busy && i < rounds && !m->bad; i++) {
		for (uint32_t k = m->in_flight; k < m->depth; k++)
			mix_add(m);
		drvq_publish(&m->b->q);
		if (m->in_flight)
			mix_take(m);
	}
	while (busy && m->in_flight)
		mix_take(m);
	if (!busy || m->b->q.error)
		m->bad++;
	free(busy);
}

static void test_mix(void)
{
	static const uint32_t depths[] = {1, 2, 8, 32, 128};

	for (size_t i = 0; i < ARRAY_SIZE(depths) * 4; i++) {
		const struct drvq_config *mode = &io_modes[i % 4];
		struct fixture f;
		struct blkdrv b;
		struct io_mix m = {.f = &f,
				   .b = &b,
				   .seed = i + 1,
				   .sectors = FIXTURE_IMAGE_BYTES / SECTOR,
				   .depth = depths[i / 4],
				   .call = i & 2};

		if (fixture_start(&f, &(struct fixture_config){0}) ||
		    fixture_blkdrv(&f, &b, mode, m.depth, 32 * SECTOR)) {
			CU_FAIL("start");
			return;
		}
		mix_run(&m, 500);
		CU_ASSERT_EQUAL(m.bad, 0);
		CU_ASSERT_TRUE(fixture_image_equal(&f));
		blkdrv_fini(&b);
		CU_ASSERT_EQUAL(fixture_end(&f), 0);
	}
}

static void *mix_thread(void *arg)
{
	mix_run(arg, 800);
	return NULL;
}

/* Each queue has its own part of the disk; all run at the same time. */
static void test_queues(void)
{
	enum { QUEUES = 8 };
	const struct drvq_config mode = {256, true, true};
	struct fixture f;
	struct blkdrv b[QUEUES];
	struct io_mix m[QUEUES];
	pthread_t thread[QUEUES];
	int rc = fixture_start(&f, &(struct fixture_config){.queue_cnt = 8});

	if (!rc)
		rc = testdev_features(&f.dev, FIXTURE_FEATURES);
	for (uint32_t i = 0; !rc && i < QUEUES; i++) {
		rc = blkdrv_init(&b[i], &f.guest, &mode, 16, 32 * SECTOR);
		if (!rc)
			rc = blkdrv_attach(&b[i], &f.dev, i);
		m[i] = (struct io_mix){
			.f = &f,
			.b = &b[i],
			.seed = i + 99,
			.first_sector = i * (FIXTURE_IMAGE_BYTES / SECTOR / 8),
			.sectors = FIXTURE_IMAGE_BYTES / SECTOR / 8,
			.depth = 16,
			.call = true};
	}
	CU_ASSERT_EQUAL_FATAL(rc, 0);
	for (uint32_t i = 0; i < QUEUES; i++)
		CU_ASSERT_EQUAL_FATAL(
			pthread_create(&thread[i], NULL, mix_thread, &m[i]), 0);
	for (uint32_t i = 0; i < QUEUES; i++) {
		pthread_join(thread[i], NULL);
		CU_ASSERT_EQUAL(m[i].bad, 0);
		blkdrv_fini(&b[i]);
	}
	CU_ASSERT_TRUE(fixture_image_equal(&f));
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/* Full depth, and a request of as many pieces as seg_max allows. */
static void test_limits(void)
{
	const struct drvq_config mode = {256, true, true};
	struct fixture f;
	struct blkdrv b;
	struct drvq_seg segs[256];
	struct virtio_blk_outhdr h = {.type = VIRTIO_BLK_T_IN};
	uint32_t len = 0;
	uint64_t gpa;

	if (fixture_start(&f, &(struct fixture_config){0}) ||
	    fixture_blkdrv(&f, &b, &mode, 256, 4096)) {
		CU_FAIL("start");
		return;
	}
	for (uint32_t i = 0; i < 256; i++) {
		struct blkdrv_request r = {VIRTIO_BLK_T_IN, i, SECTOR, 1};

		CU_ASSERT_EQUAL(blkdrv_add(&b, i, &r), 0);
	}
	drvq_publish(&b.q);
	for (uint32_t i = 0; i < 256; i++) {
		struct blkdrv_done d;

		CU_ASSERT_EQUAL_FATAL(blkdrv_take(&b, true, 10000, &d), 0);
		CU_ASSERT_EQUAL(d.status, VIRTIO_BLK_S_OK);
		CU_ASSERT_EQUAL(memcmp(blkdrv_data(&b, d.slot),
				       f.shadow + (size_t)d.slot * SECTOR,
				       SECTOR),
				0);
	}
	memcpy(guest_at(&f.guest, b.slots[0].header_gpa), &h, sizeof(h));
	segs[0] = (struct drvq_seg){b.slots[0].header_gpa, 16, false};
	gpa = guest_alloc(&f.guest, 254 * SECTOR, 4096);
	for (uint32_t i = 0; i < 254; i++)
		segs[i + 1] = (struct drvq_seg){gpa + i * SECTOR, SECTOR, true};
	segs[255] = (struct drvq_seg){b.slots[0].status_gpa, 1, true};
	CU_ASSERT(drvq_add(&b.q, segs, 256) >= 0);
	drvq_publish(&b.q);
	CU_ASSERT(drvq_wait_call(&b.q, &len, 10000) >= 0);
	CU_ASSERT_EQUAL(len, 254 * SECTOR + 1);
	CU_ASSERT_EQUAL(memcmp(guest_at(&f.guest, gpa), f.shadow, 254 * SECTOR),
			0);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/* No layout is assumed: header in two, data and status in one buffer. */
static void test_framing(void)
{
	const struct drvq_config mode = {256, false, false};
	struct fixture f;
	struct blkdrv b;
	struct virtio_blk_outhdr h = {.type = VIRTIO_BLK_T_IN, .sector = 4};
	uint64_t gpa;
	uint32_t len = 0;

	if (fixture_start(&f, &(struct fixture_config){0}) ||
	    fixture_blkdrv(&f, &b, &mode, 1, 4096)) {
		CU_FAIL("start");
		return;
	}
	gpa = guest_alloc(&f.guest, 4096, 4096);
	struct drvq_seg segs[] = {
		{b.slots[0].header_gpa, 5, false},
		{b.slots[0].header_gpa + 5, 11, false},
		{gpa, 100, true},
		{gpa + 100, 413, true},
	};

	memcpy(guest_at(&f.guest, b.slots[0].header_gpa), &h, sizeof(h));
	memset(guest_at(&f.guest, gpa), 0xcc, 513);
	CU_ASSERT(drvq_add(&b.q, segs, ARRAY_SIZE(segs)) >= 0);
	drvq_publish(&b.q);
	CU_ASSERT(drvq_wait(&b.q, &len, 10000) >= 0);
	CU_ASSERT_EQUAL(len, 513);
	CU_ASSERT_EQUAL(memcmp(guest_at(&f.guest, gpa), f.shadow + 4 * SECTOR,
			       SECTOR),
			0);
	CU_ASSERT_EQUAL(*(uint8_t *)guest_at(&f.guest, gpa + 512), 0);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/* With interrupts off none comes; with them on, one per wish at most. */
static void test_suppression(void)
{
	for (int event = 0; event < 2; event++) {
		const struct drvq_config mode = {256, event == 1, false};
		struct fixture f;
		struct blkdrv b;
		struct blkdrv_done d;
		uint64_t calls;

		if (fixture_start(&f, &(struct fixture_config){0}) ||
		    fixture_blkdrv(&f, &b, &mode, 8, 4096)) {
			CU_FAIL("start");
			return;
		}
		/* The first interrupt after a start may always come. */
		CU_ASSERT_EQUAL(
			blkdrv_sync(&b,
				    &(struct blkdrv_request){VIRTIO_BLK_T_IN, 0,
							     SECTOR, 1}),
			0);
		while (read(b.q.call_fd, &calls, sizeof(calls)) > 0)
			;
		for (uint32_t i = 0; i < 100; i++) {
			struct blkdrv_request r = {VIRTIO_BLK_T_IN, i, SECTOR,
						   1};

			drvq_calls_off(&b.q);
			CU_ASSERT_EQUAL(blkdrv_add(&b, 0, &r), 0);
			drvq_publish(&b.q);
			CU_ASSERT_EQUAL(blkdrv_take(&b, false, 10000, &d), 0);
		}
		/* The device decides before it sleeps: a reset flushes that. */
		CU_ASSERT_EQUAL(testdev_reset(&f.dev), 0);
		CU_ASSERT_EQUAL(read(b.q.call_fd, &calls, sizeof(calls)), -1);
		CU_ASSERT_EQUAL(errno, EAGAIN);
		blkdrv_fini(&b);
		CU_ASSERT_EQUAL(fixture_end(&f), 0);
	}
}

static const struct unit_case io_cases[] = {
	UNIT_CASE(test_probe),       UNIT_CASE(test_modes),
	UNIT_CASE(test_mix),         UNIT_CASE(test_queues),
	UNIT_CASE(test_limits),      UNIT_CASE(test_framing),
	UNIT_CASE(test_suppression),
};

const struct unit_suite unit_suites[] = {
	{"blk io", io_cases, ARRAY_SIZE(io_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
