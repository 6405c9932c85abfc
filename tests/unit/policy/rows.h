/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - walks over all rows of all tables, for the tests.
 */
#ifndef TESTS_UNIT_POLICY_ROWS_H
#define TESTS_UNIT_POLICY_ROWS_H

#include "policy/table.h"

/* for each row @r of table @t */
#define FOR_EACH_ROW(t, r)                                               \
	for (size_t s_ = 0; s_ < POLICY_SETS_MAX && (t)->sets[s_]; s_++) \
		for (const struct policy_row *r = (t)->sets[s_]->rows;   \
		     r < (t)->sets[s_]->rows + (t)->sets[s_]->cnt; r++)

/* for each table @t */
#define FOR_EACH_TABLE(t)                                          \
	for (unsigned f_ = 0; f_ < POLICY_FILTER_COUNT; f_++)      \
		for (const struct policy_table *t =                \
			     policy_table((enum policy_filter)f_); \
		     t; t = NULL)

#endif
