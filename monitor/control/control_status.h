/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_status.h - a machine's state as messages of control.proto.
 */
#ifndef MONITOR_CONTROL_CONTROL_STATUS_H
#define MONITOR_CONTROL_CONTROL_STATUS_H

#include "ipc/compiler.h"
#include "monitor/config/config.h"
#include "monitor/control/control_check.h"
#include "policy/confine.h"
#include "proto/control.pb-c.h"

struct control;

/* Monitor, vmm and every drive. */
#define CONTROL_PROCESSES_MAX (2u + CONFIG_DISKS_MAX)

/**
 * struct control_process - a message and what it points to
 */
struct control_process {
	Bulkhead__Control__Process msg;
	char ended[CONTROL_CHECK_TEXT_MAX + 1];
};

/**
 * struct control_status - likewise; valid while the machine does not change
 */
struct control_status {
	Bulkhead__Control__StatusReply msg;
	Bulkhead__Control__Ending ending;
	struct control_process process[CONTROL_PROCESSES_MAX];
	Bulkhead__Control__Process *ptr[CONTROL_PROCESSES_MAX];
};

/**
 * struct control_confinement - likewise
 */
struct control_confinement {
	Bulkhead__Control__ConfinementReply msg;
	struct control_process process;
	Bulkhead__Child__Wall wall[CONFINE_WALLS_MAX];
	Bulkhead__Child__Wall *ptr[CONFINE_WALLS_MAX];
};

/** control_status_fill() - the whole machine. */
void control_status_fill(const struct control *c,
			 struct control_status *ret_status);

/**
 * control_process_find() - by index or name
 * Return: index; -ENOENT there is none.
 */
MUST_CHECK int
control_process_find(const struct control *c,
		     const Bulkhead__Control__Confinement *asked);

/** control_confinement_fill() - process @idx, found before. */
void control_confinement_fill(const struct control *c, uint32_t idx,
			      struct control_confinement *ret_confinement);

#endif
