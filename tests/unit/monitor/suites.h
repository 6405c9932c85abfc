/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suites.h - cases of each test file of this binary. The sizes are written out
 * so that the suites can be constant; a wrong one does not compile.
 */
#ifndef TESTS_UNIT_MONITOR_SUITES_H
#define TESTS_UNIT_MONITOR_SUITES_H

#include "tests/support/unit/unit.h"

extern const struct unit_case cases_config[14];
extern const struct unit_case cases_flags[9];
extern const struct unit_case cases_locate[4];
extern const struct unit_case cases_suggest[3];
extern const struct unit_case cases_check[5];
extern const struct unit_case cases_control[11];
extern const struct unit_case cases_image[5];
extern const struct unit_case cases_memory[3];
extern const struct unit_case cases_log_sink[2];
extern const struct unit_case cases_cgroup[8];

#endif
