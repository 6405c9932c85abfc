/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_error.h - errors of control.proto. Codes are stable: programs test
 * them; PROTOCOL.md has the same table.
 */
#ifndef MONITOR_CONTROL_CONTROL_ERROR_H
#define MONITOR_CONTROL_CONTROL_ERROR_H

enum control_error {
	CONTROL_ERROR_VERSION,
	CONTROL_ERROR_HELLO_FIRST,
	CONTROL_ERROR_NOT_NOW,
	CONTROL_ERROR_UNKNOWN_OP,
	CONTROL_ERROR_BAD_REQUEST,
	CONTROL_ERROR_NO_PROCESS,
	CONTROL_ERROR_TOO_LARGE,
	CONTROL_ERROR_COUNT
};

/** control_error_code() - never NULL below CONTROL_ERROR_COUNT. */
const char *control_error_code(enum control_error error);

#endif
