/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - what the user asked for, after it was checked. Filled from
 * CONFIG.json and flags by one table of rows (config_schema.c).
 */
#ifndef MONITOR_CONFIG_CONFIG_H
#define MONITOR_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "monitor/config/config_quota.h"
#include "monitor/problem.h"
#include "policy/role.h"

/* PCI slots 1..31 of bus 0. */
#define CONFIG_DISKS_MAX 31u
#define CONFIG_CPUS_MAX 32u
#define CONFIG_MEMORY_MIN_MIB 32u
#define CONFIG_MEMORY_MAX_BYTES (1ull << 46)
/* Most of a CONFIG.json that is read. */
#define CONFIG_BYTES_MAX (1u << 20)
/* A GRANT frame must carry it; kernels accept far less (they say how much). */
#define CONFIG_CMDLINE_MAX 32767u
#define CONFIG_ID_MAX 31u
#define CONFIG_SERIAL_MAX 20u
#define CONFIG_GRACE_MAX_MS 600000u
/* Ids of users from uid-base on: monitor, vmm, then each drive's. */
#define CONFIG_UIDS (2u + CONFIG_DISKS_MAX)
#define CONFIG_UID_BASE_MAX (UINT32_MAX - 1u - CONFIG_UIDS)
#define CONFIG_UID_BASE 720896u
/* "cgroup": the group that the monitor was started in. */
#define CONFIG_CGROUP_OWN "own"

enum config_boot { CONFIG_BOOT_AUTO, CONFIG_BOOT_LINUX64, CONFIG_BOOT_PVH };
enum config_hugepages {
	CONFIG_HUGEPAGES_NONE,
	CONFIG_HUGEPAGES_2M,
	CONFIG_HUGEPAGES_1G
};
enum config_console {
	CONFIG_CONSOLE_STDIO,
	CONFIG_CONSOLE_FILE,
	CONFIG_CONSOLE_NONE
};
enum config_confine {
	CONFIG_CONFINE_ENFORCE,
	CONFIG_CONFINE_LOG,
	CONFIG_CONFINE_OFF
};
/* Words of a drive's "confine"; the others are one more than the machine's. */
#define CONFIG_DISK_CONFINE_MACHINE 0u
/* Bits of "confine-missing". */
enum config_missing {
	CONFIG_MISSING_USERNS,
	CONFIG_MISSING_PIDNS,
	CONFIG_MISSING_MNTNS,
	CONFIG_MISSING_NETNS,
	CONFIG_MISSING_IPCNS,
	CONFIG_MISSING_UTSNS,
	CONFIG_MISSING_CGROUPNS,
	CONFIG_MISSING_ROOT,
	CONFIG_MISSING_LANDLOCK,
	CONFIG_MISSING_CGROUP,
	CONFIG_MISSING_COUNT
};

/**
 * struct config_disk - one drive
 * @id: owned; "diskN" when not given
 * @path: owned
 * @serial: owned; NULL = a random one at each start
 * @confine: CONFIG_DISK_CONFINE_MACHINE, or 1 + enum config_confine
 * @line: of its object in the file, 0 = given by flag
 */
struct config_disk {
	char *id;
	char *path;
	bool readonly;
	char *serial;
	uint32_t confine;
	uint32_t line;
};

/**
 * struct config - a machine
 * @file: borrowed name of the CONFIG.json; NULL = flags only
 * Strings are owned, NULL when not given. Enumerations are uint32_t because the
 * table stores them by offset.
 */
struct config {
	const char *file;
	char *kernel_path;
	char *initrd_path;
	char *cmdline;
	uint32_t boot; /* enum config_boot */
	uint64_t cpus;
	uint64_t memory_mib;
	uint32_t hugepages; /* enum config_hugepages */
	bool transparent_huge;
	bool prefault;
	struct config_disk disks[CONFIG_DISKS_MAX];
	uint32_t disk_cnt;
	uint32_t console_mode; /* enum config_console */
	char *console_path;
	bool debug_exit;
	bool pvpanic;
	uint64_t power_button_grace_ms;
	uint32_t log_level;       /* enum log_level */
	uint32_t confine;         /* enum config_confine */
	uint32_t confine_missing; /* 1u << enum config_missing */
	uint64_t uid_base;
	char *control;     /* "auto", "none" or a path with '/'; NULL = auto */
	char *cgroup_path; /* or CONFIG_CGROUP_OWN */
	struct config_quota quota[ROLE_COUNT]; /* of each process of a role */
	char *timings_path;
};

/** config_missing_word() - a wall's word in "confine-missing". */
const char *config_missing_word(enum config_missing wall);
/** config_disk_confine() - how drive @idx is confined. */
enum config_confine config_disk_confine(const struct config *cfg, uint32_t idx);

/**
 * struct config_limits - what this host allows
 * @memory_max_mib: largest guest
 * @memory_why: where that comes from, for the error
 * @cpu_max_percent: all its CPUs
 * @cpu_why: likewise
 */
struct config_limits {
	uint64_t memory_max_mib;
	char memory_why[96];
	uint64_t cpu_max_percent;
	char cpu_why[96];
};

/** config_limits_probe() - asks the host (CPUID, its CPUs). */
void config_limits_probe(struct config_limits *ret_limits);

/** config_init() - all defaults. */
void config_init(struct config *cfg);
/** config_fini() - frees; accepts a zeroed struct. */
void config_fini(struct config *cfg);

/**
 * config_parse() - takes the text of a CONFIG.json. Pure.
 * @name: file name, for errors and as base of relative paths; borrowed for the
 * life of @cfg
 * @text: @len bytes, need not be terminated
 * Return: 0; -EINVAL with *p set: what, file, line, key path, accepted range.
 * Trust: host user; a tenant may have written the text.
 */
MUST_CHECK int config_parse(struct config *cfg,
			    const struct config_limits *limits,
			    const char *name, const char *text, size_t len,
			    struct problem *p);

/** config_load() - config_parse of a file of at most CONFIG_BYTES_MAX. */
MUST_CHECK int config_load(struct config *cfg,
			   const struct config_limits *limits, const char *name,
			   struct problem *p);

/**
 * struct config_args - a verb's arguments as config_flags found them
 * @allow_format: in: --format is a flag of this verb
 * @help: --help was there; nothing else was looked at
 * @format_json: --format json (only `check`)
 */
struct config_args {
	bool allow_format;
	bool help;
	bool format_json;
};

/**
 * config_flags() - takes `[CONFIG.json] [--flag value]...`: the file first,
 * then the flags override single values and extend lists
 * @argv: argv[argc], without program and verb; borrowed for the life of @cfg
 * @args: in and out
 * Return: 0; -EINVAL with *p set.
 */
MUST_CHECK int config_flags(struct config *cfg,
			    const struct config_limits *limits, int argc,
			    char **argv, struct config_args *args,
			    struct problem *p);

/**
 * config_finish() - what only the whole shows: required keys, unique ids,
 * console path; names unnamed disks
 * Return: 0; -EINVAL, -ENOMEM with *p set.
 */
MUST_CHECK int config_finish(struct config *cfg, struct problem *p);

#endif
