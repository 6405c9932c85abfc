// SPDX-License-Identifier: Apache-2.0
/*
 * blk_edge_test.c - last bytes and lengths: memory on both sides of the PCI
 * hole, indirect tables and buffers at the end of a region, the first and last
 * sector, what "used.len" may claim. VIRTIO 1.2 sections 2.7.8.2, 5.2.6.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/blk_fixture.h"
#include "tests/support/unit/unit.h"

#define SECTOR 512u
#define DATA 4096u
#define WAIT_MS 5000
#define LOW_BYTES (32ull << 20)
#define HIGH_GPA (4ull << 30)
#define NONE 0xa5

static const struct drvq_config edge_mode = {64, true, true};

/** edge_begin() - a device whose memory has a hole, and a driver. */
static bool edge_begin(struct fixture *f, struct blkdrv *b)
{
	static const struct memtable table = {
		.cnt = 2,
		.region = {{.gpa = 0, .size = LOW_BYTES, .offset = 0},
			   {.gpa = HIGH_GPA,
			    .size = FIXTURE_GUEST_BYTES - LOW_BYTES,
			    .offset = LOW_BYTES}},
	};

	if (fixture_prepare(f, &(struct fixture_config){0})) {
		CU_FAIL("prepare");
		return false;
	}
	guest_fini(&f->guest);
	if (guest_init(&f->guest, FIXTURE_GUEST_BYTES, &table) ||
	    testdev_start(&f->dev, &f->guest, &f->dev_cfg) ||
	    fixture_blkdrv(f, b, &edge_mode, 1, DATA)) {
		CU_FAIL("start");
		return false;
	}
	return true;
}

/** edge_chain() - header, @cnt buffers of data and the status, sent. */
static int edge_chain(struct blkdrv *b, const struct virtio_blk_outhdr *h,
		      const struct drvq_seg *data, uint32_t cnt,
		      uint32_t *ret_len)
{
	const struct blkdrv_slot *s = &b->slots[0];
	struct drvq_seg segs[8] = {{s->header_gpa, sizeof(*h), false}};
	uint8_t *status = guest_at(b->q.g, s->status_gpa);

	*status = NONE;
	memcpy(guest_at(b->q.g, s->header_gpa), h, sizeof(*h));
	memcpy(&segs[1], data, cnt * sizeof(*data));
	segs[1 + cnt] = (struct drvq_seg){s->status_gpa, 1, true};
	if (drvq_add(&b->q, segs, cnt + 2) < 0)
		return -ENOSPC;
	drvq_publish(&b->q);
	if (drvq_wait_call(&b->q, ret_len, WAIT_MS) < 0)
		return -ETIMEDOUT;
	return *(volatile uint8_t *)status;
}

/** struct edge_buffer - where a read of one sector goes */
static const struct edge_buffer {
	const char *name;
	uint64_t gpa;
	int status;
} edge_buffers[] = {
	{"end of low memory", LOW_BYTES - SECTOR, 0},
	{"one byte over low memory", LOW_BYTES - SECTOR + 1, NONE},
	{"in the hole", LOW_BYTES, NONE},
	{"end of the hole", HIGH_GPA - SECTOR, NONE},
	{"across the hole's end", HIGH_GPA - 1, NONE},
	{"start of high memory", HIGH_GPA, 0},
	{"end of high memory",
	 HIGH_GPA + FIXTURE_GUEST_BYTES - LOW_BYTES - SECTOR, 0},
	{"over high memory",
	 HIGH_GPA + FIXTURE_GUEST_BYTES - LOW_BYTES - SECTOR + 1, NONE},
	{"2^63", 1ull << 63, NONE},
	{"last bytes of all", UINT64_MAX - SECTOR + 1, NONE},
};

static void test_hole(void)
{
	struct fixture f;
	struct blkdrv b;

	if (!edge_begin(&f, &b))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(edge_buffers); i++) {
		const struct edge_buffer *e = &edge_buffers[i];
		const struct drvq_seg seg = {e->gpa, SECTOR, true};
		const struct virtio_blk_outhdr h = {.type = VIRTIO_BLK_T_IN,
						    .sector = i};
		uint32_t len = 1;
		int rc = edge_chain(&b, &h, &seg, 1, &len);

		if (rc != e->status ||
		    len != (e->status == NONE ? 0 : SECTOR + 1) ||
		    (rc == 0 && memcmp(guest_at(&f.guest, e->gpa),
				       f.shadow + i * SECTOR, SECTOR) != 0)) {
			fprintf(stderr, "%s: %d len %u\n", e->name, rc, len);
			CU_FAIL(e->name);
		}
	}
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/** struct edge_table - where an indirect table lies */
static const struct edge_table {
	const char *name;
	uint64_t gpa;
	bool good;
} edge_tables[] = {
	{"ends with low memory", LOW_BYTES - 48, true},
	{"straddles the end of low memory", LOW_BYTES - 32, false},
	{"straddles the start of high memory", HIGH_GPA - 16, false},
	{"starts high memory", HIGH_GPA, true},
	{"ends with high memory",
	 HIGH_GPA + FIXTURE_GUEST_BYTES - LOW_BYTES - 48, true},
	{"over high memory", HIGH_GPA + FIXTURE_GUEST_BYTES - LOW_BYTES - 16,
	 false},
	{"wraps", UINT64_MAX - 31, false},
};

/** edge_table_write() - as far as it lies in memory. */
static void edge_table_write(struct guest *g, uint64_t gpa,
			     const struct vring_desc *table)
{
	for (uint32_t i = 0; i < 3; i++) {
		struct vring_desc *d = guest_at(g, gpa + 16ull * i);

		if (d)
			*d = table[i];
	}
}

static void test_table_place(void)
{
	struct fixture f;
	struct blkdrv b;

	if (!edge_begin(&f, &b))
		return;
	const struct blkdrv_slot *s = &b.slots[0];
	const struct virtio_blk_outhdr h = {.type = VIRTIO_BLK_T_IN};
	const struct vring_desc table[3] = {
		{s->header_gpa, 16, VRING_DESC_F_NEXT, 1},
		{s->data_gpa, SECTOR, VRING_DESC_F_NEXT | VRING_DESC_F_WRITE,
		 2},
		{s->status_gpa, 1, VRING_DESC_F_WRITE, 0},
	};

	memcpy(guest_at(&f.guest, s->header_gpa), &h, sizeof(h));
	for (size_t i = 0; i < ARRAY_SIZE(edge_tables); i++) {
		const struct edge_table *e = &edge_tables[i];
		const struct drvq_seg one = {4096, 1, true};
		uint16_t head = b.q.free_head;
		uint32_t len = 1;

		edge_table_write(&f.guest, e->gpa, table);
		CU_ASSERT(drvq_add(&b.q, &one, 1) >= 0);
		/* A table's descriptor may say "write": it means nothing. */
		b.q.desc[head] = (struct vring_desc){
			e->gpa, 48,
			(uint16_t)(VRING_DESC_F_INDIRECT |
				   (i % 2 ? VRING_DESC_F_WRITE : 0)),
			(uint16_t)i};
		drvq_publish(&b.q);
		CU_ASSERT(drvq_wait_call(&b.q, &len, WAIT_MS) >= 0);
		if (len != (e->good ? SECTOR + 1 : 0))
			CU_FAIL(e->name);
	}
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/** struct edge_len - what comes back for a request */
static const struct edge_len {
	const char *name;
	uint32_t type;
	uint64_t sector;
	uint32_t bytes;
	bool write;
	int status;
	uint32_t len;
} edge_lens[] = {
	{"last sector", VIRTIO_BLK_T_IN, FIXTURE_IMAGE_BYTES / SECTOR - 1,
	 SECTOR, true, VIRTIO_BLK_S_OK, SECTOR + 1},
	{"last sector, write", VIRTIO_BLK_T_OUT,
	 FIXTURE_IMAGE_BYTES / SECTOR - 1, SECTOR, false, VIRTIO_BLK_S_OK, 1},
	{"behind it", VIRTIO_BLK_T_IN, FIXTURE_IMAGE_BYTES / SECTOR, SECTOR,
	 true, VIRTIO_BLK_S_IOERR, 0},
	{"behind it, write", VIRTIO_BLK_T_OUT, FIXTURE_IMAGE_BYTES / SECTOR,
	 SECTOR, false, VIRTIO_BLK_S_IOERR, 1},
	{"sector 2^54", VIRTIO_BLK_T_IN, 1ull << 54, SECTOR, true,
	 VIRTIO_BLK_S_IOERR, 0},
	{"sector 2^55 - 1", VIRTIO_BLK_T_IN, (1ull << 55) - 1, SECTOR, true,
	 VIRTIO_BLK_S_IOERR, 0},
	{"sector 2^55", VIRTIO_BLK_T_IN, 1ull << 55, SECTOR, true,
	 VIRTIO_BLK_S_IOERR, 0},
	{"sector 2^63", VIRTIO_BLK_T_IN, 1ull << 63, SECTOR, true,
	 VIRTIO_BLK_S_IOERR, 0},
	{"sector 2^64 - 1", VIRTIO_BLK_T_OUT, UINT64_MAX, SECTOR, false,
	 VIRTIO_BLK_S_IOERR, 1},
	{"read of 511 bytes", VIRTIO_BLK_T_IN, 0, 511, true, VIRTIO_BLK_S_IOERR,
	 0},
	{"write into a buffer", VIRTIO_BLK_T_OUT, 0, SECTOR, true,
	 VIRTIO_BLK_S_IOERR, 0},
	{"unknown type with room", 99, 0, SECTOR, true, VIRTIO_BLK_S_UNSUPP, 0},
	{"unknown type with data", 99, 0, SECTOR, false, VIRTIO_BLK_S_UNSUPP,
	 1},
	{"flush with room", VIRTIO_BLK_T_FLUSH, 0, SECTOR, true,
	 VIRTIO_BLK_S_OK, 0},
	{"flush with data", VIRTIO_BLK_T_FLUSH, 0, SECTOR, false,
	 VIRTIO_BLK_S_OK, 1},
	{"id in 20 bytes", VIRTIO_BLK_T_GET_ID, 0, 20, true, VIRTIO_BLK_S_OK,
	 21},
	{"id in 5 bytes", VIRTIO_BLK_T_GET_ID, 0, 5, true, VIRTIO_BLK_S_OK, 6},
	{"id in a sector", VIRTIO_BLK_T_GET_ID, 0, SECTOR, true,
	 VIRTIO_BLK_S_OK, 20},
};

/* The driver may rely on the first used.len bytes, and on no more. */
static void test_lens(void)
{
	struct fixture f;
	struct blkdrv b;

	if (!edge_begin(&f, &b))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(edge_lens); i++) {
		const struct edge_len *e = &edge_lens[i];
		const struct virtio_blk_outhdr h = {.type = e->type,
						    .sector = e->sector};
		const struct drvq_seg seg = {b.slots[0].data_gpa, e->bytes,
					     e->write};
		uint32_t len = 77;
		int rc = edge_chain(&b, &h, &seg, 1, &len);

		if (rc != e->status || len != e->len) {
			fprintf(stderr, "%s: %d len %u\n", e->name, rc, len);
			CU_FAIL(e->name);
		}
	}
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/* The monitor opens images so; it must not make requests fail. */
static void test_nonblocking_image(void)
{
	struct fixture f;
	struct blkdrv b;
	char path[64];
	int fd;

	if (fixture_prepare(&f, &(struct fixture_config){0})) {
		CU_FAIL("prepare");
		return;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", f.image_fd);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0);
	f.dev_cfg.image_fd = fd;
	if (testdev_start(&f.dev, &f.guest, &f.dev_cfg) ||
	    fixture_blkdrv(&f, &b, &edge_mode, 1, DATA)) {
		CU_FAIL("start");
		return;
	}
	CU_ASSERT_EQUAL(fsync(fd), 0);
	for (uint32_t i = 0; i < 64; i++) {
		struct blkdrv_request r = {i % 2 ? VIRTIO_BLK_T_OUT
						 : VIRTIO_BLK_T_IN,
					   i / 2 * 256, DATA, 4};

		CU_ASSERT_EQUAL(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED),
				0);
		CU_ASSERT_EQUAL(blkdrv_sync(&b, &r), VIRTIO_BLK_S_OK);
	}
	CU_ASSERT_TRUE(fixture_image_equal(&f));
	close(fd);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

static const struct unit_case edge_cases[] = {
	UNIT_CASE(test_hole),
	UNIT_CASE(test_table_place),
	UNIT_CASE(test_lens),
	UNIT_CASE(test_nonblocking_image),
};

const struct unit_suite unit_suites[] = {
	{"blk edge", edge_cases, ARRAY_SIZE(edge_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
