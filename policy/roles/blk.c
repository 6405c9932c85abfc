// SPDX-License-Identifier: Apache-2.0
/*
 * blk.c - the block device's process filter, from the walls on: the workers are
 * made and READY is sent. The image is read, written and flushed by rings only;
 * no ioctl at all but what libc makes unasked. The threads get less when they
 * serve (below, and blk_queue.c).
 */
#include <linux/io_uring.h>

#include "policy/roles/blk.h"
#include "policy/rows.h"

static const struct policy_row rows[] = {
	BLK_RING_ROWS,
	ALLOW_IF(io_uring_register, T_EQ(1, IORING_REGISTER_ENABLE_RINGS),
		 "devices/core/uring.c uring_enable, first thing in a worker"),
};
static POLICY_SET(set_blk, rows);

const struct policy_table table_blk = {
	.name = "blk",
	.role = ROLE_BLK,
	.sets = {&set_blk, &set_memory, &set_thread, &set_thread_new,
		 &set_signal, &set_end, &set_time, &set_event, &set_channel,
		 &set_data, &set_report, &set_unasked},
};

/* The main thread when all workers exist: no ring, no new thread. */
const struct policy_table table_blk_main = {
	.name = "blk-main",
	.role = ROLE_BLK,
	.sets = {&set_memory, &set_thread, &set_signal, &set_end, &set_time,
		 &set_event, &set_channel, &set_data, &set_report,
		 &set_unasked},
};
