// SPDX-License-Identifier: Apache-2.0
/*
 * ring.c - rows for io_uring, the roles of devices. Rings are made disabled and
 * restricted before the walls (io_uring_setup has no row): what a ring may do
 * is its restrictions' matter, since the kernel carries out its operations
 * without asking a filter.
 */
#include <linux/io_uring.h>

#include "policy/rows.h"

static const struct policy_row ring_rows[] = {
	ALLOW(io_uring_enter, "devices/core/uring.c: submit and wait"),
	ALLOW_IF(io_uring_register, T_EQ(1, IORING_REGISTER_FILES_UPDATE),
		 "devices/core/uring.c: kick eventfd of a queue"),
};
POLICY_SET(set_ring, ring_rows);

/* Lost with a worker's own filter, which it loads afterwards. */
static const struct policy_row enable_rows[] = {
	ALLOW_IF(io_uring_register, T_EQ(1, IORING_REGISTER_ENABLE_RINGS),
		 "devices/core/uring.c uring_enable, first thing in a worker"),
};
POLICY_SET(set_ring_enable, enable_rows);
