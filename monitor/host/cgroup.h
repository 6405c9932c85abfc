/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup.h - a cgroup v2 for each process of a machine, with its limits.
 *
 *   PATH                     "cgroup" of the configuration, delegated to us
 *     bulkhead-PID           the machine; PID is the monitor's
 *       monitor vmm blk-ID   one process each
 */
#ifndef MONITOR_HOST_CGROUP_H
#define MONITOR_HOST_CGROUP_H

#include "ipc/compiler.h"
#include "monitor/config/config.h"
#include "monitor/host/cgroup_text.h"
#include "monitor/host/image.h"

/* The monitor's and the vmm's, then each drive's. */
#define CGROUP_LEAVES_MAX (2u + CONFIG_DISKS_MAX)
#define CGROUP_LEAF_BYTES (CONFIG_ID_MAX + 8u)
#define CGROUP_NAME_BYTES 32u
#define CGROUP_IO_BYTES 128u

/**
 * struct cgroup_force - the limit that is really in force on a process
 * @known: the kernel has the controller in one of the groups
 * @value: bytes, threads, or CGROUP_CPU_WHOLE-ths of a CPU; CGROUP_MAX = none
 * @from_len: the limit is that of the group whose path is so many bytes of the
 * process's
 */
struct cgroup_force {
	bool known;
	uint64_t value;
	size_t from_len;
};

/**
 * struct cgroup_leaf - the group of one process
 * @path: absolute
 * @fd: directory, owned
 * @force: by controller; io is in @io
 * @io: its io.max as the kernel tells it; "" = none
 */
struct cgroup_leaf {
	enum role role;
	char name[CGROUP_LEAF_BYTES];
	char path[PATH_MAX];
	int fd;
	struct cgroup_force force[CGROUP_CTL_IO];
	char io[CGROUP_IO_BYTES];
};

/**
 * struct cgroup - the groups of one machine
 * @mount: through which @path is seen
 * @path: PATH, resolved
 * @top: PATH is the root of the hierarchy, which may hold processes
 * @enabled: controllers that we have enabled in PATH
 * @passed: and in the machine's group
 * @home: the monitor was started in PATH itself
 * @home_fd: cgroup.procs of the group that the monitor came from; fds are
 * owned, -1 = none
 * @leaf: leaf[0] is the monitor's, leaf[1 + i] child i's
 */
struct cgroup {
	struct cgroup_mount mount;
	char path[PATH_MAX];
	char name[CGROUP_NAME_BYTES];
	bool top;
	bool home;
	uint32_t enabled;
	uint32_t passed;
	int path_fd;
	int path_control_fd;
	int group_fd;
	int group_control_fd;
	int home_fd;
	struct cgroup_leaf leaf[CGROUP_LEAVES_MAX];
	uint32_t leaf_cnt;
};

/**
 * cgroup_new() - makes the groups, sets the limits, moves the monitor into its
 * own; before the first child, and while the monitor still is who started it
 * @images: of @cfg's drives
 * @ret_group: owned; NULL = not asked for, or this host has only cgroup v1, or
 * it cannot be and need not ("confine-missing"), which is logged
 * Return: 0; -errno with *p set, and nothing is left.
 */
MUST_CHECK int cgroup_new(const struct config *cfg, const struct image *images,
			  struct cgroup **ret_group, struct problem *p);
/** cgroup_dir_fd() - from where groups are removed; borrowed; -1 = none. */
int cgroup_dir_fd(const struct cgroup *g);
/** cgroup_child_fd() - where child @idx starts; borrowed; -1 = none. */
int cgroup_child_fd(const struct cgroup *g, uint32_t idx);
/**
 * cgroup_started() - every child runs: of the directories only PATH stays open
 * NULL is accepted.
 */
void cgroup_started(struct cgroup *g);
/**
 * cgroup_free() - the monitor leaves its group and all groups are removed; the
 * children are no more. NULL is accepted.
 */
void cgroup_free(struct cgroup *g);

#define CGROUP_FORCE_BYTES 32u

/** cgroup_force_text() - "50%", "64 MiB", "100", "max" or "unknown". */
void cgroup_force_text(enum cgroup_ctl ctl, const struct cgroup_force *f,
		       char ret_text[CGROUP_FORCE_BYTES]);

#endif
