// SPDX-License-Identifier: Apache-2.0
/*
 * message.c - why a boot was refused. Runs in the vmm; no image bytes go into
 * a message, only numbers read from them.
 */
#include "vmm/boot/message.h"

#include <stdarg.h>
#include <stdio.h>

#include "vmm/boot/boot.h"

int boot_refuse(char *ret_message, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(ret_message, BOOT_MESSAGE_BYTES, fmt, args);
	va_end(args);
	return error;
}
