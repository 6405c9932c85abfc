// SPDX-License-Identifier: Apache-2.0
/*
 * boot_test.c - kernels that are accepted: chosen protocol and entry, bytes
 * where they belong, and the memory map.
 */
#include <errno.h>
#include <string.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/vmm/boot_images.h"
#include "vmm/boot/e820.h"
#include "vmm/layout.h"

/* is_filled() - are all of [gpa, gpa + len) @value? */
static bool is_filled(struct boot_guest *g, uint64_t gpa, uint64_t len,
		      uint8_t value)
{
	for (uint64_t i = 0; i < len; i++) {
		uint8_t byte;

		if (guestmem_read(&g->mem, gpa + i, &byte, 1) < 0 ||
		    byte != value)
			return false;
	}
	return true;
}

static void test_bzimage(void)
{
	struct image_bz bz = image_bz_default();
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct image_boot b = {
		.kernel_fd = image_bz_fd(&bz), .initrd_fd = -1, .cmdline = ""};

	CU_ASSERT_EQUAL_FATAL(image_boot_run(&b, &g), 0);
	CU_ASSERT_STRING_EQUAL(b.plan.format,
			       "bzImage, protocol 2.15, 64-bit entry");
	CU_ASSERT_EQUAL(b.plan.protocol, BOOT_PROTOCOL_LINUX64);
	CU_ASSERT_EQUAL(b.plan.entry, 0x1000200);
	CU_ASSERT_EQUAL(b.plan.kernel_start, 0x1000000);
	CU_ASSERT_EQUAL(b.plan.kernel_end, 0x2000000);
	CU_ASSERT_EQUAL(b.plan.initrd_start, 0);
	CU_ASSERT_EQUAL(b.plan.initrd_size, 0);
	CU_ASSERT_TRUE(is_filled(&g, 0x1000000, 65536, IMAGE_FILL));
	CU_ASSERT_TRUE(is_filled(&g, 0x1010000, 4096, 0));
	boot_guest_free(&g);
}

static void test_bzimage_exact_ram(void)
{
	struct image_bz bz = image_bz_default();
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct image_boot b = {.initrd_fd = -1, .cmdline = ""};

	bz.init_size = (uint32_t)(48 * MIB);
	b.kernel_fd = image_bz_fd(&bz);
	CU_ASSERT_EQUAL(image_boot_run(&b, &g), 0);
	bz.init_size++;
	b.kernel_fd = image_bz_fd(&bz);
	CU_ASSERT_EQUAL(image_boot_run(&b, &g), -ENOSPC);
	boot_guest_free(&g);
}

static void test_bzimage_moves_out_of_low_ram(void)
{
	struct image_bz bz = image_bz_default();
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct image_boot b = {.initrd_fd = -1, .cmdline = ""};

	bz.pref_address = 0;
	b.kernel_fd = image_bz_fd(&bz);
	CU_ASSERT_EQUAL_FATAL(image_boot_run(&b, &g), 0);
	CU_ASSERT_EQUAL(b.plan.kernel_start, 0x200000);
	CU_ASSERT_EQUAL(b.plan.entry, 0x200200);
	boot_guest_free(&g);
}

static void test_elf_linux64(void)
{
	struct image_elf e = image_elf_default();
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct image_boot b = {.initrd_fd = -1, .cmdline = ""};
	uint64_t old = UINT64_MAX;

	/* A guest that boots again finds zeroes in its bss. */
	CU_ASSERT_EQUAL(guestmem_write(&g.mem, 0x2001234, &old, 8), 0);
	CU_ASSERT_EQUAL(guestmem_write(&g.mem, 0x2007ff8, &old, 8), 0);
	b.kernel_fd = image_elf_fd(&e);
	CU_ASSERT_EQUAL_FATAL(image_boot_run(&b, &g), 0);
	CU_ASSERT_STRING_EQUAL(b.plan.format, "ELF vmlinux, 64-bit entry");
	CU_ASSERT_EQUAL(b.plan.protocol, BOOT_PROTOCOL_LINUX64);
	CU_ASSERT_EQUAL(b.plan.entry, 0x1000100);
	CU_ASSERT_EQUAL(b.plan.kernel_start, 0x1000000);
	CU_ASSERT_EQUAL(b.plan.kernel_end, 0x2008000);
	CU_ASSERT_TRUE(is_filled(&g, 0x1000000, 0x3000, IMAGE_FILL));
	CU_ASSERT_TRUE(is_filled(&g, 0x2000000, 0x1234, IMAGE_FILL));
	CU_ASSERT_TRUE(is_filled(&g, 0x2001234, 0x8000 - 0x1234, 0));
	boot_guest_free(&g);
}

static void test_elf_pvh(void)
{
	static const struct {
		enum boot_protocol asked;
		enum boot_protocol got;
		uint64_t entry;
	} rows[] = {
		{BOOT_PROTOCOL_AUTO, BOOT_PROTOCOL_PVH, 0x1000040},
		{BOOT_PROTOCOL_PVH, BOOT_PROTOCOL_PVH, 0x1000040},
		{BOOT_PROTOCOL_LINUX64, BOOT_PROTOCOL_LINUX64, 0x1000100},
	};
	struct boot_guest g = boot_guest_make(64 * MIB);

	for (uint32_t i = 0; i < ARRAY_SIZE(rows) * 2; i++) {
		struct image_elf e = image_elf_default();
		struct image_boot b = {.initrd_fd = -1,
				       .cmdline = "",
				       .protocol = rows[i / 2].asked};

		image_elf_pvh(&e, 0x1000040, i % 2 ? 8 : 4);
		b.kernel_fd = image_elf_fd(&e);
		CU_ASSERT_EQUAL(image_boot_run(&b, &g), 0);
		CU_ASSERT_EQUAL(b.plan.protocol, rows[i / 2].got);
		CU_ASSERT_EQUAL(b.plan.entry, rows[i / 2].entry);
	}
	boot_guest_free(&g);
}

/* Segments from exactly 1 MiB on, as the test guest has them. */
static void test_elf_at_one_mib(void)
{
	struct image_elf e = image_elf_default();
	struct boot_guest g = boot_guest_make(32 * MIB);
	struct image_boot b = {.initrd_fd = -1, .cmdline = ""};

	e.phdr[0].p_paddr = 0x100000;
	e.phdr[1].p_paddr = 0x103000;
	e.hdr.e_entry = 0x100000;
	b.kernel_fd = image_elf_fd(&e);
	CU_ASSERT_EQUAL(image_boot_run(&b, &g), 0);
	CU_ASSERT_EQUAL(b.plan.kernel_end, 0x10b000);
	boot_guest_free(&g);
}

/* e820_type() - of the entry that holds @addr; 0 none, 99 more than one. */
static uint32_t e820_type(const struct boot_e820 *map, int cnt, uint64_t addr)
{
	uint32_t type = 0;

	for (int i = 0; i < cnt; i++) {
		if (addr >= map[i].addr && addr - map[i].addr < map[i].size)
			type = type ? 99 : map[i].type;
	}
	return type;
}

static void test_e820(void)
{
	static const uint64_t sizes[] = {32 * MIB,       64 * MIB, 3 * GIB,
					 3 * GIB + 4096, 5 * GIB,  1ULL << 40};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct boot_e820 map[BOOT_E820_MAX];
		uint64_t low = sizes[i] < 3 * GIB ? sizes[i] : 3 * GIB;
		struct memtable t;
		int cnt;

		memtable_layout(sizes[i], &t);
		cnt = e820_build(&t, map);
		CU_ASSERT_EQUAL(cnt, sizes[i] > 3 * GIB ? 7 : 6);
		for (int j = 1; j < cnt; j++)
			CU_ASSERT_TRUE(map[j - 1].addr + map[j - 1].size <=
				       map[j].addr);
		CU_ASSERT_EQUAL(e820_type(map, cnt, 0), E820_RAM);
		CU_ASSERT_EQUAL(e820_type(map, cnt, 0x9fbff), E820_RAM);
		CU_ASSERT_EQUAL(e820_type(map, cnt, 0x9fc00), E820_RESERVED);
		CU_ASSERT_EQUAL(e820_type(map, cnt, 0xdffff), E820_RESERVED);
		CU_ASSERT_EQUAL(e820_type(map, cnt, 0xe0000), E820_ACPI);
		CU_ASSERT_EQUAL(e820_type(map, cnt, 0x100000), E820_RAM);
		CU_ASSERT_EQUAL(e820_type(map, cnt, low - 1), E820_RAM);
		CU_ASSERT_EQUAL(e820_type(map, cnt, low), 0);
		CU_ASSERT_EQUAL(e820_type(map, cnt, LAYOUT_MMIO32_GPA), 0);
		CU_ASSERT_EQUAL(e820_type(map, cnt, LAYOUT_ECAM_GPA),
				E820_RESERVED);
		CU_ASSERT_EQUAL(e820_type(map, cnt, 4 * GIB),
				sizes[i] > 3 * GIB ? E820_RAM : 0);
	}
}

static void test_ram_too_small(void)
{
	struct image_bz bz = image_bz_default();
	struct boot_guest g = boot_guest_make(MIB);
	struct image_boot b = {
		.kernel_fd = image_bz_fd(&bz), .initrd_fd = -1, .cmdline = ""};

	CU_ASSERT_EQUAL(image_boot_run(&b, &g), -ENOSPC);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.message, "has 1048576 bytes of RAM"));
	CU_ASSERT_TRUE(boot_guest_is_untouched(&g));
	boot_guest_free(&g);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_bzimage),
	UNIT_CASE(test_bzimage_exact_ram),
	UNIT_CASE(test_bzimage_moves_out_of_low_ram),
	UNIT_CASE(test_elf_linux64),
	UNIT_CASE(test_elf_pvh),
	UNIT_CASE(test_elf_at_one_mib),
	UNIT_CASE(test_e820),
	UNIT_CASE(test_ram_too_small),
};

const struct unit_suite unit_suites[] = {
	{"boot", cases, ARRAY_SIZE(cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
