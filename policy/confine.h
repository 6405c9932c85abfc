/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine.h - how a process puts itself behind its walls. Two calls: the first
 * lines of main, and the one just before READY; a third for each thread that
 * gets a tighter filter. Theory of operation, order of the walls and what each
 * must and must not do: policy/confine.c.
 */
#ifndef POLICY_CONFINE_H
#define POLICY_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/compiler.h"
#include "policy/role.h"
#include "proto/facts.pb-c.h"

enum confine_mode { CONFINE_MODE_ENFORCE, CONFINE_MODE_LOG, CONFINE_MODE_OFF };

#define CONFINE_WALLS_MAX 16

/* The walls, in the order of the report. */
enum confine_wall_id {
	CONFINE_WALL_DUMPABLE,
	CONFINE_WALL_PDEATHSIG,
	CONFINE_WALL_FDS,
	CONFINE_WALL_NNP,
	CONFINE_WALL_USERNS,
	CONFINE_WALL_PIDNS,
	CONFINE_WALL_MNTNS,
	CONFINE_WALL_NETNS,
	CONFINE_WALL_IPCNS,
	CONFINE_WALL_UTSNS,
	CONFINE_WALL_CGROUPNS,
	CONFINE_WALL_ROOT,
	CONFINE_WALL_CAPS,
	CONFINE_WALL_RLIMITS,
	CONFINE_WALL_LANDLOCK,
	CONFINE_WALL_SECCOMP,
	CONFINE_WALL_COUNT
};
_Static_assert(CONFINE_WALL_COUNT <= CONFINE_WALLS_MAX, "fits the report");

/**
 * struct confine_wall - one wall as the kernel reports it afterwards
 * @name: static, for example "userns", "root", "caps", "seccomp"
 * @stands: read back, not assumed
 * @detail: what was read, or why it does not stand
 */
struct confine_wall {
	const char *name;
	bool stands;
	char detail[128];
};

/**
 * struct confine_report - all walls, indexed by enum confine_wall_id
 * @wall: wall[0..cnt)
 * @cnt: CONFINE_WALL_COUNT
 * @failed: the wall for which confine_enter() failed; CONFINE_WALL_COUNT: none
 * @facts: what the kernel says beyond walls, owned, facts_free(); NULL where
 * there was no /proc to read
 */
struct confine_report {
	struct confine_wall wall[CONFINE_WALLS_MAX];
	size_t cnt;
	enum confine_wall_id failed;
	Bulkhead__Facts__Facts *facts;
};

/* Threads with a filter of their own, on top of their process's. */
enum confine_thread_kind {
	CONFINE_THREAD_MAIN,  /* after the last thread was made: no clone */
	CONFINE_THREAD_VCPU,  /* KVM_RUN, its eventfds, and its own end */
	CONFINE_THREAD_QUEUE, /* a device's queue worker */
	CONFINE_THREAD_COUNT
};

/**
 * confine_early() - first call of main: not dumpable, dies with the monitor,
 * no_new_privs, fds other than its table closed. Nothing in the monitor, whose
 * walls all come with confine_enter() when its children run.
 * Return: 0; -EBADF one of the fds 0..4 is not open; -ECONNRESET the monitor is
 * gone already; other -errno.
 */
MUST_CHECK int confine_early(enum role role);

/** confine_wall_name() - "userns", ...; never NULL below CONFINE_WALL_COUNT. */
const char *confine_wall_name(enum confine_wall_id id);

/**
 * confine_allow_missing() - walls that may be missing (configuration key
 * "confine-missing"); before confine_enter()
 * @mask: 1u << enum confine_wall_id
 */
void confine_allow_missing(uint32_t mask);

/**
 * confine_wall_by_name() - its id, or CONFINE_WALL_COUNT
 */
enum confine_wall_id confine_wall_by_name(const char *name);

/**
 * confine_run_as() - who to become where no user namespace maps one user to
 * this process and root started it; before confine_enter()
 */
void confine_run_as(uid_t uid, gid_t gid);

/**
 * confine_keep_kill() - keep CAP_KILL: the monitor, whose children are other
 * users without a user namespace that it owns; before confine_enter()
 */
void confine_keep_kill(void);

/* Directories from which the monitor removes what it made. */
#define CONFINE_DIRS_MAX 4u

/* What may be removed from there. */
enum confine_keep { CONFINE_KEEP_FILES, CONFINE_KEEP_DIRS };

/**
 * confine_keep_dir() - what lies below @dir_fd may be removed after
 * confine_enter(); the monitor only
 * @dir_fd: borrowed until then
 * @what: files or directories, not both: Landlock knows no names
 * Return: 0; -ENOSPC after CONFINE_DIRS_MAX.
 */
MUST_CHECK int confine_keep_dir(int dir_fd, enum confine_keep what);

/**
 * confine_on_violation() - called once before a refused call ends the process
 * @fn: async-signal-safe, makes only calls that the role's table allows
 */
void confine_on_violation(void (*fn)(void));

/**
 * confine_enter() - empty root, capabilities, rlimits, Landlock, seccomp
 * Called once, after the granted memory is mapped and libraries are set up,
 * before the first byte that a guest controls is read. The process must have
 * one thread: capabilities, Landlock and seccomp belong to a thread and are
 * inherited by those that it makes afterwards.
 * Return: 0; -errno of the wall that could not be built (then *ret_report has a
 * row that says why); -EPERM a wall is missing that was not allowed to be; in
 * CONFINE_MODE_OFF only the report is made, and a child stops being root if
 * confine_run_as() told it to.
 */
MUST_CHECK int confine_enter(enum role role, enum confine_mode mode,
			     struct confine_report *ret_report);

/* Room for the longest answer of confine_explain(). */
#define CONFINE_WHY_BYTES 160

/**
 * confine_explain() - which wall made confine_enter() fail, and why
 * @err: what it returned, told where no wall says more
 */
void confine_explain(const struct confine_report *r, int err, char *ret_text,
		     size_t size);

/**
 * confine_thread() - the calling thread's own, tighter filter
 * After confine_enter(), by the thread itself, before it takes guest input.
 * Nothing happens unless the process's seccomp wall stands.
 * Return: 0 or -errno.
 */
MUST_CHECK int confine_thread(enum confine_thread_kind kind);

/** confine_refusals() - unasked calls that were refused and counted so far. */
uint64_t confine_refusals(void);

#endif
