/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem.h - why something cannot be done, in the user's terms: the one error
 * that the command prints, and its exit code.
 */
#ifndef MONITOR_PROBLEM_H
#define MONITOR_PROBLEM_H

#include "ipc/compiler.h"
#include "monitor/exit.h"

#define PROBLEM_BYTES 1536

/**
 * struct problem - zero-initialised = none
 * @error: negative errno of the first problem, 0 = none
 * @code: exit code of the command
 * @text: one sentence, without "bulkhead: " and newline
 */
struct problem {
	int error;
	enum exit_code code;
	char text[PROBLEM_BYTES];
};

/**
 * problem_set() - records the first problem; later ones are ignored
 * @error: negative errno
 * Return: @error, so that callers can return it.
 */
int problem_set(struct problem *p, enum exit_code code, int error,
		const char *fmt, ...) PRINTF_LIKE(4, 5);

/** problem_print() - "bulkhead: TEXT" on stderr. Return: the exit code. */
int problem_print(const struct problem *p);

/** notice_print() - "bulkhead: TEXT" on stderr: what was asked for, and is. */
void notice_print(const char *fmt, ...) PRINTF_LIKE(1, 2);
/** warning_print() - "bulkhead: warning: TEXT" on stderr. */
void warning_print(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
