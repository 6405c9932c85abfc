/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bus.h - which device model answers a port or an MMIO address. The table is
 * built before the vCPUs run and never changes, so looking up takes no lock.
 */
#ifndef VMM_BUS_H
#define VMM_BUS_H

#include <stdint.h>

#include "ipc/compiler.h"

#define BUS_RANGES_MAX 16

/* Access widths in bytes, for bus_range.widths. */
#define BUS_W8 1u
#define BUS_W16 2u
#define BUS_W32 4u
#define BUS_W64 8u

/**
 * struct bus_ops - answers accesses; called on vCPU threads, several at once
 * @read: @offset + @len lies inside the range and @len is one of its widths
 * @write: likewise; bits of @value above @len bytes are 0
 */
struct bus_ops {
	uint64_t (*read)(void *ctx, uint64_t offset, uint32_t len);
	void (*write)(void *ctx, uint64_t offset, uint32_t len, uint64_t value);
};

/**
 * struct bus_range - one row
 * @name: static, for errors
 * @widths: BUS_W bits that @ops accepts
 */
struct bus_range {
	const char *name;
	uint64_t base;
	uint64_t size;
	uint32_t widths;
	const struct bus_ops *ops;
	void *ctx;
};

/**
 * struct bus - sorted, disjoint ranges
 * @range: range[0..cnt), ascending by base
 */
struct bus {
	struct bus_range range[BUS_RANGES_MAX];
	uint32_t cnt;
};

/**
 * bus_add() - adds a range, copying @r
 * Return: 0; -ENOSPC table full; -EEXIST overlap; -EINVAL empty or wrapping.
 */
MUST_CHECK int bus_add(struct bus *b, const struct bus_range *r);

/** bus_find() - the range that holds @addr, or NULL. */
const struct bus_range *bus_find(const struct bus *b, uint64_t addr);

/**
 * bus_read() - *@ret_value is all ones of @len bytes if nobody answers
 * @len: 1..8; what is no power of two is a wrong width
 * Return: 0; -ENOENT no range, wrong width or the access leaves the range.
 */
MUST_CHECK int bus_read(const struct bus *b, uint64_t addr, uint32_t len,
			uint64_t *ret_value);
MUST_CHECK int bus_write(const struct bus *b, uint64_t addr, uint32_t len,
			 uint64_t value);

/** bus_mask() - the bits that an access of @len bytes has. */
static inline uint64_t bus_mask(uint32_t len)
{
	return len >= 8 ? UINT64_MAX : (1ULL << (len * 8)) - 1;
}

#endif
