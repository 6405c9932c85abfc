// SPDX-License-Identifier: Apache-2.0
/*
 * report_limits.c - the part of `check`'s report on cgroups. Runs in the
 * monitor.
 */
#include <jansson.h>

#include "monitor/cli/report.h"

/* report_limit() - adds one: its value and the group that it comes from. */
static void report_limit(json_t *process, const struct cgroup_leaf *leaf,
			 enum cgroup_ctl ctl)
{
	const struct cgroup_force *f = &leaf->force[ctl];
	const char *name = cgroup_ctl_name(ctl);
	char text[CGROUP_FORCE_BYTES];

	cgroup_force_text(ctl, f, text);
	(void)json_object_set_new(process, name,
				  json_sprintf("%s%s%.*s", text,
					       f->from_len ? " from " : "",
					       (int)f->from_len, leaf->path));
}

json_t *report_limits(const struct session *s)
{
	const struct cgroup *g = s->machine.cgroup;
	json_t *list = json_array();

	for (uint32_t i = 0; g && i < g->leaf_cnt; i++) {
		const struct cgroup_leaf *leaf = &g->leaf[i];
		json_t *process = json_pack("{s:s}", "name", leaf->name);

		for (unsigned c = 0; c < CGROUP_CTL_IO; c++)
			report_limit(process, leaf, (enum cgroup_ctl)c);
		(void)json_object_set_new(process, "io", json_string(leaf->io));
		(void)json_array_append_new(list, process);
	}
	return list;
}
