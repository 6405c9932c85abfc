/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timings.h - CPU and wall time of each start phase of each process, as JSON.
 */
#ifndef MONITOR_MACHINE_TIMINGS_H
#define MONITOR_MACHINE_TIMINGS_H

#include "monitor/machine/machine.h"

/**
 * timings_begin() - opens what timings_write() and the report of `check` need;
 * before the walls
 */
void timings_begin(void);
/**
 * timings_write() - to res->timings_fd; the machine is RUNNING
 * {"total_cpu_ns", "wall_ns", "processes": [{"name", "role", "pid", "cpu_ns",
 * "phases": [{"name", "cpu_ns", "mono_ns"}]}]}; a phase's times are those of
 * its end, of a process since it was made. A failure is logged.
 */
void timings_write(const struct machine *m);

#endif
