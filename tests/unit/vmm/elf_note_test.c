// SPDX-License-Identifier: Apache-2.0
/*
 * elf_note_test.c - the PVH note among others, and notes that lie about their
 * sizes.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit/unit.h"
#include "vmm/boot/elf_note.h"

struct notes {
	uint8_t bytes[256];
	size_t len;
};

/* notes_add() - appends one note, padded to @align. */
static void notes_add(struct notes *n, const char *name, uint32_t type,
		      uint64_t value, uint32_t desc, size_t align)
{
	Elf64_Nhdr h = {.n_namesz = (uint32_t)strlen(name) + 1,
			.n_descsz = desc,
			.n_type = type};

	memcpy(n->bytes + n->len, &h, sizeof(h));
	n->len += sizeof(h);
	memcpy(n->bytes + n->len, name, h.n_namesz);
	n->len = (n->len + h.n_namesz + align - 1) & ~(align - 1);
	memcpy(n->bytes + n->len, &value, desc < 8 ? desc : 8);
	n->len = (n->len + desc + align - 1) & ~(align - 1);
}

static void test_found_among_others(void)
{
	for (size_t align = 4; align <= 8; align += 4) {
		struct notes n = {.len = 0};
		uint32_t entry = 0;

		notes_add(&n, "Linux", 257, 0, 4, align);
		notes_add(&n, "GNU", 18, 1, 4, align);
		notes_add(&n, "Xen", 6, 2, 7, align);
		notes_add(&n, "Xen", 18, 0x1000b30, 8, align);
		notes_add(&n, "Xen", 18, 3, 4, align);
		CU_ASSERT_EQUAL(elf_note_pvh(n.bytes, n.len, align, &entry), 0);
		CU_ASSERT_EQUAL(entry, 0x1000b30);
	}
}

static void test_absent(void)
{
	struct notes n = {.len = 0};
	uint32_t entry = 0;

	CU_ASSERT_EQUAL(elf_note_pvh(n.bytes, 0, 4, &entry), -ENOENT);
	notes_add(&n, "Xen", 17, 5, 4, 4);
	notes_add(&n, "Xen2", 18, 5, 4, 4);
	CU_ASSERT_EQUAL(elf_note_pvh(n.bytes, n.len, 4, &entry), -ENOENT);
}

static void test_value_of_other_size(void)
{
	static const struct {
		uint64_t value;
		uint32_t bytes;
		int rc;
	} rows[] = {
		{1, 4, 0},          {1, 8, 0},
		{0xffffffff, 8, 0}, {1ULL << 32, 8, -EINVAL},
		{0, 0, -EINVAL},    {1, 5, -EINVAL},
		{1, 12, -EINVAL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct notes n = {.len = 0};
		uint32_t entry = 0;

		notes_add(&n, "Xen", 18, rows[i].value, rows[i].bytes, 4);
		CU_ASSERT_EQUAL(elf_note_pvh(n.bytes, n.len, 4, &entry),
				rows[i].rc);
		if (rows[i].rc == 0)
			CU_ASSERT_EQUAL(entry, rows[i].value);
	}
}

/* Every cut of a good segment: no read behind it (ASan), no wrong entry. */
static void test_every_cut(void)
{
	struct notes n = {.len = 0};

	notes_add(&n, "Linux", 257, 0, 4, 4);
	notes_add(&n, "Xen", 18, 0x1000, 4, 4);
	for (size_t len = 0; len < n.len; len++) {
		uint8_t *copy = malloc(len + 1);
		uint32_t entry = 0;
		int rc;

		CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
		memcpy(copy + 1, n.bytes, len);
		rc = elf_note_pvh(copy + 1, len, 4, &entry);
		CU_ASSERT_EQUAL(rc, len == 0 || len == 24 ? -ENOENT : -EINVAL);
		free(copy);
	}
}

static void test_huge_sizes(void)
{
	static const Elf64_Nhdr rows[] = {
		{UINT32_MAX, 4, 18},
		{4, UINT32_MAX, 18},
		{UINT32_MAX, UINT32_MAX, 18},
		{5, 4, 18},
		{4, 9, 18},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t bytes[24] = {0};
		uint32_t entry = 0;

		memcpy(bytes, &rows[i], sizeof(rows[i]));
		memcpy(bytes + 12, "Xen", 4);
		CU_ASSERT_NOT_EQUAL(elf_note_pvh(bytes, 20, 4, &entry), 0);
		CU_ASSERT_EQUAL(entry, 0);
	}
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_found_among_others),  UNIT_CASE(test_absent),
	UNIT_CASE(test_value_of_other_size), UNIT_CASE(test_every_cut),
	UNIT_CASE(test_huge_sizes),
};

const struct unit_suite unit_suites[] = {
	{"elf_note", cases, sizeof(cases) / sizeof(cases[0])},
};
const size_t unit_suite_cnt = 1;
