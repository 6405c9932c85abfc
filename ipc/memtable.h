/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtable.h - the table of guest RAM ranges, one truth for monitor, vmm and
 * devices. Pure.
 */
#ifndef IPC_MEMTABLE_H
#define IPC_MEMTABLE_H

#include <stdint.h>

#include "ipc/compiler.h"
#include "proto/memory.pb-c.h"

#define MEMTABLE_REGIONS_MAX 8

/* RAM below the hole ends here at the latest; the hole ends at 4 GiB. */
#define MEMTABLE_LOW_END 0xc0000000ULL
#define MEMTABLE_HIGH_START 0x100000000ULL

struct memtable_region {
	uint64_t gpa;
	uint64_t size;
	uint64_t offset;
};

/**
 * struct memtable - ascending, disjoint, non-empty regions
 * @region: region[0..cnt)
 * @cnt: 1..MEMTABLE_REGIONS_MAX
 */
struct memtable {
	struct memtable_region region[MEMTABLE_REGIONS_MAX];
	uint32_t cnt;
};

/**
 * memtable_layout() - the x86 layout for @size bytes of RAM around the hole
 * @size: bytes, > 0, a multiple of 4096
 */
void memtable_layout(uint64_t size, struct memtable *ret_table);

/**
 * memtable_from_proto() - copies and checks a peer's table
 * @memfd_size: bytes of the memory fd
 * Return: 0; -EPROTO no or too many regions, size 0, misaligned to 4 KiB,
 * overflow, not ascending, overlap in guest space or in the file, or beyond
 * @memfd_size.
 */
MUST_CHECK int memtable_from_proto(Bulkhead__Memory__Region *const *regions,
				   size_t cnt, uint64_t memfd_size,
				   struct memtable *ret_table);

/**
 * memtable_find() - offset into the memory fd of [gpa, gpa + len)
 * Return: 0; -EFAULT when the range is not wholly inside one region or wraps.
 */
MUST_CHECK int memtable_find(const struct memtable *t, uint64_t gpa,
			     uint64_t len, uint64_t *ret_offset);

#endif
