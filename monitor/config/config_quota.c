// SPDX-License-Identifier: Apache-2.0
/*
 * config_quota.c - the rows of "limits": for each role what its processes may
 * use. Runs in the monitor. Ranges are those of the kernel's files: cgroup v2
 * of Linux 6.1 (Documentation/admin-guide/cgroup-v2.rst).
 */
#include "monitor/config/config_quota.h"

#include <string.h>

#include "monitor/config/config_schema.h"

/* Highest pid that a 64-bit kernel gives. */
#define QUOTA_PIDS_MAX 4194304u
/* blk-throttle takes no 0 and 1, and an iops of all ones is no limit. */
#define QUOTA_IO_MIN 2u
#define QUOTA_BPS_MAX (1ull << 50)
#define QUOTA_IOPS_MAX (UINT32_MAX - 1u)

#define QUOTA(key_, member, ...)                                 \
	{                                                        \
		.name = (key_), .type = CONFIG_TYPE_UINT,        \
		.offset = offsetof(struct config_quota, member), \
		.min = __VA_ARGS__                               \
	}

#define QUOTA_COMMON                                                        \
	QUOTA("cpu-percent", cpu_percent, 1, .host = CONFIG_HOST_CPUS,      \
	      .help = "CPU time, in percent of one CPU (cpu.max)"),         \
		QUOTA("memory-mib", memory_mib, 1,                          \
		      .max = CONFIG_MEMORY_MAX_BYTES >> 20,                 \
		      .help = "memory in MiB (memory.max); guest memory "   \
			      "counts for the process that touches it "     \
			      "first, which is the vmm when memory is "     \
			      "prefaulted"),                                \
		QUOTA("pids", pids, 1, .max = QUOTA_PIDS_MAX,               \
		      .help = "threads, those of the kernel that work for " \
			      "it included (pids.max)")

static const struct config_key config_quota_keys[] = {QUOTA_COMMON};
static const struct config_object config_quota_object = {
	config_quota_keys, ARRAY_SIZE(config_quota_keys)};

static const struct config_key config_quota_io_keys[] = {
	QUOTA_COMMON,
	QUOTA("io-read-bps", io_read_bps, QUOTA_IO_MIN, .max = QUOTA_BPS_MAX,
	      .help = "bytes read in a second from the device that holds the "
		      "image (io.max)"),
	QUOTA("io-write-bps", io_write_bps, QUOTA_IO_MIN, .max = QUOTA_BPS_MAX,
	      .help = "bytes written to it in a second (io.max)"),
	QUOTA("io-read-iops", io_read_iops, QUOTA_IO_MIN, .max = QUOTA_IOPS_MAX,
	      .help = "reads from it in a second (io.max)"),
	QUOTA("io-write-iops", io_write_iops, QUOTA_IO_MIN,
	      .max = QUOTA_IOPS_MAX,
	      .help = "writes to it in a second (io.max)"),
};
static const struct config_object config_quota_io_object = {
	config_quota_io_keys, ARRAY_SIZE(config_quota_io_keys)};

#define QUOTAS(name_, role, rows, help_)                        \
	{                                                       \
		.name = (name_), .type = CONFIG_TYPE_OBJECT,    \
		.offset = offsetof(struct config, quota) +      \
			  (role) * sizeof(struct config_quota), \
		.object = &(rows), .help = (help_)              \
	}

static const struct config_key config_quotas_keys[] = {
	QUOTAS("monitor", ROLE_MONITOR, config_quota_object,
	       "limits of the monitor"),
	QUOTAS("vmm", ROLE_VMM, config_quota_object,
	       "limits of the vmm, whose threads are the guest's CPUs"),
	QUOTAS("blk", ROLE_BLK, config_quota_io_object,
	       "limits of each drive's process"),
	QUOTAS("net", ROLE_NET, config_quota_object,
	       "limits of each network device's process"),
	QUOTAS("fs", ROLE_FS, config_quota_object,
	       "limits of each shared directory's process"),
	QUOTAS("gpu", ROLE_GPU, config_quota_object,
	       "limits of each GPU's process"),
};
const struct config_object config_quotas_object = {
	config_quotas_keys, ARRAY_SIZE(config_quotas_keys)};

bool config_quota_any(const struct config_quota *quota)
{
	static const struct config_quota none;

	return memcmp(quota, &none, sizeof(none)) != 0;
}
