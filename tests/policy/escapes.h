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

#include "policy/table.h"

/* The process ends by SIGSYS after a report that names the call. */
#define ESCAPE_KILLED 100000
/* The same without a report: the kernel's own kill. */
#define ESCAPE_KILLED_SILENTLY 100001
/* Not tried without the filter: it would end the probe or prove nothing. */
#define ESCAPE_SKIP 100002

/* Arguments that the test fills in: pids as seen from outside. */
#define ESCAPE_SIBLING UINT64_C(0xfacade0000000001)
#define ESCAPE_MONITOR UINT64_C(0xfacade0000000002)

/* Number of an fd that the child was started with and should not have. */
#define ESCAPE_EXTRA_FD 9

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

/* Set by the probe before an attempt is made. */
extern long escape_sibling, escape_monitor;

/**
 * struct escape_exception - what is right for one filter only
 * @escape: name in escapes[]
 * @enforce: instead of the attempt's own
 * @why: a role may make that call, or its errno is another
 */
struct escape_exception {
	enum policy_filter filter;
	const char *escape;
	int enforce;
	const char *why;
};
extern const struct escape_exception escape_exceptions[];
extern const size_t escape_exception_cnt;

/** escape_expected() - what must become of @e behind that filter. */
int escape_expected(const struct escape *e, enum policy_filter filter);

/**
 * struct escape_beneath - the monitor's walls without its filter: it has no
 * namespaces, so that other walls, and fewer, are what refuses
 * @errors: each is right; 0-terminated
 */
struct escape_beneath {
	const char *escape;
	int errors[3];
};
extern const struct escape_beneath escape_monitor_beneath[];
extern const size_t escape_monitor_beneath_cnt;

#endif
