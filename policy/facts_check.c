// SPDX-License-Identifier: Apache-2.0
/*
 * facts_check.c - bounds of a Facts message. Runs in the monitor and in the
 * command; the sender may have been taken over by its guest and may lie, but
 * not at length. Whoever prints a string escapes it. Pure.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "policy/facts.h"

/* check_text() - @max bytes at most; NULL (not given) is fine. */
static bool check_text(const char *text, size_t max)
{
	return !text || strnlen(text, max + 1) <= max;
}

/* check_texts() - a list of at most @max_cnt texts. */
static bool check_texts(char *const *texts, size_t cnt, size_t max_cnt,
			size_t max)
{
	if (cnt > max_cnt)
		return false;
	for (size_t i = 0; i < cnt; i++) {
		if (!check_text(texts[i], max))
			return false;
	}
	return true;
}

/* check_fds() - both numbers of a device or none. */
static bool check_fds(const Bulkhead__Facts__Facts *f)
{
	if (f->n_fds > FACTS_FDS_MAX)
		return false;
	for (size_t i = 0; i < f->n_fds; i++) {
		const Bulkhead__Facts__OpenFd *fd = f->fds[i];

		if (!check_text(fd->kind, FACTS_NAME_MAX) ||
		    !check_text(fd->target, FACTS_TEXT_MAX) ||
		    !fd->has_dev_major != !fd->has_dev_minor)
			return false;
	}
	return true;
}

/* check_names() - of namespaces, limits and threads. */
static bool check_names(const Bulkhead__Facts__Facts *f)
{
	if (f->n_namespaces > FACTS_NAMESPACES_MAX ||
	    f->n_rlimits > FACTS_RLIMITS_MAX ||
	    f->n_threads > FACTS_THREADS_MAX)
		return false;
	for (size_t i = 0; i < f->n_namespaces; i++) {
		if (!check_text(f->namespaces[i]->name, FACTS_NAME_MAX))
			return false;
	}
	for (size_t i = 0; i < f->n_rlimits; i++) {
		if (!check_text(f->rlimits[i]->name, FACTS_NAME_MAX))
			return false;
	}
	for (size_t i = 0; i < f->n_threads; i++) {
		if (!check_text(f->threads[i]->name, FACTS_NAME_MAX))
			return false;
	}
	return true;
}

int facts_check(const Bulkhead__Facts__Facts *f)
{
	bool ok =
		f->n_uids <= FACTS_IDS_MAX && f->n_gids <= FACTS_IDS_MAX &&
		f->n_groups <= FACTS_GROUPS_MAX &&
		check_text(f->uid_map, FACTS_MAP_MAX) &&
		check_text(f->gid_map, FACTS_MAP_MAX) &&
		check_text(f->cgroup, FACTS_TEXT_MAX) &&
		check_texts(f->root_entries, f->n_root_entries, FACTS_ROOT_MAX,
			    FACTS_ENTRY_MAX) &&
		check_texts(f->exec_maps, f->n_exec_maps, FACTS_MAPS_MAX,
			    FACTS_TEXT_MAX) &&
		check_texts(f->incomplete, f->n_incomplete,
			    FACTS_INCOMPLETE_MAX, FACTS_NAME_MAX) &&
		check_names(f) && check_fds(f) &&
		bulkhead__facts__facts__get_packed_size(f) <= FACTS_PACKED_MAX;

	return ok ? 0 : -EPROTO;
}
