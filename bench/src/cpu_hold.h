/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu_hold.h - what keeps neighbours out of a short figure.
 */
#ifndef BENCH_SRC_CPU_HOLD_H
#define BENCH_SRC_CPU_HOLD_H

#include "ipc/compiler.h"

/** cpu_pin() - the calling thread, and what it starts, to one CPU. */
MUST_CHECK int cpu_pin(int cpu);

/**
 * cpu_realtime() - the calling thread, and what it starts, before all ordinary
 * processes. Return: 0 or -errno; -EPERM without the right to.
 */
MUST_CHECK int cpu_realtime(void);

#endif
