// SPDX-License-Identifier: Apache-2.0
/*
 * phases.c - time marks. Runs in the monitor.
 */
#include "monitor/machine/phases.h"

#include <time.h>

/* phases_clock() - @id in ns; 0 if the kernel has no such clock. */
static uint64_t phases_clock(clockid_t id)
{
	struct timespec t = {0};

	(void)clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void phases_mark(struct phases *p, const char *name)
{
	if (p->cnt == PHASES_MAX)
		return;
	p->phase[p->cnt++] = (struct phase){
		.name = name,
		.cpu_ns = phases_clock(CLOCK_PROCESS_CPUTIME_ID),
		.mono_ns = phases_clock(CLOCK_MONOTONIC),
	};
}
