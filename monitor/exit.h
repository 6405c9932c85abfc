/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit.h - what `bulkhead run` returns, one table for code, help, man page.
 */
#ifndef MONITOR_EXIT_H
#define MONITOR_EXIT_H

#include <stddef.h>

enum exit_code {
	EXIT_CODE_POWEROFF = 0,
	EXIT_CODE_INTERNAL = 1,
	EXIT_CODE_INPUT = 2,
	EXIT_CODE_HOST = 3,
	EXIT_CODE_RESET = 10,
	EXIT_CODE_PANIC = 11,
	EXIT_CODE_DEVICE = 12,
	EXIT_CODE_VMM = 13,
	EXIT_CODE_OPERATOR = 14
};

/**
 * struct exit_row - one exit code
 * @name: stable kebab-case word, also in JSON output
 * @help: one phrase for the user
 */
struct exit_row {
	enum exit_code code;
	const char *name;
	const char *help;
};

/** exit_rows() - the whole table; @ret_cnt rows. */
const struct exit_row *exit_rows(size_t *ret_cnt);
/** exit_find() - the row of @code; NULL if it has none (a debug-exit byte). */
const struct exit_row *exit_find(int code);

#endif
