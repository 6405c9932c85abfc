// SPDX-License-Identifier: Apache-2.0
/*
 * boot_refuse_test.c - every image that is refused: the message names what was
 * found and what is accepted, and guest RAM is as it was.
 */
#include <asm/bootparam.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/vmm/boot_images.h"

/* refused() - boots @fd in 64 MiB; checks error, message and RAM. */
static void refused(int fd, enum boot_protocol protocol, int error,
		    const char *text)
{
	struct boot_guest g = boot_guest_make(64 * MIB);
	struct image_boot b = {.kernel_fd = fd,
			       .initrd_fd = -1,
			       .cmdline = "",
			       .protocol = protocol};
	int rc = image_boot_run(&b, &g);

	CU_ASSERT_EQUAL(rc, error);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.message, text));
	if (rc != error || !strstr(b.message, text))
		fprintf(stderr, "\n  wanted %d '%s', got %d '%s'\n", error,
			text, rc, b.message);
	CU_ASSERT_TRUE(boot_guest_is_untouched(&g));
	boot_guest_free(&g);
}

static void refused_bz(const struct image_bz *bz, int error, const char *text)
{
	refused(image_bz_fd(bz), BOOT_PROTOCOL_AUTO, error, text);
}

static void refused_elf(const struct image_elf *elf, int error,
			const char *text)
{
	refused(image_elf_fd(elf), BOOT_PROTOCOL_AUTO, error, text);
}

static void test_other_formats(void)
{
	static const struct {
		uint16_t at;
		const char *magic;
		uint8_t len;
		const char *text;
	} rows[] = {
		{0, "\x1f\x8b\x08", 3,
		 "kernel is a gzip-compressed file; "
		 "give a bzImage or an ELF vmlinux"},
		{0,
		 "\xfd"
		 "7zXZ\0",
		 6, "kernel is an xz-compressed file"},
		{0, "\x28\xb5\x2f\xfd", 4, "kernel is a zstd-compressed file"},
		{0, "\x02\x21\x4c\x18", 4, "kernel is an lz4-compressed file"},
		{0, "\x04\x22\x4d\x18", 4, "kernel is an lz4-compressed file"},
		{0, "BZh9", 4, "kernel is a bzip2-compressed file"},
		{0, "#!/bin/sh\n", 10, "kernel is a script"},
		{0, "MZ", 2, "kernel is a PE/EFI program"},
		{0x38, "ARM\x64", 4, "kernel is an ARM64 Image"},
		{0x38, "RSC\x05", 4, "kernel is a RISC-V Image"},
		{0, "070701", 6, "kernel is a cpio archive"},
		{0, "QFI\xfb", 4, "kernel is a qcow2 disk image"},
		{0x1fe, "\x55\xaa", 2, "kernel is a boot sector"},
		{0, "hello", 5,
		 "kernel is of an unknown format; give a "
		 "bzImage or an ELF vmlinux"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t file[2048] = {0};

		memcpy(file + rows[i].at, rows[i].magic, rows[i].len);
		refused(boot_memfd(file, sizeof(file)), BOOT_PROTOCOL_AUTO,
			-ENOEXEC, rows[i].text);
	}
	/* Shorter than any magic number. */
	refused(boot_memfd("\x1f", 1), BOOT_PROTOCOL_AUTO, -ENOEXEC,
		"unknown format");
}

/* An ARM64 Image with an EFI stub begins with "MZ" too. */
static void test_arm64_efi_image(void)
{
	uint8_t file[4096] = {[0] = 'M',    [1] = 'Z',    [0x38] = 'A',
			      [0x39] = 'R', [0x3a] = 'M', [0x3b] = 0x64};

	refused(boot_memfd(file, sizeof(file)), BOOT_PROTOCOL_AUTO, -ENOEXEC,
		"an ARM64 Image");
}

static void test_file_types(void)
{
	int fds[2];

	refused(boot_memfd("", 0), BOOT_PROTOCOL_AUTO, -ENOEXEC,
		"kernel is an empty file");
	refused(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		BOOT_PROTOCOL_AUTO, -ENOEXEC, "kernel is a directory");
	refused(open("/dev/zero", O_RDONLY | O_CLOEXEC), BOOT_PROTOCOL_AUTO,
		-ENOEXEC, "kernel is a character device");
	CU_ASSERT_EQUAL_FATAL(pipe2(fds, O_CLOEXEC), 0);
	refused(fds[0], BOOT_PROTOCOL_AUTO, -ENOEXEC, "kernel is a pipe");
	close(fds[1]);
	refused(-1, BOOT_PROTOCOL_AUTO, -EIO, "kernel cannot be examined");
}

static void test_bz_truncated(void)
{
	static const uint32_t cuts[] = {0x208, 0x211, 0x264, 0x290,
					1024,  1025,  0xffff};

	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		struct image_bz bz = image_bz_default();
		char text[64];

		bz.file_bytes = cuts[i];
		snprintf(text, sizeof(text), "the file has %u", cuts[i]);
		refused_bz(&bz, -ENOEXEC, "a truncated bzImage");
		if (cuts[i] >= 0x290)
			refused_bz(&bz, -ENOEXEC, "promises 66560 bytes");
		refused_bz(&bz, -ENOEXEC, text);
	}
}

static void test_bz_kind(void)
{
	struct image_bz bz = image_bz_default();

	bz.version = 0x20b;
	refused_bz(&bz, -ENOEXEC, "boot protocol 2.11; 2.12 or newer");
	bz = image_bz_default();
	bz.loadflags = 0;
	refused_bz(&bz, -ENOEXEC, "a zImage");
	bz = image_bz_default();
	bz.xloadflags = XLF_CAN_BE_LOADED_ABOVE_4G;
	refused_bz(&bz, -ENOEXEC, "for 32-bit machines");
	bz = image_bz_default();
	refused(image_bz_fd(&bz), BOOT_PROTOCOL_PVH, -ENOEXEC,
		"a bzImage, which has no PVH entry");
}

static void test_bz_numbers(void)
{
	struct image_bz bz = image_bz_default();

	bz.syssize = 0x20;
	refused_bz(&bz, -ENOEXEC, "with 512 bytes of code");
	bz = image_bz_default();
	bz.syssize = UINT32_MAX;
	bz.file_bytes = 66560;
	refused_bz(&bz, -ENOEXEC, "promises 68719477744 bytes");
	bz = image_bz_default();
	bz.alignment = 0x300000;
	refused_bz(&bz, -ENOEXEC, "kernel_alignment 0x300000");
	bz.alignment = 0;
	refused_bz(&bz, -ENOEXEC, "kernel_alignment 0x0");
	bz = image_bz_default();
	bz.init_size = UINT32_MAX;
	refused_bz(&bz, -ENOSPC, "give the machine at least 4112 MiB");
	bz = image_bz_default();
	bz.pref_address = UINT64_MAX;
	refused_bz(&bz, -ENOSPC, "kernel needs memory from");
	bz.relocatable = 0;
	refused_bz(&bz, -ENOSPC, "kernel needs memory from");
	bz.pref_address = 0x7000;
	refused_bz(&bz, -ENOSPC, "at 0x7000, over the boot structures");
}

static void test_elf_kind(void)
{
	struct image_elf e = image_elf_default();

	e.hdr.e_machine = EM_AARCH64;
	refused_elf(&e, -ENOEXEC, "an ELF file for ARM64 (machine 183)");
	e.hdr.e_machine = 0x7777;
	refused_elf(&e, -ENOEXEC, "for an unknown machine (machine 30583)");
	e = image_elf_default();
	e.hdr.e_ident[EI_CLASS] = ELFCLASS32;
	refused_elf(&e, -ENOEXEC, "a 32-bit ELF file");
	e.hdr.e_machine = EM_386;
	refused_elf(&e, -ENOEXEC, "32-bit x86 (machine 3)");
	e = image_elf_default();
	e.hdr.e_ident[EI_DATA] = ELFDATA2MSB;
	refused_elf(&e, -ENOEXEC, "a big-endian ELF file");
	e = image_elf_default();
	e.hdr.e_type = ET_REL;
	refused_elf(&e, -ENOEXEC, "an ELF file of type 1");
	e = image_elf_default();
	refused(image_elf_fd(&e), BOOT_PROTOCOL_PVH, -ENOEXEC,
		"without a PVH note");
}

static void test_elf_headers(void)
{
	struct image_elf e = image_elf_default();

	e.file_bytes = 63;
	refused_elf(&e, -ENOEXEC, "takes 64 bytes, the file has 63");
	e.file_bytes = 64 + 2 * 56 - 1;
	refused_elf(&e, -ENOEXEC, "truncated ELF file: program headers");
	e.file_bytes = 0x6233;
	refused_elf(&e, -ENOEXEC, "truncated ELF file: a segment");
	e = image_elf_default();
	e.hdr.e_phoff = UINT64_MAX - 8;
	refused_elf(&e, -ENOEXEC, "program headers at 0xfffffffffffffff7");
	e = image_elf_default();
	e.hdr.e_phnum = 0;
	refused_elf(&e, -ENOEXEC, "0 program headers of 56 bytes; 1 to 64");
	e.hdr.e_phnum = 65;
	refused_elf(&e, -ENOEXEC, "65 program headers");
	e = image_elf_default();
	e.hdr.e_phentsize = 32;
	refused_elf(&e, -ENOEXEC, "headers of 32 bytes");
	e = image_elf_default();
	e.phdr[0].p_type = e.phdr[1].p_type = PT_NULL;
	refused_elf(&e, -ENOEXEC, "without a segment to load");
}

static void test_elf_segments(void)
{
	struct image_elf e = image_elf_default();

	e.phdr[1].p_memsz = 1;
	refused_elf(&e, -ENOEXEC, "4660 bytes in the file but 1 in memory");
	e = image_elf_default();
	e.phdr[1].p_offset = UINT64_MAX;
	refused_elf(&e, -ENOEXEC, "truncated ELF file: a segment");
	e = image_elf_default();
	e.phdr[1].p_paddr = UINT64_MAX - 0x7ffe;
	refused_elf(&e, -ENOSPC, "which wraps");
	e.phdr[1].p_paddr = 0x1002fff;
	refused_elf(&e, -ENOSPC, "overlapping ELF segments");
	e.phdr[1].p_paddr = 0xff8001;
	refused_elf(&e, -ENOSPC, "overlapping ELF segments");
	/* Over the boot structures, the ACPI tables, behind RAM. */
	e.phdr[1].p_paddr = 0x7000;
	refused_elf(&e, -ENOSPC, "at 0x7000, over the boot structures");
	e.phdr[1].p_paddr = 0xe0000;
	refused_elf(&e, -ENOSPC, "at 0xe0000, over the boot structures");
	e.phdr[1].p_paddr = 0xff000;
	refused_elf(&e, -ENOSPC, "at 0xff000, over the boot structures");
	e.phdr[1].p_paddr = 64 * MIB - 0x7fff;
	refused_elf(&e, -ENOSPC, "give the machine at least 65 MiB");
	e.phdr[1].p_paddr = 5 * GIB;
	refused_elf(&e, -ENOSPC, "but RAM below 4 GiB ends at 0x4000000");
}

static void test_elf_counts(void)
{
	struct image_elf e = image_elf_default();

	e.hdr.e_phnum = 17;
	for (unsigned i = 0; i < 17; i++)
		e.phdr[i] = (Elf64_Phdr){.p_type = PT_LOAD,
					 .p_paddr = 0x1000000 + i * 0x1000,
					 .p_memsz = 0x1000};
	refused_elf(&e, -ENOEXEC, "more than 16 ELF segments");
}

static void test_elf_entry(void)
{
	struct image_elf e = image_elf_default();

	e.hdr.e_entry = 0xffffffff81000000;
	refused_elf(&e, -ENOEXEC, "entry at 0xffffffff81000000, outside");
	/* In the bss: zeroes, no code. */
	e.hdr.e_entry = 0x2002000;
	refused_elf(&e, -ENOEXEC, "entry at 0x2002000, outside");
	image_elf_pvh(&e, 0x3000000, 4);
	refused_elf(&e, -ENOEXEC, "entry at 0x3000000, outside");
}

static void test_elf_notes(void)
{
	struct image_elf e = image_elf_default();

	image_elf_pvh(&e, 0x1000000, 6);
	refused_elf(&e, -ENOEXEC, "broken ELF notes (22 bytes at 0x1000)");
	e = image_elf_default();
	image_elf_pvh(&e, 1ULL << 32, 8);
	refused_elf(&e, -ENOEXEC, "broken ELF notes");
	e.phdr[2].p_filesz = 65537;
	refused_elf(&e, -ENOEXEC, "65537 bytes of ELF notes; at most 65536");
	e.phdr[2].p_filesz = 24;
	e.phdr[2].p_offset = IMAGE_ELF_BYTES - 23;
	refused_elf(&e, -ENOEXEC, "broken ELF notes");
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_other_formats), UNIT_CASE(test_arm64_efi_image),
	UNIT_CASE(test_file_types),    UNIT_CASE(test_bz_truncated),
	UNIT_CASE(test_bz_kind),       UNIT_CASE(test_bz_numbers),
	UNIT_CASE(test_elf_kind),      UNIT_CASE(test_elf_headers),
	UNIT_CASE(test_elf_segments),  UNIT_CASE(test_elf_counts),
	UNIT_CASE(test_elf_entry),     UNIT_CASE(test_elf_notes),
};

const struct unit_suite unit_suites[] = {
	{"boot_refuse", cases, ARRAY_SIZE(cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
