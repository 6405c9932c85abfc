/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock.h - what we use of the kernel's Landlock interface. Own names and
 * layout by ABI version, since Debian 12's <linux/landlock.h> ends at ABI 2.
 * Facts: Documentation/userspace-api/landlock.rst, Linux 6.15.
 */
#ifndef POLICY_LANDLOCK_H
#define POLICY_LANDLOCK_H

#include <stdint.h>

/* Bits of handled_access_fs: 13 in ABI 1; then one each. */
#define LANDLOCK_FS_ABI1 ((UINT64_C(1) << 13) - 1)
#define LANDLOCK_FS_REFER (UINT64_C(1) << 13)     /* ABI 2 */
#define LANDLOCK_FS_TRUNCATE (UINT64_C(1) << 14)  /* ABI 3 */
#define LANDLOCK_FS_IOCTL_DEV (UINT64_C(1) << 15) /* ABI 5 */
/* Of ABI 1: what may be taken out of a directory. */
#define LANDLOCK_FS_REMOVE_DIR (UINT64_C(1) << 4)
#define LANDLOCK_FS_REMOVE_FILE (UINT64_C(1) << 5)
/* Oldest ABI that counts as a wall: Linux 5.19. */
#define LANDLOCK_ABI_MIN 2
/* handled_access_net, ABI 4: bind and connect of TCP. */
#define LANDLOCK_NET_TCP UINT64_C(3)
/* scoped, ABI 6: abstract unix sockets and signals outside the domain. */
#define LANDLOCK_SCOPE_ALL UINT64_C(3)

/** struct landlock_attr - landlock_ruleset_attr as of ABI 6. */
struct landlock_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

/** struct landlock_beneath - landlock_path_beneath_attr, packed there. */
struct landlock_beneath {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

/** landlock_abi() - newest ABI that the kernel has; -errno without Landlock. */
int landlock_abi(void);

/**
 * landlock_attr_for() - everything that @abi can deny
 * Return: size of *@ret_attr that this ABI knows.
 */
uint32_t landlock_attr_for(int abi, struct landlock_attr *ret_attr);

#endif
