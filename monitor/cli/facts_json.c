// SPDX-License-Identifier: Apache-2.0
/*
 * facts_json.c - facts of a process as JSON. Runs in the command. Facts come
 * from children too, which may have been taken over: strings are escaped.
 */
#include "monitor/cli/facts_json.h"

#include <inttypes.h>
#include <jansson.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>

#include "ipc/compiler.h"
#include "ipc/log.h"

#define CAP_NAME(cap) [CAP_##cap]

/* By number; a later kernel's have none. */
static const char *const facts_caps[] = {
	CAP_NAME(CHOWN) = "cap_chown",
	CAP_NAME(DAC_OVERRIDE) = "cap_dac_override",
	CAP_NAME(DAC_READ_SEARCH) = "cap_dac_read_search",
	CAP_NAME(FOWNER) = "cap_fowner",
	CAP_NAME(FSETID) = "cap_fsetid",
	CAP_NAME(KILL) = "cap_kill",
	CAP_NAME(SETGID) = "cap_setgid",
	CAP_NAME(SETUID) = "cap_setuid",
	CAP_NAME(SETPCAP) = "cap_setpcap",
	CAP_NAME(LINUX_IMMUTABLE) = "cap_linux_immutable",
	CAP_NAME(NET_BIND_SERVICE) = "cap_net_bind_service",
	CAP_NAME(NET_BROADCAST) = "cap_net_broadcast",
	CAP_NAME(NET_ADMIN) = "cap_net_admin",
	CAP_NAME(NET_RAW) = "cap_net_raw",
	CAP_NAME(IPC_LOCK) = "cap_ipc_lock",
	CAP_NAME(IPC_OWNER) = "cap_ipc_owner",
	CAP_NAME(SYS_MODULE) = "cap_sys_module",
	CAP_NAME(SYS_RAWIO) = "cap_sys_rawio",
	CAP_NAME(SYS_CHROOT) = "cap_sys_chroot",
	CAP_NAME(SYS_PTRACE) = "cap_sys_ptrace",
	CAP_NAME(SYS_PACCT) = "cap_sys_pacct",
	CAP_NAME(SYS_ADMIN) = "cap_sys_admin",
	CAP_NAME(SYS_BOOT) = "cap_sys_boot",
	CAP_NAME(SYS_NICE) = "cap_sys_nice",
	CAP_NAME(SYS_RESOURCE) = "cap_sys_resource",
	CAP_NAME(SYS_TIME) = "cap_sys_time",
	CAP_NAME(SYS_TTY_CONFIG) = "cap_sys_tty_config",
	CAP_NAME(MKNOD) = "cap_mknod",
	CAP_NAME(LEASE) = "cap_lease",
	CAP_NAME(AUDIT_WRITE) = "cap_audit_write",
	CAP_NAME(AUDIT_CONTROL) = "cap_audit_control",
	CAP_NAME(SETFCAP) = "cap_setfcap",
	CAP_NAME(MAC_OVERRIDE) = "cap_mac_override",
	CAP_NAME(MAC_ADMIN) = "cap_mac_admin",
	CAP_NAME(SYSLOG) = "cap_syslog",
	CAP_NAME(WAKE_ALARM) = "cap_wake_alarm",
	CAP_NAME(BLOCK_SUSPEND) = "cap_block_suspend",
	CAP_NAME(AUDIT_READ) = "cap_audit_read",
	CAP_NAME(PERFMON) = "cap_perfmon",
	CAP_NAME(BPF) = "cap_bpf",
	CAP_NAME(CHECKPOINT_RESTORE) = "cap_checkpoint_restore",
};
_Static_assert(ARRAY_SIZE(facts_caps) <= 64, "one bit each");

/* json_set() - takes @value; lists and objects stay as they are without it. */
static void json_set(json_t *object, const char *name, json_t *value)
{
	(void)json_object_set_new(object, name, value);
}

/* json_text() - escaped; NULL for no text. */
static json_t *json_text(const char *text)
{
	char escaped[2048];

	if (!text)
		return NULL;
	(void)log_text_escape(escaped, sizeof(escaped), text);
	return json_string(escaped);
}

static json_t *json_hex(uint64_t value)
{
	return json_sprintf("0x%" PRIx64, value);
}

/* json_caps() - names of a set's capabilities, or "none" */
static json_t *json_caps(uint64_t set)
{
	char names[64 * 24];
	size_t len = 0;

	if (set == 0)
		return json_string("none");
	for (unsigned cap = 0; cap < 64; cap++) {
		const char *blank = len ? " " : "";

		if (!(set >> cap & 1))
			continue;
		len += (size_t)(cap < ARRAY_SIZE(facts_caps)
					? snprintf(names + len,
						   sizeof(names) - len, "%s%s",
						   blank, facts_caps[cap])
					: snprintf(names + len,
						   sizeof(names) - len,
						   "%scap_%u", blank, cap));
	}
	return json_string(names);
}

static json_t *json_ids(const uint32_t *ids, size_t cnt)
{
	json_t *list = json_array();

	for (size_t i = 0; i < cnt; i++)
		(void)json_array_append_new(list, json_integer(ids[i]));
	return list;
}

static json_t *json_texts(char *const *texts, size_t cnt)
{
	json_t *list = json_array();

	for (size_t i = 0; i < cnt; i++)
		(void)json_array_append_new(list, json_text(texts[i]));
	return list;
}

/* json_limit() - a number, or "unlimited" */
static json_t *json_limit(uint64_t value)
{
	return value > INT64_MAX ? json_string("unlimited")
				 : json_integer((json_int_t)value);
}

/* json_who() - ids and their maps. */
static void json_who(json_t *o, const Bulkhead__Facts__Facts *f)
{
	json_set(o, "uids", json_ids(f->uids, f->n_uids));
	json_set(o, "gids", json_ids(f->gids, f->n_gids));
	json_set(o, "groups", json_ids(f->groups, f->n_groups));
	json_set(o, "uid-map", json_text(f->uid_map));
	json_set(o, "gid-map", json_text(f->gid_map));
}

/* json_rights() - what the kernel lets it do. */
static void json_rights(json_t *o, const Bulkhead__Facts__Facts *f)
{
	const Bulkhead__Facts__Landlock *l = f->landlock;

	if (f->has_cap_inheritable)
		json_set(o, "cap-inheritable", json_caps(f->cap_inheritable));
	if (f->has_cap_permitted)
		json_set(o, "cap-permitted", json_caps(f->cap_permitted));
	if (f->has_cap_effective)
		json_set(o, "cap-effective", json_caps(f->cap_effective));
	if (f->has_cap_bounding)
		json_set(o, "cap-bounding", json_caps(f->cap_bounding));
	if (f->has_cap_ambient)
		json_set(o, "cap-ambient", json_caps(f->cap_ambient));
	if (f->has_no_new_privs)
		json_set(o, "no-new-privs", json_boolean(f->no_new_privs));
	if (f->has_dumpable)
		json_set(o, "dumpable", json_integer(f->dumpable));
	if (f->has_pdeathsig)
		json_set(o, "pdeathsig", json_integer(f->pdeathsig));
	if (f->has_seccomp_mode)
		json_set(o, "seccomp-mode", json_integer(f->seccomp_mode));
	if (f->has_seccomp_filters)
		json_set(o, "seccomp-filters",
			 json_integer(f->seccomp_filters));
	if (l)
		json_set(o, "landlock",
			 json_pack("{s:i, s:o, s:o, s:o, s:b}", "abi", l->abi,
				   "fs", json_hex(l->fs), "net",
				   json_hex(l->net), "scoped",
				   json_hex(l->scoped), "enforced",
				   (int)l->enforced));
}

/* json_lists() - namespaces, threads and limits. */
static void json_lists(json_t *o, const Bulkhead__Facts__Facts *f)
{
	json_t *spaces = json_array(), *threads = json_array();
	json_t *limits = json_array();

	for (size_t i = 0; i < f->n_namespaces; i++)
		(void)json_array_append_new(
			spaces,
			json_pack("{s:o, s:I}", "name",
				  json_text(f->namespaces[i]->name), "inode",
				  (json_int_t)f->namespaces[i]->inode));
	for (size_t i = 0; i < f->n_threads; i++)
		(void)json_array_append_new(
			threads,
			json_pack("{s:I, s:o, s:I, s:I}", "tid",
				  (json_int_t)f->threads[i]->tid, "name",
				  json_text(f->threads[i]->name),
				  "seccomp-mode",
				  (json_int_t)f->threads[i]->seccomp_mode,
				  "seccomp-filters",
				  (json_int_t)f->threads[i]->seccomp_filters));
	for (size_t i = 0; i < f->n_rlimits; i++)
		(void)json_array_append_new(
			limits,
			json_pack("{s:o, s:o, s:o}", "name",
				  json_text(f->rlimits[i]->name), "soft",
				  json_limit(f->rlimits[i]->soft), "hard",
				  json_limit(f->rlimits[i]->hard)));
	json_set(o, "namespaces", spaces);
	json_set(o, "threads", threads);
	json_set(o, "rlimits", limits);
}

/* json_fds() - number, kind, target, device. */
static json_t *json_fds(const Bulkhead__Facts__Facts *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->n_fds; i++) {
		const Bulkhead__Facts__OpenFd *fd = f->fds[i];
		json_t *item = json_pack("{s:I, s:o}", "fd", (json_int_t)fd->fd,
					 "kind", json_text(fd->kind));

		if (fd->target)
			json_set(item, "target", json_text(fd->target));
		if (fd->has_dev_major)
			json_set(item, "device",
				 json_sprintf("%" PRIu32 ":%" PRIu32,
					      fd->dev_major, fd->dev_minor));
		(void)json_array_append_new(list, item);
	}
	return list;
}

json_t *facts_json(const Bulkhead__Facts__Facts *f)
{
	json_t *o = json_object();

	json_who(o, f);
	json_rights(o, f);
	json_lists(o, f);
	if (f->has_root_read)
		json_set(o, "root-read", json_boolean(f->root_read));
	if (f->has_root_readonly)
		json_set(o, "root-readonly", json_boolean(f->root_readonly));
	json_set(o, "root-entries",
		 json_texts(f->root_entries, f->n_root_entries));
	json_set(o, "fds", json_fds(f));
	json_set(o, "exec-maps", json_texts(f->exec_maps, f->n_exec_maps));
	json_set(o, "cgroup", json_text(f->cgroup));
	json_set(o, "incomplete", json_texts(f->incomplete, f->n_incomplete));
	return o;
}
