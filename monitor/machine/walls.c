// SPDX-License-Identifier: Apache-2.0
/*
 * walls.c - confinement as the monitor arranges it. Runs in the monitor.
 *
 * Theory of operation, for a machine that root started: the monitor becomes
 * user uid-base before it makes the first child, keeping just the capabilities
 * that this takes. So the children's user namespaces belong to that user, who
 * may thus signal them without any capability once the monitor's own walls
 * stand; each child is mapped to a user of its own. Where there are no user
 * namespaces, and may be none, the monitor stays root until its walls stand,
 * each child changes its user by itself, and the monitor keeps CAP_KILL.
 */
#define LOG_MODULE "walls"
#include "monitor/machine/walls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/log.h"
#include "monitor/host/console.h"
#include "monitor/host/id_map.h"
#include "monitor/host/namespaces.h"
#include "policy/confine.h"
#include "policy/lower.h"

/* By enum config_confine. */
static const enum confine_mode walls_modes[] = {
	[CONFIG_CONFINE_ENFORCE] = CONFINE_MODE_ENFORCE,
	[CONFIG_CONFINE_LOG] = CONFINE_MODE_LOG,
	[CONFIG_CONFINE_OFF] = CONFINE_MODE_OFF,
};
static const Bulkhead__Child__Confine walls_wire[] = {
	[CONFIG_CONFINE_ENFORCE] = BULKHEAD__CHILD__CONFINE__CONFINE_ENFORCE,
	[CONFIG_CONFINE_LOG] = BULKHEAD__CHILD__CONFINE__CONFINE_LOG,
	[CONFIG_CONFINE_OFF] = BULKHEAD__CHILD__CONFINE__CONFINE_OFF,
};

/* Every namespace that some child gets. */
static uint64_t walls_namespaces(const struct machine *m)
{
	return role_info(ROLE_VMM)->clone_flags & ~m->namespaces_missing;
}

/*
 * walls_by_root() - were we started by a root that has other users to give?
 * The root of a namespace without them is a plain user outside, or refused.
 * Return: 1, 0; -errno, and the machine ends.
 */
static int walls_by_root(struct machine *m)
{
	uint64_t base = m->cfg->uid_base;
	uint64_t last = base + CONFIG_UIDS - 1;
	struct id_map uids = {0};
	struct id_map gids = {0};
	int ret;

	if (geteuid() != 0)
		return 0;
	ret = id_map_read("/proc/self/uid_map", base, CONFIG_UIDS, &uids);
	if (!ret)
		ret = id_map_read("/proc/self/gid_map", base, CONFIG_UIDS,
				  &gids);
	if (ret) {
		machine_end(m, false, EXIT_CODE_HOST, "/proc/self/uid_map: %s",
			    strerror(-ret));
		return ret;
	}
	if (uids.all && gids.all)
		return 1;
	if (m->cfg->confine != CONFIG_CONFINE_OFF && uids.root) {
		machine_end(m, false, EXIT_CODE_HOST,
			    "users %" PRIu64 "..%" PRIu64 " (uid-base) are not "
			    "mapped in this user namespace, whose user 0 is "
			    "root outside: map them, or start the machine as "
			    "another user",
			    base, last);
		return -EPERM;
	}
	log_warn("users %" PRIu64 "..%" PRIu64 " (uid-base) are not mapped in "
		 "this user namespace: all processes run as its user 0, which "
		 "is not root outside",
		 base, last);
	return 0;
}

/*
 * walls_fds_close() - whatever fds whoever started us left open. Our own are
 * all close-on-exec, which those cannot be.
 */
static int walls_fds_close(void)
{
	DIR *dir = opendir("/proc/self/fd");

	if (!dir)
		return -errno;
	for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
		int fd = (int)strtol(e->d_name, NULL, 10);
		int flags = fcntl(fd, F_GETFD);

		if (e->d_name[0] != '.' && fd > STDERR_FILENO && flags >= 0 &&
		    !(flags & FD_CLOEXEC))
			close(fd);
	}
	closedir(dir);
	return 0;
}

int walls_begin(struct machine *m)
{
	uint64_t may_miss = namespaces_of_missing(m->cfg->confine_missing);
	uid_t base = (uid_t)m->cfg->uid_base;
	int ret;

	ret = walls_by_root(m);
	if (ret < 0)
		return ret;
	m->by_root = ret > 0;
	if (m->cfg->confine == CONFIG_CONFINE_OFF)
		return 0;
	ret = walls_fds_close();
	if (ret) {
		machine_end(m, false, EXIT_CODE_HOST, "/proc/self/fd: %s",
			    strerror(-ret));
		return ret;
	}
	if (may_miss)
		m->namespaces_missing =
			namespaces_refused(role_info(ROLE_VMM)->clone_flags) &
			may_miss;
	if (!m->by_root || m->namespaces_missing & CLONE_NEWUSER)
		return 0;
	ret = lower_enter(base, base);
	if (ret)
		machine_end(m, false, EXIT_CODE_HOST,
			    "cannot become user %u (uid-base): %s", base,
			    strerror(-ret));
	return ret;
}

enum config_confine walls_mode(const struct machine *m, uint32_t idx)
{
	return idx ? config_disk_confine(m->cfg, idx - 1)
		   : (enum config_confine)m->cfg->confine;
}

/* walls_uid() - who child @idx runs as, outside; a group has the same number */
static uid_t walls_uid(const struct machine *m, uint32_t idx)
{
	return (uid_t)(m->cfg->uid_base + 1 + idx);
}

void walls_spawn(const struct machine *m, uint32_t idx,
		 struct child_start *ret_how)
{
	ret_how->uid = geteuid();
	ret_how->gid = getegid();
	ret_how->namespaces = 0;
	if (walls_mode(m, idx) == CONFIG_CONFINE_OFF)
		return;
	ret_how->namespaces = walls_namespaces(m);
	if (m->by_root)
		ret_how->uid = ret_how->gid = walls_uid(m, idx);
}

void walls_explain(const struct machine *m, int error, char *ret_text,
		   size_t size)
{
	uint64_t refused = 0;

	ret_text[0] = '\0';
	if (error == -EPERM || error == -ENOSPC || error == -EACCES ||
	    error == -EINVAL || error == -ENOSYS)
		refused = namespaces_refused(walls_namespaces(m));
	if (refused)
		namespaces_explain(refused, ret_text, size);
}

void walls_grant(const struct machine *m, uint32_t idx, struct walls_grant *g,
		 Bulkhead__Child__Grant *msg)
{
	msg->confine = walls_wire[walls_mode(m, idx)];
	msg->confine_missing = g->words;
	for (unsigned i = 0; i < CONFIG_MISSING_COUNT; i++) {
		/* The cgroup is the monitor's to make, no wall of a child. */
		if (i == CONFIG_MISSING_CGROUP ||
		    !(m->cfg->confine_missing >> i & 1))
			continue;
		/* protobuf-c has no const strings; nobody writes to it. */
		g->words[msg->n_confine_missing++] =
			(char *)(uintptr_t)config_missing_word(
				(enum config_missing)i);
	}
	if (!m->by_root || !(m->namespaces_missing & CLONE_NEWUSER))
		return;
	msg->has_run_uid = true;
	msg->run_uid = walls_uid(m, idx);
	msg->has_run_gid = true;
	msg->run_gid = walls_uid(m, idx);
}

/* walls_failed() - which wall, and why. */
static void walls_failed(struct machine *m, int error)
{
	char why[CONFINE_WHY_BYTES];

	confine_explain(&m->walls, error, why, sizeof(why));
	machine_end(m, false, EXIT_CODE_HOST,
		    "the monitor cannot confine itself: %s", why);
}

/* walls_missing() - "confine-missing" as walls; the words are their names. */
static uint32_t walls_missing(const struct machine *m)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < CONFIG_MISSING_COUNT; i++) {
		enum config_missing word = (enum config_missing)i;

		if (i != CONFIG_MISSING_CGROUP &&
		    m->cfg->confine_missing >> i & 1)
			mask |= 1u << confine_wall_by_name(
					config_missing_word(word));
	}
	return mask;
}

/* walls_log() - what the host lacks for the monitor, as for its children. */
static void walls_log(const struct machine *m)
{
	uint32_t none = 1u << CONFINE_WALL_USERNS | 1u << CONFINE_WALL_PIDNS;
	uint32_t missing = walls_missing(m) & ~none;

	for (size_t i = 0; i < m->walls.cnt; i++) {
		const struct confine_wall *w = &m->walls.wall[i];

		if (missing >> i & 1 && !w->stands &&
		    m->cfg->confine == CONFIG_CONFINE_ENFORCE)
			log_warn("monitor: wall \"%s\" does not stand: %s",
				 w->name, w->detail);
	}
}

int walls_enter(struct machine *m)
{
	uid_t base = (uid_t)m->cfg->uid_base;
	int ret;

	confine_allow_missing(walls_missing(m));
	if (m->by_root && geteuid() == 0) {
		confine_run_as(base, base);
		confine_keep_kill();
	}
	if (m->res->control.dir_fd >= 0 &&
	    confine_keep_dir(m->res->control.dir_fd, CONFINE_KEEP_FILES))
		log_warn("the control socket will be left behind");
	confine_on_violation(console_tty_restore);
	ret = confine_enter(ROLE_MONITOR, walls_modes[m->cfg->confine],
			    &m->walls);
	if (ret)
		walls_failed(m, ret);
	else
		walls_log(m);
	return ret;
}
