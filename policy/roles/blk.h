/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blk.h - rows that more than one of the block device's filters has. Constants
 * of <linux/io_uring.h>; whoever uses a macro includes it.
 */
#ifndef POLICY_ROLES_BLK_H
#define POLICY_ROLES_BLK_H

/*
 * Rings are made disabled and restricted before the walls (io_uring_setup has
 * no row). What a ring may do is its restrictions' matter; here only the two
 * things that its worker asks for.
 */
#define BLK_RING_ROWS                                                         \
	ALLOW(io_uring_enter, "devices/core/uring.c: submit and wait"),       \
		ALLOW_IF(io_uring_register,                                   \
			 T_EQ(1, IORING_REGISTER_ENABLE_RINGS),               \
			 "devices/core/uring.c uring_enable, by the worker"), \
		ALLOW_IF(io_uring_register,                                   \
			 T_EQ(1, IORING_REGISTER_FILES_UPDATE),               \
			 "devices/core/uring.c uring_file_set: kick eventfd")

/* The image by plain calls: at the end of the process, and without a ring. */
#define BLK_IMAGE_ROWS                                                     \
	ALLOW(fdatasync, "devices/blk: FLUSH outside a ring, last close"), \
		ALLOW(fsync, "devices/blk: FLUSH outside a ring, last close")

#endif
