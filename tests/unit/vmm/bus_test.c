// SPDX-License-Identifier: Apache-2.0
/*
 * bus_test.c - which range answers an access: order, overlap, ends, widths, and
 * all ones where nobody answers.
 */
#include <errno.h>

#include "tests/support/unit/unit.h"
#include "vmm/bus.h"

static uint64_t last_offset;
static uint64_t last_value;
static int calls;

static uint64_t fake_read(void *ctx, uint64_t offset, uint32_t len)
{
	(void)len;
	last_offset = offset;
	calls++;
	return *(const uint64_t *)ctx;
}

static void fake_write(void *ctx, uint64_t offset, uint32_t len, uint64_t value)
{
	(void)ctx;
	(void)len;
	last_offset = offset;
	last_value = value;
	calls++;
}

static const struct bus_ops fake_ops = {fake_read, fake_write};
static uint64_t answer = 0x1122334455667788ULL;

static struct bus_range range(uint64_t base, uint64_t size, uint32_t widths)
{
	return (struct bus_range){"fake", base,      size,
				  widths, &fake_ops, &answer};
}

static int add(struct bus *b, uint64_t base, uint64_t size)
{
	struct bus_range r = range(base, size, BUS_W8 | BUS_W32);

	return bus_add(b, &r);
}

static void test_add(void)
{
	struct bus b = {.cnt = 0};

	CU_ASSERT_EQUAL(add(&b, 0x100, 0x10), 0);
	CU_ASSERT_EQUAL(add(&b, 0x80, 0x80), 0);
	CU_ASSERT_EQUAL(add(&b, 0x110, 1), 0);
	CU_ASSERT_EQUAL(add(&b, 0xff, 1), -EEXIST);
	CU_ASSERT_EQUAL(add(&b, 0x70, 0x11), -EEXIST);
	CU_ASSERT_EQUAL(add(&b, 0, UINT64_MAX), -EEXIST);
	CU_ASSERT_EQUAL(add(&b, 0x200, 0), -EINVAL);
	CU_ASSERT_EQUAL(add(&b, UINT64_MAX, 2), -EINVAL);
	CU_ASSERT_EQUAL(add(&b, UINT64_MAX, 1), 0);
	CU_ASSERT_EQUAL(b.cnt, 4);
	for (uint32_t i = 1; i < b.cnt; i++)
		CU_ASSERT_TRUE(b.range[i - 1].base < b.range[i].base);
}

static void test_full(void)
{
	struct bus b = {.cnt = 0};

	for (uint64_t i = 0; i < BUS_RANGES_MAX; i++)
		CU_ASSERT_EQUAL(add(&b, i * 16, 16), 0);
	CU_ASSERT_EQUAL(add(&b, 4096, 1), -ENOSPC);
}

static void test_find(void)
{
	struct bus b = {.cnt = 0};

	CU_ASSERT_PTR_NULL(bus_find(&b, 0));
	CU_ASSERT_EQUAL(add(&b, 0x100, 0x10), 0);
	CU_ASSERT_EQUAL(add(&b, 0x200, 0x10), 0);
	CU_ASSERT_PTR_NULL(bus_find(&b, 0xff));
	CU_ASSERT_PTR_EQUAL(bus_find(&b, 0x100), &b.range[0]);
	CU_ASSERT_PTR_EQUAL(bus_find(&b, 0x10f), &b.range[0]);
	CU_ASSERT_PTR_NULL(bus_find(&b, 0x110));
	CU_ASSERT_PTR_EQUAL(bus_find(&b, 0x20f), &b.range[1]);
	CU_ASSERT_PTR_NULL(bus_find(&b, UINT64_MAX));
}

static void test_access(void)
{
	struct bus b = {.cnt = 0};
	uint64_t v = 0;

	CU_ASSERT_EQUAL(add(&b, 0x100, 0x10), 0);
	CU_ASSERT_EQUAL(bus_read(&b, 0x104, 4, &v), 0);
	CU_ASSERT_EQUAL(v, 0x55667788);
	CU_ASSERT_EQUAL(last_offset, 4);
	CU_ASSERT_EQUAL(bus_write(&b, 0x10f, 1, 0xabcd), 0);
	CU_ASSERT_EQUAL(last_offset, 15);
	CU_ASSERT_EQUAL(last_value, 0xcd);
	calls = 0;
	/* Across the end, a width that it does not have, nobody. */
	CU_ASSERT_EQUAL(bus_read(&b, 0x10e, 4, &v), -ENOENT);
	CU_ASSERT_EQUAL(v, 0xffffffff);
	CU_ASSERT_EQUAL(bus_read(&b, 0x100, 2, &v), -ENOENT);
	CU_ASSERT_EQUAL(v, 0xffff);
	CU_ASSERT_EQUAL(bus_read(&b, 0x100, 8, &v), -ENOENT);
	CU_ASSERT_EQUAL(v, UINT64_MAX);
	CU_ASSERT_EQUAL(bus_write(&b, 0x10d, 4, 0), -ENOENT);
	CU_ASSERT_EQUAL(bus_write(&b, 0x50, 1, 0), -ENOENT);
	CU_ASSERT_EQUAL(calls, 0);
}

/* KVM cuts an access that crosses a page: 8 bytes come as 3 and 5, say. */
static void test_access_odd_width(void)
{
	static const uint32_t odd[] = {0, 3, 5, 6, 7};
	struct bus b = {.cnt = 0};
	uint64_t v = 0;

	CU_ASSERT_EQUAL(add(&b, 0x100, 0x10), 0);
	calls = 0;
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		CU_ASSERT_EQUAL(bus_read(&b, 0x100, odd[i], &v), -ENOENT);
		CU_ASSERT_EQUAL(v, bus_mask(odd[i]));
		CU_ASSERT_EQUAL(bus_write(&b, 0x100, odd[i], 0), -ENOENT);
	}
	CU_ASSERT_EQUAL(calls, 0);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_add),
	UNIT_CASE(test_full),
	UNIT_CASE(test_find),
	UNIT_CASE(test_access),
	UNIT_CASE(test_access_odd_width),
};
const struct unit_suite unit_suites[] = {{"bus", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
