// SPDX-License-Identifier: Apache-2.0
/*
 * escape_test.c - every attempt of escapes.c, by every role and by the threads
 * that have filters of their own: all fail, and in the right way. Then once
 * more with a filter that only logs, to show that the walls beneath hold alone.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "policy/table.h"
#include "tests/policy/escapes.h"
#include "tests/policy/run_probe.h"
#include "tests/policy/suites.h"

/*
 * escape_told() - the last log record names the call and the filter; a thread's
 * attempt that its process may not make either is told of the process's.
 */
static bool escape_told(const struct probe_run *run, const struct escape *e,
			const char *role)
{
	char want[64], filter[32];

	snprintf(want, sizeof(want), "seccomp refused %.*s(",
		 (int)strcspn(e->name, " "), e->name);
	snprintf(filter, sizeof(filter), " filter=%s", role);
	return strncmp(run->text, want, strlen(want)) == 0 &&
	       strstr(run->text, filter) != NULL;
}

/* escape_check() - did the attempt end as it must? */
static bool escape_check(const struct probe_run *run, const struct escape *e,
			 const char *role)
{
	bool killed =
		WIFSIGNALED(run->status) && WTERMSIG(run->status) == SIGSYS;

	if (e->enforce == ESCAPE_KILLED)
		return killed && !run->got_result && run->log_cnt == 1 &&
		       escape_told(run, e, role);
	if (e->enforce == ESCAPE_KILLED_SILENTLY)
		return killed && !run->got_result;
	return WIFEXITED(run->status) && run->got_result &&
	       run->result.ret == -e->enforce && run->log_cnt == 0;
}

/* escape_all() - the whole table by one role or thread of it. */
static void escape_all(enum role role, enum confine_thread_kind thread)
{
	enum policy_filter f = thread == PROBE_NO_THREAD
				       ? policy_filter_of_role(role)
				       : policy_filter_of_thread(role, thread);

	if (f == POLICY_FILTER_COUNT)
		return;
	for (uint32_t i = 0; i < escape_cnt; i++) {
		const struct probe_request req = {.role = role,
						  .what = PROBE_ESCAPE,
						  .escape = i,
						  .thread = thread};
		struct probe_run run;

		probe_start(&run, &req, 0);
		probe_end(&run);
		if (!escape_check(&run, &escapes[i], role_info(role)->name)) {
			printf("\n%s: %s: status %#x ret %ld log %u \"%s\" ",
			       policy_table(f)->name, escapes[i].name,
			       (unsigned)run.status, run.result.ret,
			       run.log_cnt, run.text);
			CU_FAIL("an attempt did not fail in the right way");
		}
	}
}

static void test_processes(void)
{
	escape_all(ROLE_VMM, PROBE_NO_THREAD);
	escape_all(ROLE_BLK, PROBE_NO_THREAD);
}

static void test_threads(void)
{
	escape_all(ROLE_VMM, CONFINE_THREAD_MAIN);
	escape_all(ROLE_VMM, CONFINE_THREAD_VCPU);
	escape_all(ROLE_BLK, CONFINE_THREAD_MAIN);
	escape_all(ROLE_BLK, CONFINE_THREAD_QUEUE);
}

/* With a filter that only logs: what the other walls say. */
static void test_beneath(void)
{
	for (uint32_t i = 0; i < escape_cnt; i++) {
		const struct escape *e = &escapes[i];
		const struct probe_request req = {.role = ROLE_BLK,
						  .mode = CONFINE_MODE_LOG,
						  .what = PROBE_ESCAPE,
						  .escape = i,
						  .thread = PROBE_NO_THREAD};
		struct probe_run run;
		bool as_meant;

		if (e->beneath == ESCAPE_SKIP)
			continue;
		probe_start(&run, &req, 0);
		probe_end(&run);
		as_meant = run.got_result && WIFEXITED(run.status);
		if (e->beneath == 0)
			as_meant = as_meant && run.result.ret >= 0;
		else
			as_meant = as_meant &&
				   (run.result.ret == -e->beneath ||
				    (e->or_beneath &&
				     run.result.ret == -e->or_beneath));
		if (!as_meant) {
			printf("\n%s: status %#x ret %ld ", e->name,
			       (unsigned)run.status, run.result.ret);
			CU_FAIL("a wall beneath the filter did not hold");
		}
		/* What would be refused is told, with a row to copy. */
		if (e->enforce == ESCAPE_KILLED)
			CU_ASSERT(run.log_cnt >= 1 &&
				  strstr(run.text, " row: ALLOW"));
	}
}

/* The walls do not break what every process needs. */
static void test_work(void)
{
	const enum role roles[] = ROLES_CONFINED;

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		for (int t = 0; t <= CONFINE_THREAD_COUNT; t++) {
			const struct probe_request req = {
				.role = roles[i],
				.what = PROBE_WORK,
				.thread = (enum confine_thread_kind)t};
			struct probe_run run;

			probe_start(&run, &req, 0);
			probe_end(&run);
			CU_ASSERT(run.got_result);
			CU_ASSERT_EQUAL(run.result.ret, 0);
			CU_ASSERT_EQUAL(run.status, 0);
			CU_ASSERT_EQUAL(run.log_cnt, 4);
			if (run.status != 0 || run.log_cnt != 4)
				printf("\n%s %d: status %#x: %s ",
				       role_info(roles[i])->name, t,
				       (unsigned)run.status, run.text);
		}
	}
}

const struct unit_case cases_escape[] = {
	UNIT_CASE(test_processes),
	UNIT_CASE(test_threads),
	UNIT_CASE(test_beneath),
	UNIT_CASE(test_work),
};
