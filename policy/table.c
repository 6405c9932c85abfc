// SPDX-License-Identifier: Apache-2.0
/*
 * table.c - finds tables and rows. Linked by every process; the match runs in
 * the violation handler, so no libc call beyond memory reads.
 */
#include "policy/rows.h"

#include <string.h>

static const struct policy_table *const policy_tables[] = {
	[POLICY_FILTER_MONITOR] = &table_monitor,
	[POLICY_FILTER_VMM] = &table_vmm,
	[POLICY_FILTER_BLK] = &table_blk,
	[POLICY_FILTER_VMM_MAIN] = &table_vmm_main,
	[POLICY_FILTER_VMM_VCPU] = &table_vmm_vcpu,
	[POLICY_FILTER_BLK_MAIN] = &table_blk_main,
	[POLICY_FILTER_BLK_QUEUE] = &table_blk_queue,
};
_Static_assert(ARRAY_SIZE(policy_tables) == POLICY_FILTER_COUNT,
	       "a table for each filter");

const struct policy_table *policy_table(enum policy_filter filter)
{
	BUG_ON(filter >= POLICY_FILTER_COUNT);
	return policy_tables[filter];
}

enum policy_filter policy_filter_of_role(enum role role)
{
	static const enum policy_filter filters[] = {
		[ROLE_MONITOR] = POLICY_FILTER_MONITOR,
		[ROLE_VMM] = POLICY_FILTER_VMM,
		[ROLE_BLK] = POLICY_FILTER_BLK,
		[ROLE_NET] = POLICY_FILTER_COUNT,
		[ROLE_FS] = POLICY_FILTER_COUNT,
		[ROLE_GPU] = POLICY_FILTER_COUNT,
	};

	BUG_ON(role >= ROLE_COUNT);
	return filters[role];
}

enum policy_filter policy_filter_of_thread(enum role role,
					   enum confine_thread_kind kind)
{
	static const enum policy_filter vmm[] = {
		[CONFINE_THREAD_MAIN] = POLICY_FILTER_VMM_MAIN,
		[CONFINE_THREAD_VCPU] = POLICY_FILTER_VMM_VCPU,
		[CONFINE_THREAD_QUEUE] = POLICY_FILTER_COUNT,
	};
	static const enum policy_filter blk[] = {
		[CONFINE_THREAD_MAIN] = POLICY_FILTER_BLK_MAIN,
		[CONFINE_THREAD_VCPU] = POLICY_FILTER_COUNT,
		[CONFINE_THREAD_QUEUE] = POLICY_FILTER_BLK_QUEUE,
	};

	BUG_ON(kind >= CONFINE_THREAD_COUNT);
	if (role == ROLE_VMM)
		return vmm[kind];
	return role == ROLE_BLK ? blk[kind] : POLICY_FILTER_COUNT;
}

enum policy_filter policy_filter_by_name(const char *name)
{
	for (unsigned f = 0; f < POLICY_FILTER_COUNT; f++) {
		if (strcmp(policy_tables[f]->name, name) == 0)
			return (enum policy_filter)f;
	}
	return POLICY_FILTER_COUNT;
}

/* policy_test_holds() - one test on one argument. */
static bool policy_test_holds(const struct policy_test *t, uint64_t arg)
{
	switch (t->op) {
	case POLICY_ANY:
		return true;
	case POLICY_EQ32:
		return (uint32_t)arg == t->value;
	case POLICY_EQ64:
		return arg == t->value;
	case POLICY_CLEAR:
		return (arg & t->value) == 0;
	case POLICY_ONLY32:
		return ((uint32_t)arg & ~t->value) == 0;
	case POLICY_OP_COUNT:
		break;
	}
	return false;
}

bool policy_row_matches(const struct policy_row *row, int number,
			const uint64_t args[6])
{
	if (row->number != number)
		return false;
	for (size_t i = 0; i < POLICY_TESTS_MAX; i++) {
		if (!policy_test_holds(&row->test[i], args[row->test[i].arg]))
			return false;
	}
	return true;
}

const struct policy_row *policy_match(const struct policy_table *t, int number,
				      const uint64_t args[6])
{
	for (size_t s = 0; s < POLICY_SETS_MAX && t->sets[s]; s++) {
		const struct policy_set *set = t->sets[s];

		for (size_t i = 0; i < set->cnt; i++) {
			if (policy_row_matches(&set->rows[i], number, args))
				return &set->rows[i];
		}
	}
	return NULL;
}
