// SPDX-License-Identifier: Apache-2.0
/*
 * Tests of the block device's requests (VIRTIO 1.2 section 5.2.6).
 */
#include "test.h"

#define READS 48

/** t_read - start, end, every shape; twice in one request is the same. */
static int t_read(void)
{
	static const struct blk_io shapes[] = {
		{.sector = 0, .bytes = 512},
		{.sector = 1, .bytes = 4096},
		{.sector = 100, .bytes = 4096, .segs = 2},
		{.sector = 333, .bytes = 16384, .segs = 7},
		{.sector = 1000, .bytes = 65536},
		{.sector = 1001, .bytes = 131072, .segs = 31},
		{.sector = 1500, .bytes = 32768, .segs = 9, .indirect = true},
		{.sector = 1501, .bytes = 131072, .segs = 32, .indirect = true},
	};
	const char *bad = disk_start();

	for (unsigned int i = 0; i < ARRAY_SIZE(shapes) && !bad; i++) {
		struct blk_io io = shapes[i];

		io.data = dma + 512 * i; /* any alignment will do */
		io.indirect &= (disk.features & VF_INDIRECT) != 0;
		bad = disk_read_check(&disk.q[0], io);
		CHECK(!bad, "shape %u: %s", i, bad);
	}
	CHECK(!bad, "%s", bad);
	bad = disk_read_check(&disk.q[0],
			      (struct blk_io){.sector = disk.sectors - 1,
					      .data = dma + 3,
					      .bytes = SECTOR_BYTES});
	CHECK(!bad, "last sector: %s", bad);
	return TEST_OK;
}

/** write_piece - one write, then read back by another route. */
static const char *write_piece(uint64_t sector, struct blk_io shape)
{
	struct blk_io io = shape;
	int st;

	io.type = BT_OUT;
	io.sector = sector;
	io.data = dma;
	pattern_fill(dma, SEED_WRITE, sector, io.bytes);
	st = blk_do(&disk.q[0], &io);
	if (st != BS_OK)
		return st == BLK_LOST ? "a write does not come back"
				      : "a write's status is not OK";
	io.type = BT_IN;
	io.segs = 1;
	io.data = dma + 0x200000;
	memset(io.data, 0, io.bytes);
	if (blk_do(&disk.q[0], &io) != BS_OK)
		return "reading back fails";
	if (pattern_check(io.data, SEED_WRITE, sector, io.bytes) >= 0)
		return "reading back brings other data";
	return NULL;
}

/** t_write - WRITE_SECTORS from WRITE_SECTOR on, in every shape. */
static int t_write(void)
{
	static const struct blk_io shapes[] = {
		{.bytes = 512},
		{.bytes = 4096},
		{.bytes = 8192, .segs = 3},
		{.bytes = 16384, .segs = 5, .indirect = true},
	};
	const char *bad = disk_start();
	uint64_t s = 0;

	if (!bad && disk.offered & BF_RO)
		return test_skip("the disk is read-only");
	for (unsigned int i = 0; s < WRITE_SECTORS && !bad; i++) {
		struct blk_io io = shapes[i % ARRAY_SIZE(shapes)];

		io.indirect &= (disk.features & VF_INDIRECT) != 0;
		if (s + io.bytes / 512 > WRITE_SECTORS)
			io = shapes[0];
		bad = write_piece(WRITE_SECTOR + s, io);
		s += io.bytes / 512;
	}
	CHECK(!bad, "sector %lu: %s", WRITE_SECTOR + s, bad);
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** t_flush - FLUSH is OK, on a read-only disk too. */
static int t_flush(void)
{
	struct blk_io io = {.type = BT_FLUSH};
	const char *bad = disk_start();
	int st;

	CHECK(!bad, "%s", bad);
	if (!(disk.features & BF_FLUSH))
		return test_skip("FLUSH is not offered");
	for (int i = 0; i < 4; i++) {
		st = blk_do(&disk.q[0], &io);
		CHECK(st == BS_OK, "status %d", st);
	}
	return TEST_OK;
}

/** t_getid - the serial number of the command line (serial=). */
static int t_getid(void)
{
	struct blk_io io = {
		.type = BT_GET_ID, .data = dma, .bytes = BLK_ID_BYTES};
	char want[BLK_ID_BYTES + 1] = "", got[BLK_ID_BYTES + 1] = "";
	const char *bad = disk_start();
	int st;

	CHECK(!bad, "%s", bad);
	memset(dma, 0xee, 64);
	st = blk_do(&disk.q[0], &io);
	CHECK(st == BS_OK, "status %d", st);
	memcpy(got, dma, BLK_ID_BYTES);
	CHECK(dma[BLK_ID_BYTES] == 0xee, "more than 20 bytes are written");
	CHECK(!args_get("serial", want, sizeof(want)) || str_equal(want, got),
	      "\"%s\", expected \"%s\"", got, want);
	return TEST_OK;
}

/** t_outofrange - beyond the end: IOERR, the next request is served. */
static int t_outofrange(void)
{
	const char *bad = disk_start();
	uint64_t n = disk.sectors;
	const struct blk_io ios[] = {
		{.type = BT_IN, .sector = n, .bytes = 512},
		{.type = BT_IN, .sector = n - 1, .bytes = 1024},
		{.type = BT_IN, .sector = ~0ull, .bytes = 512},
		{.type = BT_IN, .sector = ~0ull >> 9, .bytes = 4096},
		{.type = BT_IN, .sector = 1ull << 55, .bytes = 512},
		{.type = BT_OUT, .sector = n, .bytes = 512},
		{.type = BT_OUT, .sector = n - 1, .bytes = 1024},
		{.type = BT_OUT, .sector = ~0ull - 3, .bytes = 4096},
	};

	CHECK(!bad, "%s", bad);
	for (unsigned int i = 0; i < ARRAY_SIZE(ios); i++) {
		struct blk_io io = ios[i];
		int st;

		io.data = dma;
		memset(dma, 0xdd, 4096);
		st = blk_do(&disk.q[0], &io);
		CHECK(st == BS_IOERR, "type %u sector %lx + %u: status %d",
		      io.type, io.sector, io.bytes, st);
		bad = disk_alive();
		CHECK(!bad, "after sector %lx: %s", io.sector, bad);
	}
	return TEST_OK;
}

/** t_unsupported - unknown types: UNSUPP, the next request is served. */
static int t_unsupported(void)
{
	/* The later ones mean something to a device of the legacy kind. */
	static const uint32_t types[] = {98, 0x7ffffff0, 2,         3, 5,
					 99, 0x80000000, 0xffffffff};
	const char *bad = disk_start();
	unsigned int cnt = test_strict() ? ARRAY_SIZE(types) : 2;

	for (unsigned int i = 0; i < cnt && !bad; i++) {
		struct blk_io io = {
			.type = types[i], .data = dma, .bytes = 512};
		int st = blk_do(&disk.q[0], &io);

		CHECK(st == BS_UNSUPP, "type %x: status %d", types[i], st);
		bad = disk_alive();
	}
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** t_readonly - RO is offered; a write is an error even if it is not taken. */
static int t_readonly(void)
{
	struct blk_opts o = {.irq = test_mode_irq()};
	struct blk_io io = {
		.type = BT_OUT, .sector = 8, .data = dma, .bytes = 4096};
	const char *bad;
	int st;

	for (int i = 0; i < 2; i++) {
		o.without = i ? BF_RO : 0;
		bad = blk_start(&disk, &o);
		if (!bad && !(disk.offered & BF_RO) && !i)
			return test_skip("the disk is writable");
		if (bad && i)
			break; /* refusing such a driver is fine too */
		CHECK(!bad, "%s", bad);
		memset(dma, 0x99, 4096);
		st = blk_do(&disk.q[0], &io);
		CHECK(st == BS_IOERR, "a write: status %d", st);
		bad = disk_read_check(&disk.q[0],
				      (struct blk_io){.sector = 8,
						      .data = dma,
						      .bytes = 4096});
		CHECK(!bad, "%s", bad);
	}
	return TEST_OK;
}

/** t_highmem - a buffer above 4 GiB. */
static int t_highmem(void)
{
	const char *bad = disk_start();

	CHECK(!bad, "%s", bad);
	for (unsigned int i = 0; i < boot.range_cnt; i++) {
		const struct boot_range *r = &boot.range[i];
		uint64_t at = r->addr + r->bytes - 65536;
		struct blk_io io = {.sector = 40, .bytes = 65536, .segs = 3};

		if (r->type != BOOT_RAM || r->addr < 1ull << 32)
			continue;
		CHECK(page_map(at, 65536, false), "no page tables left");
		io.data = at_addr(at);
		bad = disk_read_check(&disk.q[0], io);
		CHECK(!bad, "at %lx: %s", at, bad);
		return TEST_OK;
	}
	return test_skip("no RAM above 4 GiB");
}

struct smp_state {
	const char *volatile bad[CPU_MAX];
};

/** smp_io - one CPU, its own queue and sectors: write, read back, read. */
static void smp_io(unsigned int cpu, void *arg)
{
	struct smp_state *s = arg;
	uint8_t *buf = dma + cpu * 0x10000u;
	uint64_t sector = SMP_SECTOR + cpu * SMP_SECTORS;
	struct blk_io io = {.type = BT_OUT,
			    .sector = sector,
			    .data = buf,
			    .bytes = SMP_SECTORS * 512,
			    .segs = 3};
	struct vq *q = &disk.q[cpu];
	bool ro = disk.offered & BF_RO;

	if (cpu >= disk.queue_cnt)
		return;
	pattern_fill(buf, SEED_SMP + cpu, sector, io.bytes);
	if (!ro && blk_do(q, &io) != BS_OK)
		s->bad[cpu] = "a write fails";
	io.type = BT_IN;
	memset(buf, 0, io.bytes);
	if (!ro && blk_do(q, &io) != BS_OK)
		s->bad[cpu] = "a read fails";
	else if (!ro &&
		 pattern_check(buf, SEED_SMP + cpu, sector, io.bytes) >= 0)
		s->bad[cpu] = "reading back brings other data";
	for (unsigned int i = 0; i < READS && !s->bad[cpu]; i++)
		s->bad[cpu] = disk_read_check(
			q, (struct blk_io){.sector = (i * 37 + cpu * 11) % 1900,
					   .data = buf,
					   .bytes = 8192});
}

/** t_smpio - every CPU drives a queue of its own at the same time. */
static int t_smpio(void)
{
	struct smp_state s = {0};
	const char *bad = disk_start();

	CHECK(!bad, "%s", bad);
	CHECK(!test_strict() || disk.queue_cnt == cpu_cnt ||
		      disk.queue_cnt == BLK_QUEUES_MAX,
	      "%u queues for %u CPUs", disk.queue_cnt, cpu_cnt);
	CHECK(smp_run(smp_io, &s, 30000), "a CPU does not finish");
	for (unsigned int i = 0; i < cpu_cnt; i++)
		CHECK(!s.bad[i], "CPU %u: %s", i, s.bad[i]);
	return TEST_OK;
}

const struct test tests_blk[] = {
	{"read", t_read, TEST_DISK},
	{"write", t_write, TEST_DISK},
	{"flush", t_flush, TEST_DISK},
	{"getid", t_getid, TEST_DISK},
	{"outofrange", t_outofrange, TEST_DISK},
	{"unsupported", t_unsupported, TEST_DISK},
	{"readonly", t_readonly, TEST_DISK},
	{"highmem", t_highmem, TEST_DISK},
	{"smpio", t_smpio, TEST_DISK},
	{NULL, NULL, 0},
};
