/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase.h - CPU and wall time at which the steps of the start ended, for READY,
 * PREPARED and RUNNING. Main thread only.
 */
#ifndef VMM_PHASE_H
#define VMM_PHASE_H

#include <stddef.h>
#include <stdint.h>

#include "proto/child.pb-c.h"

#define PHASES_MAX 8

/**
 * struct phase_list - phases since the last report
 * @phase: phase[0..cnt), names are static strings
 * @ptr: as protobuf-c wants them
 */
struct phase_list {
	Bulkhead__Child__Phase phase[PHASES_MAX];
	Bulkhead__Child__Phase *ptr[PHASES_MAX];
	size_t cnt;
};

/** phase_mark() - @name ends now; dropped when the list is full. */
void phase_mark(struct phase_list *l, const char *name);
/** phase_clear() - after a report. */
void phase_clear(struct phase_list *l);

#endif
