/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_parts.h - private to cgroup*.c.
 *
 *   cgroup_find.c   which file system, which group
 *   cgroup_make.c   groups, controllers, the monitor's move; leftovers
 *   cgroup_limit.c  limits of each process
 *   cgroup_force.c  what is in force, read back
 *   cgroup.c        all in order, and the end
 */
#ifndef MONITOR_HOST_CGROUP_PARTS_H
#define MONITOR_HOST_CGROUP_PARTS_H

#include "monitor/host/cgroup.h"

/* Largest file that is read whole: mountinfo, cgroup.procs. */
#define CGROUP_FILE_BYTES 65536u
/* Names of a machine's group begin so. */
#define CGROUP_PREFIX "bulkhead-"
#define CGROUP_ADVICE                                                      \
	"start with: systemd-run --user --scope -p Delegate=yes bulkhead " \
	"... --cgroup own; or run without: --confine-missing cgroup"

/**
 * struct cgroup_making - a start under way
 * @lenient: "confine-missing" has "cgroup"
 * @needed: controllers that the limits take
 */
struct cgroup_making {
	const struct config *cfg;
	const struct image *images;
	struct cgroup *g;
	struct problem *p;
	bool lenient;
	uint32_t needed;
};

/**
 * cgroup_fault() - a limit that cannot be set: a warning if that may be, else
 * the problem
 * Return: 0, or @error.
 */
int cgroup_fault(const struct cgroup_making *m, int error, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/** cgroup_read() - a file in @dir_fd, terminated and cut. Return: 0; -errno. */
MUST_CHECK int cgroup_read(int dir_fd, const char *file, char *ret_text,
			   size_t size);
/** cgroup_write() - one write. Return: 0; -errno. */
MUST_CHECK int cgroup_write(int dir_fd, const char *file, const char *text);

/**
 * cgroup_find() - opens PATH and where the monitor comes from
 * Return: 0; 1 the host has only v1, which was said; -errno with the problem.
 */
MUST_CHECK int cgroup_find(struct cgroup_making *m);

/** cgroup_leftovers_remove() - of monitors that are no more. */
void cgroup_leftovers_remove(int path_fd);
/**
 * cgroup_others() - processes in a cgroup.procs that are not @self
 * @ret_text: "123 (name), ..."
 * Return: how many.
 */
size_t cgroup_others(const char *text, int self, char *ret_text, size_t size);
/** cgroup_make() - groups and controllers. Return: 0; -errno. */
MUST_CHECK int cgroup_make(struct cgroup_making *m);

/** cgroup_limits_needed() - the controllers; warns of what cannot work. */
uint32_t cgroup_limits_needed(const struct config *cfg);
/** cgroup_limits_set() - in every leaf. Return: 0; -errno. */
MUST_CHECK int cgroup_limits_set(const struct cgroup_making *m);

/** cgroup_force_read() - the smallest from @path up to @point, a group each. */
void cgroup_force_read(const char *point, const char *path, enum cgroup_ctl ctl,
		       struct cgroup_force *ret_force);
/** cgroup_force_all() - of every leaf, and prints it. */
void cgroup_force_all(struct cgroup *g);

#endif
