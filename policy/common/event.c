// SPDX-License-Identifier: Apache-2.0
/*
 * event.c - rows of the event loop (ipc/loop.c): epoll and short waits.
 */
#include "policy/rows.h"

static const struct policy_row rows[] = {
	ALLOW(epoll_wait, "ipc/loop.c loop_run"),
	ALLOW(epoll_pwait, "ipc/loop.c loop_run where libc has no epoll_wait"),
	ALLOW(epoll_ctl, "ipc/loop.c loop_add, loop_mod, loop_del"),
	ALLOW(poll, "vmm/console/console_out.c; monitor/machine/child.c"),
};
POLICY_SET(set_event, rows);
