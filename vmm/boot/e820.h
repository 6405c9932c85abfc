/* SPDX-License-Identifier: Apache-2.0 */
/*
 * e820.h - the memory map that the guest's kernel is given.
 */
#ifndef VMM_BOOT_E820_H
#define VMM_BOOT_E820_H

#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/boot/boot.h"

#define E820_RAM 1u
#define E820_RESERVED 2u
#define E820_ACPI 3u

/**
 * e820_build() - ascending map of @table's RAM and of what is reserved
 * Return: entries written, at most BOOT_E820_MAX; -ENOSPC too many regions.
 */
MUST_CHECK int e820_build(const struct memtable *table,
			  struct boot_e820 ret_map[BOOT_E820_MAX]);

#endif
