// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - the guest's memory file. Runs in the monitor. Sealed before any
 * peer sees it, so that no peer can shrink it under another (SIGBUS).
 */
#include "monitor/host/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "ipc/fds.h"

#define MEMORY_THP_FILE "/sys/kernel/mm/transparent_hugepage/shmem_enabled"

/* By enum config_hugepages. */
static const struct memory_pages {
	uint64_t bytes;
	unsigned int memfd_flags;
	const char *name;
} memory_pages[] = {
	[CONFIG_HUGEPAGES_NONE] = {4096, 0, "4 KiB"},
	[CONFIG_HUGEPAGES_2M] = {2ull << 20, MFD_HUGETLB | MFD_HUGE_2MB,
				 "2 MiB"},
	[CONFIG_HUGEPAGES_1G] = {1ull << 30, MFD_HUGETLB | MFD_HUGE_1GB,
				 "1 GiB"},
};

/* memory_pool_read() - a number of the pool of pages of this size; 0 if none.
 */
static uint64_t memory_pool_read(uint64_t page_bytes, const char *name)
{
	char path[128];
	char text[32] = "";
	int fd CLEANUP(fd_cleanup) = -1;

	(void)snprintf(path, sizeof(path),
		       "/sys/kernel/mm/hugepages/hugepages-%" PRIu64 "kB/%s",
		       page_bytes >> 10, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return 0;
	return strtoull(text, NULL, 10);
}

/* memory_pool_check() - enough huge pages that nobody reserved? */
static int memory_pool_check(const struct memory_pages *pages, uint64_t size,
			     struct problem *p)
{
	uint64_t need = size / pages->bytes;
	uint64_t have = memory_pool_read(pages->bytes, "free_hugepages");
	uint64_t kept = memory_pool_read(pages->bytes, "resv_hugepages");
	uint64_t kib = pages->bytes >> 10;

	have = have > kept ? have - kept : 0;
	if (size % pages->bytes)
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "memory.size-mib: %" PRIu64 " is not a "
				   "multiple of the huge page size %s",
				   size >> 20, pages->name);
	if (have < need)
		return problem_set(
			p, EXIT_CODE_INPUT, -ENOMEM,
			"memory.hugepages: %" PRIu64 " free pages of %s are "
			"needed, the host has %" PRIu64
			"; reserve them: echo N "
			"> /sys/kernel/mm/hugepages/hugepages-%" PRIu64
			"kB/nr_hugepages",
			need, pages->name, have, kib);
	return 0;
}

/* memory_seal() - size and seals fixed for ever. */
static int memory_seal(int fd, uint64_t size)
{
	if (ftruncate(fd, (off_t)size) < 0)
		return -errno;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) <
	    0)
		return -errno;
	return 0;
}

/* memory_warn() - more than the host has is allowed, but seldom meant. */
static void memory_warn(uint64_t size)
{
	struct sysinfo info;
	uint64_t host;

	if (sysinfo(&info) < 0)
		return;
	host = (uint64_t)(info.totalram + info.totalswap) * info.mem_unit;
	if (size > host)
		warning_print("guest memory of %" PRIu64 " MiB is more than "
			      "the host's memory and swap of %" PRIu64 " MiB",
			      size >> 20, host >> 20);
}

/*
 * memory_thp_read() - the host's setting of huge pages for memfds
 * The file names all settings and puts the one in force in brackets
 * (Documentation/admin-guide/mm/transhuge.rst).
 */
static void memory_thp_read(char *ret_setting, size_t size)
{
	char text[128] = "";
	char *start;
	char *end;

	(void)snprintf(ret_setting, size, "?");

	CLEANUP(fd_cleanup)
	int fd = open(MEMORY_THP_FILE, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return;
	start = strchr(text, '[');
	end = start ? strchr(start, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	(void)snprintf(ret_setting, size, "%s", start + 1);
}

/* memory_thp_set() - whether asking the host for huge pages gives any. */
static void memory_thp_set(const struct config *cfg, struct memory *m)
{
	static const char *const without[] = {"?", "never", "deny"};

	memory_thp_read(m->host_thp, sizeof(m->host_thp));
	m->transparent_huge = cfg->transparent_huge && m->page_bytes == 4096;
	for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
		if (strcmp(m->host_thp, without[i]) == 0)
			m->transparent_huge = false;
	}
}

int memory_create(const struct config *cfg, struct memory *ret_memory,
		  struct problem *p)
{
	const struct memory_pages *pages = &memory_pages[cfg->hugepages];
	uint64_t size = cfg->memory_mib << 20;
	int fd CLEANUP(fd_cleanup) = -1;
	int ret;

	if (cfg->hugepages != CONFIG_HUGEPAGES_NONE) {
		ret = memory_pool_check(pages, size, p);
		if (ret)
			return ret;
	}
	memory_warn(size);
	fd = memfd_create("bulkhead-guest",
			  MFD_CLOEXEC | MFD_ALLOW_SEALING | pages->memfd_flags);
	ret = fd < 0 ? -errno : memory_seal(fd, size);
	if (ret)
		return problem_set(p, EXIT_CODE_HOST, ret,
				   "guest memory of %" PRIu64 " MiB in pages "
				   "of %s: %s",
				   cfg->memory_mib, pages->name,
				   strerror(-ret));
	memtable_layout(size, &ret_memory->table);
	ret_memory->size_bytes = size;
	ret_memory->page_bytes = pages->bytes;
	memory_thp_set(cfg, ret_memory);
	ret_memory->fd = fd_steal(&fd);
	return 0;
}
