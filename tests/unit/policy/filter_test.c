// SPDX-License-Identifier: Apache-2.0
/*
 * filter_test.c - the compiled filters decide as the tables say. Guards against
 * a row that libseccomp merges with another in a way we did not mean, and
 * against the handler and the filter disagreeing.
 */
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/policy/bpf_run.h"
#include "tests/unit/policy/rows.h"
#include "tests/unit/policy/suites.h"

/* expected() - what the filter must return for a call. */
static uint32_t expected(const struct policy_table *t, int number,
			 const uint64_t args[6])
{
	const struct policy_row *r = policy_match(t, number, args);

	if (number == POLICY_KILL_CALL)
		return SECCOMP_RET_KILL_PROCESS;
	if (!r || r->action == POLICY_REFUSE)
		return SECCOMP_RET_TRAP;
	if (r->action == POLICY_REFUSE_QUIET)
		return SECCOMP_RET_ERRNO | (uint32_t)r->error;
	return SECCOMP_RET_ALLOW;
}

static void compare(enum policy_filter f, int number, const uint64_t args[6])
{
	struct seccomp_data data = {.nr = number, .arch = AUDIT_ARCH_X86_64};
	uint32_t want = expected(policy_table(f), number, args), got;

	for (size_t i = 0; i < 6; i++)
		data.args[i] = args[i];
	got = bpf_run(&policy_filters[f], &data);
	if (got != want)
		printf("\n%s: call %d(%llx,%llx,%llx,%llx): %#x, want %#x ",
		       policy_table(f)->name, number, data.args[0],
		       data.args[1], data.args[2], data.args[3], got, want);
	CU_ASSERT_EQUAL(got, want);
}

/* Every number, with arguments that are few bits, many, and all. */
static void test_every_number(void)
{
	const uint64_t patterns[] = {0, 1, UINT64_MAX, UINT32_MAX,
				     UINT64_C(0x100000000)};

	for (unsigned f = 0; f < POLICY_FILTER_COUNT; f++) {
		for (int number = 0; number < 600; number++) {
			for (size_t p = 0; p < ARRAY_SIZE(patterns); p++) {
				uint64_t v = patterns[p];
				const uint64_t args[6] = {v, v, v, v, v, v};

				compare((enum policy_filter)f, number, args);
			}
		}
	}
}

/* Each row's own form, and neighbours of it: one bit of an argument flipped. */
static void test_each_row_and_neighbours(void)
{
	for (unsigned f = 0; f < POLICY_FILTER_COUNT; f++) {
		FOR_EACH_ROW(policy_table((enum policy_filter)f), r)
		{
			uint64_t args[6] = {0};

			for (size_t i = 0; i < POLICY_TESTS_MAX; i++) {
				if (r->test[i].op == POLICY_EQ32 ||
				    r->test[i].op == POLICY_EQ64)
					args[r->test[i].arg] = r->test[i].value;
			}
			compare((enum policy_filter)f, r->number, args);
			for (size_t bit = 0; bit < 384; bit++) {
				args[bit / 64] ^= UINT64_C(1) << (bit % 64);
				compare((enum policy_filter)f, r->number, args);
				args[bit / 64] ^= UINT64_C(1) << (bit % 64);
			}
		}
	}
}

static void test_other_architectures_die(void)
{
	for (unsigned f = 0; f < POLICY_FILTER_COUNT; f++) {
		struct seccomp_data data = {.nr = 3, .arch = AUDIT_ARCH_I386};

		CU_ASSERT_EQUAL(bpf_run(&policy_filters[f], &data),
				SECCOMP_RET_KILL_PROCESS);
		data.arch = AUDIT_ARCH_X86_64;
		data.nr = 0x40000000; /* x32 */
		CU_ASSERT_EQUAL(bpf_run(&policy_filters[f], &data),
				SECCOMP_RET_KILL_PROCESS);
	}
}

static void test_names(void)
{
	CU_ASSERT_STRING_EQUAL(policy_syscall_name(0), "read");
	CU_ASSERT_STRING_EQUAL(policy_syscall_name(257), "openat");
	CU_ASSERT_STRING_EQUAL(policy_syscall_name(-1), "?");
	CU_ASSERT_STRING_EQUAL(policy_syscall_name(479), "?");
	CU_ASSERT_STRING_EQUAL(policy_syscall_name(480), "?");
	CU_ASSERT_STRING_EQUAL(policy_syscall_name(0x40000000), "?");
}

const struct unit_case cases_filter[] = {
	UNIT_CASE(test_every_number),
	UNIT_CASE(test_each_row_and_neighbours),
	UNIT_CASE(test_other_architectures_die),
	UNIT_CASE(test_names),
};
