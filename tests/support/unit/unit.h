/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit.h - what a unit test binary defines; main is in unit_main.c.
 */
#ifndef TESTS_SUPPORT_UNIT_UNIT_H
#define TESTS_SUPPORT_UNIT_UNIT_H

#include <CUnit/CUnit.h>
#include <stddef.h>

struct unit_case {
	const char *name;
	void (*fn)(void);
};

struct unit_suite {
	const char *name;
	const struct unit_case *cases;
	size_t cnt;
};

/* Defined once by each test binary. */
extern const struct unit_suite unit_suites[];
extern const size_t unit_suite_cnt;

#define UNIT_CASE(fn)   \
	{               \
#fn, fn \
	}

#endif
