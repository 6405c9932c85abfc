// SPDX-License-Identifier: Apache-2.0
/*
 * blk_ring_test.c - a hostile driver. Every malformed chain comes back and the
 * queue goes on (CASES.md C10: twice the queue size of them, then a good
 * request); a ring that makes no sense brings NEEDS_RESET, touches no other
 * queue and is cured by a reset. VIRTIO 1.2 sections 2.7.5, 5.2.6; FIGURES.md
 * traps 12 and 13.
 */
#include <errno.h>
#include <string.h>

#include "tests/device/blk_fixture.h"
#include "tests/support/unit/unit.h"

#define SECTOR 512u
#define RING_SIZE 32u
/* No status is written: the chain comes back with length 0. */
#define STATUS_NONE 0xa5

/**
 * struct bad - a malformed request
 * @type: request type of the good chain {header, data, status} it starts as
 * @spoil: what is wrong; @at are the three descriptors, first to last
 * @status: what the status byte must be afterwards
 */
struct bad {
	const char *name;
	uint32_t type;
	void (*spoil)(struct blkdrv *b, struct vring_desc *at[3]);
	uint8_t status;
};

static void bad_loop(struct blkdrv *b, struct vring_desc *at[3])
{
	at[2]->flags |= VRING_DESC_F_NEXT;
	at[2]->next = (uint16_t)(at[2] - b->q.desc);
}

static void bad_next(struct blkdrv *b, struct vring_desc *at[3])
{
	at[1]->next = (uint16_t)(b->q.cfg.size + 7);
}

static void bad_outside(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[1]->addr = FIXTURE_GUEST_BYTES;
}

static void bad_straddle(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[1]->addr = FIXTURE_GUEST_BYTES - SECTOR / 2;
}

static void bad_wrap(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[1]->addr = UINT64_MAX - 100;
}

static void bad_zero(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[1]->len = 0;
}

static void bad_4g(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[1]->len = UINT32_MAX;
}

static void bad_header_writable(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[0]->flags |= VRING_DESC_F_WRITE;
}

static void bad_header_short(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[0]->len = 15;
}

static void bad_status_readable(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[2]->flags &= (uint16_t)~VRING_DESC_F_WRITE;
}

static void bad_status_missing(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[1]->flags &= (uint16_t)~VRING_DESC_F_NEXT;
}

static void bad_data_length(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[1]->len = SECTOR - 1;
}

static void bad_data_direction(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[1]->flags |= VRING_DESC_F_WRITE;
}

/** bad_sector() - the header names another sector. */
static void bad_sector(struct blkdrv *b, struct vring_desc *at[3], uint64_t s)
{
	struct virtio_blk_outhdr *h = guest_at(b->q.g, at[0]->addr);

	h->sector = s;
}

static void bad_past_end(struct blkdrv *b, struct vring_desc *at[3])
{
	bad_sector(b, at, FIXTURE_IMAGE_BYTES / SECTOR);
}

static void bad_across_end(struct blkdrv *b, struct vring_desc *at[3])
{
	bad_sector(b, at, FIXTURE_IMAGE_BYTES / SECTOR - 1);
	at[1]->len = 2 * SECTOR;
}

static void bad_sector_overflow(struct blkdrv *b, struct vring_desc *at[3])
{
	bad_sector(b, at, UINT64_MAX / SECTOR + 1);
}

static void bad_sector_max(struct blkdrv *b, struct vring_desc *at[3])
{
	bad_sector(b, at, UINT64_MAX);
}

static void bad_nothing(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	(void)at;
}

static void bad_unnegotiated(struct blkdrv *b, struct vring_desc *at[3])
{
	(void)b;
	at[1]->flags |= VRING_DESC_F_INDIRECT;
}

#define IN VIRTIO_BLK_T_IN
#define OUT VIRTIO_BLK_T_OUT

static const struct bad bad_chains[] = {
	{"loop", IN, bad_loop, STATUS_NONE},
	{"next beyond the table", IN, bad_next, STATUS_NONE},
	{"address outside", IN, bad_outside, STATUS_NONE},
	{"range across the end of RAM", IN, bad_straddle, STATUS_NONE},
	{"range wraps", OUT, bad_wrap, STATUS_NONE},
	{"length 0", IN, bad_zero, STATUS_NONE},
	{"4 GiB buffer", IN, bad_4g, STATUS_NONE},
	{"header writable, read", IN, bad_header_writable, VIRTIO_BLK_S_IOERR},
	{"header writable, write", OUT, bad_header_writable, STATUS_NONE},
	{"header of 15 bytes", IN, bad_header_short, VIRTIO_BLK_S_IOERR},
	{"status readable, read", IN, bad_status_readable, STATUS_NONE},
	{"status readable, write", OUT, bad_status_readable, STATUS_NONE},
	{"status missing, write", OUT, bad_status_missing, STATUS_NONE},
	{"data of 511 bytes, read", IN, bad_data_length, VIRTIO_BLK_S_IOERR},
	{"data of 511 bytes, write", OUT, bad_data_length, VIRTIO_BLK_S_IOERR},
	{"write into a buffer", OUT, bad_data_direction, VIRTIO_BLK_S_IOERR},
	{"behind the end", IN, bad_past_end, VIRTIO_BLK_S_IOERR},
	{"across the end", OUT, bad_across_end, VIRTIO_BLK_S_IOERR},
	{"sector overflows", IN, bad_sector_overflow, VIRTIO_BLK_S_IOERR},
	{"sector at its maximum", OUT, bad_sector_max, VIRTIO_BLK_S_IOERR},
	{"unknown type", 77, bad_nothing, VIRTIO_BLK_S_UNSUPP},
	{"discard, not offered", VIRTIO_BLK_T_DISCARD, bad_nothing,
	 VIRTIO_BLK_S_UNSUPP},
	{"secure erase", VIRTIO_BLK_T_SECURE_ERASE, bad_nothing,
	 VIRTIO_BLK_S_UNSUPP},
	{"indirect, not negotiated", IN, bad_unnegotiated, STATUS_NONE},
};

/** ring_good() - a read of sector 3 works. */
static bool ring_good(struct fixture *f, struct blkdrv *b)
{
	struct blkdrv_request r = {VIRTIO_BLK_T_IN, 3, SECTOR, 1};

	memset(blkdrv_data(b, 0), 0, SECTOR);
	return blkdrv_sync(b, &r) == VIRTIO_BLK_S_OK &&
	       memcmp(blkdrv_data(b, 0), f->shadow + 3 * SECTOR, SECTOR) == 0;
}

/** ring_bad_one() - one malformed request. Did it come back as it must? */
static bool ring_bad_one(struct blkdrv *b, const struct bad *bad)
{
	const struct blkdrv_slot *s = &b->slots[0];
	const struct blkdrv_request r = {bad->type, 0, SECTOR, 1};
	struct blkdrv_done d;
	struct vring_desc *at[3];
	uint16_t head = b->q.free_head;

	if (blkdrv_add(b, 0, &r) < 0)
		return false;
	at[0] = &b->q.desc[head];
	at[1] = &b->q.desc[at[0]->next];
	at[2] = &b->q.desc[at[1]->next];
	bad->spoil(b, at);
	drvq_publish(&b->q);
	if (blkdrv_take(b, false, 10000, &d) < 0)
		return false;
	if (bad->status == STATUS_NONE && d.len != 0)
		return false;
	return *(uint8_t *)guest_at(b->q.g, s->status_gpa) == bad->status;
}

static void test_bad_chains(void)
{
	const struct drvq_config mode = {RING_SIZE, true, false};
	struct fixture f;
	struct blkdrv b;
	uint64_t cnt = 0;

	if (fixture_start(&f, &(struct fixture_config){0}) ||
	    fixture_blkdrv(&f, &b, &mode, 1, 4096)) {
		CU_FAIL("start");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad_chains); i++) {
		bool ok = true;

		for (uint32_t n = 0; ok && n < 2 * RING_SIZE; n++)
			ok = ring_bad_one(&b, &bad_chains[i]);
		if (!ok || !ring_good(&f, &b))
			CU_FAIL(bad_chains[i].name);
		if (!ok)
			fprintf(stderr, "bad: %s\n", bad_chains[i].name);
	}
	testdev_events(&f.dev);
	CU_ASSERT_EQUAL(f.dev.needs_reset, 0);
	CU_ASSERT_EQUAL(testdev_stat(&f.dev, "queue-bad-chains", &cnt), 0);
	CU_ASSERT(cnt >= 2 * RING_SIZE * 10);
	CU_ASSERT_EQUAL(testdev_stat(&f.dev, "blk-refused", &cnt), 0);
	CU_ASSERT(cnt >= 2 * RING_SIZE * 10);
	CU_ASSERT_TRUE(fixture_image_equal(&f));
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/** struct bad_table - what is wrong with an indirect descriptor or its table */
struct bad_table {
	const char *name;
	void (*spoil)(struct vring_desc *d, struct vring_desc *table);
};

static void table_nested(struct vring_desc *d, struct vring_desc *table)
{
	(void)d;
	table[1].flags |= VRING_DESC_F_INDIRECT;
}

static void table_odd(struct vring_desc *d, struct vring_desc *table)
{
	(void)table;
	d->len += 8;
}

static void table_empty(struct vring_desc *d, struct vring_desc *table)
{
	(void)table;
	d->len = 0;
}

static void table_long(struct vring_desc *d, struct vring_desc *table)
{
	(void)table;
	d->len = 16 * 4096;
}

static void table_outside(struct vring_desc *d, struct vring_desc *table)
{
	(void)table;
	d->addr = FIXTURE_GUEST_BYTES - 16;
}

static void table_continued(struct vring_desc *d, struct vring_desc *table)
{
	(void)table;
	d->flags |= VRING_DESC_F_NEXT;
}

static void table_loop(struct vring_desc *d, struct vring_desc *table)
{
	(void)d;
	table[2].flags |= VRING_DESC_F_NEXT;
	table[2].next = 2;
}

static void table_next(struct vring_desc *d, struct vring_desc *table)
{
	(void)d;
	table[1].next = 3;
}

static const struct bad_table bad_tables[] = {
	{"nested", table_nested},       {"not a multiple of 16", table_odd},
	{"empty", table_empty},         {"over-long", table_long},
	{"outside RAM", table_outside}, {"continued", table_continued},
	{"loop inside", table_loop},    {"next beyond it", table_next},
};

/** ring_table_one() - one malformed indirect chain comes back unused. */
static bool ring_table_one(struct blkdrv *b, const struct bad_table *bad)
{
	const struct blkdrv_request r = {VIRTIO_BLK_T_IN, 0, SECTOR, 1};
	struct blkdrv_done d;
	struct vring_desc *desc = &b->q.desc[b->q.free_head];

	if (blkdrv_add(b, 0, &r) < 0)
		return false;
	bad->spoil(desc, guest_at(b->q.g, desc->addr));
	drvq_publish(&b->q);
	return blkdrv_take(b, false, 10000, &d) == 0 && d.len == 0 &&
	       d.status == STATUS_NONE;
}

static void test_bad_tables(void)
{
	const struct drvq_config mode = {RING_SIZE, false, true};
	struct fixture f;
	struct blkdrv b;

	if (fixture_start(&f, &(struct fixture_config){0}) ||
	    fixture_blkdrv(&f, &b, &mode, 1, 4096)) {
		CU_FAIL("start");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad_tables); i++) {
		bool ok = true;

		for (uint32_t n = 0; ok && n < 2 * RING_SIZE; n++)
			ok = ring_table_one(&b, &bad_tables[i]);
		if (!ok || !ring_good(&f, &b))
			CU_FAIL(bad_tables[i].name);
	}
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/** ring_broken_wait() - NEEDS_RESET comes within a second. */
static bool ring_broken_wait(struct testdev *t)
{
	uint64_t v;

	for (int i = 0; i < 1000 && !t->needs_reset; i++) {
		/* A round trip to the main thread, which sends the event. */
		if (testdev_stat(t, "queue-wakes", &v) < 0)
			return false;
		testdev_events(t);
	}
	return t->needs_reset == 1;
}

/** struct bad_ring - what is wrong with a ring as a whole */
struct bad_ring {
	const char *name;
	void (*spoil)(struct drvq *q);
};

static void ring_jump(struct drvq *q)
{
	q->avail_idx = (uint16_t)(q->avail_idx + q->cfg.size + 1);
}

static void ring_back(struct drvq *q)
{
	q->avail_idx = (uint16_t)(q->avail_idx - 1);
}

static void ring_head(struct drvq *q)
{
	drvq_add_raw(q, q->cfg.size);
}

static const struct bad_ring bad_rings[] = {
	{"index jump", ring_jump},
	{"index goes back", ring_back},
	{"head beyond the table", ring_head},
};

/* Queue 0 breaks; queue 1 goes on; a reset cures all. */
static void ring_break(const struct bad_ring *bad)
{
	const struct drvq_config mode = {RING_SIZE, false, false};
	struct fixture f;
	struct blkdrv b[2];
	uint16_t position = 0;

	if (fixture_start(&f, &(struct fixture_config){.queue_cnt = 2}) ||
	    fixture_blkdrv(&f, &b[0], &mode, 1, 4096) ||
	    blkdrv_init(&b[1], &f.guest, &mode, 1, 4096) ||
	    blkdrv_attach(&b[1], &f.dev, 1)) {
		CU_FAIL("start");
		return;
	}
	CU_ASSERT_TRUE(ring_good(&f, &b[0]));
	bad->spoil(&b[0].q);
	drvq_publish(&b[0].q);
	drvq_kick(&b[0].q);
	CU_ASSERT_TRUE(ring_broken_wait(&f.dev));
	CU_ASSERT_TRUE(ring_good(&f, &b[1]));
	CU_ASSERT_EQUAL(testdev_queue_stop(&f.dev, 0, &position), 0);
	CU_ASSERT_EQUAL(testdev_reset(&f.dev), 0);
	CU_ASSERT_EQUAL(
		testdev_features(&f.dev, FIXTURE_BIT(VIRTIO_F_VERSION_1)), 0);
	blkdrv_restart(&b[0]);
	CU_ASSERT_EQUAL(blkdrv_attach(&b[0], &f.dev, 0), 0);
	CU_ASSERT_TRUE(ring_good(&f, &b[0]));
	blkdrv_fini(&b[0]);
	blkdrv_fini(&b[1]);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

static void test_bad_rings(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad_rings); i++)
		ring_break(&bad_rings[i]);
}

/*
 * A driver that enters chains without end while the device looks, all of the
 * same head: commands still get their turn.
 */
static void test_flood(void)
{
	const struct drvq_config mode = {RING_SIZE, false, false};
	struct fixture f;
	struct blkdrv b;
	uint16_t position;
	uint64_t chains = 0;

	if (fixture_start(&f, &(struct fixture_config){0}) ||
	    fixture_blkdrv(&f, &b, &mode, 1, 4096)) {
		CU_FAIL("start");
		return;
	}
	b.q.desc[0] = (struct vring_desc){.addr = 4096, .len = 0};
	for (uint32_t i = 0; i < RING_SIZE; i++)
		b.q.avail->ring[i] = 0;
	for (uint32_t i = 0; i < 20000; i++) {
		uint16_t used = *(volatile uint16_t *)&b.q.used->idx;

		__atomic_store_n(&b.q.avail->idx, (uint16_t)(used + RING_SIZE),
				 __ATOMIC_RELEASE);
		drvq_kick(&b.q);
	}
	CU_ASSERT_EQUAL(testdev_queue_stop(&f.dev, 0, &position), 0);
	CU_ASSERT_EQUAL(testdev_stat(&f.dev, "queue-bad-chains", &chains), 0);
	CU_ASSERT(chains >= RING_SIZE);
	CU_ASSERT_EQUAL((uint16_t)chains, position);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

static const struct unit_case ring_cases[] = {
	UNIT_CASE(test_bad_chains),
	UNIT_CASE(test_bad_tables),
	UNIT_CASE(test_bad_rings),
	UNIT_CASE(test_flood),
};

const struct unit_suite unit_suites[] = {
	{"blk ring", ring_cases, ARRAY_SIZE(ring_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
