/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - one machine: its children, from spawn to the last one's end.
 *
 *   launch.c   spawn -> HELLO -> GRANT -> READY -> PREPARE -> RUN -> RUNNING
 *   ending.c   from the first sign of an end to the exit code
 *   walls.c    who runs behind which walls, the monitor's own
 *   machine.c  life of the struct, signals
 */
#ifndef MONITOR_MACHINE_MACHINE_H
#define MONITOR_MACHINE_MACHINE_H

#include <stdbool.h>

#include "ipc/compiler.h"
#include "ipc/loop.h"
#include "monitor/config/config.h"
#include "monitor/control/control.h"
#include "monitor/host/cgroup.h"
#include "monitor/host/resources.h"
#include "monitor/machine/child.h"
#include "monitor/machine/phases.h"
#include "policy/confine.h"

#define MACHINE_WHY_BYTES 1024

/**
 * struct machine - everything but configuration and resources
 * @cfg: borrowed
 * @res: borrowed; fds that only a start needs are closed after it
 * @dry_run: ends when everything is prepared (`check`)
 * @children: children[0] is the vmm, children[1 + i] disk i
 * @backend: backend[i] = vmm's and device's end of disk i's channel, owned
 * @by_root: root started it, and its processes run as other users
 * @namespaces_missing: CLONE_NEW... flags that the host refuses and that the
 * configuration can do without
 * @walls: the monitor's own, once they stand
 * @cgroup: owned; NULL = the processes have no groups of their own
 * @prepared: the vmm's answer, owned
 * @code: exit code, once @ending
 * @why: for the last line
 */
struct machine {
	const struct config *cfg;
	struct resources *res;
	bool dry_run;
	struct phases *phases;
	struct loop *loop;
	struct child children[1 + CONFIG_DISKS_MAX];
	uint32_t child_cnt;
	int backend[CONFIG_DISKS_MAX][2];
	uint32_t ready_cnt;
	bool running;
	bool by_root;
	uint64_t namespaces_missing;
	struct confine_report walls;
	struct cgroup *cgroup;
	Bulkhead__Child__Prepared *prepared;

	int signal_fd;
	struct loop_source signal_source;
	uint32_t signals_seen;
	struct control control;

	bool ending;
	bool gently;      /* with STOP */
	bool stop_vmm;    /* STOP was sent to the vmm */
	bool stop_others; /* STOP was sent to the devices */
	bool stopping;
	bool vmm_awaited; /* once, see ending.c */
	int code;
	char why[MACHINE_WHY_BYTES];
	struct deadline grace;   /* power button pressed */
	struct deadline stop;    /* STOP sent to the vmm */
	struct deadline verdict; /* somebody died: who was first? */
	struct deadline kill;    /* STOP sent to the others */
	struct deadline give_up; /* SIGKILL sent */
};

/**
 * machine_run() - from nothing to the end
 * @cfg, @res, @dry_run, @phases are set, the rest is zero
 * Return: exit code; m->why says why. After a dry run m->prepared and the
 * children's reports are there until machine_fini.
 */
MUST_CHECK int machine_run(struct machine *m);
/** machine_fini() - no child is left afterwards. */
void machine_fini(struct machine *m);

/* Between the machine's own files. */

/** launch_start() - spawns all. Return: 0; -errno, and the machine ends. */
MUST_CHECK int launch_start(struct machine *m);
/** launch_events - how children report. */
extern const struct child_events launch_events;

/**
 * machine_end() - ends with @code; the first call counts
 * @gently: ask with STOP before SIGKILL
 */
void machine_end(struct machine *m, bool gently, int code, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/** ending_init() - the deadlines. */
void ending_init(struct machine *m);
/** ending_consider() - a child is gone or said that it will end. */
void ending_consider(struct machine *m);
/** ending_ask() - signal or escape: power button at first, then the end. */
void ending_ask(struct machine *m, const char *signal_name);

#endif
