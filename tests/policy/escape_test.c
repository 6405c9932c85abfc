// SPDX-License-Identifier: Apache-2.0
/*
 * escape_test.c - every attempt of escapes.c behind every filter there is: all
 * fail, and in the right way. Then once more with filters that only log, to
 * show that the walls beneath hold alone.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/policy/escapes.h"
#include "tests/policy/places.h"
#include "tests/policy/run_probe.h"
#include "tests/policy/suites.h"

/*
 * escape_told() - the last log record names the call and the filter; a thread's
 * attempt that its process may not make either is told of the process's.
 */
static bool escape_told(const struct probe_run *run, const struct escape *e,
			const struct place *p)
{
	char want[64], thread[48], process[48];

	snprintf(want, sizeof(want), "seccomp refused %.*s(",
		 (int)strcspn(e->name, " "), e->name);
	snprintf(thread, sizeof(thread), " filter=%s ",
		 policy_table(p->filter)->name);
	snprintf(process, sizeof(process), " filter=%s ",
		 policy_table(p->process)->name);
	return strncmp(run->text, want, strlen(want)) == 0 &&
	       (strstr(run->text, thread) || strstr(run->text, process));
}

/* escape_check() - did the attempt end as it must? */
static bool escape_check(const struct probe_run *run, const struct escape *e,
			 const struct place *p)
{
	bool killed =
		WIFSIGNALED(run->status) && WTERMSIG(run->status) == SIGSYS;
	int expected = escape_expected(e, p->filter);

	if (expected == ESCAPE_KILLED)
		return killed && !run->got_result && run->log_cnt == 1 &&
		       escape_told(run, e, p);
	if (expected == ESCAPE_KILLED_SILENTLY)
		return killed && !run->got_result;
	return WIFEXITED(run->status) && run->got_result &&
	       run->result.ret == -expected && run->log_cnt == 0;
}

/* escape_all() - the whole table behind one filter. */
static void escape_all(const struct place *p)
{
	const struct probe_request stay = {
		.role = p->role, .what = PROBE_STAY, .thread = PROBE_NO_THREAD};
	struct probe_request req = place_request(p, PROBE_ESCAPE);
	struct probe_run sibling;

	probe_start(&sibling, &stay, 0);
	req.sibling = sibling.child.pid;
	for (uint32_t i = 0; i < escape_cnt; i++) {
		struct probe_run run;

		req.escape = i;
		probe_start(&run, &req, 0);
		probe_end(&run);
		if (escape_check(&run, &escapes[i], p))
			continue;
		printf("\n%s: %s: status %#x ret %ld log %u \"%s\" ",
		       policy_table(p->filter)->name, escapes[i].name,
		       (unsigned)run.status, run.result.ret, run.log_cnt,
		       run.text);
		CU_FAIL("an attempt did not fail in the right way");
	}
	/* Nothing of it has reached the other one. */
	probe_end(&sibling);
	CU_ASSERT_EQUAL(sibling.status, 0);
}

/* Filters of processes, then of threads. */
static void test_processes(void)
{
	CU_ASSERT(escape_cnt >= 40);
	for (unsigned f = 0; f < POLICY_FILTER_VMM_MAIN; f++) {
		const struct place p = place_of((enum policy_filter)f);

		escape_all(&p);
	}
}

static void test_threads(void)
{
	for (unsigned f = POLICY_FILTER_VMM_MAIN; f < POLICY_FILTER_COUNT;
	     f++) {
		const struct place p = place_of((enum policy_filter)f);

		CU_ASSERT_NOT_EQUAL(p.thread, PROBE_NO_THREAD);
		escape_all(&p);
	}
}

/* escape_by_name() - NULL if there is none. */
static const struct escape *escape_by_name(const char *name)
{
	for (size_t i = 0; i < escape_cnt; i++) {
		if (strcmp(escapes[i].name, name) == 0)
			return &escapes[i];
	}
	return NULL;
}

/* Every exception is of an attempt that there is, and makes a difference. */
static void test_exceptions(void)
{
	for (size_t i = 0; i < escape_exception_cnt; i++) {
		const struct escape_exception *x = &escape_exceptions[i];
		const struct escape *e = escape_by_name(x->escape);

		if (!e)
			printf("\n%s ", x->escape);
		CU_ASSERT_PTR_NOT_NULL_FATAL(e);
		CU_ASSERT_NOT_EQUAL(x->enforce, e->enforce);
		CU_ASSERT(strlen(x->why) >= 5);
	}
	for (size_t i = 0; i < escape_monitor_beneath_cnt; i++)
		CU_ASSERT_PTR_NOT_NULL(
			escape_by_name(escape_monitor_beneath[i].escape));
}

/* beneath_run() - one attempt with a filter that only logs. */
static void beneath_run(struct probe_run *run, enum role role,
			const struct escape *e, int sibling)
{
	const struct place p = place_of(policy_filter_of_role(role));
	struct probe_request req = place_request(&p, PROBE_ESCAPE);

	req.mode = CONFINE_MODE_LOG;
	req.escape = (uint32_t)(e - escapes);
	req.sibling = sibling;
	probe_start(run, &req, 0);
	probe_end(run);
	/* What would be refused is told, with a row to copy. */
	if (escape_expected(e, p.filter) == ESCAPE_KILLED)
		CU_ASSERT(run->log_cnt >= 1 &&
			  strstr(run->text, " row: ALLOW"));
}

/* beneath_check() - was the answer one of the errors of @e? */
static bool beneath_check(const struct probe_run *run, const struct escape *e)
{
	if (!run->got_result || !WIFEXITED(run->status))
		return false;
	if (e->beneath == 0)
		return run->result.ret >= 0;
	return run->result.ret == -e->beneath ||
	       (e->or_beneath && run->result.ret == -e->or_beneath);
}

/* beneath_all() - what the other walls of a child say. */
static void beneath_all(enum role role)
{
	const struct probe_request stay = {
		.role = role, .what = PROBE_STAY, .thread = PROBE_NO_THREAD};
	struct probe_run sibling, run;

	probe_start(&sibling, &stay, 0);
	for (size_t i = 0; i < escape_cnt; i++) {
		if (escapes[i].beneath == ESCAPE_SKIP)
			continue;
		beneath_run(&run, role, &escapes[i], sibling.child.pid);
		if (beneath_check(&run, &escapes[i]))
			continue;
		printf("\n%s: %s: status %#x ret %ld ", role_info(role)->name,
		       escapes[i].name, (unsigned)run.status, run.result.ret);
		CU_FAIL("a wall beneath the filter did not hold");
	}
	probe_end(&sibling);
	CU_ASSERT_EQUAL(sibling.status, 0);
}

static void test_beneath(void)
{
	const enum role roles[] = ROLES_CONFINED;

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		beneath_all(roles[i]);
}

/* The monitor has fewer walls: it must start children and end them. */
static void test_beneath_monitor(void)
{
	for (size_t i = 0; i < escape_monitor_beneath_cnt; i++) {
		const struct escape_beneath *b = &escape_monitor_beneath[i];
		struct probe_run run;
		bool right = false;

		beneath_run(&run, ROLE_MONITOR, escape_by_name(b->escape), -1);
		for (size_t k = 0; k < ARRAY_SIZE(b->errors); k++)
			right = right || (b->errors[k] &&
					  run.result.ret == -b->errors[k]);
		if (run.got_result && right)
			continue;
		printf("\nmonitor: %s: status %#x ret %ld ", b->escape,
		       (unsigned)run.status, run.result.ret);
		CU_FAIL("a wall beneath the monitor's filter did not hold");
	}
}

const struct unit_case cases_escape[] = {
	UNIT_CASE(test_processes),       UNIT_CASE(test_threads),
	UNIT_CASE(test_exceptions),      UNIT_CASE(test_beneath),
	UNIT_CASE(test_beneath_monitor),
};
