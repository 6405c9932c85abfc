// SPDX-License-Identifier: Apache-2.0
/*
 * rows.c - see rows.h.
 */
#include "tests/policy/rows.h"

const struct policy_row *rows_at(const struct policy_table *t, uint32_t idx)
{
	for (size_t s = 0; s < POLICY_SETS_MAX && t->sets[s]; s++) {
		if (idx < t->sets[s]->cnt)
			return &t->sets[s]->rows[idx];
		idx -= (uint32_t)t->sets[s]->cnt;
	}
	return NULL;
}

/* rows_is_equality() - is @test of one value? */
static bool rows_is_equality(const struct policy_test *test)
{
	return test->op == POLICY_EQ16 || test->op == POLICY_EQ32 ||
	       test->op == POLICY_EQ64;
}

/* rows_fill() - see rows_args(). */
static void rows_fill(const struct policy_row *row, uint64_t args[6])
{
	for (size_t i = 0; i < 6; i++)
		args[i] = UINT64_MAX;
	for (size_t i = 0; i < POLICY_TESTS_MAX; i++) {
		const struct policy_test *t = &row->test[i];

		if (t->op == POLICY_CLEAR)
			args[t->arg] &= ~t->value;
		else if (t->op != POLICY_ANY)
			args[t->arg] = t->value;
	}
}

/* rows_returns() - does the call come back? */
static bool rows_returns(int number)
{
	/* A stack without a signal frame is taken for one. */
	return number != SYS_exit && number != SYS_exit_group &&
	       number != SYS_rt_sigreturn;
}

bool rows_args(const struct policy_table *t, const struct policy_table *process,
	       const struct policy_row *row, uint64_t args[6])
{
	const struct policy_row *of_process;

	rows_fill(row, args);
	if (!rows_returns(row->number) ||
	    policy_match(t, row->number, args) != row)
		return false;
	of_process = policy_match(process, row->number, args);
	return of_process && of_process->action == row->action;
}

bool rows_neighbour(const struct policy_table *t,
		    const struct policy_table *process,
		    const struct policy_row *row, uint64_t args[6])
{
	const struct policy_row *of_process;

	rows_fill(row, args);
	for (size_t i = 0; i < POLICY_TESTS_MAX; i++) {
		if (!rows_is_equality(&row->test[i]))
			continue;
		args[row->test[i].arg]++;
		of_process = policy_match(process, row->number, args);
		return rows_returns(row->number) &&
		       !policy_match(t, row->number, args) &&
		       (!of_process || of_process->action == POLICY_ALLOW);
	}
	return false;
}
