/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.h - one child process as the monitor sees it: channel, log channel,
 * pidfd, and how it ended. Knows nothing of the machine.
 */
#ifndef MONITOR_MACHINE_CHILD_H
#define MONITOR_MACHINE_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/loop.h"
#include "ipc/peer.h"
#include "ipc/spawn.h"
#include "monitor/machine/log_sink.h"
#include "policy/role.h"
#include "proto/child.pb-c.h"

/* Frames that a child may send depend on how far its start is. */
enum child_state {
	CHILD_STATE_STARTED,
	CHILD_STATE_GRANTED,
	CHILD_STATE_READY,
	CHILD_STATE_RUN,
	CHILD_STATE_COUNT
};

struct child;

/**
 * struct child_events - what the owner is told, on the loop's thread
 * @hello: its version and role are right
 * @ready: child->ready is there
 * @running: child->running is there
 * @exit: child->exit says why it will end
 * @gone: reaped, and all that it sent was read
 * @overdue: child->step_name did not come in time
 */
struct child_events {
	void (*hello)(struct child *c);
	void (*ready)(struct child *c);
	void (*running)(struct child *c);
	void (*exit)(struct child *c);
	void (*gone)(struct child *c);
	void (*overdue)(struct child *c);
};

/**
 * struct child - zero-initialised, then child_start
 * @id: "vmm" or a device's id; borrowed
 * @name: "vmm" or "blk/disk0"
 * @events: borrowed
 * @owner: for the events
 * @started_ns: CLOCK_MONOTONIC at its spawn
 * @ready: copies of what it sent, owned; NULL = not yet
 * @exited: the process is no more (reaped)
 * @gone: and nothing more will come from it
 * @end_code: CLD_EXITED, CLD_KILLED or CLD_DUMPED, once @exited
 * @end_value: exit status or signal
 * @fault: what it did wrong on its channel; "" = nothing
 */
struct child {
	enum role role;
	const char *id;
	char name[48];
	const struct child_events *events;
	void *owner;
	struct spawn_child proc;
	uint64_t started_ns;
	Bulkhead__Child__Ready *ready;
	Bulkhead__Child__Running *running;
	Bulkhead__Child__Exit *exit;
	bool exited;
	bool gone;
	int end_code;
	int end_value;
	char fault[96];
	const char *step_name;

	/* private to child.c */
	struct loop *loop;
	struct peer control;
	struct peer log;
	struct log_sink sink;
	struct loop_source pidfd_source;
	struct deadline step;
	struct deadline drain;
	bool control_done;
	bool log_done;
};

/**
 * struct child_start - how to start one
 * @program_fd: borrowed
 * @log_level: records above are dropped
 * @namespaces: CLONE_NEW... flags of those that it gets
 * @uid: user and group that a user namespace maps to its user 0
 * @keep_stderr: for debuggers and sanitizers
 * @cgroup_fd: directory of its cgroup, borrowed; -1 = the monitor's
 */
struct child_start {
	int program_fd;
	uint32_t log_level;
	uint64_t namespaces;
	uid_t uid;
	gid_t gid;
	bool keep_stderr;
	int cgroup_fd;
};

/**
 * child_start() - spawns; role, id, events and owner must be set
 * @ret_step: names what failed
 * Return: 0; -errno, and no process is left.
 */
MUST_CHECK int child_start(struct child *c, struct loop *l,
			   const struct child_start *how,
			   const char **ret_step);
/** child_fini() - kills and reaps if needed, frees; accepts a zeroed struct. */
void child_fini(struct child *c);

/** child_expect() - the next step, @name, must come within @ns. */
void child_expect(struct child *c, const char *name, uint64_t ns);
/** child_expect_end() - it came. */
void child_expect_end(struct child *c);
/** child_state_set() - its start is this far. */
void child_state_set(struct child *c, enum child_state state);

/** child_state() - how far its start is. */
enum child_state child_state(const struct child *c);

/** child_silent() - its control channel is closed; it may not be reaped yet. */
bool child_silent(const struct child *c);
/** child_send() - an event. Return: 0; -errno as peer_event. */
MUST_CHECK int child_send(struct child *c, uint32_t op,
			  const ProtobufCMessage *msg, const int *fds,
			  size_t fd_cnt);
/** child_kill() - SIGKILL; harmless when it is gone. */
void child_kill(struct child *c);
/** child_alive() - started and not reaped. */
bool child_alive(const struct child *c);
/**
 * child_hung_up() - has it closed its control channel, or ended? What a dying
 * child's peers can see comes after this.
 */
bool child_hung_up(const struct child *c);

/** child_ending() - its process has ended, reaped or not. */
bool child_ending(const struct child *c);
/**
 * child_end_describe() - "blk/disk0[123] was killed by signal 9 (SIGKILL)"
 * with what it said of itself
 */
void child_end_describe(const struct child *c, char *ret_text, size_t size);

#endif
