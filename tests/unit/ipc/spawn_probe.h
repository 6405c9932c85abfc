/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn_probe.h - what a spawned program found, as it sends it on fd 3.
 */
#ifndef TESTS_UNIT_IPC_SPAWN_PROBE_H
#define TESTS_UNIT_IPC_SPAWN_PROBE_H

#include <stdint.h>

#define PROBE_FDS 1024
#define PROBE_INODES 64

/**
 * struct probe_report - one write to fd 3
 * @open_cnt: open fds below PROBE_FDS
 * @ino: inode behind each of the first fds, 0 where closed
 * @null_cnt: how many of fds 0..2 are /dev/null
 * @env_cnt: environment strings
 * @ignored_cnt: signals whose disposition is not the default
 */
struct probe_report {
	uint32_t open_cnt;
	uint32_t null_cnt;
	uint32_t env_cnt;
	uint32_t argc;
	uint32_t ignored_cnt;
	uint32_t dumpable;
	uint64_t blocked;
	int32_t pid;
	uint32_t uid;
	uint32_t gid;
	int32_t death_signal;
	uint64_t ino[PROBE_INODES];
};

#endif
