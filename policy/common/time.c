// SPDX-License-Identifier: Apache-2.0
/*
 * time.c - rows for clocks, every role. Mostly answered by the vDSO; a host
 * whose clock source it cannot read makes them system calls.
 */
#include "policy/rows.h"

static const struct policy_row rows[] = {
	ALLOW(clock_gettime, "ipc/log.c, ipc/loop.c deadlines"),
};
POLICY_SET(set_time, rows);
