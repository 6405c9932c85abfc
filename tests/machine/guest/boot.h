/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: what the VMM handed over at entry, whichever way that was.
 */
#ifndef GUEST_BOOT_H
#define GUEST_BOOT_H

#include "lib.h"

#define BOOT_RANGES_MAX 64
#define BOOT_RAM 1
#define BOOT_RESERVED 2

struct boot_range {
	uint64_t addr, bytes;
	uint32_t type; /* e820 type */
};

struct boot_info {
	uint32_t how; /* BOOT_PVH or BOOT_LINUX64 */
	uint64_t rsdp;
	uint64_t initrd, initrd_bytes;
	unsigned int range_cnt;
	struct boot_range range[BOOT_RANGES_MAX];
};

extern struct boot_info boot;

/* Takes copies of all that it needs, so that the memory may be reused. */
const char *boot_read(uint32_t data, uint32_t how);
bool boot_is(uint64_t addr, uint64_t bytes, uint32_t type);

#endif
