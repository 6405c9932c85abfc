// SPDX-License-Identifier: Apache-2.0
/*
 * guestmem.c - maps guest RAM and gives bounded access to it. Runs in the vmm.
 * The memory's content is the guest's and the devices', who write at any time;
 * its size is trusted only after the seals were read (memfd_create(2)).
 */
#include "vmm/guestmem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Alignment of the mapping, so that guest and host huge pages coincide. */
#define GUESTMEM_ALIGN (2ULL << 20)
#define GUESTMEM_PAGE_BYTES 4096ULL
/* Most that is moved in one call. */
#define GUESTMEM_READ_MAX (1ULL << 30)
/* Below this a memset is cheaper than giving pages back. */
#define GUESTMEM_REMOVE_MIN (64ULL << 10)

/* guestmem_table_bytes() - bytes of the memory fd that @t needs. */
static uint64_t guestmem_table_bytes(const struct memtable *t)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < t->cnt && i < MEMTABLE_REGIONS_MAX; i++) {
		const struct memtable_region *r = &t->region[i];
		uint64_t region_end;

		if (__builtin_add_overflow(r->offset, r->size, &region_end))
			return 0;
		if (region_end > end)
			end = region_end;
	}
	return end;
}

/* guestmem_fd_check() - sealed memfd of exactly @bytes? 0 or -EINVAL. */
static int guestmem_fd_check(int memfd, uint64_t bytes)
{
	struct stat st;
	int seals = fcntl(memfd, F_GET_SEALS);

	if (seals < 0)
		return -EINVAL;
	if ((seals & (F_SEAL_SHRINK | F_SEAL_GROW)) !=
	    (F_SEAL_SHRINK | F_SEAL_GROW))
		return -EINVAL;
	if (fstat(memfd, &st) < 0)
		return -EINVAL;
	if (bytes == 0 || st.st_size < 0 || (uint64_t)st.st_size != bytes)
		return -EINVAL;
	return 0;
}

/*
 * guestmem_reserve() - address space of @bytes at a multiple of @align
 * Reserves more and gives the ends back; nothing is committed.
 * Return: NULL without room.
 */
static uint8_t *guestmem_reserve(uint64_t bytes, uint64_t align)
{
	uint64_t room;
	void *p;

	if (__builtin_add_overflow(bytes, align, &room))
		return NULL;
	p = mmap(NULL, room, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;

	uintptr_t at = (uintptr_t)p;
	uint64_t skip = (align - (at & (align - 1))) & (align - 1);

	if (skip > 0)
		munmap(p, skip);
	if (align > skip)
		munmap((uint8_t *)p + skip + bytes, align - skip);
	return (uint8_t *)p + skip;
}

/*
 * guestmem_populate() - makes every page present and writable now
 * Kernels before 5.14 do not know MADV_POPULATE_WRITE: there each page is
 * touched by an addition of nothing, which is safe beside other writers.
 */
static int guestmem_populate(struct guestmem *m, uint64_t page_size)
{
	if (madvise(m->base, m->size, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL)
		return errno == EFAULT ? -ENOMEM : -errno;
	for (uint64_t at = 0; at < m->size; at += page_size)
		__atomic_fetch_or(m->base + at, 0, __ATOMIC_RELAXED);
	return 0;
}

/* guestmem_advise() - huge pages and population, as @opts asks. */
static int guestmem_advise(struct guestmem *m,
			   const struct guestmem_options *opts)
{
	/* A kernel without THP says EINVAL: small pages then. */
	if (opts->transparent_huge && opts->page_size == 4096 &&
	    madvise(m->base, m->size, MADV_HUGEPAGE) < 0 && errno != EINVAL)
		return -errno;
	/* Guest RAM stays out of core dumps. */
	if (madvise(m->base, m->size, MADV_DONTDUMP) < 0)
		return -errno;
	return opts->prefault ? guestmem_populate(m, opts->page_size) : 0;
}

int guestmem_map(int memfd, const struct memtable *table,
		 const struct guestmem_options *opts, struct guestmem *ret_mem)
{
	struct guestmem m = {.table = *table, .fd = -1};
	uint64_t page = opts->page_size;
	uint64_t align = page > GUESTMEM_ALIGN ? page : GUESTMEM_ALIGN;
	int flags = MAP_SHARED | MAP_FIXED;
	int rc;

	m.size = guestmem_table_bytes(table);
	m.sparse = page == GUESTMEM_PAGE_BYTES && !opts->transparent_huge &&
		   !opts->prefault;
	if (page < 4096 || (page & (page - 1)) != 0 || m.size % page != 0)
		return -EINVAL;
	rc = guestmem_fd_check(memfd, m.size);
	if (rc < 0)
		return rc;
	m.base = guestmem_reserve(m.size, align);
	if (!m.base)
		return -ENOMEM;
	/*
	 * Huge pages are reserved here: without, a pool that somebody else
	 * empties is a SIGBUS in the middle of the guest's life.
	 */
	if (page == GUESTMEM_PAGE_BYTES)
		flags |= MAP_NORESERVE;
	if (mmap(m.base, m.size, PROT_READ | PROT_WRITE, flags, memfd, 0) ==
	    MAP_FAILED)
		rc = -errno;
	else
		rc = guestmem_advise(&m, opts);
	if (rc < 0) {
		guestmem_unmap(&m);
		return rc;
	}
	*ret_mem = m;
	return 0;
}

void guestmem_unmap(struct guestmem *m)
{
	if (m->base)
		munmap(m->base, m->size);
	m->base = NULL;
	m->size = 0;
	m->fd = -1;
}

void guestmem_load_by(struct guestmem *m, int memfd)
{
	m->fd = m->sparse ? memfd : -1;
}

void guestmem_load_end(struct guestmem *m)
{
	m->fd = -1;
}

/*
 * guestmem_at() - host address of a checked range
 * Return: NULL if it is not wholly inside one region and the mapping.
 */
static uint8_t *guestmem_at(const struct guestmem *m, uint64_t gpa,
			    uint64_t len)
{
	uint64_t offset;

	if (memtable_find(&m->table, gpa, len, &offset) < 0)
		return NULL;
	if (offset > m->size || len > m->size - offset)
		return NULL;
	return m->base + offset;
}

int guestmem_write(struct guestmem *m, uint64_t gpa, const void *data,
		   uint64_t len)
{
	uint8_t *p = guestmem_at(m, gpa, len);

	if (!p)
		return -EFAULT;
	memcpy(p, data, len);
	return 0;
}

int guestmem_read(const struct guestmem *m, uint64_t gpa, void *ret_data,
		  uint64_t len)
{
	const uint8_t *p = guestmem_at(m, gpa, len);

	if (!p)
		return -EFAULT;
	memcpy(ret_data, p, len);
	return 0;
}

/*
 * guestmem_remove() - gives the whole pages of [p, p + len) back
 * A hole in a memfd reads as zeroes. Pages that were never touched cost
 * nothing. Return: false if the host did not; then nothing has changed.
 */
static bool guestmem_remove(const struct guestmem *m, uint8_t *p, uint64_t len)
{
	uint64_t start = (uint64_t)(p - m->base) + GUESTMEM_PAGE_BYTES - 1;
	uint64_t end = (uint64_t)(p - m->base) + len;

	start -= start % GUESTMEM_PAGE_BYTES;
	end -= end % GUESTMEM_PAGE_BYTES;
	if (madvise(m->base + start, end - start, MADV_REMOVE) < 0)
		return false;
	memset(p, 0, (size_t)(m->base + start - p));
	memset(m->base + end, 0, (size_t)(p + len - (m->base + end)));
	return true;
}

int guestmem_zero(struct guestmem *m, uint64_t gpa, uint64_t len)
{
	uint8_t *p = guestmem_at(m, gpa, len);

	if (!p)
		return -EFAULT;
	if (!m->sparse || len < GUESTMEM_REMOVE_MIN ||
	    !guestmem_remove(m, p, len))
		memset(p, 0, len);
	return 0;
}

/*
 * guestmem_copy_in() - one read of @fd to @p, or, while the memory fd is there,
 * one transfer from page cache to page cache
 */
static ssize_t guestmem_copy_in(const struct guestmem *m, uint8_t *p, int fd,
				off_t offset, size_t want)
{
	if (m->fd >= 0 && lseek(m->fd, p - m->base, SEEK_SET) >= 0) {
		ssize_t got = sendfile(m->fd, fd, &offset, want);

		/* Some filesystems cannot: those are read. */
		if (got >= 0 || (errno != EINVAL && errno != ENOSYS))
			return got;
	}
	return pread(fd, p, want, offset);
}

int guestmem_pread(struct guestmem *m, uint64_t gpa, int fd, uint64_t offset,
		   uint64_t len)
{
	uint8_t *p = guestmem_at(m, gpa, len);
	uint64_t end;

	if (!p || __builtin_add_overflow(offset, len, &end) || end > INT64_MAX)
		return -EFAULT;
	while (len > 0) {
		size_t want = len < GUESTMEM_READ_MAX ? len : GUESTMEM_READ_MAX;
		ssize_t got = guestmem_copy_in(m, p, fd, (off_t)offset, want);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -ENODATA;
		p += got;
		offset += (uint64_t)got;
		len -= (uint64_t)got;
	}
	return 0;
}
