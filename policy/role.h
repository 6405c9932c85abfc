/* SPDX-License-Identifier: Apache-2.0 */
/*
 * role.h - the kinds of process of a machine, one row each.
 */
#ifndef POLICY_ROLE_H
#define POLICY_ROLE_H

#include <stdint.h>

enum role {
	ROLE_MONITOR,
	ROLE_VMM,
	ROLE_BLK,
	ROLE_NET,
	ROLE_FS,
	ROLE_GPU,
	ROLE_COUNT
};

/**
 * struct role_info - what is fixed for a role
 * @name: "vmm", "blk", ...; also on the wire as Role of the same value
 * @program: file name of its binary
 * @clone_flags: namespaces that the monitor makes at spawn
 * @nofile: RLIMIT_NOFILE, fds of the largest machine with room to spare
 * @nproc: RLIMIT_NPROC, threads in its own user namespace, io_uring's kernel
 * workers included; not set where there is no such namespace
 */
struct role_info {
	const char *name;
	const char *program;
	uint64_t clone_flags;
	uint32_t nofile;
	uint32_t nproc;
};

/** role_info() - never NULL for @role < ROLE_COUNT. */
const struct role_info *role_info(enum role role);

#endif
