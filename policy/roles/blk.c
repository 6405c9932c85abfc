// SPDX-License-Identifier: Apache-2.0
/*
 * blk.c - the block device's filters, from the walls on: the workers are made
 * and READY is sent. The image is read, written and flushed by rings only; no
 * ioctl at all but what libc makes unasked. The threads get less when they
 * serve.
 */
#include "policy/rows.h"

const struct policy_table table_blk = {
	.name = "blk",
	.role = ROLE_BLK,
	.sets = {&set_ring, &set_ring_enable, &set_memory, &set_thread,
		 &set_thread_new, &set_signal, &set_end, &set_time, &set_event,
		 &set_channel, &set_data, &set_report, &set_unasked},
};

/* The main thread when all workers exist: no ring, no new thread. */
const struct policy_table table_blk_main = {
	.name = "blk-main",
	.role = ROLE_BLK,
	.sets = {&set_memory, &set_thread, &set_signal, &set_end, &set_time,
		 &set_event, &set_channel, &set_data, &set_report,
		 &set_unasked},
};

/* A queue worker: its ring, nothing received and nothing closed. */
const struct policy_table table_blk_queue = {
	.name = "blk-queue",
	.role = ROLE_BLK,
	.sets = {&set_ring, &set_queue, &set_memory, &set_thread, &set_signal,
		 &set_end, &set_time, &set_unasked},
};
