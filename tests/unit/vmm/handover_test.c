// SPDX-License-Identifier: Apache-2.0
/*
 * handover_test.c - what a kernel finds at its entry: boot_params, start info,
 * registers, GDT and page tables.
 */
#include <asm/bootparam.h>
#include <string.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/vmm/boot_images.h"
#include "vmm/layout.h"

/* booted() - loads @kernel_fd with an initrd of 5000 bytes and "quiet". */
static struct boot_plan booted(struct boot_guest *g, int kernel_fd)
{
	static const uint8_t initrd[5000] = {1};
	struct image_boot b = {.kernel_fd = kernel_fd,
			       .initrd_fd = boot_memfd(initrd, sizeof(initrd)),
			       .cmdline = "quiet",
			       .cmdline_len = 5};

	CU_ASSERT_EQUAL_FATAL(image_boot_run(&b, g), 0);
	return b.plan;
}

/* peek() - a little-endian number of @len bytes in guest RAM. */
static uint64_t peek(const struct boot_guest *g, uint64_t gpa, uint64_t len)
{
	uint64_t value = 0;

	CU_ASSERT_EQUAL_FATAL(guestmem_read(&g->mem, gpa, &value, len), 0);
	return value;
}

static void test_params_bzimage(void)
{
	struct image_bz bz = image_bz_default();
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct boot_plan plan;
	struct boot_params bp;

	/* CAN_USE_HEAP and KASLR_FLAG are the loader's to set. */
	bz.loadflags = LOADED_HIGH | CAN_USE_HEAP | KASLR_FLAG;
	plan = booted(&g, image_bz_fd(&bz));
	CU_ASSERT_EQUAL(guestmem_read(&g.mem, LAYOUT_BOOT_PARAMS_GPA, &bp,
				      sizeof(bp)),
			0);
	/* Copied from the image. */
	CU_ASSERT_EQUAL(bp.hdr.header, 0x53726448);
	CU_ASSERT_EQUAL(bp.hdr.version, 0x20f);
	CU_ASSERT_EQUAL(bp.hdr.pref_address, bz.pref_address);
	CU_ASSERT_EQUAL(bp.hdr.init_size, bz.init_size);
	CU_ASSERT_EQUAL(bp.hdr.kernel_alignment, 0x200000);
	/* Set by the loader. */
	CU_ASSERT_EQUAL(bp.hdr.type_of_loader, 0xff);
	CU_ASSERT_EQUAL(bp.hdr.loadflags, LOADED_HIGH);
	CU_ASSERT_EQUAL(bp.hdr.cmd_line_ptr, LAYOUT_CMDLINE_GPA);
	CU_ASSERT_EQUAL(bp.hdr.ramdisk_image, plan.initrd_start);
	CU_ASSERT_EQUAL(bp.hdr.ramdisk_size, 5000);
	CU_ASSERT_EQUAL(bp.ext_ramdisk_image, 0);
	CU_ASSERT_EQUAL(bp.ext_cmd_line_ptr, 0);
	CU_ASSERT_EQUAL(bp.acpi_rsdp_addr, 0xe0000);
	/* Not taken from the image: what lies before the header. */
	CU_ASSERT_EQUAL(bp.sentinel, 0);
	CU_ASSERT_EQUAL(bp.screen_info.orig_video_isVGA, 0);
	CU_ASSERT_EQUAL(bp.e820_entries, plan.e820_cnt);
	for (uint32_t i = 0; i < plan.e820_cnt; i++) {
		CU_ASSERT_EQUAL(bp.e820_table[i].addr, plan.e820[i].addr);
		CU_ASSERT_EQUAL(bp.e820_table[i].size, plan.e820[i].size);
		CU_ASSERT_EQUAL(bp.e820_table[i].type, plan.e820[i].type);
	}
	boot_guest_free(&g);
}

static void test_params_elf(void)
{
	struct image_elf e = image_elf_default();
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct boot_plan plan = booted(&g, image_elf_fd(&e));
	struct boot_params bp;

	CU_ASSERT_EQUAL(guestmem_read(&g.mem, LAYOUT_BOOT_PARAMS_GPA, &bp,
				      sizeof(bp)),
			0);
	CU_ASSERT_EQUAL(bp.hdr.header, 0x53726448);
	CU_ASSERT_EQUAL(bp.hdr.boot_flag, 0xaa55);
	CU_ASSERT_EQUAL(bp.hdr.type_of_loader, 0xff);
	CU_ASSERT_EQUAL(bp.hdr.loadflags, LOADED_HIGH);
	CU_ASSERT_EQUAL(bp.hdr.ramdisk_image, plan.initrd_start);
	CU_ASSERT_EQUAL(bp.hdr.cmd_line_ptr, LAYOUT_CMDLINE_GPA);
	boot_guest_free(&g);
}

static void test_pvh_start_info(void)
{
	const uint64_t gpa = LAYOUT_PVH_START_INFO_GPA;
	struct image_elf e = image_elf_default();
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct boot_plan plan;
	uint64_t module;
	uint64_t map;

	image_elf_pvh(&e, 0x1000000, 4);
	plan = booted(&g, image_elf_fd(&e));
	CU_ASSERT_EQUAL(peek(&g, gpa, 4), 0x336ec578);
	CU_ASSERT_EQUAL(peek(&g, gpa + 4, 4), 1);
	CU_ASSERT_EQUAL(peek(&g, gpa + 8, 4), 0);
	CU_ASSERT_EQUAL(peek(&g, gpa + 12, 4), 1);
	module = peek(&g, gpa + 16, 8);
	CU_ASSERT_EQUAL(peek(&g, module, 8), plan.initrd_start);
	CU_ASSERT_EQUAL(peek(&g, module + 8, 8), 5000);
	CU_ASSERT_EQUAL(peek(&g, gpa + 24, 8), LAYOUT_CMDLINE_GPA);
	CU_ASSERT_EQUAL(peek(&g, LAYOUT_CMDLINE_GPA, 6), 0x7465697571);
	CU_ASSERT_EQUAL(peek(&g, gpa + 32, 8), 0xe0000);
	map = peek(&g, gpa + 40, 8);
	CU_ASSERT_EQUAL(peek(&g, gpa + 48, 4), plan.e820_cnt);
	for (uint32_t i = 0; i < plan.e820_cnt; i++) {
		CU_ASSERT_EQUAL(peek(&g, map + i * 24ULL, 8),
				plan.e820[i].addr);
		CU_ASSERT_EQUAL(peek(&g, map + i * 24ULL + 8, 8),
				plan.e820[i].size);
		CU_ASSERT_EQUAL(peek(&g, map + i * 24ULL + 16, 4),
				plan.e820[i].type);
	}
	boot_guest_free(&g);
}

/* walk() - what the page tables in guest RAM make of @gva. */
static uint64_t walk(const struct boot_guest *g, uint64_t cr3, uint64_t gva)
{
	uint64_t pml4 = peek(g, cr3 + (gva >> 39) * 8, 8);
	uint64_t pdpt = peek(g, (pml4 & ~0xfffULL) + (gva >> 30 & 511) * 8, 8);
	uint64_t pd = peek(g, (pdpt & ~0xfffULL) + (gva >> 21 & 511) * 8, 8);

	/* Present and writable everywhere, a large page at the end. */
	if ((pml4 & 3) != 3 || (pdpt & 3) != 3 || (pd & 0x83) != 0x83)
		return UINT64_MAX;
	return (pd & ~0x1fffffULL) | (gva & 0x1fffff);
}

static void test_state_linux64(void)
{
	static const uint64_t addresses[] = {0, 0x1000200, 0xbfffffff,
					     0xfee00000, 0xffffffff};
	struct image_bz bz = image_bz_default();
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct boot_plan plan = booted(&g, image_bz_fd(&bz));
	struct kvm_regs regs;
	struct kvm_sregs s = {.apic_base = 0xfee00900, .cr4 = ~0ULL};

	boot_vcpu_state(&plan, &regs, &s);
	CU_ASSERT_EQUAL(regs.rip, plan.entry);
	CU_ASSERT_EQUAL(regs.rsi, LAYOUT_BOOT_PARAMS_GPA);
	CU_ASSERT_EQUAL(regs.rflags, 2);
	CU_ASSERT_EQUAL(s.cr0 & 0x80000001, 0x80000001);
	CU_ASSERT_EQUAL(s.cr4, 0x20);
	CU_ASSERT_EQUAL(s.efer, 0x500);
	CU_ASSERT_EQUAL(s.cs.selector, 0x10);
	CU_ASSERT_TRUE(s.cs.l && !s.cs.db && s.cs.present && s.cs.s);
	CU_ASSERT_EQUAL(s.ds.selector, 0x18);
	CU_ASSERT_EQUAL(s.ss.selector, 0x18);
	CU_ASSERT_EQUAL(s.tr.type, 11);
	CU_ASSERT_EQUAL(s.tr.limit, 0x67);
	CU_ASSERT_TRUE(s.tr.present && !s.tr.s && !s.tr.unusable);
	CU_ASSERT_EQUAL(s.ldt.unusable, 1);
	/* Not ours: kept. */
	CU_ASSERT_EQUAL(s.apic_base, 0xfee00900);
	CU_ASSERT_EQUAL(peek(&g, s.gdt.base + 0x10, 8), 0x00af9b000000ffff);
	CU_ASSERT_EQUAL(peek(&g, s.gdt.base + 0x18, 8), 0x00cf93000000ffff);
	CU_ASSERT_EQUAL(peek(&g, s.gdt.base + 0x20, 8), 0x00008b0000000067);
	CU_ASSERT_EQUAL(s.gdt.limit, 0x2f);
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		CU_ASSERT_EQUAL(walk(&g, s.cr3, addresses[i]), addresses[i]);
	boot_guest_free(&g);
}

static void test_state_pvh(void)
{
	struct image_elf e = image_elf_default();
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct boot_plan plan;
	struct kvm_regs regs;
	struct kvm_sregs s = {.cr0 = ~0ULL, .cr4 = ~0ULL, .efer = ~0ULL};

	image_elf_pvh(&e, 0x1000000, 4);
	plan = booted(&g, image_elf_fd(&e));
	boot_vcpu_state(&plan, &regs, &s);
	CU_ASSERT_EQUAL(regs.rip, 0x1000000);
	CU_ASSERT_EQUAL(regs.rbx, LAYOUT_PVH_START_INFO_GPA);
	CU_ASSERT_EQUAL(regs.rflags, 2);
	CU_ASSERT_EQUAL(s.cr0, 0x11);
	CU_ASSERT_EQUAL(s.cr4, 0);
	CU_ASSERT_EQUAL(s.efer, 0);
	CU_ASSERT_TRUE(!s.cs.l && s.cs.db && s.cs.g);
	CU_ASSERT_EQUAL(s.cs.limit, 0xffffffff);
	CU_ASSERT_EQUAL(s.cs.base, 0);
	CU_ASSERT_EQUAL(s.ds.limit, 0xffffffff);
	CU_ASSERT_EQUAL(s.es.limit, 0xffffffff);
	CU_ASSERT_EQUAL(s.tr.type, 11);
	CU_ASSERT_EQUAL(s.tr.base, 0);
	CU_ASSERT_EQUAL(peek(&g, s.gdt.base + 0x10, 8), 0x00cf9b000000ffff);
	boot_guest_free(&g);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_params_bzimage), UNIT_CASE(test_params_elf),
	UNIT_CASE(test_pvh_start_info), UNIT_CASE(test_state_linux64),
	UNIT_CASE(test_state_pvh),
};

const struct unit_suite unit_suites[] = {
	{"handover", cases, ARRAY_SIZE(cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
