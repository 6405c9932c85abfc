/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boot_images.h - kernel images built from bytes, good ones and bad ones.
 */
#ifndef TESTS_UNIT_VMM_BOOT_IMAGES_H
#define TESTS_UNIT_VMM_BOOT_IMAGES_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/vmm/boot_guest.h"
#include "vmm/boot/boot.h"

/* What the payload of a test image consists of. */
#define IMAGE_FILL 0x90u

/* A bzImage: one setup sector and a payload of IMAGE_FILL. */
struct image_bz {
	uint16_t version;
	uint8_t loadflags;
	uint16_t xloadflags;
	uint8_t relocatable;
	uint32_t alignment;
	uint64_t pref_address;
	uint32_t init_size;
	uint32_t initrd_addr_max;
	uint32_t cmdline_size;
	uint32_t syssize;    /* as the header says it, in 16 bytes */
	uint32_t file_bytes; /* where the file ends; 0 for the right place */
};

#define IMAGE_SEGMENTS 20
#define IMAGE_ELF_BYTES (64ULL * 1024)

/* An ELF file: headers, then whatever the segments say, IMAGE_FILL. */
struct image_elf {
	Elf64_Ehdr hdr;
	Elf64_Phdr phdr[IMAGE_SEGMENTS];
	uint8_t notes[64]; /* at 0x1000 in the file */
	uint32_t file_bytes;
};

/* image_bz_default() - as Debian's kernels, smaller. */
struct image_bz image_bz_default(void);
int image_bz_fd(const struct image_bz *bz);
/* image_elf_default() - two segments at 16 and 32 MiB, no note. */
struct image_elf image_elf_default(void);
/* image_elf_pvh() - adds a PVH note with a value of @desc_bytes. */
void image_elf_pvh(struct image_elf *elf, uint64_t entry, uint32_t desc_bytes);
int image_elf_fd(const struct image_elf *elf);

/*
 * struct image_boot - one boot_load and what came of it
 * Fds < 0 are not there; all are closed by image_boot_run.
 */
struct image_boot {
	int kernel_fd;
	int initrd_fd;
	const char *cmdline;
	uint32_t cmdline_len;
	enum boot_protocol protocol;
	struct boot_plan plan;
	char message[BOOT_MESSAGE_BYTES];
};

int image_boot_run(struct image_boot *b, struct boot_guest *g);

#endif
