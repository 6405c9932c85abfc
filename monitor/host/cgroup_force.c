// SPDX-License-Identifier: Apache-2.0
/*
 * cgroup_force.c - which limits are really in force: what was written says
 * little where a group further up is smaller. Runs in the monitor, before its
 * walls.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "monitor/host/cgroup_parts.h"
#include "monitor/problem.h"

static const struct {
	const char *file;
	bool (*parse)(const char *text, uint64_t *ret_value);
} cgroup_force_files[] = {
	[CGROUP_CTL_CPU] = {"cpu.max", cgroup_cpu_parse},
	[CGROUP_CTL_MEMORY] = {"memory.max", cgroup_number_parse},
	[CGROUP_CTL_PIDS] = {"pids.max", cgroup_number_parse},
};
_Static_assert(ARRAY_SIZE(cgroup_force_files) == CGROUP_CTL_IO,
	       "a file for each limit that is a number");

/* cgroup_force_one() - of the group whose path is @len bytes of @path. */
static void cgroup_force_one(const char *path, size_t len, enum cgroup_ctl ctl,
			     struct cgroup_force *force)
{
	char file[PATH_MAX + 16];
	char text[64];
	uint64_t value;

	(void)snprintf(file, sizeof(file), "%.*s/%s", (int)len, path,
		       cgroup_force_files[ctl].file);
	/* A group without the controller has no such file. */
	if (cgroup_read(AT_FDCWD, file, text, sizeof(text)) ||
	    !cgroup_force_files[ctl].parse(text, &value))
		return;
	force->known = true;
	if (value < force->value) {
		force->value = value;
		force->from_len = len;
	}
}

void cgroup_force_read(const char *point, const char *path, enum cgroup_ctl ctl,
		       struct cgroup_force *ret_force)
{
	size_t floor = strlen(point);
	size_t len = strlen(path);

	*ret_force = (struct cgroup_force){.value = CGROUP_MAX};
	while (len >= floor && len > 0) {
		cgroup_force_one(path, len, ctl, ret_force);
		do {
			len--;
		} while (len > 0 && path[len] != '/');
	}
}

void cgroup_force_text(enum cgroup_ctl ctl, const struct cgroup_force *f,
		       char ret_text[CGROUP_FORCE_BYTES])
{
	uint64_t unit = ctl == CGROUP_CTL_MEMORY ? 1u << 20 : 1;

	if (!f->known || f->value == CGROUP_MAX)
		(void)snprintf(ret_text, CGROUP_FORCE_BYTES, "%s",
			       f->known ? "max" : "no controller");
	else if (ctl == CGROUP_CTL_CPU)
		(void)snprintf(ret_text, CGROUP_FORCE_BYTES,
			       "%" PRIu64 ".%02" PRIu64 "%%", f->value / 100,
			       f->value % 100);
	else if (f->value % unit)
		(void)snprintf(ret_text, CGROUP_FORCE_BYTES,
			       "%" PRIu64 " bytes", f->value);
	else
		(void)snprintf(ret_text, CGROUP_FORCE_BYTES, "%" PRIu64 "%s",
			       f->value / unit, unit > 1 ? " MiB" : "");
}

/* cgroup_force_log() - one process, one line. */
static void cgroup_force_log(const struct cgroup_leaf *leaf)
{
	char text[CGROUP_FORCE_BYTES];

	for (unsigned i = 0; i < CGROUP_CTL_IO; i++) {
		const struct cgroup_force *f = &leaf->force[i];

		cgroup_force_text((enum cgroup_ctl)i, f, text);
		notice_print("in force on %s: %s %s%s%.*s", leaf->name,
			     cgroup_ctl_name((enum cgroup_ctl)i), text,
			     f->from_len ? " from " : "", (int)f->from_len,
			     leaf->path);
	}
	if (leaf->io[0])
		notice_print("in force on %s: io %s", leaf->name, leaf->io);
}

void cgroup_force_all(struct cgroup *g)
{
	for (uint32_t i = 0; i < g->leaf_cnt; i++) {
		struct cgroup_leaf *leaf = &g->leaf[i];

		for (unsigned c = 0; c < CGROUP_CTL_IO; c++)
			cgroup_force_read(g->mount.point, leaf->path,
					  (enum cgroup_ctl)c, &leaf->force[c]);
		if (cgroup_read(leaf->fd, "io.max", leaf->io, sizeof(leaf->io)))
			leaf->io[0] = '\0';
		leaf->io[strcspn(leaf->io, "\n")] = '\0';
		cgroup_force_log(leaf);
	}
}
