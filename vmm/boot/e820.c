// SPDX-License-Identifier: Apache-2.0
/*
 * e820.c - the guest's memory map. Runs in the vmm. Pure: all addresses come
 * from vmm/layout.h and the memory table.
 * Spec: ACPI 6.5 section 15 (system address map interfaces).
 */
#include "vmm/boot/e820.h"

#include <errno.h>
#include <stdbool.h>

#include "vmm/layout.h"

/* Fixed entries below 1 MiB and in the hole below 4 GiB. */
static const struct boot_e820 e820_low[] = {
	{0, LAYOUT_LOW_RAM_END, E820_RAM},
	{LAYOUT_LOW_RAM_END, LAYOUT_ACPI_GPA - LAYOUT_LOW_RAM_END,
	 E820_RESERVED},
	{LAYOUT_ACPI_GPA, LAYOUT_ACPI_SIZE, E820_ACPI},
};

static const struct boot_e820 e820_hole[] = {
	/* Linux uses ECAM only if it is reserved here and in the DSDT. */
	{LAYOUT_ECAM_GPA, LAYOUT_ECAM_SIZE, E820_RESERVED},
	/* KVM's identity page and TSS lie here on hosts that need them. */
	{LAYOUT_KVM_IDENTITY_GPA,
	 LAYOUT_KVM_TSS_GPA + 3ULL * 4096 - LAYOUT_KVM_IDENTITY_GPA,
	 E820_RESERVED},
};

_Static_assert(LAYOUT_ACPI_GPA + LAYOUT_ACPI_SIZE == LAYOUT_HIMEM_GPA,
	       "the ACPI area ends where RAM begins again");
_Static_assert(ARRAY_SIZE(e820_low) + ARRAY_SIZE(e820_hole) +
			       MEMTABLE_REGIONS_MAX <=
		       BOOT_E820_MAX,
	       "every memory table fits");

/* e820_append() - copies @cnt entries behind map[@used). */
static uint32_t e820_append(struct boot_e820 *map, uint32_t used,
			    const struct boot_e820 *entries, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		map[used++] = entries[i];
	return used;
}

int e820_build(const struct memtable *table,
	       struct boot_e820 ret_map[BOOT_E820_MAX])
{
	uint32_t used = e820_append(ret_map, 0, e820_low, ARRAY_SIZE(e820_low));
	bool hole = false;

	if (table->cnt > MEMTABLE_REGIONS_MAX)
		return -ENOSPC;
	for (uint32_t i = 0; i < table->cnt; i++) {
		uint64_t start = table->region[i].gpa;
		uint64_t end = start + table->region[i].size;

		if (start < LAYOUT_HIMEM_GPA)
			start = LAYOUT_HIMEM_GPA;
		if (start >= end)
			continue;
		if (start >= MEMTABLE_LOW_END && !hole) {
			used = e820_append(ret_map, used, e820_hole,
					   ARRAY_SIZE(e820_hole));
			hole = true;
		}
		ret_map[used++] =
			(struct boot_e820){start, end - start, E820_RAM};
	}
	if (!hole)
		used = e820_append(ret_map, used, e820_hole,
				   ARRAY_SIZE(e820_hole));
	return (int)used;
}
