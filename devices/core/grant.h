/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grant.h - what the monitor grants a device process, and the child.proto rows
 * as a device receives them.
 */
#ifndef DEVICES_CORE_GRANT_H
#define DEVICES_CORE_GRANT_H

#include <stdbool.h>
#include <stdint.h>

#include "devices/core/backend.h"
#include "ipc/dispatch.h"
#include "ipc/fds.h"
#include "ipc/memtable.h"
#include "policy/confine.h"

#define GRANT_ID_MAX 64u

/**
 * struct grant - GRANT, checked and copied
 * @id: the device's id
 * @memory: ranges, checked against @memory_bytes
 * @memory_bytes: of the memory fd
 * @memory_fd: owned, -1 once mapped
 * @backend_fd: owned, our end of the vmm's channel
 * @fds: owned, in the order of ops->fds
 */
struct grant {
	char id[GRANT_ID_MAX + 1];
	struct memtable memory;
	uint64_t memory_bytes;
	bool transparent_huge;
	bool prefault;
	enum confine_mode confine;
	int memory_fd;
	int backend_fd;
	int fds[BACKEND_FDS_MAX];
};

/** grant_init() - all fds -1. */
void grant_init(struct grant *g);
/** grant_fini() - closes what is left. */
void grant_fini(struct grant *g);

/**
 * grant_take() - copies a checked message and takes its fds
 * Return: 0; -EPROTO an fd row is missing, doubled or not ours, or the memory
 * table makes no sense.
 */
MUST_CHECK int grant_take(struct grant *g, const struct backend_ops *ops,
			  const Bulkhead__Child__Grant *msg, struct fdset *fds);

/** grant_check() - pure test of a GRANT's values. 0 or -EPROTO. */
int grant_check(const ProtobufCMessage *msg);

#endif
