// SPDX-License-Identifier: Apache-2.0
/*
 * elf_note.c - ELF notes of a tenant's kernel. Runs in the confined vmm; sizes
 * in the notes are not trusted.
 * Spec: System V gABI, "Note Section"; Xen, docs/misc/pvh.
 */
#include "vmm/boot/elf_note.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* note_align() - @value rounded up; false when that does not fit. */
static bool note_align(size_t *value, size_t align)
{
	if (__builtin_add_overflow(*value, align - 1, value))
		return false;
	*value &= ~(align - 1);
	return true;
}

/**
 * struct note - one note, by offsets into the segment
 * @name: offset of the name
 * @desc: offset of the value
 * @next: offset of the next note; may be behind the end for the last one
 */
struct note {
	Elf64_Nhdr hdr;
	size_t name;
	size_t desc;
	size_t next;
};

/* note_read() - the note at @at; -EINVAL when it leaves the segment. */
static int note_read(const uint8_t *notes, size_t len, size_t at, size_t align,
		     struct note *n)
{
	if (len - at < sizeof(n->hdr))
		return -EINVAL;
	memcpy(&n->hdr, notes + at, sizeof(n->hdr));
	n->name = at + sizeof(n->hdr);
	if (n->hdr.n_namesz > len - n->name)
		return -EINVAL;
	n->desc = n->name + n->hdr.n_namesz;
	if (!note_align(&n->desc, align) || n->desc > len ||
	    n->hdr.n_descsz > len - n->desc)
		return -EINVAL;
	n->next = n->desc + n->hdr.n_descsz;
	return note_align(&n->next, align) ? 0 : -EINVAL;
}

/* note_entry() - the value of a PVH note. */
static int note_entry(const uint8_t *desc, size_t len, uint32_t *ret_entry)
{
	uint64_t value = 0;

	if (len != 4 && len != 8)
		return -EINVAL;
	memcpy(&value, desc, len);
	if (value > UINT32_MAX)
		return -EINVAL;
	*ret_entry = (uint32_t)value;
	return 0;
}

int elf_note_pvh(const uint8_t *notes, size_t len, uint64_t align,
		 uint32_t *ret_entry)
{
	static const char name[] = "Xen";
	size_t step = align == 8 ? 8 : 4;
	struct note n;

	/* Each note is at least its header: the loop ends after len / 12. */
	for (size_t at = 0; at < len; at = n.next) {
		int rc = note_read(notes, len, at, step, &n);

		if (rc < 0)
			return rc;
		if (n.hdr.n_type == ELF_NOTE_PVH &&
		    n.hdr.n_namesz == sizeof(name) &&
		    memcmp(notes + n.name, name, sizeof(name)) == 0)
			return note_entry(notes + n.desc, n.hdr.n_descsz,
					  ret_entry);
	}
	return -ENOENT;
}
