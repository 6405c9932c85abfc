/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walls.h - which walls each process of this machine gets, who it runs as, and
 * the monitor's own.
 */
#ifndef MONITOR_MACHINE_WALLS_H
#define MONITOR_MACHINE_WALLS_H

#include "ipc/compiler.h"
#include "monitor/machine/machine.h"

/**
 * walls_begin() - before the first child: what the host refuses and may be
 * missing; a monitor that root started becomes an ordinary user
 * Return: 0; -errno, and the machine ends.
 */
MUST_CHECK int walls_begin(struct machine *m);

/** walls_mode() - how child @idx is confined. */
enum config_confine walls_mode(const struct machine *m, uint32_t idx);

/** walls_spawn() - namespaces and user of child @idx. */
void walls_spawn(const struct machine *m, uint32_t idx,
		 struct child_start *ret_how);

/** walls_explain() - why a child's namespaces were refused; "" if not that. */
void walls_explain(const struct machine *m, int error, char *ret_text,
		   size_t size);

/**
 * struct walls_grant - the walls' part of a GRANT, with what it points to
 */
struct walls_grant {
	char *words[CONFIG_MISSING_COUNT];
};

/** walls_grant() - fills it in for child @idx; @g lives as long as @msg. */
void walls_grant(const struct machine *m, uint32_t idx, struct walls_grant *g,
		 Bulkhead__Child__Grant *msg);

/**
 * walls_enter() - the monitor's own walls: every child is started and ready,
 * and the tenant's kernel is not parsed yet
 * Return: 0; -errno, and the machine ends.
 */
MUST_CHECK int walls_enter(struct machine *m);

#endif
