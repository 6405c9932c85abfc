// SPDX-License-Identifier: Apache-2.0
/*
 * format.c - names the file that was given instead of a kernel. Runs in the
 * vmm; only the copied head of the file is looked at.
 */
#include <string.h>

#include "vmm/boot/kernel.h"

/**
 * struct format_magic - one recognised format
 * @at: offset in the file
 * @len: bytes of @magic
 * @magic: what stands there
 * @name: for the user, with article
 */
struct format_magic {
	uint16_t at;
	uint8_t len;
	const char *magic;
	const char *name;
};

#define FORMAT(at, magic, name)                    \
	{                                          \
		at, sizeof(magic) - 1, magic, name \
	}

/* First match wins: an ARM64 Image with EFI stub also begins with "MZ". */
static const struct format_magic formats[] = {
	FORMAT(0x38, "ARM\x64", "an ARM64 Image"),
	FORMAT(0x38, "RSC\x05", "a RISC-V Image"),
	FORMAT(0, "\x1f\x8b", "a gzip-compressed file"),
	FORMAT(0,
	       "\xfd"
	       "7zXZ\0",
	       "an xz-compressed file"),
	FORMAT(0, "\x28\xb5\x2f\xfd", "a zstd-compressed file"),
	FORMAT(0, "\x02\x21\x4c\x18", "an lz4-compressed file"),
	FORMAT(0, "\x04\x22\x4d\x18", "an lz4-compressed file"),
	FORMAT(0, "BZh", "a bzip2-compressed file"),
	FORMAT(0, "\x5d\0\0", "an lzma-compressed file"),
	FORMAT(0, "\x89LZO\0", "an lzop-compressed file"),
	FORMAT(0, "#!", "a script"),
	FORMAT(0, "MZ", "a PE/EFI program without a Linux setup header"),
	FORMAT(0, "0707", "a cpio archive (an initrd?)"),
	FORMAT(0, "QFI\xfb", "a qcow2 disk image"),
	FORMAT(0, "!<arch>", "an ar archive (a Debian package?)"),
	FORMAT(0, "\x27\x05\x19\x56", "a U-Boot uImage"),
	FORMAT(0, "\xd0\x0d\xfe\xed", "a device tree or FIT image"),
	FORMAT(0x101, "ustar", "a tar archive"),
	FORMAT(0x1fe, "\x55\xaa", "a boot sector or a disk image"),
};

const char *format_name(const struct boot_image *image)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const struct format_magic *f = &formats[i];

		if (image->head_bytes >= (size_t)f->at + f->len &&
		    memcmp(image->head + f->at, f->magic, f->len) == 0)
			return f->name;
	}
	return "of an unknown format";
}
