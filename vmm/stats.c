// SPDX-License-Identifier: Apache-2.0
/*
 * stats.c - names of the vmm's counters.
 */
#include "vmm/stats.h"

#include "ipc/compiler.h"

static const char *const stats_names[STAT_COUNT] = {
	[STAT_EXIT_IO] = "exit-io",
	[STAT_EXIT_MMIO] = "exit-mmio",
	[STAT_EXIT_HLT] = "exit-hlt",
	[STAT_EXIT_SIGNAL] = "exit-signal",
	[STAT_EXIT_AGAIN] = "exit-again",
	[STAT_EXIT_OTHER] = "exit-other",
	[STAT_PIO_UNKNOWN] = "pio-unknown",
	[STAT_MMIO_UNKNOWN] = "mmio-unknown",
	[STAT_NOTIFY_USER] = "notify-user",
	[STAT_DOORBELL_SET] = "doorbell-set",
	[STAT_IRQ_ROUTE_UPDATE] = "irq-route-update",
	[STAT_IRQFD_SET] = "irqfd-set",
	[STAT_CONFIG_IRQ] = "config-irq",
	[STAT_DEVICE_REQUEST] = "device-request",
	[STAT_CONSOLE_OUT_BYTES] = "console-out-bytes",
	[STAT_CONSOLE_OUT_DROPPED] = "console-out-dropped",
	[STAT_CONSOLE_IN_BYTES] = "console-in-bytes",
	[STAT_CONSOLE_IN_DROPPED] = "console-in-dropped",
};

_Static_assert(ARRAY_SIZE(stats_names) == STAT_COUNT, "a name per counter");

const char *stats_name(enum stats_counter s)
{
	BUG_ON(s >= STAT_COUNT || !stats_names[s]);
	return stats_names[s];
}
