// SPDX-License-Identifier: Apache-2.0
/*
 * elf_note_fuzz.c - notes of a tenant's kernel: any bytes, both alignments.
 * Input: one byte for the alignment, then the notes.
 */
#include <errno.h>

#include "vmm/boot/elf_note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t entry = 0;
	int rc;

	if (size == 0)
		return 0;
	rc = elf_note_pvh(data + 1, size - 1, data[0] & 1 ? 8 : 4, &entry);
	BUG_ON(rc != 0 && rc != -ENOENT && rc != -EINVAL);
	BUG_ON(rc != 0 && entry != 0);
	return 0;
}
