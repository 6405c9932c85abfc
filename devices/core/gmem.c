// SPDX-License-Identifier: Apache-2.0
/*
 * gmem.c - maps guest memory and translates addresses. Runs in every device
 * process. Neither the guest (addresses, contents) nor the process that sent
 * the fd is trusted.
 */
#include "devices/core/gmem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define LOG_MODULE "gmem"
#include "ipc/log.h"

#define GMEM_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/* MADV_POPULATE_WRITE is newer than the oldest C library that we build with. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/** gmem_fd_check() - sealed and of the size that was said. 0 or -errno. */
static int gmem_fd_check(int fd, uint64_t size)
{
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0)
		return errno == EINVAL ? -EPROTO : -errno;
	if ((seals & GMEM_SEALS) != GMEM_SEALS)
		return -EPROTO;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size < 0 || (uint64_t)st.st_size != size)
		return -EPROTO;
	return 0;
}

/** gmem_advise() - hints; a kernel that refuses one costs speed only. */
static void gmem_advise(struct gmem *m, const struct gmem_request *req)
{
	if (madvise(m->base, m->size, MADV_DONTDUMP) < 0)
		log_debug("MADV_DONTDUMP refused: errno=%d", errno);
	if (req->transparent_huge &&
	    madvise(m->base, m->size, MADV_HUGEPAGE) < 0)
		log_debug("MADV_HUGEPAGE refused: errno=%d", errno);
	if (req->prefault && madvise(m->base, m->size, MADV_POPULATE_WRITE) < 0)
		log_warn("guest memory is not prefaulted: errno=%d", errno);
}

int gmem_map(struct gmem *m, const struct gmem_request *req)
{
	int rc = gmem_fd_check(req->fd, req->size);
	void *base;

	if (rc < 0)
		return rc;
	base = mmap(NULL, req->size, PROT_READ | PROT_WRITE, MAP_SHARED,
		    req->fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	*m = (struct gmem){.base = base,
			   .size = req->size,
			   .table = *req->table,
			   .owned = true};
	gmem_advise(m, req);
	return 0;
}

void gmem_wrap(struct gmem *m, void *base, uint64_t size,
	       const struct memtable *table)
{
	*m = (struct gmem){.base = base, .size = size, .table = *table};
}

void gmem_fini(struct gmem *m)
{
	if (m->owned)
		munmap(m->base, m->size);
	*m = (struct gmem){.base = NULL};
}

void *gmem_at(const struct gmem *m, uint64_t gpa, uint64_t len)
{
	uint64_t offset;

	if (len == 0 || memtable_find(&m->table, gpa, len, &offset) < 0)
		return NULL;
	/* The table was checked against the mapping's size when it was made. */
	return m->base + offset;
}
