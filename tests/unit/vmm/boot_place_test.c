// SPDX-License-Identifier: Apache-2.0
/*
 * boot_place_test.c - where the initrd goes, and whether it arrives whole: for
 * RAM of 64 MiB to 5 GiB, under each limit that a kernel can have, clear of
 * the kernel's own memory (case C17). And the command line's limit (C16).
 */
#include <asm/bootparam.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/vmm/boot_images.h"
#include "vmm/layout.h"

/* initrd_bytes() - @len bytes without a pattern; free() them. */
static uint8_t *initrd_bytes(uint64_t len)
{
	uint8_t *data = malloc(len);
	uint64_t x = 88172645463325252ULL;

	BUG_ON(!data);
	for (uint64_t i = 0; i < len; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		data[i] = (uint8_t)x;
	}
	return data;
}

/* placed() - boots with an initrd of @len bytes in @ram; compares it. */
static struct boot_plan placed(int kernel_fd, uint64_t ram, uint64_t len)
{
	struct boot_guest g = boot_guest_make(ram);
	uint8_t *data = initrd_bytes(len);
	uint8_t *back = malloc(len);
	struct image_boot b = {.kernel_fd = kernel_fd,
			       .initrd_fd = boot_memfd(data, len),
			       .cmdline = ""};

	CU_ASSERT_PTR_NOT_NULL_FATAL(back);
	CU_ASSERT_EQUAL_FATAL(image_boot_run(&b, &g), 0);
	CU_ASSERT_EQUAL_FATAL(
		guestmem_read(&g.mem, b.plan.initrd_start, back, len), 0);
	CU_ASSERT_EQUAL(memcmp(back, data, len), 0);
	CU_ASSERT_EQUAL(b.plan.initrd_size, len);
	CU_ASSERT_EQUAL(b.plan.initrd_start % 4096, 0);
	CU_ASSERT_TRUE(b.plan.initrd_start >= b.plan.kernel_end ||
		       b.plan.initrd_start + len <= b.plan.kernel_start);
	CU_ASSERT_TRUE(b.plan.initrd_start >= LAYOUT_HIMEM_GPA);
	CU_ASSERT_TRUE(b.plan.initrd_start + len - 1 <= b.plan.initrd_limit);
	free(data);
	free(back);
	boot_guest_free(&g);
	return b.plan;
}

static void test_initrd_whole_for_each_ram(void)
{
	static const struct {
		uint64_t ram;
		uint64_t end; /* of the initrd's range */
	} rows[] = {
		{64 * MIB, 64 * MIB},   {96 * MIB, 96 * MIB},
		{512 * MIB, 512 * MIB}, {2 * GIB, 2 * GIB},
		{3 * GIB, 3 * GIB},     {3 * GIB + 4096, 3 * GIB},
		{4 * GIB, 3 * GIB},     {5 * GIB, 3 * GIB},
	};
	const uint64_t len = 3 * MIB + 123;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct image_bz bz = image_bz_default();
		struct image_elf elf = image_elf_default();
		uint64_t want = (rows[i].end - len) & ~0xfffULL;
		struct boot_plan p = placed(image_bz_fd(&bz), rows[i].ram, len);

		CU_ASSERT_EQUAL(p.initrd_start, want);
		CU_ASSERT_EQUAL(p.initrd_limit, rows[i].end - 1);
		p = placed(image_elf_fd(&elf), rows[i].ram, len);
		CU_ASSERT_EQUAL(p.initrd_start, want);
	}
}

static void test_initrd_below_kernel_limit(void)
{
	struct image_bz bz = image_bz_default();
	struct boot_plan p;

	bz.xloadflags = XLF_KERNEL_64;
	bz.initrd_addr_max = 0x37ffffff;
	p = placed(image_bz_fd(&bz), 5 * GIB, 4096);
	CU_ASSERT_EQUAL(p.initrd_limit, 0x37ffffff);
	CU_ASSERT_EQUAL(p.initrd_start, 0x37fff000);
	/* A limit that is no page boundary: the last byte is still below. */
	bz.initrd_addr_max = 0x37fff7fe;
	p = placed(image_bz_fd(&bz), 5 * GIB, 4096);
	CU_ASSERT_EQUAL(p.initrd_start, 0x37ffe000);
	/* The limit counts only without XLF_CAN_BE_LOADED_ABOVE_4G. */
	bz.xloadflags |= XLF_CAN_BE_LOADED_ABOVE_4G;
	p = placed(image_bz_fd(&bz), 5 * GIB, 4096);
	CU_ASSERT_EQUAL(p.initrd_start, 3 * GIB - 4096);
}

static void test_initrd_clear_of_init_size(void)
{
	struct image_bz bz = image_bz_default();
	struct boot_plan p;

	/* Up to 8 KiB below the end of RAM, misaligned. */
	bz.init_size = (uint32_t)(48 * MIB - 0x2001);
	p = placed(image_bz_fd(&bz), 64 * MIB, 8192);
	CU_ASSERT_EQUAL(p.kernel_end, 64 * MIB - 0x2001);
	CU_ASSERT_EQUAL(p.initrd_start, 64 * MIB - 8192);
	/* One byte more has room below the kernel only. */
	p = placed(image_bz_fd(&bz), 64 * MIB, 8193);
	CU_ASSERT_EQUAL(p.initrd_start, 16 * MIB - 3ULL * 4096);
	p = placed(image_bz_fd(&bz), 64 * MIB, 15 * MIB);
	CU_ASSERT_EQUAL(p.initrd_start, LAYOUT_HIMEM_GPA);
}

/* initrd_refused() - the message has the initrd's size and the room. */
static void initrd_refused(int initrd_fd, const struct image_bz *bz, int error,
			   const char *text)
{
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct image_boot b = {.kernel_fd = image_bz_fd(bz),
			       .initrd_fd = initrd_fd,
			       .cmdline = ""};

	CU_ASSERT_EQUAL(image_boot_run(&b, &g), error);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.message, text));
	CU_ASSERT_TRUE(boot_guest_is_untouched(&g));
	boot_guest_free(&g);
}

/* sparse() - an initrd of @len zero bytes that take no memory. */
static int sparse(uint64_t len)
{
	int fd = memfd_create("initrd", MFD_CLOEXEC);

	CU_ASSERT_EQUAL_FATAL(ftruncate(fd, (off_t)len), 0);
	return fd;
}

static void test_initrd_refused(void)
{
	struct image_bz bz = image_bz_default();

	initrd_refused(sparse(32 * MIB + 1), &bz, -ENOSPC,
		       "initrd has 33554433 bytes, but at most 33554432 fit");
	initrd_refused(sparse(1ULL << 40), &bz, -ENOSPC,
		       "initrd has 1099511627776 bytes");
	initrd_refused(sparse(0), &bz, -EINVAL, "initrd is an empty file");
	initrd_refused(open("/", O_RDONLY | O_CLOEXEC), &bz, -EINVAL,
		       "initrd is a directory");
	bz.init_size = (uint32_t)(48 * MIB);
	initrd_refused(sparse(15 * MIB + 1), &bz, -ENOSPC,
		       "at most 15728640 fit");
	bz = image_bz_default();
	bz.xloadflags = XLF_KERNEL_64;
	bz.initrd_addr_max = 0;
	initrd_refused(sparse(1), &bz, -ENOSPC,
		       "initrd has 1 bytes, but at most 0 fit");
	bz.initrd_addr_max = (uint32_t)MIB + 4094;
	initrd_refused(sparse(4096), &bz, -ENOSPC, "at most 4095 fit");
}

/* cmdline_boot() - with a line of @len 'x'. */
static int cmdline_boot(int kernel_fd, uint32_t len, struct image_boot *b)
{
	static char line[LAYOUT_CMDLINE_MAX + 16];
	char back[LAYOUT_CMDLINE_MAX];
	struct boot_guest g = boot_guest_make(64 * MIB);
	int rc;

	memset(line, 'x', sizeof(line));
	*b = (struct image_boot){.kernel_fd = kernel_fd,
				 .initrd_fd = -1,
				 .cmdline = line,
				 .cmdline_len = len};
	rc = image_boot_run(b, &g);
	if (rc == 0) {
		CU_ASSERT_EQUAL(guestmem_read(&g.mem, LAYOUT_CMDLINE_GPA, back,
					      len + 1),
				0);
		CU_ASSERT_EQUAL(memcmp(back, line, len), 0);
		CU_ASSERT_EQUAL(back[len], 0);
	}
	boot_guest_free(&g);
	return rc;
}

static void test_cmdline_limit(void)
{
	struct image_bz bz = image_bz_default();
	struct image_elf elf = image_elf_default();
	struct image_boot b;

	CU_ASSERT_EQUAL(cmdline_boot(image_bz_fd(&bz), 0, &b), 0);
	CU_ASSERT_EQUAL(cmdline_boot(image_bz_fd(&bz), 2047, &b), 0);
	CU_ASSERT_EQUAL(b.plan.cmdline_limit, 2047);
	CU_ASSERT_EQUAL(cmdline_boot(image_bz_fd(&bz), 2048, &b), -E2BIG);
	CU_ASSERT_STRING_EQUAL(b.message, "command line has 2048 bytes; this "
					  "kernel accepts at most 2047");
	bz.cmdline_size = 255;
	CU_ASSERT_EQUAL(cmdline_boot(image_bz_fd(&bz), 255, &b), 0);
	CU_ASSERT_EQUAL(cmdline_boot(image_bz_fd(&bz), 256, &b), -E2BIG);
	/* More than there is room for: our own limit. */
	bz.cmdline_size = UINT32_MAX;
	CU_ASSERT_EQUAL(cmdline_boot(image_bz_fd(&bz), 65535, &b), 0);
	CU_ASSERT_EQUAL(b.plan.cmdline_limit, 65535);
	CU_ASSERT_EQUAL(cmdline_boot(image_bz_fd(&bz), 65536, &b), -E2BIG);
	CU_ASSERT_EQUAL(cmdline_boot(image_elf_fd(&elf), 2047, &b), 0);
	CU_ASSERT_EQUAL(cmdline_boot(image_elf_fd(&elf), 2048, &b), -E2BIG);
}

static void test_cmdline_nul(void)
{
	struct image_bz bz = image_bz_default();
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct image_boot b = {.kernel_fd = image_bz_fd(&bz),
			       .initrd_fd = -1,
			       .cmdline = "a\0b",
			       .cmdline_len = 3};

	CU_ASSERT_EQUAL(image_boot_run(&b, &g), -EINVAL);
	CU_ASSERT_STRING_EQUAL(b.message, "command line has a NUL byte at 1 "
					  "of 3");
	boot_guest_free(&g);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_initrd_whole_for_each_ram),
	UNIT_CASE(test_initrd_below_kernel_limit),
	UNIT_CASE(test_initrd_clear_of_init_size),
	UNIT_CASE(test_initrd_refused),
	UNIT_CASE(test_cmdline_limit),
	UNIT_CASE(test_cmdline_nul),
};

const struct unit_suite unit_suites[] = {
	{"boot_place", cases, ARRAY_SIZE(cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
