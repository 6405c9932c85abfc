// SPDX-License-Identifier: Apache-2.0
/*
 * queue.c - rows of a queue worker beside its ring, every device: its interrupt
 * eventfd, a wake of the main thread, log records. It receives nothing.
 */
#include <sys/prctl.h>

#include "policy/rows.h"

static const struct policy_row rows[] = {
	ALLOW(write, "devices/core/queue_worker.c queue_call; ipc/loop.c wake"),
	ALLOW(writev, "devices/net: frames; libc's message before abort"),
	ALLOW_IF(sendto, T_EQ64(4, 0), "ipc/log.c, no address"),
	ALLOW_IF(prctl, T_EQ(0, PR_GET_SECCOMP), "policy/report.c"),
};
POLICY_SET(set_queue, rows);
