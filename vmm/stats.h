/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.h - what the vmm counts, as STATS reports it. Callable from every
 * thread.
 */
#ifndef VMM_STATS_H
#define VMM_STATS_H

#include <stdatomic.h>
#include <stdint.h>

enum stats_counter {
	STAT_EXIT_IO,
	STAT_EXIT_MMIO,
	STAT_EXIT_HLT,
	STAT_EXIT_SIGNAL,
	STAT_EXIT_AGAIN,
	STAT_EXIT_OTHER,
	STAT_PIO_UNKNOWN,
	STAT_MMIO_UNKNOWN,
	STAT_NOTIFY_USER,
	STAT_DOORBELL_SET,
	STAT_IRQ_ROUTE_UPDATE,
	STAT_IRQFD_SET,
	STAT_CONFIG_IRQ,
	STAT_DEVICE_REQUEST,
	STAT_CONSOLE_OUT_BYTES,
	STAT_CONSOLE_OUT_DROPPED,
	STAT_CONSOLE_IN_BYTES,
	STAT_CONSOLE_IN_DROPPED,
	STAT_COUNT
};

struct stats {
	_Atomic uint64_t v[STAT_COUNT];
};

/** stats_name() - kebab-case name of a counter; @s < STAT_COUNT. */
const char *stats_name(enum stats_counter s);

/** stats_add() - relaxed: counters order nothing. @st may be NULL (tests). */
static inline void stats_add(struct stats *st, enum stats_counter s, uint64_t n)
{
	if (st)
		atomic_fetch_add_explicit(&st->v[s], n, memory_order_relaxed);
}

static inline uint64_t stats_get(const struct stats *st, enum stats_counter s)
{
	return atomic_load_explicit(&st->v[s], memory_order_relaxed);
}

#endif
