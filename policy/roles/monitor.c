// SPDX-License-Identifier: Apache-2.0
/*
 * monitor.c - the monitor once all its children run: watches pidfds, channels,
 * signals and the terminal. What it must open or start it has opened and
 * started before.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "policy/rows.h"

#define TCSETS 0x5402

static const struct policy_row rows[] = {
	ALLOW(pidfd_send_signal,
	      "monitor/machine/child.c: end of a child; monitor/host/"
	      "console_tty.c: its own end, with the terminal given back"),
	ALLOW_IF(waitid, T_EQ(0, P_PIDFD),
		 "monitor/machine/child.c: exit of a child"),
	ALLOW_IF(ioctl, T_EQ(1, TCSETS),
		 "monitor/host/console_tty.c: restored"),
	ALLOW_IF2(accept4, T_EQ64(1, 0), T_EQ(3, SOCK_CLOEXEC | SOCK_NONBLOCK),
		  "monitor/control/control.c: a connection to its socket"),
	ALLOW_IF2(getsockopt, T_EQ(1, SOL_SOCKET), T_EQ(2, SO_PEERCRED),
		  "monitor/control/control.c: who connects"),
	ALLOW_IF2(unlinkat, T_FD(0), T_EQ(2, 0),
		  "monitor/control/control_socket.c: its socket; Landlock "
		  "leaves it no other directory"),
	ALLOW_IF2(unlinkat, T_FD(0), T_EQ(2, AT_REMOVEDIR),
		  "monitor/host/cgroup.c: the groups that it made; Landlock as "
		  "above"),
	ALLOW(clock_getres,
	      "monitor/machine/timings.c: clock_getcpuclockid of a child"),
};
static POLICY_SET(set_monitor, rows);

const struct policy_table table_monitor = {
	.name = "monitor",
	.role = ROLE_MONITOR,
	.sets = {&set_monitor, &set_memory, &set_thread, &set_signal, &set_end,
		 &set_time, &set_event, &set_channel, &set_data, &set_report,
		 &set_unasked},
};
