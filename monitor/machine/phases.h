/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phases.h - how long the monitor's own steps of a start took.
 */
#ifndef MONITOR_MACHINE_PHASES_H
#define MONITOR_MACHINE_PHASES_H

#include <stddef.h>
#include <stdint.h>

#define PHASES_MAX 12

/**
 * struct phases - the end of each step, in order
 * @name: static
 * @cpu_ns: CLOCK_PROCESS_CPUTIME_ID
 * @mono_ns: CLOCK_MONOTONIC
 */
struct phases {
	struct phase {
		const char *name;
		uint64_t cpu_ns;
		uint64_t mono_ns;
	} phase[PHASES_MAX];
	size_t cnt;
};

/** phases_mark() - step @name ends now. */
void phases_mark(struct phases *p, const char *name);

#endif
