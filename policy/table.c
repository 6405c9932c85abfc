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
	[POLICY_FILTER_NET] = &table_net,
	[POLICY_FILTER_FS] = &table_fs,
	[POLICY_FILTER_GPU] = &table_gpu,
	[POLICY_FILTER_GPU_SOFTWARE] = &table_gpu_software,
	[POLICY_FILTER_VMM_MAIN] = &table_vmm_main,
	[POLICY_FILTER_VMM_VCPU] = &table_vmm_vcpu,
	[POLICY_FILTER_BLK_MAIN] = &table_blk_main,
	[POLICY_FILTER_BLK_QUEUE] = &table_blk_queue,
	[POLICY_FILTER_NET_MAIN] = &table_net_main,
	[POLICY_FILTER_NET_QUEUE] = &table_net_queue,
	[POLICY_FILTER_FS_MAIN] = &table_fs_main,
	[POLICY_FILTER_FS_QUEUE] = &table_fs_queue,
	[POLICY_FILTER_GPU_MAIN] = &table_gpu_main,
	[POLICY_FILTER_GPU_QUEUE] = &table_gpu_queue,
	[POLICY_FILTER_GPU_SOFTWARE_QUEUE] = &table_gpu_software_queue,
};
_Static_assert(ARRAY_SIZE(policy_tables) == POLICY_FILTER_COUNT,
	       "a table for each filter");

/* Filter of each kind of thread; POLICY_FILTER_COUNT: its process's. */
static const enum policy_filter
	policy_threads[ROLE_COUNT][CONFINE_THREAD_COUNT] = {
		[ROLE_MONITOR] = {POLICY_FILTER_COUNT, POLICY_FILTER_COUNT,
				  POLICY_FILTER_COUNT},
		[ROLE_VMM] = {[CONFINE_THREAD_MAIN] = POLICY_FILTER_VMM_MAIN,
			      [CONFINE_THREAD_VCPU] = POLICY_FILTER_VMM_VCPU,
			      [CONFINE_THREAD_QUEUE] = POLICY_FILTER_COUNT},
		[ROLE_BLK] = {[CONFINE_THREAD_MAIN] = POLICY_FILTER_BLK_MAIN,
			      [CONFINE_THREAD_VCPU] = POLICY_FILTER_COUNT,
			      [CONFINE_THREAD_QUEUE] = POLICY_FILTER_BLK_QUEUE},
		[ROLE_NET] = {[CONFINE_THREAD_MAIN] = POLICY_FILTER_NET_MAIN,
			      [CONFINE_THREAD_VCPU] = POLICY_FILTER_COUNT,
			      [CONFINE_THREAD_QUEUE] = POLICY_FILTER_NET_QUEUE},
		[ROLE_FS] = {[CONFINE_THREAD_MAIN] = POLICY_FILTER_FS_MAIN,
			     [CONFINE_THREAD_VCPU] = POLICY_FILTER_COUNT,
			     [CONFINE_THREAD_QUEUE] = POLICY_FILTER_FS_QUEUE},
		[ROLE_GPU] = {[CONFINE_THREAD_MAIN] = POLICY_FILTER_GPU_MAIN,
			      [CONFINE_THREAD_VCPU] = POLICY_FILTER_COUNT,
			      [CONFINE_THREAD_QUEUE] = POLICY_FILTER_GPU_QUEUE},
};

/* Set once before the walls stand; the role's own otherwise. */
static enum policy_filter policy_variant = POLICY_FILTER_COUNT;

const struct policy_table *policy_table(enum policy_filter filter)
{
	BUG_ON(filter >= POLICY_FILTER_COUNT);
	return policy_tables[filter];
}

void policy_variant_choose(enum policy_filter filter)
{
	BUG_ON(filter >= POLICY_FILTER_VMM_MAIN);
	policy_variant = filter;
}

enum policy_filter policy_filter_of_role(enum role role)
{
	static const enum policy_filter filters[] = {
		[ROLE_MONITOR] = POLICY_FILTER_MONITOR,
		[ROLE_VMM] = POLICY_FILTER_VMM,
		[ROLE_BLK] = POLICY_FILTER_BLK,
		[ROLE_NET] = POLICY_FILTER_NET,
		[ROLE_FS] = POLICY_FILTER_FS,
		[ROLE_GPU] = POLICY_FILTER_GPU,
	};

	BUG_ON(role >= ROLE_COUNT);
	if (policy_variant != POLICY_FILTER_COUNT &&
	    policy_tables[policy_variant]->role == role)
		return policy_variant;
	return filters[role];
}

enum policy_filter policy_filter_of_thread(enum role role,
					   enum confine_thread_kind kind)
{
	BUG_ON(role >= ROLE_COUNT || kind >= CONFINE_THREAD_COUNT);
	if (policy_filter_of_role(role) == POLICY_FILTER_GPU_SOFTWARE &&
	    kind == CONFINE_THREAD_QUEUE)
		return POLICY_FILTER_GPU_SOFTWARE_QUEUE;
	return policy_threads[role][kind];
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
	case POLICY_EQ16:
		return (uint16_t)arg == t->value;
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
