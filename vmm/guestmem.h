/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guestmem.h - the vmm's mapping of guest RAM, for boot and for the few
 * structures that the vmm itself reads and writes. Never a raw pointer into it
 * outside this module and the kernel loader's reads into it.
 */
#ifndef VMM_GUESTMEM_H
#define VMM_GUESTMEM_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/memtable.h"

/**
 * struct guestmem - one mapping of the whole memory fd
 * @base: mapped PROT_READ|PROT_WRITE, MAP_SHARED, owned
 * @size: bytes
 * @table: guest ranges
 * @fd: the memory fd while files are loaded, borrowed; -1 otherwise. Bytes then
 * go from file to file, without a page fault for each page.
 * @sparse: absent pages are wanted: small ones, made when they are touched
 */
struct guestmem {
	uint8_t *base;
	uint64_t size;
	struct memtable table;
	int fd;
	bool sparse;
};

/**
 * struct guestmem_options - how to map
 * @page_size: 4096, or the hugetlb page size of the memfd
 * @transparent_huge: MADV_HUGEPAGE
 * @prefault: populate now, with the calling thread
 */
struct guestmem_options {
	uint64_t page_size;
	bool transparent_huge;
	bool prefault;
};

/**
 * guestmem_map() - maps @memfd (borrowed) after checking what it is
 * Return: 0; -EINVAL not a memfd, not sealed F_SEAL_SHRINK|F_SEAL_GROW, or its
 * size is not the table's; -ENOMEM; -errno of mmap or madvise.
 */
MUST_CHECK int guestmem_map(int memfd, const struct memtable *table,
			    const struct guestmem_options *opts,
			    struct guestmem *ret_mem);
/** guestmem_unmap() - accepts a zeroed struct. */
void guestmem_unmap(struct guestmem *m);
/**
 * guestmem_load_by() - files are loaded through @memfd from here on
 * Does nothing where the mapping's huge pages would be lost by it.
 * @memfd: what was mapped, borrowed until guestmem_load_end
 */
void guestmem_load_by(struct guestmem *m, int memfd);
/** guestmem_load_end() - the memory fd may be closed after this. */
void guestmem_load_end(struct guestmem *m);

/** guestmem_write() - Return: 0; -EFAULT not wholly inside one region. */
MUST_CHECK int guestmem_write(struct guestmem *m, uint64_t gpa,
			      const void *data, uint64_t len);
MUST_CHECK int guestmem_read(const struct guestmem *m, uint64_t gpa,
			     void *ret_data, uint64_t len);
/** guestmem_zero() - gives whole pages back to the host where it may. */
MUST_CHECK int guestmem_zero(struct guestmem *m, uint64_t gpa, uint64_t len);

/**
 * guestmem_pread() - reads @len bytes of @fd at @offset straight into guest RAM
 * Return: 0; -EFAULT; -ENODATA the file is shorter; -errno of pread(2).
 */
MUST_CHECK int guestmem_pread(struct guestmem *m, uint64_t gpa, int fd,
			      uint64_t offset, uint64_t len);

#endif
