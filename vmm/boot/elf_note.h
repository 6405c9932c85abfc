/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_note.h - finds one note in the bytes of a PT_NOTE segment. Pure.
 */
#ifndef VMM_BOOT_ELF_NOTE_H
#define VMM_BOOT_ELF_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"

/* XEN_ELFNOTE_PHYS32_ENTRY (Xen public/elfnote.h): the PVH entry. */
#define ELF_NOTE_PVH 18u

/**
 * elf_note_pvh() - the PVH entry that a kernel announces
 * @notes: @len bytes of the segment
 * @align: of the segment: 8, or anything else for 4
 * @ret_entry: guest-physical
 * Return: 0; -ENOENT no such note; -EINVAL a note that leaves the segment, or a
 * PVH note whose value is not 4 or 8 bytes or not below 4 GiB.
 */
MUST_CHECK int elf_note_pvh(const uint8_t *notes, size_t len, uint64_t align,
			    uint32_t *ret_entry);

#endif
