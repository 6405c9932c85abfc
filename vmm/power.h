/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power.h - ports by which a guest ends the machine.
 */
#ifndef VMM_POWER_H
#define VMM_POWER_H

#include <stdbool.h>

#include "ipc/compiler.h"
#include "vmm/bus.h"
#include "vmm/exit.h"

/**
 * struct power_config - which of the optional ports are there
 */
struct power_config {
	bool debug_exit;
	bool pvpanic;
};

/** power_ports_add() - rows for @bus; @exit is borrowed. As bus_add. */
MUST_CHECK int power_ports_add(struct bus *bus, struct exit_cause *exit,
			       const struct power_config *cfg);

#endif
