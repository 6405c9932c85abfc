// SPDX-License-Identifier: Apache-2.0
/*
 * data.c - rows for bytes on fds that the process holds already, every role.
 */
#include <fcntl.h>

#include "policy/rows.h"

static const struct policy_row rows[] = {
	ALLOW(read, "eventfds, console, ipc/loop.c wake"),
	ALLOW(write, "eventfds, console, violation report"),
	ALLOW(writev, "devices/net: frames; libc's message before abort"),
	ALLOW(close, "ipc/fds.c"),
	ALLOW(fstat, "size and kind of a granted fd"),
	ALLOW_IF(newfstatat, T_EQ(3, AT_EMPTY_PATH),
		 "fstat of glibc 2.33..2.38; a path finds an empty root"),
};
POLICY_SET(set_data, rows);
