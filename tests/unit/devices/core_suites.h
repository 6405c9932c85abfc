/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_suites.h - the suites of devices/core, one file each.
 */
#ifndef TESTS_UNIT_DEVICES_CORE_SUITES_H
#define TESTS_UNIT_DEVICES_CORE_SUITES_H

#include "tests/support/unit/unit.h"

extern const struct unit_case chain_cases[];
extern const size_t chain_case_cnt;
extern const struct unit_case gmem_cases[];
extern const size_t gmem_case_cnt;
extern const struct unit_case grant_cases[];
extern const size_t grant_case_cnt;
extern const struct unit_case rows_cases[];
extern const size_t rows_case_cnt;
extern const struct unit_case vq_cases[];
extern const size_t vq_case_cnt;

#endif
