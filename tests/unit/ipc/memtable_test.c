// SPDX-License-Identifier: Apache-2.0
/*
 * memtable_test.c - the RAM layout around the hole, and every table or address
 * of a peer or guest that is refused.
 */
#include "ipc/memtable.h"

#include <errno.h>

#include "tests/support/unit/unit.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

static void memtable_layout_below_the_hole(void)
{
	struct memtable t;

	memtable_layout(32 * MIB, &t);
	CU_ASSERT_EQUAL(t.cnt, 1);
	CU_ASSERT_EQUAL(t.region[0].gpa, 0);
	CU_ASSERT_EQUAL(t.region[0].size, 32 * MIB);
	CU_ASSERT_EQUAL(t.region[0].offset, 0);
	memtable_layout(MEMTABLE_LOW_END, &t);
	CU_ASSERT_EQUAL(t.cnt, 1);
	CU_ASSERT_EQUAL(t.region[0].size, MEMTABLE_LOW_END);
}

static void memtable_layout_around_the_hole(void)
{
	static const uint64_t sizes[] = {3 * GIB + 4096, 4 * GIB, 5 * GIB,
					 1024 * GIB};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct memtable t;

		memtable_layout(sizes[i], &t);
		CU_ASSERT_EQUAL(t.cnt, 2);
		CU_ASSERT_EQUAL(t.region[0].size, MEMTABLE_LOW_END);
		CU_ASSERT_EQUAL(t.region[1].gpa, MEMTABLE_HIGH_START);
		CU_ASSERT_EQUAL(t.region[1].offset, MEMTABLE_LOW_END);
		CU_ASSERT_EQUAL(t.region[0].size + t.region[1].size, sizes[i]);
	}
}

static void memtable_find_checks_ranges(void)
{
	struct memtable t;
	uint64_t off = 0;

	memtable_layout(5 * GIB, &t);
	CU_ASSERT_EQUAL(memtable_find(&t, 0, 4096, &off), 0);
	CU_ASSERT_EQUAL(off, 0);
	CU_ASSERT_EQUAL(memtable_find(&t, 4 * GIB + 5, 7, &off), 0);
	CU_ASSERT_EQUAL(off, 3 * GIB + 5);
	CU_ASSERT_EQUAL(memtable_find(&t, 3 * GIB - 1, 1, &off), 0);
	CU_ASSERT_EQUAL(memtable_find(&t, 6 * GIB - 1, 1, &off), 0);

	off = 77;
	/* across the end, in the hole, beyond, and around 2^64 */
	CU_ASSERT_EQUAL(memtable_find(&t, 3 * GIB - 1, 2, &off), -EFAULT);
	CU_ASSERT_EQUAL(memtable_find(&t, 3 * GIB, 0, &off), -EFAULT);
	CU_ASSERT_EQUAL(memtable_find(&t, 3 * GIB, 1, &off), -EFAULT);
	CU_ASSERT_EQUAL(memtable_find(&t, 0, 5 * GIB, &off), -EFAULT);
	CU_ASSERT_EQUAL(memtable_find(&t, 6 * GIB - 1, 2, &off), -EFAULT);
	CU_ASSERT_EQUAL(memtable_find(&t, 6 * GIB, 1, &off), -EFAULT);
	CU_ASSERT_EQUAL(memtable_find(&t, 4096, UINT64_MAX, &off), -EFAULT);
	CU_ASSERT_EQUAL(memtable_find(&t, UINT64_MAX, 1, &off), -EFAULT);
	CU_ASSERT_EQUAL(memtable_find(&t, UINT64_MAX, UINT64_MAX, &off),
			-EFAULT);
	CU_ASSERT_EQUAL(off, 77);
}

/* memtable_from_proto on a table of @cnt plain regions. */
static int memtable_try(const struct memtable_region *r, size_t cnt,
			uint64_t memfd_size, struct memtable *ret_table)
{
	Bulkhead__Memory__Region msgs[MEMTABLE_REGIONS_MAX + 1];
	Bulkhead__Memory__Region *ptrs[MEMTABLE_REGIONS_MAX + 1] = {0};

	for (size_t i = 0; i < cnt; i++) {
		bulkhead__memory__region__init(&msgs[i]);
		msgs[i].gpa = r[i].gpa;
		msgs[i].size = r[i].size;
		msgs[i].offset = r[i].offset;
		ptrs[i] = &msgs[i];
	}
	return memtable_from_proto(ptrs, cnt, memfd_size, ret_table);
}

static void memtable_accepts_what_layout_makes(void)
{
	struct memtable want;
	struct memtable got;

	memtable_layout(5 * GIB, &want);
	CU_ASSERT_EQUAL(memtable_try(want.region, want.cnt, 5 * GIB, &got), 0);
	CU_ASSERT_EQUAL(got.cnt, 2);
	CU_ASSERT_EQUAL(got.region[1].gpa, want.region[1].gpa);
	CU_ASSERT_EQUAL(got.region[1].size, want.region[1].size);
	CU_ASSERT_EQUAL(got.region[1].offset, want.region[1].offset);
}

static void memtable_count_is_bounded(void)
{
	struct memtable_region r[MEMTABLE_REGIONS_MAX + 1];
	struct memtable t;

	for (uint64_t i = 0; i < ARRAY_SIZE(r); i++)
		r[i] = (struct memtable_region){i * MIB, MIB, i * MIB};
	CU_ASSERT_EQUAL(memtable_try(r, 0, GIB, &t), -EPROTO);
	CU_ASSERT_EQUAL(memtable_try(r, MEMTABLE_REGIONS_MAX, GIB, &t), 0);
	CU_ASSERT_EQUAL(memtable_try(r, MEMTABLE_REGIONS_MAX + 1, GIB, &t),
			-EPROTO);
}

static void memtable_bad_regions_are_refused(void)
{
	const uint64_t top = UINT64_MAX - 4095;
	static const struct memtable_region bad[] = {
		{0, 0, 0},     {1, MIB, 0},     {0, MIB + 1, 0},
		{0, MIB, 512}, {0, 2 * MIB, 0}, {0, MIB, 4096},
	};
	const struct memtable_region wraps[] = {
		{top, 8192, 0}, {0, 8192, top}, {0, top, 4096}, {top, top, 0}};
	struct memtable t = {.cnt = 5};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CU_ASSERT_EQUAL(memtable_try(&bad[i], 1, MIB, &t), -EPROTO);
	for (size_t i = 0; i < ARRAY_SIZE(wraps); i++)
		CU_ASSERT_EQUAL(memtable_try(&wraps[i], 1, UINT64_MAX, &t),
				-EPROTO);
	CU_ASSERT_EQUAL(t.cnt, 5);
}

static void memtable_overlap_and_order_are_refused(void)
{
	static const struct memtable_region bad[][2] = {
		{{MIB, MIB, 0}, {0, MIB, MIB}},          /* descends */
		{{0, MIB, 0}, {0, MIB, MIB}},            /* same gpa */
		{{0, MIB, 0}, {MIB - 4096, MIB, MIB}},   /* gpa overlaps */
		{{0, MIB, 0}, {MIB, MIB, 0}},            /* same file part */
		{{0, MIB, MIB}, {MIB, MIB, 4096}},       /* file, from below */
		{{0, MIB, MIB}, {MIB, MIB, MIB + 4096}}, /* file, from above */
		{{0, MIB, MIB}, {MIB, 3 * MIB, 0}},      /* file, around it */
	};
	struct memtable t;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CU_ASSERT_EQUAL(memtable_try(bad[i], 2, GIB, &t), -EPROTO);
}

static const struct unit_case memtable_cases[] = {
	UNIT_CASE(memtable_layout_below_the_hole),
	UNIT_CASE(memtable_layout_around_the_hole),
	UNIT_CASE(memtable_find_checks_ranges),
	UNIT_CASE(memtable_accepts_what_layout_makes),
	UNIT_CASE(memtable_count_is_bounded),
	UNIT_CASE(memtable_bad_regions_are_refused),
	UNIT_CASE(memtable_overlap_and_order_are_refused),
};

const struct unit_suite unit_suites[] = {
	{"memtable", memtable_cases, ARRAY_SIZE(memtable_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
