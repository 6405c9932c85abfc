/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - what a kernel image asks for, whatever its format: parsed first,
 * checked against RAM second, loaded last, so that a refused image has touched
 * nothing.
 */
#ifndef VMM_BOOT_KERNEL_H
#define VMM_BOOT_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/boot/boot.h"
#include "vmm/boot/image.h"

#define BOOT_SEGMENTS_MAX 16
/* Offsets in a bzImage and in boot_params alike: boot protocol, "header". */
#define BOOT_HDR_START 0x1f1u
#define BOOT_HDR_END 0x290u

/**
 * struct boot_segment - bytes of the file that belong into RAM
 * @gpa: where
 * @offset: in the file
 * @file_bytes: to read
 * @mem_bytes: >= @file_bytes; the rest is zero
 */
struct boot_segment {
	uint64_t gpa;
	uint64_t offset;
	uint64_t file_bytes;
	uint64_t mem_bytes;
};

/**
 * struct boot_kernel - a parsed kernel image
 * @format: for the user, as struct boot_plan's
 * @protocol: how it is entered
 * @entry: guest-physical
 * @start: first byte that it uses
 * @end: behind the last, init_size or bss included
 * @initrd_limit: highest address of the initrd's last byte
 * @cmdline_limit: longest command line without NUL
 * @segment: segment[0..segment_cnt), in the file's order
 * @hdr: the setup header of a bzImage; zeroes for ELF
 */
struct boot_kernel {
	char format[96];
	enum boot_protocol protocol;
	uint64_t entry;
	uint64_t start;
	uint64_t end;
	uint64_t initrd_limit;
	uint32_t cmdline_limit;
	struct boot_segment segment[BOOT_SEGMENTS_MAX];
	uint32_t segment_cnt;
	uint8_t hdr[BOOT_HDR_END - BOOT_HDR_START];
};

/**
 * boot_kernel_parse() - recognises and reads the headers of @image
 * @protocol: what the configuration asks for
 * Return: 0; -ENOEXEC; -EIO; -ENOSPC segments overlap or wrap.
 */
MUST_CHECK int boot_kernel_parse(const struct boot_image *image,
				 enum boot_protocol protocol,
				 struct boot_kernel *ret_kernel,
				 char *ret_message);

/** boot_kernel_fit() - 0, or -ENOSPC @k is not wholly in [1 MiB, @low_end). */
MUST_CHECK int boot_kernel_fit(const struct boot_kernel *k, uint64_t low_end,
			       char *ret_message);

/** boot_kernel_load() - reads the segments into RAM. Return: 0 or -EIO. */
MUST_CHECK int boot_kernel_load(const struct boot_kernel *k,
				const struct boot_image *image,
				struct guestmem *mem, char *ret_message);

/* The formats, each in its own file; errors as boot_kernel_parse. */
bool bzimage_detect(const struct boot_image *image);
MUST_CHECK int bzimage_parse(const struct boot_image *image,
			     enum boot_protocol protocol,
			     struct boot_kernel *ret_kernel, char *ret_message);
bool elf_detect(const struct boot_image *image);
MUST_CHECK int elf_parse(const struct boot_image *image,
			 enum boot_protocol protocol,
			 struct boot_kernel *ret_kernel, char *ret_message);

/** format_name() - what an image is that we do not accept, with its article. */
const char *format_name(const struct boot_image *image);

#endif
