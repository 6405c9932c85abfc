/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - the memory of a guest that is played by a test: a sealed memfd as
 * the monitor makes it, and a bump allocator in it.
 */
#ifndef TESTS_SUPPORT_RING_GUEST_H
#define TESTS_SUPPORT_RING_GUEST_H

#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/memtable.h"

/**
 * struct guest - guest memory
 * @fd: owned memfd, sealed
 * @base: owned mapping of the whole fd
 * @bytes: its size
 * @table: guest-physical layout
 * @next: offset of the first free byte; starts behind page 0
 */
struct guest {
	int fd;
	uint8_t *base;
	uint64_t bytes;
	struct memtable table;
	uint64_t next;
};

/**
 * guest_init() - @bytes of RAM
 * @table: layout, or NULL for the x86 layout
 * Return: 0 or -errno.
 */
MUST_CHECK int guest_init(struct guest *g, uint64_t bytes,
			  const struct memtable *table);
/** guest_fini() - accepts { .fd = -1 }. */
void guest_fini(struct guest *g);
/** guest_alloc() - gpa of @bytes zeroed bytes; 0 when memory is used up. */
uint64_t guest_alloc(struct guest *g, uint64_t bytes, uint64_t align);
/** guest_at() - our pointer to a gpa; NULL when it is not in RAM. */
void *guest_at(const struct guest *g, uint64_t gpa);

#endif
