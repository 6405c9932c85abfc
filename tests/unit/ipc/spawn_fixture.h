/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn_fixture.h - starts the probe and reads its report.
 */
#ifndef TESTS_UNIT_IPC_SPAWN_FIXTURE_H
#define TESTS_UNIT_IPC_SPAWN_FIXTURE_H

#include "ipc/spawn.h"
#include "tests/unit/ipc/spawn_probe.h"

/* Longest that any of these tests waits for another process. */
#define SPAWN_WAIT_MS 5000

/**
 * struct probe_run - the probe on its way
 * @extra: more of the map; entry 0 is always the report pipe as fd 3
 */
struct probe_run {
	const char *mode;
	struct spawn_fd extra[15];
	size_t extra_cnt;
	uint64_t clone_flags;
	unsigned map_id;
	unsigned own_id; /* 0: the caller's */
	bool keep_stderr;
	int path_fd; /* 0: the probe */
};

/** probe_start() - *@ret_report_fd is readable when it has reported. */
MUST_CHECK int probe_start(const struct probe_run *run,
			   struct spawn_child *ret_child, int *ret_report_fd,
			   const char **ret_step);
/** probe_report_read() - bounded in time. Return: 0 or -errno. */
MUST_CHECK int probe_report_read(int fd, struct probe_report *ret_report);
/** probe_eof_wait() - until all writers of the pipe are gone. */
MUST_CHECK int probe_eof_wait(int fd);
/** probe_end() - waits for the child. Return: exit status, -signal, -ETIME. */
int probe_end(struct spawn_child *child);
/** probe_run_report() - all of it, for a probe that must start and end well. */
struct probe_report probe_run_report(const struct probe_run *run);

#endif
