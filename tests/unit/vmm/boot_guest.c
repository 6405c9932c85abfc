// SPDX-License-Identifier: Apache-2.0
/*
 * boot_guest.c - guest RAM for the boot tests.
 */
#include "tests/unit/vmm/boot_guest.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct boot_guest boot_guest_make(uint64_t bytes)
{
	struct boot_guest g;
	struct guestmem_options opts = {.page_size = 4096};
	struct memtable table;

	g.memfd = memfd_create("ram", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	BUG_ON(g.memfd < 0 || ftruncate(g.memfd, (off_t)bytes) < 0);
	BUG_ON(fcntl(g.memfd, F_ADD_SEALS,
		     F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0);
	memtable_layout(bytes, &table);
	BUG_ON(guestmem_map(g.memfd, &table, &opts, &g.mem) < 0);
	return g;
}

void boot_guest_free(struct boot_guest *g)
{
	guestmem_unmap(&g->mem);
	close(g->memfd);
}

bool boot_guest_is_untouched(const struct boot_guest *g)
{
	struct stat st;

	return fstat(g->memfd, &st) == 0 && st.st_blocks == 0;
}

int boot_memfd(const void *data, uint64_t len)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	BUG_ON(fd < 0);
	BUG_ON(len > 0 && pwrite(fd, data, len, 0) != (ssize_t)len);
	return fd;
}
