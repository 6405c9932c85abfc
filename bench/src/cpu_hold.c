// SPDX-License-Identifier: Apache-2.0
/*
 * cpu_hold.c - keeps neighbours out; see cpu_hold.h. Runs in
 * measuring programs.
 */
#include "bench/src/cpu_hold.h"

#include <errno.h>
#include <sched.h>

int cpu_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) < 0 ? -errno : 0;
}

int cpu_realtime(void)
{
	const struct sched_param p = {.sched_priority = 1};

	return sched_setscheduler(0, SCHED_FIFO, &p) < 0 ? -errno : 0;
}
