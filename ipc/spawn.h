/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.h - starts a child program with exactly the fds that its map names, an
 * empty environment and, if asked, namespaces of its own.
 */
#ifndef IPC_SPAWN_H
#define IPC_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/compiler.h"

/* Fixed fd numbers in every child (proto/PROTOCOL.md, fd table). */
#define CHILD_FD_NULL_FIRST 0 /* 0, 1, 2 are /dev/null (2: stderr if asked) */
#define CHILD_FD_CONTROL 3    /* child.proto */
#define CHILD_FD_LOG 4        /* child.proto OP_LOG only */
#define CHILD_FD_FIRST_FREE 5

/**
 * struct spawn_fd - one entry of the fd map
 * @from: our fd, borrowed
 * @to: number in the child, >= 3
 */
struct spawn_fd {
	int from;
	int to;
};

/**
 * struct spawn_request - what to start
 * @path_fd: the program, opened O_PATH or O_RDONLY; executed by execveat, so no
 * path is looked up twice
 * @argv: NULL-terminated; argv[0] is the process name
 * @fds: the map; every other fd is closed in the child
 * @fd_cnt: entries in @fds, at most 16
 * @clone_flags: CLONE_NEWUSER, CLONE_NEWPID, ... or 0; with CLONE_NEWUSER
 * @own_uid and @own_gid are mapped to @map_uid and @map_gid inside
 * @own_uid: user outside; the caller's own, or with CAP_SETUID any: then the
 * child becomes that user and has no supplementary group
 * @own_gid: likewise
 * @keep_stderr: fd 2 stays ours (debug runs)
 * @in_cgroup: it starts in the cgroup v2 whose directory is @cgroup_fd
 */
struct spawn_request {
	int path_fd;
	char *const *argv;
	const struct spawn_fd *fds;
	size_t fd_cnt;
	uint64_t clone_flags;
	uid_t own_uid;
	gid_t own_gid;
	uid_t map_uid;
	gid_t map_gid;
	bool keep_stderr;
	bool in_cgroup;
	int cgroup_fd;
};

/**
 * struct spawn_child - a running child
 * @pid: in our pid namespace
 * @pidfd: owned, close-on-exec
 */
struct spawn_child {
	pid_t pid;
	int pidfd;
};

/**
 * spawn_child_start() - clone3 + execveat
 * The child dies with the thread that called this (PR_SET_PDEATHSIG SIGKILL,
 * set before exec, with a test against the race), leads a session of its own
 * without terminal, so that no key and no hang-up reaches it, and starts with
 * default signal dispositions, an empty signal mask and an empty environment.
 * Return: 0; -errno of clone3 or of a step in the child (exec included);
 * -ETIMEDOUT it did not come to exec within 10 s. Then no process is left, and
 * @ret_step (may be NULL) names the failed step.
 */
MUST_CHECK int spawn_child_start(const struct spawn_request *req,
				 struct spawn_child *ret_child,
				 const char **ret_step);

#endif
