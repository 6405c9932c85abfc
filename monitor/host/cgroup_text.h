/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_text.h - what the kernel's files about cgroups say. Pure. Facts:
 * Documentation/admin-guide/cgroup-v2.rst of Linux 6.1, proc(5).
 */
#ifndef MONITOR_HOST_CGROUP_TEXT_H
#define MONITOR_HOST_CGROUP_TEXT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"

/* Controllers that we use; a mask has bit 1u << of each. */
enum cgroup_ctl {
	CGROUP_CTL_CPU,
	CGROUP_CTL_MEMORY,
	CGROUP_CTL_PIDS,
	CGROUP_CTL_IO,
	CGROUP_CTL_COUNT
};

/* No limit: the kernel's word "max". */
#define CGROUP_MAX UINT64_MAX
/* Of one CPU, in the unit of cgroup_cpu_parse(). */
#define CGROUP_CPU_WHOLE 10000u

#define CGROUP_CTLS_BYTES 64

/** cgroup_ctl_name() - "cpu", ... */
const char *cgroup_ctl_name(enum cgroup_ctl ctl);
/** cgroup_ctls_parse() - mask of a cgroup.controllers; others are left out. */
uint32_t cgroup_ctls_parse(const char *text);
/**
 * cgroup_ctls_text() - @sign before each, space between; CGROUP_CTLS_BYTES
 * @sign: "+", "-" or ""
 */
void cgroup_ctls_text(uint32_t mask, const char *sign,
		      char ret_text[CGROUP_CTLS_BYTES]);

/**
 * struct cgroup_self - where a process is
 * @v1: some controller is in a v1 hierarchy
 * @path: in the v2 hierarchy, "" = in none
 */
struct cgroup_self {
	bool v1;
	char path[PATH_MAX];
};

/** cgroup_self_parse() - text of /proc/self/cgroup. */
void cgroup_self_parse(const char *text, struct cgroup_self *ret_self);

/**
 * struct cgroup_mount - a mounted cgroup2 file system
 * @point: where
 * @root: which group is seen there
 */
struct cgroup_mount {
	char point[PATH_MAX];
	char root[PATH_MAX];
};

/**
 * cgroup_mount_parse() - text of /proc/self/mountinfo
 * @path: absolute; the mount that it is below, NULL = the first
 * Return: found?
 */
bool cgroup_mount_parse(const char *text, const char *path,
			struct cgroup_mount *ret_mount);

/**
 * cgroup_path_join() - the directory of group @group as seen through @mount
 * Return: 0; -ENOENT it is not seen there; -ENAMETOOLONG.
 */
MUST_CHECK int cgroup_path_join(const struct cgroup_mount *mount,
				const char *group, char ret_path[PATH_MAX]);

/**
 * cgroup_digits_parse() - a decimal number that fits
 * @text: in and out: moved behind it
 * Return: was there one?
 */
bool cgroup_digits_parse(const char **text, uint64_t *ret_value);
/** cgroup_number_parse() - "max" or digits. Return: understood? */
bool cgroup_number_parse(const char *text, uint64_t *ret_value);
/**
 * cgroup_cpu_parse() - a cpu.max, "QUOTA PERIOD"
 * @ret_value: in CGROUP_CPU_WHOLE-ths of a CPU
 */
bool cgroup_cpu_parse(const char *text, uint64_t *ret_value);

#endif
