// SPDX-License-Identifier: Apache-2.0
/*
 * signal.c - rows for signals and for the end of a process, every role.
 */
#include <signal.h>

#include "policy/rows.h"

static const struct policy_row signal_rows[] = {
	ALLOW(rt_sigreturn, "return from a handler"),
	ALLOW(rt_sigprocmask, "pthread_create, abort, pthread_sigmask"),
	/* The SIGSYS handler stays: it cannot be replaced. */
	ALLOW_IF(rt_sigaction, T_EQ(0, SIGABRT), "abort restores the default"),
	ALLOW(restart_syscall, "the kernel's, after a stop"),
	ALLOW_IF(tgkill, T_EQ(2, SIGABRT), "abort"),
	ALLOW_IF(tkill, T_EQ(1, SIGABRT), "abort (musl)"),
};
POLICY_SET(set_signal, signal_rows);

static const struct policy_row end_rows[] = {
	ALLOW(exit, "end of a thread"),
	ALLOW(exit_group, "end of the process"),
};
POLICY_SET(set_end, end_rows);
