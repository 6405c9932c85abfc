// SPDX-License-Identifier: Apache-2.0
/*
 * Tests of a driver that breaks the rules: the device must give each head
 * back or ask for a reset, and must be usable after one.
 */
#include "test.h"

#define ANSWER_MS 2000
#define HOLE 0xfed50000ull /* no RAM, no device of ours */

enum answer { ANSWER_USED, ANSWER_NEEDS_RESET, ANSWER_NONE };

/** start_poll - one queue, no interrupts for it, but one for the device. */
static const char *start_poll(bool irq)
{
	struct blk_opts o = {.queue_cnt = 1, .irq = irq};

	return blk_start(&disk, &o);
}

/** await - what does the device make of it? */
static enum answer await(struct vq *q)
{
	uint64_t end = deadline_ms(ANSWER_MS);

	do {
		if (vq_has_used(q))
			return ANSWER_USED;
		if (virtio_broken(&disk.v))
			return ANSWER_NEEDS_RESET;
	} while (!deadline_over(end));
	return ANSWER_NONE;
}

/** t_badring - the available index jumps: NEEDS_RESET, and it is told. */
static int t_badring(void)
{
	static const uint16_t jumps[] = {1, 2, 0x4000, 0x7fff};

	for (unsigned int i = 0; i < ARRAY_SIZE(jumps); i++) {
		const char *bad = start_poll(true);
		struct vq *q = &disk.q[0];
		uint32_t seen = irq_count[BLK_VEC_CONFIG];

		CHECK(!bad, "%s", bad);
		bad = disk_alive();
		CHECK(!bad, "%s", bad);
		q->avail[1] = (uint16_t)(q->avail_idx + q->size + jumps[i]);
		vq_kick_always(q);
		CHECK(await(q) == ANSWER_NEEDS_RESET,
		      "jump by size + %u: no NEEDS_RESET, status %x", jumps[i],
		      virtio_status(&disk.v));
		for (int t = 0; t < 500 && irq_count[BLK_VEC_CONFIG] == seen;
		     t++)
			delay_us(1000);
		CHECK(irq_count[BLK_VEC_CONFIG] != seen,
		      "NEEDS_RESET without a configuration interrupt");
		bad = disk_start();
		CHECK(!bad, "after reset: %s", bad);
		bad = disk_alive();
		CHECK(!bad, "after reset: %s", bad);
	}
	return TEST_OK;
}

/* What a chain looks like: up to 4 descriptors after the header's. */
struct shape {
	const char *name;
	uint32_t header_bytes; /* 0: 16 */
	unsigned int cnt;
	struct vq_desc d[4];
	bool status_kept; /* the status byte is in place and must not be OK */
};

#define DATA(a, l, f)                                 \
	{                                             \
		.addr = (a), .len = (l), .flags = (f) \
	}
#define STATUS                                         \
	{                                              \
		.addr = 1, .len = 1, .flags = VD_WRITE \
	} /* 1: the slot's */

static const struct shape shapes[] = {
	{.name = "short header", .header_bytes = 8, .cnt = 1, .d = {STATUS}},
	{.name = "header alone", .cnt = 0},
	{.name = "no status", .cnt = 1, .d = {DATA(HOLE, 512, 0)}},
	{.name = "status of 0 bytes", .cnt = 1, .d = {DATA(1, 0, VD_WRITE)}},
	{.name = "data of 0 bytes",
	 .cnt = 2,
	 .d = {DATA(0x200000, 0, VD_WRITE), STATUS}},
	{.name = "data not of sectors",
	 .cnt = 2,
	 .d = {DATA(0x200000, 100, VD_WRITE), STATUS}},
	{.name = "data far out",
	 .cnt = 2,
	 .status_kept = true,
	 .d = {DATA(1ull << 40, 512, VD_WRITE), STATUS}},
	{.name = "data at the top",
	 .cnt = 2,
	 .status_kept = true,
	 .d = {DATA(0xfffffffffffff000, 0x2000, VD_WRITE), STATUS}},
	{.name = "data in the hole",
	 .cnt = 2,
	 .status_kept = true,
	 .d = {DATA(HOLE, 512, VD_WRITE), STATUS}},
	{.name = "data of 4 GiB",
	 .cnt = 2,
	 .status_kept = true,
	 .d = {DATA(0x200000, 0xfffffe00, VD_WRITE), STATUS}},
	{.name = "status far out",
	 .cnt = 1,
	 .d = {DATA(1ull << 41, 1, VD_WRITE)}},
	{.name = "writable before readable",
	 .cnt = 3,
	 .d = {DATA(0x200000, 512, VD_WRITE), DATA(0x200000, 512, 0), STATUS}},
	{.name = "indirect of 0 bytes",
	 .cnt = 1,
	 .d = {DATA(0x200000, 0, VD_INDIRECT)}},
	{.name = "indirect of odd size",
	 .cnt = 1,
	 .d = {DATA(0x200000, 24, VD_INDIRECT)}},
	{.name = "indirect far out",
	 .cnt = 1,
	 .d = {DATA(1ull << 42, 64, VD_INDIRECT)}},
	{.name = "indirect of 4 GiB",
	 .cnt = 1,
	 .d = {DATA(0x200000, 0xfffffff0, VD_INDIRECT)}},
};

/** send_shape - puts the chain together by hand. */
static int send_shape(struct vq *q, const struct shape *s, unsigned int *slot)
{
	struct vq_desc list[5];
	struct blk_slot *b = blk_slot(q, q->free_head);
	int head;

	*slot = q->free_head;
	memset(b, 0, sizeof(*b));
	b->status = BS_NONE;
	b->sector = 4;
	list[0] =
		(struct vq_desc){.addr = addr_of(b),
				 .len = s->header_bytes ? s->header_bytes : 16};
	for (unsigned int i = 0; i < s->cnt; i++) {
		list[i + 1] = s->d[i];
		if (list[i + 1].addr == 1)
			list[i + 1].addr = addr_of(&b->status);
		else if (list[i + 1].addr == 0x200000)
			list[i + 1].addr = addr_of(dma);
	}
	head = vq_add(q, list, s->cnt + 1);
	if (head >= 0) {
		vq_expose(q, (uint16_t)head);
		vq_kick_always(q);
	}
	return head;
}

/** try_shape - NULL, or what is wrong. */
static const char *try_shape(const struct shape *s)
{
	const char *bad = start_poll(false);
	struct vq *q = &disk.q[0];
	unsigned int slot;

	if (bad)
		return bad;
	memset(dma, 0, 65536);
	if (send_shape(q, s, &slot) < 0)
		return "no room";
	switch (await(q)) {
	case ANSWER_NONE:
		return "neither used nor NEEDS_RESET";
	case ANSWER_NEEDS_RESET:
		bad = start_poll(false);
		return bad ? bad : disk_alive();
	case ANSWER_USED:
	default:
		if (vq_pop(q, NULL) != (int)slot)
			return "another head comes back";
		if (test_strict() && s->status_kept &&
		    blk_slot(q, slot)->status == BS_OK)
			return "status OK";
		return disk_alive();
	}
}

/** t_badchain - each shape by itself. */
static int t_badchain(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(shapes); i++) {
		const char *bad = try_shape(&shapes[i]);

		CHECK(!bad, "%s: %s", shapes[i].name, bad);
	}
	return TEST_OK;
}

/** t_badflood - twice the ring of bad chains, then a good request. */
static int t_badflood(void)
{
	const char *bad = start_poll(false);
	struct vq *q = &disk.q[0];
	unsigned int slot;

	CHECK(!bad, "%s", bad);
	for (unsigned int i = 0; i < 2u * q->size; i++) {
		const struct shape *s = &shapes[i % ARRAY_SIZE(shapes)];
		enum answer a;

		CHECK(send_shape(q, s, &slot) >= 0, "the ring runs dry at %u",
		      i);
		a = await(q);
		CHECK(a != ANSWER_NONE, "chain %u: no answer", i);
		if (a == ANSWER_USED) {
			CHECK(vq_pop(q, NULL) == (int)slot,
			      "chain %u: another head comes back", i);
			continue;
		}
		bad = start_poll(false);
		CHECK(!bad, "chain %u: %s", i, bad);
	}
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/* A single descriptor or head that is wrong in itself. */
enum raw_kind {
	RAW_LOOP,
	RAW_NEXT,
	RAW_HEAD,
	RAW_NESTED,
	RAW_IND_NEXT,
	RAW_IND_LOOP,
	RAW_COUNT
};

static const char *const raw_names[] = {
	"chain in a loop", "next beyond the ring", "head beyond the ring",
	"nested indirect", "indirect with next",   "indirect table in a loop",
};

/** raw_send - writes descriptor 0 (and the table in its slot) by hand. */
static void raw_send(struct vq *q, enum raw_kind kind)
{
	struct blk_slot *b = blk_slot(q, 0);
	bool indirect = kind >= RAW_NESTED && kind < RAW_COUNT;

	memset(b, 0, sizeof(*b));
	b->status = BS_NONE;
	q->desc[0].addr = addr_of(indirect ? (void *)b->table : (void *)b);
	q->desc[0].len = indirect ? 48 : 16;
	q->desc[0].flags = indirect ? VD_INDIRECT : VD_NEXT;
	q->desc[0].next = kind == RAW_NEXT ? q->size : 0;
	if (kind == RAW_IND_NEXT)
		q->desc[0].flags |= VD_NEXT;
	b->table[0] = (struct vq_desc){addr_of(b), 16, VD_NEXT, 1};
	b->table[1] = (struct vq_desc){addr_of(dma), 512, VD_NEXT | VD_WRITE,
				       kind == RAW_IND_LOOP ? 0 : 2};
	b->table[2] = (struct vq_desc){addr_of(&b->status), 1, VD_WRITE, 0};
	if (kind == RAW_NESTED)
		b->table[1] =
			(struct vq_desc){addr_of(b->table), 48, VD_INDIRECT, 0};
	q->chain_cnt[0] = 1;
	vq_expose(q, kind == RAW_HEAD ? q->size : 0);
	vq_kick_always(q);
}

/** t_badraw - loops, indices beyond, nested indirect tables. */
static int t_badraw(void)
{
	for (enum raw_kind k = RAW_LOOP; k < RAW_COUNT; k++) {
		const char *bad = start_poll(false);
		struct vq *q = &disk.q[0];

		CHECK(!bad, "%s", bad);
		if (k >= RAW_NESTED && !(disk.features & VF_INDIRECT))
			continue;
		raw_send(q, k);
		CHECK(await(q) != ANSWER_NONE, "%s: no answer", raw_names[k]);
		CHECK(k != RAW_NESTED || blk_slot(q, 0)->status != BS_OK,
		      "nested indirect is served");
		bad = disk_start();
		CHECK(!bad, "%s: %s", raw_names[k], bad);
		bad = disk_alive();
		CHECK(!bad, "%s: %s", raw_names[k], bad);
	}
	return TEST_OK;
}

/** t_noindirect - an indirect descriptor that was not negotiated. */
static int t_noindirect(void)
{
	struct blk_opts o = {.queue_cnt = 1, .without = VF_INDIRECT};
	const char *bad = blk_start(&disk, &o);
	struct blk_io io = {.type = BT_IN,
			    .sector = 4,
			    .data = dma,
			    .bytes = SECTOR_BYTES,
			    .indirect = true};
	struct vq *q = &disk.q[0];
	int head;

	CHECK(!bad, "%s", bad);
	head = blk_submit(q, &io);
	CHECK(await(q) != ANSWER_NONE, "no answer");
	CHECK(!test_strict() ||
		      blk_slot(q, (unsigned int)head)->status != BS_OK,
	      "it is served");
	bad = disk_start();
	CHECK(!bad, "%s", bad);
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** t_badrings - ring addresses outside of RAM. */
static int t_badrings(void)
{
	static const uint64_t addrs[] = {HOLE, 1ull << 40, ~0ull - 4095,
					 0x1001};
	volatile uint8_t *c = disk.v.common;

	for (unsigned int i = 0; i < 3 * ARRAY_SIZE(addrs); i++) {
		const char *bad;

		CHECK(virtio_reset(&disk.v), "reset does not end");
		CHECK(virtio_negotiate(&disk.v, VF_VERSION_1), "refused");
		disk.features = VF_VERSION_1;
		disk.irq = false;
		bad = blk_queue_start(&disk, 0, 16);
		CHECK(!bad, "%s", bad);
		mmio_w16(c + VC_QUEUE_ENABLE, 0);
		virtio_w64(c + VC_QUEUE_DESC + 8 * (i % 3), addrs[i / 3]);
		mmio_w16(c + VC_QUEUE_ENABLE, 1);
		virtio_status_set(&disk.v, 0xf);
		vq_kick_always(&disk.q[0]);
		delay_us(2000);
		bad = disk_start();
		CHECK(!bad, "ring %u at %lx: %s", i % 3, addrs[i / 3], bad);
		bad = disk_alive();
		CHECK(!bad, "ring %u at %lx: %s", i % 3, addrs[i / 3], bad);
	}
	return TEST_OK;
}

const struct test tests_hostile[] = {
	{"badring", t_badring, TEST_DISK},
	{"badchain", t_badchain, TEST_DISK},
	{"badflood", t_badflood, TEST_DISK},
	{"badraw", t_badraw, TEST_DISK},
	{"noindirect", t_noindirect, TEST_DISK},
	{"badrings", t_badrings, TEST_DISK},
	{NULL, NULL, 0},
};
