// SPDX-License-Identifier: Apache-2.0
/*
 * role.c - the table of roles. Linked by every process; constant data only.
 *
 * Every child gets all the namespaces there are. fs and gpu are no exception:
 * what they need of the file system is granted as fds before the root is
 * emptied.
 */
#include "policy/role.h"

#include <linux/sched.h>

#include "ipc/compiler.h"

#define ROLE_CLONE_ALL                                               \
	(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | \
	 CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)

static const struct role_info role_table[] = {
	[ROLE_MONITOR] =
		{
			.name = "monitor",
			.program = "bulkhead",
			.clone_flags = 0,
			.nofile = 1024,
			.nproc = 0,
		},
	/* 32 vCPUs with KVM fds, 31 devices with 2 eventfds a queue. */
	[ROLE_VMM] =
		{
			.name = "vmm",
			.program = "bulkhead-vmm",
			.clone_flags = ROLE_CLONE_ALL,
			.nofile = 2048,
			.nproc = 128,
		},
	[ROLE_BLK] =
		{
			.name = "blk",
			.program = "bulkhead-blk",
			.clone_flags = ROLE_CLONE_ALL,
			.nofile = 256,
			.nproc = 256,
		},
	[ROLE_NET] =
		{
			.name = "net",
			.program = "bulkhead-net",
			.clone_flags = ROLE_CLONE_ALL,
			.nofile = 256,
			.nproc = 64,
		},
	[ROLE_FS] =
		{
			.name = "fs",
			.program = "bulkhead-fs",
			.clone_flags = ROLE_CLONE_ALL,
			.nofile = 65536,
			.nproc = 64,
		},
	[ROLE_GPU] =
		{
			.name = "gpu",
			.program = "bulkhead-gpu",
			.clone_flags = ROLE_CLONE_ALL,
			.nofile = 4096,
			.nproc = 128,
		},
};
_Static_assert(ARRAY_SIZE(role_table) == ROLE_COUNT, "a row for each role");

const struct role_info *role_info(enum role role)
{
	BUG_ON(role >= ROLE_COUNT);
	return &role_table[role];
}
