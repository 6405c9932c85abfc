// SPDX-License-Identifier: Apache-2.0
/*
 * phase.c - how long the steps of the start took.
 */
#include "vmm/phase.h"

#include <time.h>

/** phase_clock_ns() - reads clock @id; cannot fail for the ids used here. */
static uint64_t phase_clock_ns(clockid_t id)
{
	struct timespec ts = {0};

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

void phase_mark(struct phase_list *l, const char *name)
{
	Bulkhead__Child__Phase *p;

	if (l->cnt == PHASES_MAX)
		return;
	p = &l->phase[l->cnt];
	bulkhead__child__phase__init(p);
	/* protobuf-c has no const strings; packing only reads it. */
	p->name = (char *)(uintptr_t)name;
	p->cpu_ns = phase_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	p->mono_ns = phase_clock_ns(CLOCK_MONOTONIC);
	l->ptr[l->cnt] = p;
	l->cnt++;
}

void phase_clear(struct phase_list *l)
{
	l->cnt = 0;
}
