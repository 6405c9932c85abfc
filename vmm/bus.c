// SPDX-License-Identifier: Apache-2.0
/*
 * bus.c - the table of port or MMIO ranges. Addresses and widths come from the
 * guest and are not trusted.
 */
#include "vmm/bus.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

int bus_add(struct bus *b, const struct bus_range *r)
{
	uint64_t end;
	uint32_t at = 0;

	if (r->size == 0 || __builtin_add_overflow(r->base, r->size - 1, &end))
		return -EINVAL;
	if (b->cnt == BUS_RANGES_MAX)
		return -ENOSPC;
	while (at < b->cnt && b->range[at].base < r->base)
		at++;
	if (at < b->cnt && b->range[at].base <= end)
		return -EEXIST;
	if (at > 0 && r->base - b->range[at - 1].base < b->range[at - 1].size)
		return -EEXIST;
	memmove(&b->range[at + 1], &b->range[at],
		(b->cnt - at) * sizeof(b->range[0]));
	b->range[at] = *r;
	b->cnt++;
	return 0;
}

const struct bus_range *bus_find(const struct bus *b, uint64_t addr)
{
	uint32_t lo = 0;
	uint32_t hi = b->cnt;

	/* The last range that starts at or below addr is lo - 1. */
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (b->range[mid].base <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || addr - b->range[lo - 1].base >= b->range[lo - 1].size)
		return NULL;
	return &b->range[lo - 1];
}

/** bus_match() - the range that takes this whole access, or NULL. */
static const struct bus_range *bus_match(const struct bus *b, uint64_t addr,
					 uint32_t len)
{
	const struct bus_range *r = bus_find(b, addr);

	/* An access across a page comes from KVM in parts of 1 to 7 bytes. */
	if (!r || (len & (len - 1)) || !(r->widths & len) ||
	    r->size - (addr - r->base) < len)
		return NULL;
	return r;
}

int bus_read(const struct bus *b, uint64_t addr, uint32_t len,
	     uint64_t *ret_value)
{
	const struct bus_range *r = bus_match(b, addr, len);

	*ret_value = bus_mask(len);
	if (!r)
		return -ENOENT;
	*ret_value &= r->ops->read(r->ctx, addr - r->base, len);
	return 0;
}

int bus_write(const struct bus *b, uint64_t addr, uint32_t len, uint64_t value)
{
	const struct bus_range *r = bus_match(b, addr, len);

	if (!r)
		return -ENOENT;
	r->ops->write(r->ctx, addr - r->base, len, value & bus_mask(len));
	return 0;
}
