// SPDX-License-Identifier: Apache-2.0
/*
 * core_suites.c - the unit test binary of devices/core: runs the suites of its
 * files one by one, since their sizes are known to them only.
 */
#include "tests/unit/devices/core_suites.h"

#include "ipc/compiler.h"

/* One CUnit test per file, which runs the file's cases. */
static void core_run(const struct unit_case *cases, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		cases[i].fn();
}

static void chain_all(void)
{
	core_run(chain_cases, chain_case_cnt);
}

static void gmem_all(void)
{
	core_run(gmem_cases, gmem_case_cnt);
}

static void grant_all(void)
{
	core_run(grant_cases, grant_case_cnt);
}

static void rows_all(void)
{
	core_run(rows_cases, rows_case_cnt);
}

static void vq_all(void)
{
	core_run(vq_cases, vq_case_cnt);
}

static const struct unit_case core_cases[] = {
	UNIT_CASE(chain_all), UNIT_CASE(gmem_all), UNIT_CASE(grant_all),
	UNIT_CASE(rows_all),  UNIT_CASE(vq_all),
};

const struct unit_suite unit_suites[] = {
	{"devices/core", core_cases, ARRAY_SIZE(core_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
