// SPDX-License-Identifier: Apache-2.0
/*
 * boot_images.c - builds kernel images byte by byte.
 */
#include "tests/unit/vmm/boot_images.h"

#include <asm/bootparam.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTES_OFFSET 0x1000u

struct image_bz image_bz_default(void)
{
	return (struct image_bz){
		.version = 0x20f,
		.loadflags = LOADED_HIGH,
		.xloadflags = XLF_KERNEL_64 | XLF_CAN_BE_LOADED_ABOVE_4G,
		.relocatable = 1,
		.alignment = 0x200000,
		.pref_address = 0x1000000,
		.init_size = 0x1000000,
		.initrd_addr_max = 0x7fffffff,
		.cmdline_size = 2047,
		.syssize = 0x1000, /* 64 KiB */
	};
}

int image_bz_fd(const struct image_bz *bz)
{
	static struct boot_params bp;
	uint64_t end = 1024 + (uint64_t)bz->syssize * 16;
	uint64_t bytes = bz->file_bytes ? bz->file_bytes : end;
	uint8_t *file = malloc(bytes > 4096 ? bytes : 4096);
	int fd;

	BUG_ON(!file);
	memset(file, IMAGE_FILL, bytes > 4096 ? bytes : 4096);
	memset(&bp, 0, sizeof(bp));
	bp.hdr.setup_sects = 1;
	bp.hdr.boot_flag = 0xaa55;
	bp.hdr.jump = 0x6aeb;
	bp.hdr.header = 0x53726448;
	bp.hdr.version = bz->version;
	bp.hdr.loadflags = bz->loadflags;
	bp.hdr.xloadflags = bz->xloadflags;
	bp.hdr.relocatable_kernel = bz->relocatable;
	bp.hdr.kernel_alignment = bz->alignment;
	bp.hdr.pref_address = bz->pref_address;
	bp.hdr.init_size = bz->init_size;
	bp.hdr.initrd_addr_max = bz->initrd_addr_max;
	bp.hdr.cmdline_size = bz->cmdline_size;
	bp.hdr.syssize = bz->syssize;
	memcpy(file, &bp, 1024);
	/* The bytes that a clumsy loader would take for boot_params. */
	memset(file, 0xee, 0x1f1);
	fd = boot_memfd(file, bytes);
	free(file);
	return fd;
}

struct image_elf image_elf_default(void)
{
	struct image_elf e = {.file_bytes = IMAGE_ELF_BYTES};

	memcpy(e.hdr.e_ident, ELFMAG, SELFMAG);
	e.hdr.e_ident[EI_CLASS] = ELFCLASS64;
	e.hdr.e_ident[EI_DATA] = ELFDATA2LSB;
	e.hdr.e_ident[EI_VERSION] = EV_CURRENT;
	e.hdr.e_type = ET_EXEC;
	e.hdr.e_machine = EM_X86_64;
	e.hdr.e_version = EV_CURRENT;
	e.hdr.e_entry = 0x1000100;
	e.hdr.e_phoff = sizeof(e.hdr);
	e.hdr.e_ehsize = sizeof(e.hdr);
	e.hdr.e_phentsize = sizeof(Elf64_Phdr);
	e.hdr.e_phnum = 2;
	e.phdr[0] = (Elf64_Phdr){.p_type = PT_LOAD,
				 .p_offset = 0x2000,
				 .p_vaddr = 0xffffffff81000000,
				 .p_paddr = 0x1000000,
				 .p_filesz = 0x3000,
				 .p_memsz = 0x3000};
	e.phdr[1] = (Elf64_Phdr){.p_type = PT_LOAD,
				 .p_offset = 0x5000,
				 .p_vaddr = 0xffffffff82000000,
				 .p_paddr = 0x2000000,
				 .p_filesz = 0x1234,
				 .p_memsz = 0x8000};
	return e;
}

void image_elf_pvh(struct image_elf *elf, uint64_t entry, uint32_t desc_bytes)
{
	Elf64_Nhdr n = {.n_namesz = 4, .n_descsz = desc_bytes, .n_type = 18};

	memcpy(elf->notes, &n, sizeof(n));
	memcpy(elf->notes + 12, "Xen", 4);
	memcpy(elf->notes + 16, &entry, 8);
	elf->phdr[elf->hdr.e_phnum++] =
		(Elf64_Phdr){.p_type = PT_NOTE,
			     .p_offset = NOTES_OFFSET,
			     .p_filesz = 16 + desc_bytes,
			     .p_align = 4};
}

int image_elf_fd(const struct image_elf *elf)
{
	uint8_t *file = malloc(IMAGE_ELF_BYTES);
	int fd;

	BUG_ON(!file || elf->file_bytes > IMAGE_ELF_BYTES);
	memset(file, IMAGE_FILL, IMAGE_ELF_BYTES);
	memcpy(file, &elf->hdr, sizeof(elf->hdr));
	memcpy(file + sizeof(elf->hdr), elf->phdr, sizeof(elf->phdr));
	memcpy(file + NOTES_OFFSET, elf->notes, sizeof(elf->notes));
	fd = boot_memfd(file, elf->file_bytes);
	free(file);
	return fd;
}

int image_boot_run(struct image_boot *b, struct boot_guest *g)
{
	struct boot_request req = {
		.kernel_fd = b->kernel_fd,
		.initrd_fd = b->initrd_fd,
		.cmdline = b->cmdline,
		.cmdline_len = b->cmdline_len,
		.protocol = b->protocol,
		.rsdp_gpa = 0xe0000,
	};
	int rc = boot_load(&req, &g->mem, &b->plan, b->message);

	close(b->kernel_fd);
	if (b->initrd_fd >= 0)
		close(b->initrd_fd);
	return rc;
}
