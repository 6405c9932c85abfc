/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grant.h - what each child gets: one GRANT, and for the vmm a DEVICE for each
 * device.
 */
#ifndef MONITOR_MACHINE_GRANT_H
#define MONITOR_MACHINE_GRANT_H

#include "ipc/compiler.h"
#include "monitor/machine/machine.h"

/* Queues and depth of a disk. */
#define GRANT_BLK_QUEUES_MAX 8u
#define GRANT_BLK_QUEUE_SIZE 256u

/** grant_vmm() - GRANT and all DEVICEs to the vmm. Return: 0 or -errno. */
MUST_CHECK int grant_vmm(struct machine *m);
/** grant_blk() - GRANT to disk @idx. Return: 0 or -errno. */
MUST_CHECK int grant_blk(struct machine *m, uint32_t idx);

#endif
