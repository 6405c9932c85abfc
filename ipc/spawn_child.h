/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn_child.h - private to spawn: what the parent prepares and what the new
 * process does with it between clone3 and exec.
 */
#ifndef IPC_SPAWN_CHILD_H
#define IPC_SPAWN_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/spawn.h"

/* Steps that can fail, in order; names in spawn.c. */
enum spawn_step {
	SPAWN_STEP_REQUEST,
	SPAWN_STEP_NULL,
	SPAWN_STEP_SOCKET,
	SPAWN_STEP_CLONE,
	SPAWN_STEP_SETGROUPS,
	SPAWN_STEP_UID_MAP,
	SPAWN_STEP_GID_MAP,
	SPAWN_STEP_GO,
	SPAWN_STEP_IDS,
	SPAWN_STEP_PDEATHSIG,
	SPAWN_STEP_PARENT,
	SPAWN_STEP_SESSION,
	SPAWN_STEP_SIGNALS,
	SPAWN_STEP_FDS_MOVE,
	SPAWN_STEP_FDS_MAP,
	SPAWN_STEP_FDS_CLOSE,
	SPAWN_STEP_EXEC,
	SPAWN_STEP_COUNT
};

/* What a child that could not start sends before it exits. */
struct spawn_failure {
	uint32_t step;
	int32_t error; /* positive errno */
};

#define SPAWN_FDS_MAX 16
/* Highest number that a map may give out. */
#define SPAWN_TO_MAX 63

/**
 * struct spawn_plan - made by the parent, used by the child's copy of it
 * @req: what was asked for, checked
 * @change_ids: the namespace maps another user than the caller
 * @null_fd: /dev/null
 * @parent_fd: the parent's end of the start socket, closed in the child
 * @child_fd: the child's end: one byte says go; a spawn_failure goes back;
 * exec closes it
 */
struct spawn_plan {
	const struct spawn_request *req;
	bool change_ids;
	int null_fd;
	int parent_fd;
	int child_fd;
};

/** spawn_child_run() - the new process, until exec. */
NORETURN void spawn_child_run(const struct spawn_plan *plan);

#endif
