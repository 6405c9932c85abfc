// SPDX-License-Identifier: Apache-2.0
/*
 * report.c - rows by which a confined process reads its own walls back. All
 * only ask.
 */
#include <sys/prctl.h>

#include "policy/rows.h"

static const struct policy_row rows[] = {
	ALLOW_IF(prctl, T_EQ(0, PR_GET_SECCOMP), "policy/report.c"),
	ALLOW_IF(prctl, T_EQ(0, PR_GET_NO_NEW_PRIVS), "policy/report.c"),
	ALLOW_IF(prctl, T_EQ(0, PR_GET_DUMPABLE), "policy/report.c"),
	/* A thread's own filter comes on top; it can only take away. */
	ALLOW_IF2(seccomp, T_EQ(0, 1), T_EQ(1, 0),
		  "confine_thread: SECCOMP_SET_MODE_FILTER"),
};
POLICY_SET(set_report, rows);
