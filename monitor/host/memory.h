/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - makes the guest's memory: one sealed memfd that the monitor never
 * maps.
 */
#ifndef MONITOR_HOST_MEMORY_H
#define MONITOR_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/memtable.h"
#include "monitor/config/config.h"

/**
 * struct memory - guest RAM
 * @fd: owned, sealed F_SEAL_SHRINK|F_SEAL_GROW|F_SEAL_SEAL
 * @size_bytes: of the whole file
 * @page_bytes: 4096, or the huge page size that backs it
 * @transparent_huge: huge pages are wanted and the host gives them to memfds
 * @host_thp: the host's setting, "never", "advise", ...; "?" if not readable
 */
struct memory {
	int fd;
	uint64_t size_bytes;
	uint64_t page_bytes;
	bool transparent_huge;
	char host_thp[16];
	struct memtable table;
};

/**
 * memory_create() - makes and seals it
 * Return: 0; -errno with *p set: size no multiple of the huge page size, too
 * few free huge pages (says how many are needed and how to get them).
 */
MUST_CHECK int memory_create(const struct config *cfg,
			     struct memory *ret_memory, struct problem *p);

#endif
