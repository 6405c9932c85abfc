// SPDX-License-Identifier: Apache-2.0
/*
 * policy_suites.c - the suites of unit.policy: tables, filters, reports. What
 * the walls do to a real process is tested in tests/policy.
 */
#include "ipc/compiler.h"
#include "tests/unit/policy/suites.h"

const struct unit_suite unit_suites[] = {
	{"table", cases_table, ARRAY_SIZE(cases_table)},
	{"filter", cases_filter, ARRAY_SIZE(cases_filter)},
	{"show", cases_show, ARRAY_SIZE(cases_show)},
	{"drm", cases_drm, ARRAY_SIZE(cases_drm)},
	{"violation", cases_violation, ARRAY_SIZE(cases_violation)},
	{"landlock", cases_landlock, ARRAY_SIZE(cases_landlock)},
	{"grant", cases_grant, ARRAY_SIZE(cases_grant)},
	{"facts", cases_facts, ARRAY_SIZE(cases_facts)},
	{"facts-check", cases_facts_check, ARRAY_SIZE(cases_facts_check)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
