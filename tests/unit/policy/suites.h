/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suites.h - cases of each test file of this binary. The sizes are written out
 * so that the suites can be constant; a wrong one does not compile.
 */
#ifndef TESTS_UNIT_POLICY_SUITES_H
#define TESTS_UNIT_POLICY_SUITES_H

#include "tests/support/unit/unit.h"

extern const struct unit_case cases_table[10];
extern const struct unit_case cases_filter[4];
extern const struct unit_case cases_show[6];
extern const struct unit_case cases_drm[1];
extern const struct unit_case cases_violation[6];
extern const struct unit_case cases_landlock[3];
extern const struct unit_case cases_grant[3];
extern const struct unit_case cases_facts[11];
extern const struct unit_case cases_facts_check[2];

#endif
