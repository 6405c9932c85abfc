/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_quota.h - "limits": what the processes of a role may use.
 */
#ifndef MONITOR_CONFIG_CONFIG_QUOTA_H
#define MONITOR_CONFIG_CONFIG_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct config_quota - what a process may use; 0 = no limit
 * @cpu_percent: of one CPU
 */
struct config_quota {
	uint64_t cpu_percent;
	uint64_t memory_mib;
	uint64_t pids;
	uint64_t io_read_bps;
	uint64_t io_write_bps;
	uint64_t io_read_iops;
	uint64_t io_write_iops;
};

/** config_quota_any() - is there a limit in it? */
bool config_quota_any(const struct config_quota *quota);

#endif
