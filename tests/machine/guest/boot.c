// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: reads hvm_start_info (Xen PVH boot ABI, version 0 and 1) or the
 * zero page (Linux x86 boot protocol 2.15) into one boot_info.
 */
#include "boot.h"
#include "layout.h"

#define PVH_MAGIC 0x336ec578u

struct pvh_start_info {
	uint32_t magic, version, flags, nr_modules;
	uint64_t modlist, cmdline, rsdp;
	/* version 1 */
	uint64_t memmap;
	uint32_t memmap_cnt, reserved;
};

struct pvh_range {
	uint64_t addr, bytes;
	uint32_t type, reserved;
};

struct pvh_module {
	uint64_t addr, bytes, cmdline, reserved;
};

struct e820_entry {
	uint64_t addr, bytes;
	uint32_t type;
} __attribute__((packed));

struct boot_info boot;

/** boot_range_add - one memory range. */
static void boot_range_add(uint64_t addr, uint64_t bytes, uint32_t type)
{
	if (boot.range_cnt < BOOT_RANGES_MAX)
		boot.range[boot.range_cnt++] =
			(struct boot_range){addr, bytes, type};
}

/** boot_read_pvh - returns NULL or what is wrong. */
static const char *boot_read_pvh(const struct pvh_start_info *si)
{
	if (si->magic != PVH_MAGIC)
		return "start info has a wrong magic";
	args_set(si->cmdline ? at_addr(si->cmdline) : "");
	boot.rsdp = si->rsdp;
	if (si->nr_modules) {
		const struct pvh_module *m = at_addr(si->modlist);

		boot.initrd = m->addr;
		boot.initrd_bytes = m->bytes;
	}
	if (si->version < 1 || !si->memmap)
		return "start info has no memory map";
	for (uint32_t i = 0; i < si->memmap_cnt; i++) {
		const struct pvh_range *r = at_addr(si->memmap);

		boot_range_add(r[i].addr, r[i].bytes, r[i].type);
	}
	return NULL;
}

/** zp_u32 - a field of the zero page. */
static uint32_t zp_u32(const uint8_t *zp, unsigned int off)
{
	uint32_t v;

	memcpy(&v, zp + off, sizeof(v));
	return v;
}

/** boot_read_zero_page - offsets are those of struct boot_params. */
static const char *boot_read_zero_page(const uint8_t *zp)
{
	uint64_t cmdline = zp_u32(zp, 0x228) | (uint64_t)zp_u32(zp, 0xc8) << 32;
	unsigned int cnt = zp[0x1e8];

	args_set(cmdline ? at_addr(cmdline) : "");
	boot.rsdp = zp_u32(zp, 0x70) | (uint64_t)zp_u32(zp, 0x74) << 32;
	boot.initrd = zp_u32(zp, 0x218) | (uint64_t)zp_u32(zp, 0xc0) << 32;
	boot.initrd_bytes = zp_u32(zp, 0x21c) | (uint64_t)zp_u32(zp, 0xc4)
							<< 32;
	for (unsigned int i = 0; i < cnt; i++) {
		struct e820_entry e;

		memcpy(&e, zp + 0x2d0 + i * sizeof(e), sizeof(e));
		boot_range_add(e.addr, e.bytes, e.type);
	}
	if (zp[0x210] == 0)
		return "zero page: type_of_loader is 0";
	return NULL;
}

const char *boot_read(uint32_t data, uint32_t how)
{
	boot.how = how;
	if (how == BOOT_PVH)
		return boot_read_pvh(at_addr(data));
	return boot_read_zero_page(at_addr(data));
}

/** boot_is - does one range of @type hold all of [addr, addr + bytes)? */
bool boot_is(uint64_t addr, uint64_t bytes, uint32_t type)
{
	for (unsigned int i = 0; i < boot.range_cnt; i++) {
		const struct boot_range *r = &boot.range[i];

		if (r->type == type && addr >= r->addr && bytes <= r->bytes &&
		    addr - r->addr <= r->bytes - bytes)
			return true;
	}
	return false;
}
