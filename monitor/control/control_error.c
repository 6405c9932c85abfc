// SPDX-License-Identifier: Apache-2.0
/*
 * control_error.c - the codes. Runs in the monitor.
 */
#include "monitor/control/control_error.h"

#include "ipc/compiler.h"

static const char *const control_error_codes[] = {
	[CONTROL_ERROR_VERSION] = "version",
	[CONTROL_ERROR_HELLO_FIRST] = "hello-first",
	[CONTROL_ERROR_NOT_NOW] = "not-now",
	[CONTROL_ERROR_UNKNOWN_OP] = "unknown-op",
	[CONTROL_ERROR_BAD_REQUEST] = "bad-request",
	[CONTROL_ERROR_NO_PROCESS] = "no-such-process",
	[CONTROL_ERROR_TOO_LARGE] = "too-large",
};
_Static_assert(ARRAY_SIZE(control_error_codes) == CONTROL_ERROR_COUNT,
	       "a code for each");

const char *control_error_code(enum control_error error)
{
	BUG_ON(error >= CONTROL_ERROR_COUNT);
	return control_error_codes[error];
}
