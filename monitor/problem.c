// SPDX-License-Identifier: Apache-2.0
/*
 * problem.c - errors for the user. Runs in the monitor. Text may hold bytes of
 * a tenant's configuration, so control characters are replaced when printed.
 */
#include "monitor/problem.h"

#include <stdarg.h>
#include <stdio.h>

/* problem_escape() - control bytes would reach the operator's terminal. */
static void problem_escape(char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f)
			*text = '?';
	}
}

int problem_set(struct problem *p, enum exit_code code, int error,
		const char *fmt, ...)
{
	va_list ap;

	if (p->error)
		return error;
	p->error = error;
	p->code = code;
	va_start(ap, fmt);
	if (vsnprintf(p->text, sizeof(p->text), fmt, ap) < 0)
		p->text[0] = '\0';
	va_end(ap);
	problem_escape(p->text);
	return error;
}

int problem_print(const struct problem *p)
{
	fprintf(stderr, "bulkhead: %s\n", p->text);
	return (int)p->code;
}

/* problem_line() - one escaped line on stderr. */
static void PRINTF_LIKE(2, 0)
	problem_line(const char *kind, const char *fmt, va_list ap)
{
	char text[PROBLEM_BYTES];

	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	problem_escape(text);
	fprintf(stderr, "bulkhead: %s%s\n", kind, text);
}

void notice_print(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	problem_line("", fmt, ap);
	va_end(ap);
}

void warning_print(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	problem_line("warning: ", fmt, ap);
	va_end(ap);
}
