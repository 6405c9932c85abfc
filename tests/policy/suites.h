/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suites.h - cases of each test file of this binary; sizes are written out so
 * that the suites can be constant.
 */
#ifndef TESTS_POLICY_SUITES_H
#define TESTS_POLICY_SUITES_H

#include "tests/support/unit/unit.h"

extern const struct unit_case cases_escape[5];
extern const struct unit_case cases_allow[3];
extern const struct unit_case cases_report[10];
extern const struct unit_case cases_facts[3];

/* The children: every namespace, and all walls. */
#define ROLES_CONFINED                                          \
	{                                                       \
		ROLE_VMM, ROLE_BLK, ROLE_NET, ROLE_FS, ROLE_GPU \
	}

#endif
