/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show.h - the tables for people and programs: `bulkhead policy`.
 */
#ifndef POLICY_SHOW_H
#define POLICY_SHOW_H

#include <stdio.h>

#include "policy/table.h"

enum policy_format {
	POLICY_FORMAT_TEXT,
	POLICY_FORMAT_JSON,
	POLICY_FORMAT_PFC
};

/**
 * policy_list() - one line for each filter: name, where it is loaded, size
 * Return: 0 or -errno.
 */
MUST_CHECK int policy_list(FILE *out);

/**
 * policy_show() - prints the rows of one filter with their reasons
 * Return: 0 or -errno.
 */
MUST_CHECK int policy_show(enum policy_filter filter, enum policy_format format,
			   FILE *out);

/**
 * policy_diff() - rows that only one of two filters has: "- " of @a, "+ " of @b
 * Return: number of lines, or -errno.
 */
MUST_CHECK int policy_diff(enum policy_filter a, enum policy_filter b,
			   FILE *out);

#endif
