// SPDX-License-Identifier: Apache-2.0
/*
 * aml_test.c - the AML builder against bytes worked out by hand from the
 * grammar: lengths at their borders, names, constants, descriptors.
 */
#include <string.h>

#include "tests/support/unit/unit.h"
#include "vmm/acpi/aml.h"

static uint8_t buf[2u << 20];

static struct aml fresh(size_t cap)
{
	struct aml a;

	aml_init(&a, buf, cap);
	return a;
}

#define CU_AML(a, ...)                                                   \
	do {                                                             \
		static const uint8_t want[] = {__VA_ARGS__};             \
		CU_ASSERT_FALSE((a).overflow);                           \
		CU_ASSERT_EQUAL((a).len, sizeof(want));                  \
		CU_ASSERT_EQUAL(memcmp((a).buf, want, sizeof(want)), 0); \
	} while (0)

static void test_integers(void)
{
	static const struct {
		uint64_t value;
		uint8_t op;
		size_t len;
	} rows[] = {
		{0, 0x00, 1},          {1, 0x01, 1},
		{2, 0x0a, 2},          {0xff, 0x0a, 2},
		{0x100, 0x0b, 3},      {0xffff, 0x0b, 3},
		{0x10000, 0x0c, 5},    {0xffffffff, 0x0c, 5},
		{1ULL << 32, 0x0e, 9}, {UINT64_MAX, 0x0e, 9},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct aml a = fresh(64);
		uint64_t value = 0;

		aml_integer(&a, rows[i].value);
		CU_ASSERT_EQUAL(a.len, rows[i].len);
		CU_ASSERT_EQUAL(a.buf[0], rows[i].op);
		memcpy(&value, a.buf + 1, a.len - 1);
		if (a.len > 1)
			CU_ASSERT_EQUAL(value, rows[i].value);
	}
}

static void test_names(void)
{
	struct aml a = fresh(64);

	aml_path(&a, "_S5");
	CU_AML(a, '_', 'S', '5', '_');
	a = fresh(64);
	aml_path(&a, "\\_SB.PCI0");
	CU_AML(a, '\\', 0x2e, '_', 'S', 'B', '_', 'P', 'C', 'I', '0');
	a = fresh(64);
	aml_path(&a, "\\A.B.C");
	CU_AML(a, '\\', 0x2f, 3, 'A', '_', '_', '_', 'B', '_', '_', '_', 'C',
	       '_', '_', '_');
	a = fresh(64);
	aml_path(&a, "\\");
	CU_AML(a, '\\', 0);
	a = fresh(64);
	aml_path(&a, "TOOLONG");
	CU_ASSERT_TRUE(a.overflow);
	a = fresh(64);
	aml_path(&a, "A..B");
	CU_ASSERT_TRUE(a.overflow);
}

static void test_eisa_ids(void)
{
	struct aml a = fresh(64);

	aml_eisa_id(&a, "PNP0A08");
	CU_AML(a, 0x0c, 0x41, 0xd0, 0x0a, 0x08);
	a = fresh(64);
	aml_eisa_id(&a, "PNP0501");
	CU_AML(a, 0x0c, 0x41, 0xd0, 0x05, 0x01);
	a = fresh(64);
	aml_eisa_id(&a, "PNP0C0C");
	CU_AML(a, 0x0c, 0x41, 0xd0, 0x0c, 0x0c);
	a = fresh(64);
	aml_eisa_id(&a, "PNP0A0x");
	CU_ASSERT_TRUE(a.overflow);
	a = fresh(64);
	aml_eisa_id(&a, "PNP");
	CU_ASSERT_TRUE(a.overflow);
}

/* length_of() - decodes a package length, as an interpreter does. */
static size_t length_of(const uint8_t *p, size_t *ret_bytes)
{
	size_t more = p[0] >> 6;
	size_t total = more ? p[0] & 0xf : p[0] & 0x3f;

	for (size_t i = 1; i <= more; i++)
		total |= (size_t)p[i] << (8 * i - 4);
	*ret_bytes = 1 + more;
	return total;
}

/* Around each border the length counts itself and all that follows. */
static void test_package_lengths(void)
{
	static const struct {
		size_t body, bytes;
	} rows[] = {
		{4, 1},    {62, 1},    {63, 2},      {4093, 2},
		{4094, 3}, {65536, 3}, {1048572, 3}, {1048573, 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct aml a = fresh(sizeof(buf));
		struct aml_mark m = aml_scope_begin(&a, "ABCD");
		size_t bytes = 0;

		while (!a.overflow && a.len - 1 < rows[i].body)
			aml_byte(&a, 0xa3);
		aml_end(&a, m);
		CU_ASSERT_FALSE(a.overflow);
		CU_ASSERT_EQUAL(length_of(a.buf + 1, &bytes), a.len - 1);
		CU_ASSERT_EQUAL(bytes, rows[i].bytes);
		CU_ASSERT_EQUAL(memcmp(a.buf + 1 + bytes, "ABCD", 4), 0);
		CU_ASSERT_EQUAL(a.buf[a.len - 1],
				rows[i].body == 4 ? 'D' : 0xa3);
	}
}

static void test_blocks(void)
{
	struct aml a = fresh(256);
	struct aml_mark m = aml_device_begin(&a, "GED");
	struct aml_mark n = aml_method_begin(&a, "_EVT", 1, true);
	struct aml_mark o = aml_if_arg_equals_begin(&a, 0, 5);

	aml_notify(&a, "PWRB", 0x80);
	aml_end(&a, o);
	aml_end(&a, n);
	aml_end(&a, m);
	CU_AML(a, 0x5b, 0x82, 0x19, 'G', 'E', 'D', '_', 0x14, 0x13, '_', 'E',
	       'V', 'T', 0x09, 0xa0, 0x0c, 0x93, 0x68, 0x0a, 5, 0x86, 'P', 'W',
	       'R', 'B', 0x0a, 0x80);
	a = fresh(256);
	aml_name(&a, "_S5");
	m = aml_package_begin(&a, 2);
	aml_integer(&a, 5);
	aml_integer(&a, 0);
	aml_end(&a, m);
	CU_AML(a, 0x08, '_', 'S', '5', '_', 0x12, 5, 2, 0x0a, 5, 0);
	a = fresh(256);
	aml_name_string(&a, "_HID", "ACPI0013");
	CU_AML(a, 0x08, '_', 'H', 'I', 'D', 0x0d, 'A', 'C', 'P', 'I', '0', '0',
	       '1', '3', 0);
}

static void test_resources(void)
{
	struct aml a = fresh(256);
	struct aml_mark m = aml_resources_begin(&a);

	aml_resource_io(&a, 0x3f8, 8);
	aml_resource_irq_edge(&a, 4);
	aml_resources_end(&a, m);
	CU_AML(a, 0x11, 0x16, 0x0a, 0x13, 0x47, 1, 0xf8, 3, 0xf8, 3, 1, 8, 0x89,
	       6, 0, 3, 1, 4, 0, 0, 0, 0x79, 0);
	a = fresh(256);
	m = aml_resources_begin(&a);
	aml_resource_memory32(&a, 0xe0000000, 0x100000);
	aml_resource_bus(&a, 0, 0);
	aml_resource_window32(&a, 0xc0000000, 0x20000000);
	aml_resources_end(&a, m);
	CU_AML(a, 0x11, 0x3b, 0x0a, 0x38, 0x86, 9, 0, 1, 0, 0, 0, 0xe0, 0, 0,
	       0x10, 0, 0x88, 13, 0, 2, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
	       0x87, 23, 0, 0, 0x0c, 1, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xff,
	       0xff, 0xdf, 0, 0, 0, 0, 0, 0, 0, 0x20, 0x79, 0);
}

/* Whatever the room, nothing is written behind it, and it is said. */
static void test_overflow(void)
{
	for (size_t cap = 0; cap < 27; cap++) {
		struct aml a = fresh(cap);
		struct aml_mark m;

		memset(buf, 0x5a, 64);
		m = aml_device_begin(&a, "GED");
		aml_name_string(&a, "_HID", "ACPI0013");
		aml_integer(&a, 1ULL << 40);
		aml_end(&a, m);
		CU_ASSERT_TRUE(a.overflow);
		CU_ASSERT_TRUE(a.len <= cap);
		for (size_t i = cap; i < 64; i++)
			CU_ASSERT_EQUAL(buf[i], 0x5a);
	}
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_integers), UNIT_CASE(test_names),
	UNIT_CASE(test_eisa_ids), UNIT_CASE(test_package_lengths),
	UNIT_CASE(test_blocks),   UNIT_CASE(test_resources),
	UNIT_CASE(test_overflow),
};

const struct unit_suite unit_suites[] = {
	{"aml", cases, ARRAY_SIZE(cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
