// SPDX-License-Identifier: Apache-2.0
/*
 * unit_main.c - main of every unit test binary: runs all suites with CUnit's
 * basic interface. Exit status 0 all passed, 1 a failure, 2 nothing to run.
 */
#include <CUnit/Basic.h>
#include <stdio.h>

#include "tests/support/unit/unit.h"

static int unit_suite_register(const struct unit_suite *s)
{
	CU_pSuite suite = CU_add_suite(s->name, NULL, NULL);

	for (size_t i = 0; suite && i < s->cnt; i++) {
		if (!CU_add_test(suite, s->cases[i].name, s->cases[i].fn))
			return -1;
	}
	return suite ? 0 : -1;
}

int main(void)
{
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	for (size_t i = 0; i < unit_suite_cnt; i++) {
		if (unit_suite_register(&unit_suites[i]) < 0) {
			fprintf(stderr, "%s\n", CU_get_error_msg());
			return 2;
		}
	}
	CU_basic_set_mode(CU_BRM_VERBOSE);
	if (CU_basic_run_tests() != CUE_SUCCESS)
		return 2;

	unsigned run = CU_get_number_of_tests_run();
	unsigned failed = CU_get_number_of_tests_failed();

	CU_cleanup_registry();
	if (run == 0)
		return 2;
	return failed ? 1 : 0;
}
