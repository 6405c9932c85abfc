/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gmem.h - guest memory as a device process maps it. The only place where a
 * guest-physical address becomes a pointer; only gmem, vq and chain hold such
 * pointers. What lies behind them may change at any instant.
 */
#ifndef DEVICES_CORE_GMEM_H
#define DEVICES_CORE_GMEM_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/memtable.h"

/**
 * struct gmem - a mapping of the whole memory fd
 * @base: start of the mapping; the table's offsets count from here
 * @size: bytes mapped
 * @table: which guest-physical ranges lie where
 * @owned: gmem_fini unmaps
 */
struct gmem {
	uint8_t *base;
	uint64_t size;
	struct memtable table;
	bool owned;
};

/**
 * struct gmem_request - what GRANT said of the memory
 * @fd: borrowed; may be closed after gmem_map
 * @size: bytes that the fd must have
 * @table: checked against @size by memtable_from_proto
 * @transparent_huge: ask for transparent huge pages
 * @prefault: fill this process's page tables now
 */
struct gmem_request {
	int fd;
	uint64_t size;
	const struct memtable *table;
	bool transparent_huge;
	bool prefault;
};

/**
 * gmem_map() - checks the fd and maps it
 * The fd must be a memfd that nobody can resize any more: otherwise a peer
 * could make us die of SIGBUS.
 * Return: 0; -EPROTO not sealed against shrinking and growing, or another size
 * than said; -errno of fcntl(2), fstat(2), mmap(2).
 */
MUST_CHECK int gmem_map(struct gmem *m, const struct gmem_request *req);

/** gmem_wrap() - uses memory of the caller's; for tests and drivers. */
void gmem_wrap(struct gmem *m, void *base, uint64_t size,
	       const struct memtable *table);

/** gmem_fini() - accepts a zeroed struct. */
void gmem_fini(struct gmem *m);

/**
 * gmem_at() - the pointer to [gpa, gpa + len)
 * @len: bytes, > 0
 * Return: NULL when @len is 0, the range wraps, or it is not wholly inside one
 * region.
 * Trust: both values come from the guest.
 */
void *gmem_at(const struct gmem *m, uint64_t gpa, uint64_t len);

#endif
