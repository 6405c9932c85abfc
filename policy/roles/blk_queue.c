// SPDX-License-Identifier: Apache-2.0
/*
 * blk_queue.c - a queue worker of the block device: its ring, its interrupt
 * eventfd, a wake of the main thread, log records. It receives and closes
 * nothing.
 */
#include <linux/io_uring.h>
#include <sys/prctl.h>

#include "policy/roles/blk.h"
#include "policy/rows.h"

static const struct policy_row rows[] = {
	BLK_RING_ROWS,
	ALLOW(write, "devices/core/queue_worker.c queue_call; ipc/loop.c wake"),
	ALLOW(writev, "libc's message before abort"),
	ALLOW_IF(sendto, T_EQ64(4, 0), "ipc/log.c, no address"),
	ALLOW_IF(prctl, T_EQ(0, PR_GET_SECCOMP), "policy/report.c"),
};
static POLICY_SET(set_blk_queue, rows);

const struct policy_table table_blk_queue = {
	.name = "blk-queue",
	.role = ROLE_BLK,
	.sets = {&set_blk_queue, &set_memory, &set_thread, &set_signal,
		 &set_end, &set_time, &set_unasked},
};
