/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - the one sentence that a refused boot gives to the user.
 */
#ifndef VMM_BOOT_MESSAGE_H
#define VMM_BOOT_MESSAGE_H

#include "ipc/compiler.h"

/**
 * boot_refuse() - formats the sentence into @ret_message (BOOT_MESSAGE_BYTES)
 * Return: @error, so that a check is one statement.
 */
MUST_CHECK int boot_refuse(char *ret_message, int error, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

#endif
