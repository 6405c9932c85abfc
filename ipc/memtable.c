// SPDX-License-Identifier: Apache-2.0
/*
 * memtable.c - guest RAM ranges. The monitor lays them out; vmm and devices
 * check the table that a peer sent and look guest addresses up in it. Peers and
 * guest addresses are not trusted.
 */
#include "ipc/memtable.h"

#include <errno.h>
#include <stdbool.h>

#define MEMTABLE_PAGE_BYTES 4096u
/* No x86 CPU has more physical address bits than this. */
#define MEMTABLE_GPA_BITS 52

void memtable_layout(uint64_t size, struct memtable *ret_table)
{
	uint64_t low = size < MEMTABLE_LOW_END ? size : MEMTABLE_LOW_END;

	BUG_ON(size == 0 || size % MEMTABLE_PAGE_BYTES ||
	       size > (1ULL << MEMTABLE_GPA_BITS) - MEMTABLE_HIGH_START);
	*ret_table = (struct memtable){.cnt = 1};
	ret_table->region[0].size = low;
	if (low == size)
		return;
	ret_table->cnt = 2;
	ret_table->region[1] = (struct memtable_region){
		.gpa = MEMTABLE_HIGH_START,
		.size = size - low,
		.offset = low,
	};
}

/* Are @r's own numbers sane? */
static bool memtable_region_ok(const struct memtable_region *r,
			       uint64_t memfd_size)
{
	uint64_t end;

	if (r->size == 0)
		return false;
	if ((r->gpa | r->size | r->offset) % MEMTABLE_PAGE_BYTES)
		return false;
	if (__builtin_add_overflow(r->gpa, r->size, &end))
		return false;
	if (__builtin_add_overflow(r->offset, r->size, &end))
		return false;
	return end <= memfd_size;
}

/* Does @r, whose own numbers are sane, fit behind those in @t? */
static bool memtable_region_fits(const struct memtable *t,
				 const struct memtable_region *r)
{
	for (uint32_t i = 0; i < t->cnt; i++) {
		const struct memtable_region *o = &t->region[i];

		if (r->gpa < o->gpa + o->size)
			return false;
		if (r->offset < o->offset + o->size &&
		    o->offset < r->offset + r->size)
			return false;
	}
	return true;
}

int memtable_from_proto(Bulkhead__Memory__Region *const *regions, size_t cnt,
			uint64_t memfd_size, struct memtable *ret_table)
{
	struct memtable t = {.cnt = 0};

	if (cnt == 0 || cnt > MEMTABLE_REGIONS_MAX)
		return -EPROTO;
	for (size_t i = 0; i < cnt; i++) {
		struct memtable_region r = {
			.gpa = regions[i]->gpa,
			.size = regions[i]->size,
			.offset = regions[i]->offset,
		};

		if (!memtable_region_ok(&r, memfd_size) ||
		    !memtable_region_fits(&t, &r))
			return -EPROTO;
		t.region[t.cnt++] = r;
	}
	*ret_table = t;
	return 0;
}

int memtable_find(const struct memtable *t, uint64_t gpa, uint64_t len,
		  uint64_t *ret_offset)
{
	for (uint32_t i = 0; i < t->cnt; i++) {
		const struct memtable_region *r = &t->region[i];

		if (gpa < r->gpa || gpa - r->gpa >= r->size)
			continue;
		if (len > r->size - (gpa - r->gpa))
			return -EFAULT;
		*ret_offset = r->offset + (gpa - r->gpa);
		return 0;
	}
	return -EFAULT;
}
