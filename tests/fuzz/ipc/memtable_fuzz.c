// SPDX-License-Identifier: Apache-2.0
/*
 * memtable_fuzz.c - any table of regions, then any lookup in an accepted one.
 * Input: memfd size, gpa, length, then regions, all as 64-bit numbers in units
 * of bytes.
 */
#include <string.h>

#include "ipc/memtable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REGIONS (MEMTABLE_REGIONS_MAX + 1)

/* Every accepted region must be findable whole, and nothing beside it. */
static void fuzz_regions(const struct memtable *t, uint64_t memfd_size)
{
	uint64_t total = 0;

	BUG_ON(t->cnt == 0 || t->cnt > MEMTABLE_REGIONS_MAX);
	for (uint32_t i = 0; i < t->cnt; i++) {
		const struct memtable_region *r = &t->region[i];
		uint64_t off = UINT64_MAX;

		BUG_ON(memtable_find(t, r->gpa, r->size, &off));
		BUG_ON(off != r->offset || r->size > memfd_size - off);
		BUG_ON(!memtable_find(t, r->gpa, r->size + 1, &off));
		total += r->size;
	}
	/* Disjoint in the file. */
	BUG_ON(total > memfd_size);
}

/* A range that was found lies in the file and in one region. */
static void fuzz_lookup(const struct memtable *t, uint64_t memfd_size,
			uint64_t gpa, uint64_t len)
{
	uint64_t off = 0;

	if (memtable_find(t, gpa, len, &off))
		return;
	BUG_ON(off > memfd_size || len > memfd_size - off);
	BUG_ON(gpa + len < gpa);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t head[3];
	uint64_t nums[FUZZ_REGIONS][3];
	Bulkhead__Memory__Region msgs[FUZZ_REGIONS];
	Bulkhead__Memory__Region *ptrs[FUZZ_REGIONS];
	struct memtable t;
	size_t cnt;

	if (size < sizeof(head))
		return 0;
	memcpy(head, data, sizeof(head));
	cnt = (size - sizeof(head)) / sizeof(nums[0]);
	if (cnt > FUZZ_REGIONS)
		cnt = FUZZ_REGIONS;
	memcpy(nums, data + sizeof(head), cnt * sizeof(nums[0]));
	for (size_t i = 0; i < cnt; i++) {
		bulkhead__memory__region__init(&msgs[i]);
		msgs[i].gpa = nums[i][0];
		msgs[i].size = nums[i][1];
		msgs[i].offset = nums[i][2];
		ptrs[i] = &msgs[i];
	}
	if (memtable_from_proto(ptrs, cnt, head[0], &t))
		return 0;
	fuzz_regions(&t, head[0]);
	fuzz_lookup(&t, head[0], head[1], head[2]);
	return 0;
}
