// SPDX-License-Identifier: Apache-2.0
/*
 * arena_test.c - decoding never takes more than its cap.
 */
#include "ipc/arena.h"

#include <stdalign.h>
#include <string.h>

#include "tests/support/unit/unit.h"

static void arena_caps(void)
{
	struct arena a;

	CU_ASSERT_EQUAL_FATAL(arena_init(&a), 0);

	void *all = a.alloc.alloc(a.alloc.allocator_data, ARENA_BYTES);

	CU_ASSERT_PTR_NOT_NULL_FATAL(all);
	memset(all, 0xff, ARENA_BYTES); /* ASan sees it if it is not there */
	CU_ASSERT_PTR_NULL(a.alloc.alloc(&a, 1));
	arena_reset(&a);
	CU_ASSERT_PTR_NULL(a.alloc.alloc(&a, ARENA_BYTES + 1));
	CU_ASSERT_PTR_NULL(a.alloc.alloc(&a, (size_t)-1));
	CU_ASSERT_PTR_NULL(a.alloc.alloc(&a, (size_t)-16));
	CU_ASSERT_PTR_EQUAL(a.alloc.alloc(&a, ARENA_BYTES), all);
	arena_fini(&a);
}

static void arena_near_its_end(void)
{
	struct arena a;

	CU_ASSERT_EQUAL_FATAL(arena_init(&a), 0);
	CU_ASSERT_PTR_NOT_NULL(a.alloc.alloc(&a, ARENA_BYTES - 1));
	/* Rounding up leads to the end: nothing left, and no wrap. */
	CU_ASSERT_PTR_NULL(a.alloc.alloc(&a, 1));
	CU_ASSERT_PTR_NULL(a.alloc.alloc(&a, (size_t)-1));
	arena_fini(&a);
}

static void arena_aligns(void)
{
	struct arena a;
	uint8_t *last = NULL;

	CU_ASSERT_EQUAL_FATAL(arena_init(&a), 0);
	for (size_t size = 1; size < 64; size++) {
		uint8_t *p = a.alloc.alloc(&a, size);

		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		CU_ASSERT_EQUAL((uintptr_t)p % alignof(max_align_t), 0);
		CU_ASSERT(last == NULL || p >= last + size - 1);
		memset(p, (int)size, size);
		last = p;
		a.alloc.free(&a, p);
	}
	arena_fini(&a);
}

static void arena_fini_of_nothing(void)
{
	struct arena a = {0};

	arena_fini(&a);
	CU_ASSERT_PTR_NULL(a.base);
}

static const struct unit_case arena_cases[] = {
	UNIT_CASE(arena_caps),
	UNIT_CASE(arena_near_its_end),
	UNIT_CASE(arena_aligns),
	UNIT_CASE(arena_fini_of_nothing),
};

const struct unit_suite unit_suites[] = {
	{"arena", arena_cases, ARRAY_SIZE(arena_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
