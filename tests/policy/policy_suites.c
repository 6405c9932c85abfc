// SPDX-License-Identifier: Apache-2.0
/*
 * policy_suites.c - suites of the walls' test. BULKHEAD_TEST_UID drops to that
 * uid first, to show that no wall needs root.
 */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ipc/compiler.h"
#include "tests/policy/run_probe.h"
#include "tests/policy/suites.h"

const struct unit_suite unit_suites[] = {
	{"escapes", cases_escape, ARRAY_SIZE(cases_escape)},
	{"allow", cases_allow, ARRAY_SIZE(cases_allow)},
	{"report", cases_report, ARRAY_SIZE(cases_report)},
	{"facts", cases_facts, ARRAY_SIZE(cases_facts)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);

/* Before main: the program is opened with the rights of who runs the tests. */
__attribute__((constructor)) static void policy_test_begin(void)
{
	const char *uid = getenv("BULKHEAD_TEST_UID");

	if (probe_program_open() < 0) {
		fprintf(stderr, "cannot open %s\n", PROBE_PROGRAM);
		exit(2);
	}
	if (!uid)
		return;
	if (getuid() != 0) {
		fprintf(stderr, "only root can drop to uid %s\n", uid);
		exit(77);
	}
	if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
	    setresuid((uid_t)atoi(uid), (uid_t)atoi(uid), (uid_t)atoi(uid)) < 0)
		exit(2);
	/* As a program that a user starts: its children's id maps are its own.
	 */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		exit(2);
}
