/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - calls made from the rows of a table. Linked by the probe, which
 * makes them, and by the test, which counts them.
 */
#ifndef TESTS_POLICY_ROWS_H
#define TESTS_POLICY_ROWS_H

#include "policy/table.h"

/** rows_at() - the @idx-th row of @t over all its sets; NULL behind the last */
const struct policy_row *rows_at(const struct policy_table *t, uint32_t idx);

/**
 * rows_args() - arguments that satisfy @row and that no kernel accepts: all
 * that is not tested is -1, as fd, pointer and length
 * Return: false if the call cannot be tried: it would not come back (exit), or
 * an earlier row of @t, or none of @process, decides it.
 */
bool rows_args(const struct policy_table *t, const struct policy_table *process,
	       const struct policy_row *row, uint64_t args[6]);

/**
 * rows_neighbour() - the same with the value of its first equality one higher
 * Return: false if it has none, or if another row decides that call.
 */
bool rows_neighbour(const struct policy_table *t,
		    const struct policy_table *process,
		    const struct policy_row *row, uint64_t args[6]);

#endif
