// SPDX-License-Identifier: Apache-2.0
/*
 * allow_test.c - the walls do not break what processes need: ordinary work by
 * every role and thread, and the call of every row of every table. What a row
 * nearly allows ends the process.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/policy/places.h"
#include "tests/policy/rows.h"
#include "tests/policy/run_probe.h"
#include "tests/policy/suites.h"

static void test_work(void)
{
	for (unsigned f = 0; f < POLICY_FILTER_COUNT; f++) {
		const struct place p = place_of((enum policy_filter)f);
		const struct probe_request req = place_request(&p, PROBE_WORK);
		struct probe_run run;

		probe_start(&run, &req, 0);
		probe_end(&run);
		CU_ASSERT(run.got_result);
		CU_ASSERT_EQUAL(run.result.ret, 0);
		CU_ASSERT_EQUAL(run.status, 0);
		CU_ASSERT_EQUAL(run.log_cnt, 4);
		if (run.status != 0 || run.log_cnt != 4 || run.result.ret)
			printf("\n%s: status %#x: ret %ld: %s ",
			       policy_table(p.filter)->name,
			       (unsigned)run.status, run.result.ret, run.text);
	}
}

/* rows_triable() - rows of @p's table whose call comes back. */
static uint32_t rows_triable(const struct place *p)
{
	const struct policy_table *t = policy_table(p->filter);
	const struct policy_row *row;
	uint64_t args[6];
	uint32_t cnt = 0;

	for (uint32_t i = 0; (row = rows_at(t, i)); i++)
		cnt += rows_args(t, policy_table(p->process), row, args);
	return cnt;
}

static void test_every_row(void)
{
	for (unsigned f = 0; f < POLICY_FILTER_COUNT; f++) {
		const struct place p = place_of((enum policy_filter)f);
		const struct policy_table *t = policy_table(p.filter);
		const struct probe_request req = place_request(&p, PROBE_ROWS);
		struct probe_run run;
		uint32_t all = 0;

		while (rows_at(t, all))
			all++;
		probe_start(&run, &req, 0);
		probe_end(&run);
		if (!run.got_result || run.result.ret)
			printf("\n%s: row %u %s: %ld; %s ", t->name,
			       run.result.row,
			       run.got_result && run.result.row < all
				       ? rows_at(t, run.result.row)->name
				       : "?",
			       run.result.ret, run.text);
		CU_ASSERT(run.got_result);
		CU_ASSERT_EQUAL(run.result.ret, 0);
		CU_ASSERT_EQUAL(run.result.row, all);
		CU_ASSERT_EQUAL(run.result.tried, rows_triable(&p));
		/* Three never return; few are decided by an earlier row. */
		CU_ASSERT(run.result.tried + 8 >= all);
		CU_ASSERT_EQUAL(run.log_cnt, 0);
	}
}

/* neighbour_check() - the call beside row @idx ends the process. */
static void neighbour_check(const struct place *p, uint32_t idx)
{
	struct probe_request req = place_request(p, PROBE_NEIGHBOUR);
	struct probe_run run;

	req.escape = idx;
	probe_start(&run, &req, 0);
	probe_end(&run);
	if (WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGSYS &&
	    !run.got_result)
		return;
	printf("\n%s: beside row %u %s: status %#x ret %ld ",
	       policy_table(p->filter)->name, idx,
	       rows_at(policy_table(p->filter), idx)->name,
	       (unsigned)run.status, run.result.ret);
	CU_FAIL("what a row nearly allows went through");
}

static void test_neighbours(void)
{
	uint32_t cnt = 0;

	for (unsigned f = 0; f < POLICY_FILTER_COUNT; f++) {
		const struct place p = place_of((enum policy_filter)f);
		const struct policy_table *t = policy_table(p.filter);
		const struct policy_row *row;
		uint64_t args[6];

		for (uint32_t i = 0; (row = rows_at(t, i)); i++) {
			if (!rows_neighbour(t, policy_table(p.process), row,
					    args))
				continue;
			neighbour_check(&p, i);
			cnt++;
		}
	}
	CU_ASSERT(cnt > 100);
}

const struct unit_case cases_allow[] = {
	UNIT_CASE(test_work),
	UNIT_CASE(test_every_row),
	UNIT_CASE(test_neighbours),
};
