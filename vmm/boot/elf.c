// SPDX-License-Identifier: Apache-2.0
/*
 * elf.c - ELF vmlinux: segments, 64-bit entry and PVH note. Runs in the
 * confined vmm; every header field is a tenant's and not trusted.
 * Spec: System V gABI (ELF64), Linux/x86 boot protocol 2.15 "64-bit Boot
 * Protocol", Xen docs/misc/pvh.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vmm/boot/elf_note.h"
#include "vmm/boot/kernel.h"
#include "vmm/boot/message.h"

#define ELF_PHDRS_MAX 64
#define ELF_NOTES_MAX 65536u
/* arch/x86: COMMAND_LINE_SIZE 2048 with its NUL; a vmlinux does not say it. */
#define ELF_CMDLINE_LIMIT 2047u

/**
 * struct elf - an ELF kernel while it is parsed
 * @phdr: phdr[0..hdr.e_phnum), e_phnum <= ELF_PHDRS_MAX
 * @pvh: a PVH note was found
 * @pvh_entry: its value
 */
struct elf {
	Elf64_Ehdr hdr;
	Elf64_Phdr phdr[ELF_PHDRS_MAX];
	bool pvh;
	uint32_t pvh_entry;
};

bool elf_detect(const struct boot_image *image)
{
	return image->head_bytes >= SELFMAG &&
	       memcmp(image->head, ELFMAG, SELFMAG) == 0;
}

/* elf_machine_name() - of an ELF file for another machine. */
static const char *elf_machine_name(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} names[] = {
		{EM_386, "32-bit x86"},  {EM_AARCH64, "ARM64"},
		{EM_ARM, "ARM"},         {EM_RISCV, "RISC-V"},
		{EM_PPC64, "PowerPC64"}, {EM_S390, "s390"},
		{EM_MIPS, "MIPS"},       {EM_LOONGARCH, "LoongArch"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].machine == machine)
			return names[i].name;
	}
	return "an unknown machine";
}

/* elf_header_check() - an x86-64 executable whose header we can follow? */
static int elf_header_check(const struct boot_image *image, const Elf64_Ehdr *h,
			    char *ret_message)
{
	if (image->head_bytes < sizeof(*h))
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a truncated ELF file: its header "
				   "takes %zu bytes, the file has %" PRIu64,
				   sizeof(*h), image->bytes);
	if (h->e_ident[EI_DATA] != ELFDATA2LSB)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a big-endian ELF file; give an "
				   "ELF vmlinux for x86-64 or a bzImage");
	if (h->e_machine != EM_X86_64)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is an ELF file for %s (machine %u); "
				   "give one for x86-64 (machine %u)",
				   elf_machine_name(h->e_machine), h->e_machine,
				   EM_X86_64);
	if (h->e_ident[EI_CLASS] != ELFCLASS64)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a 32-bit ELF file; give a 64-bit "
				   "ELF vmlinux or a bzImage");
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is an ELF file of type %u; an "
				   "executable (type %u or %u) is accepted",
				   h->e_type, ET_EXEC, ET_DYN);
	if (h->e_phnum == 0 || h->e_phnum > ELF_PHDRS_MAX ||
	    h->e_phentsize != sizeof(Elf64_Phdr))
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is an ELF file with %u program "
				   "headers of %u bytes; 1 to %u of %zu are "
				   "accepted",
				   h->e_phnum, h->e_phentsize, ELF_PHDRS_MAX,
				   sizeof(Elf64_Phdr));
	return 0;
}

/* elf_headers_read() - copies the ELF header and the program headers. */
static int elf_headers_read(const struct boot_image *image, struct elf *e,
			    char *ret_message)
{
	size_t bytes;
	int rc;

	memcpy(&e->hdr, image->head, sizeof(e->hdr));
	rc = elf_header_check(image, &e->hdr, ret_message);
	if (rc < 0)
		return rc;
	bytes = e->hdr.e_phnum * sizeof(e->phdr[0]);
	rc = boot_image_read(image, e->hdr.e_phoff, e->phdr, bytes);
	if (rc == -ENODATA)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a truncated ELF file: program "
				   "headers at 0x%" PRIx64 ", the file has "
				   "%" PRIu64 " bytes",
				   e->hdr.e_phoff, image->bytes);
	if (rc < 0)
		return boot_refuse(ret_message, -EIO, "kernel cannot be read");
	return 0;
}

/* elf_segment_check() - one PT_LOAD: its numbers, the file, the others. */
static int elf_segment_check(const struct boot_image *image,
			     const struct boot_kernel *k, const Elf64_Phdr *p,
			     char *ret_message)
{
	uint64_t file_end;
	uint64_t mem_end;

	if (p->p_filesz > p->p_memsz)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel has an ELF segment with %" PRIu64
				   " bytes in the file but %" PRIu64
				   " in memory",
				   p->p_filesz, p->p_memsz);
	if (__builtin_add_overflow(p->p_offset, p->p_filesz, &file_end) ||
	    file_end > image->bytes)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a truncated ELF file: a segment "
				   "has %" PRIu64 " bytes at 0x%" PRIx64
				   ", the file has %" PRIu64 " bytes",
				   p->p_filesz, p->p_offset, image->bytes);
	if (__builtin_add_overflow(p->p_paddr, p->p_memsz, &mem_end))
		return boot_refuse(ret_message, -ENOSPC,
				   "kernel has an ELF segment of %" PRIu64
				   " bytes at 0x%" PRIx64 ", which wraps",
				   p->p_memsz, p->p_paddr);
	for (uint32_t i = 0; i < k->segment_cnt; i++) {
		const struct boot_segment *s = &k->segment[i];

		if (p->p_paddr < s->gpa + s->mem_bytes && s->gpa < mem_end)
			return boot_refuse(ret_message, -ENOSPC,
					   "kernel has overlapping ELF segments"
					   ", at 0x%" PRIx64 " and 0x%" PRIx64,
					   s->gpa, p->p_paddr);
	}
	return 0;
}

/* elf_segment_add() - takes over one checked PT_LOAD. */
static int elf_segment_add(const struct boot_image *image, const Elf64_Phdr *p,
			   struct boot_kernel *k, char *ret_message)
{
	int rc;

	if (p->p_memsz == 0 && p->p_filesz == 0)
		return 0;
	if (k->segment_cnt == BOOT_SEGMENTS_MAX)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel has more than %u ELF segments to "
				   "load",
				   BOOT_SEGMENTS_MAX);
	rc = elf_segment_check(image, k, p, ret_message);
	if (rc < 0)
		return rc;
	if (k->segment_cnt == 0 || p->p_paddr < k->start)
		k->start = p->p_paddr;
	if (p->p_paddr + p->p_memsz > k->end)
		k->end = p->p_paddr + p->p_memsz;
	k->segment[k->segment_cnt++] = (struct boot_segment){
		.gpa = p->p_paddr,
		.offset = p->p_offset,
		.file_bytes = p->p_filesz,
		.mem_bytes = p->p_memsz,
	};
	return 0;
}

/* elf_notes_read() - looks for the PVH note in one PT_NOTE. */
static int elf_notes_read(const struct boot_image *image, const Elf64_Phdr *p,
			  struct elf *e, char *ret_message)
{
	uint8_t *notes;
	int rc;

	if (p->p_filesz == 0 || e->pvh)
		return 0;
	if (p->p_filesz > ELF_NOTES_MAX)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel has %" PRIu64 " bytes of ELF notes; "
				   "at most %u are accepted",
				   p->p_filesz, ELF_NOTES_MAX);
	notes = malloc(p->p_filesz);
	if (!notes)
		return boot_refuse(ret_message, -EIO, "no memory for notes");
	rc = boot_image_read(image, p->p_offset, notes, p->p_filesz);
	if (rc == 0)
		rc = elf_note_pvh(notes, p->p_filesz, p->p_align,
				  &e->pvh_entry);
	free(notes);
	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel has broken ELF notes (%" PRIu64
				   " bytes at 0x%" PRIx64 ")",
				   p->p_filesz, p->p_offset);
	e->pvh = true;
	return 0;
}

/* elf_segments_read() - all program headers that matter. */
static int elf_segments_read(const struct boot_image *image, struct elf *e,
			     struct boot_kernel *k, char *ret_message)
{
	for (uint32_t i = 0; i < e->hdr.e_phnum; i++) {
		const Elf64_Phdr *p = &e->phdr[i];
		int rc = 0;

		if (p->p_type == PT_LOAD)
			rc = elf_segment_add(image, p, k, ret_message);
		else if (p->p_type == PT_NOTE)
			rc = elf_notes_read(image, p, e, ret_message);
		if (rc < 0)
			return rc;
	}
	if (k->segment_cnt == 0)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is an ELF file without a segment to "
				   "load");
	return 0;
}

/* elf_entry_set() - chooses the entry; it must be in what is loaded. */
static int elf_entry_set(const struct elf *e, enum boot_protocol protocol,
			 struct boot_kernel *k, char *ret_message)
{
	if (protocol == BOOT_PROTOCOL_PVH && !e->pvh)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is an ELF vmlinux without a PVH "
				   "note; boot it by its 64-bit entry");
	k->protocol = e->pvh && protocol != BOOT_PROTOCOL_LINUX64
			      ? BOOT_PROTOCOL_PVH
			      : BOOT_PROTOCOL_LINUX64;
	k->entry = k->protocol == BOOT_PROTOCOL_PVH ? e->pvh_entry
						    : e->hdr.e_entry;
	for (uint32_t i = 0; i < k->segment_cnt; i++) {
		const struct boot_segment *s = &k->segment[i];

		if (k->entry >= s->gpa && k->entry - s->gpa < s->file_bytes)
			return 0;
	}
	return boot_refuse(ret_message, -ENOEXEC,
			   "kernel has its entry at 0x%" PRIx64
			   ", outside of its ELF segments, which lie from "
			   "0x%" PRIx64 " to 0x%" PRIx64,
			   k->entry, k->start, k->end);
}

int elf_parse(const struct boot_image *image, enum boot_protocol protocol,
	      struct boot_kernel *k, char *ret_message)
{
	struct elf e = {.pvh = false};
	int rc;

	rc = elf_headers_read(image, &e, ret_message);
	if (rc == 0)
		rc = elf_segments_read(image, &e, k, ret_message);
	if (rc == 0)
		rc = elf_entry_set(&e, protocol, k, ret_message);
	if (rc < 0)
		return rc;
	/* Both entries take the initrd's address as 32 bits. */
	k->initrd_limit = UINT32_MAX;
	k->cmdline_limit = ELF_CMDLINE_LIMIT;
	snprintf(k->format, sizeof(k->format), "ELF vmlinux, %s entry",
		 k->protocol == BOOT_PROTOCOL_PVH ? "PVH" : "64-bit");
	return 0;
}
