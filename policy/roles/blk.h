/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blk.h - rows that more than one of the block device's filters has. Constants
 * of <linux/io_uring.h>; whoever uses a macro includes it.
 */
#ifndef POLICY_ROLES_BLK_H
#define POLICY_ROLES_BLK_H

/*
 * Rings are made disabled and restricted before the walls (io_uring_setup has
 * no row). What a ring may do is its restrictions' matter.
 */
#define BLK_RING_ROWS                                                   \
	ALLOW(io_uring_enter, "devices/core/uring.c: submit and wait"), \
		ALLOW_IF(io_uring_register,                             \
			 T_EQ(1, IORING_REGISTER_FILES_UPDATE),         \
			 "devices/core/uring.c: kick eventfd of a queue")

#endif
