/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escapes.h - what a compromised process would try, and how each must fail.
 * Linked by the probe, which tries, and by the test, which knows what to
 * expect.
 */
#ifndef TESTS_POLICY_ESCAPES_H
#define TESTS_POLICY_ESCAPES_H

#include <stddef.h>
#include <stdint.h>

/* The process ends by SIGSYS after a report that names the call. */
#define ESCAPE_KILLED 100000
/* The same without a report: the kernel's own kill. */
#define ESCAPE_KILLED_SILENTLY 100001
/* Not tried without the filter: it would end the probe or prove nothing. */
#define ESCAPE_SKIP 100002

/**
 * struct escape - one attempt
 * @name: of the call, as the report must have it; a comment may follow a space
 * @number: call; ignored with @fn
 * @args: its arguments
 * @fn: instead of a plain call; Return: 0.. or -errno
 * @enforce: positive errno that it must get behind all walls, or ESCAPE_...
 * @beneath: the same where the filter only logs, so that the other walls are
 * what refuses; 0 for a call that may succeed there
 * @or_beneath: second errno that is as good; kernels differ in what they check
 * first; 0 for none
 */
struct escape {
	const char *name;
	long number;
	uint64_t args[6];
	long (*fn)(void);
	int enforce;
	int beneath;
	int or_beneath;
};

extern const struct escape escapes[];
extern const size_t escape_cnt;

#endif
