// SPDX-License-Identifier: Apache-2.0
/*
 * guest.c - memory of a played guest; see guest.h. Runs in tests and
 * benchmarks.
 */
#include "tests/support/ring/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ipc/fds.h"

int guest_init(struct guest *g, uint64_t bytes, const struct memtable *table)
{
	CLEANUP(fd_cleanup)
	int fd = memfd_create("guest", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *base;

	*g = (struct guest){.fd = -1, .bytes = bytes, .next = 4096};
	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
		return -errno;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return -errno;
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	g->base = base;
	g->fd = fd_steal(&fd);
	if (table)
		g->table = *table;
	else
		memtable_layout(bytes, &g->table);
	return 0;
}

void guest_fini(struct guest *g)
{
	if (g->base)
		munmap(g->base, g->bytes);
	g->base = NULL;
	fd_cleanup(&g->fd);
}

uint64_t guest_alloc(struct guest *g, uint64_t bytes, uint64_t align)
{
	uint64_t at = (g->next + align - 1) & ~(align - 1);

	/* The first region only: what is handed out is contiguous. */
	if (at + bytes > g->table.region[0].size)
		return 0;
	g->next = at + bytes;
	memset(g->base + g->table.region[0].offset + at, 0, bytes);
	return g->table.region[0].gpa + at;
}

void *guest_at(const struct guest *g, uint64_t gpa)
{
	uint64_t offset;

	if (memtable_find(&g->table, gpa, 1, &offset) < 0)
		return NULL;
	return g->base + offset;
}
