// SPDX-License-Identifier: Apache-2.0
/*
 * confine.c - the order in which a process walls itself in. Runs in every
 * process of a machine, before it reads a byte that a guest controls; nobody
 * outside is trusted with the order, so it is fixed here.
 *
 * Theory of operation
 *
 * Each wall is one function with its own file; this file only orders them. A
 * wall may need what a later one takes away, hence:
 *
 *  0. Namespaces: made by spawn (a pid namespace holds children only, and a
 *     user namespace needs a single-threaded process); checked here. The
 *     monitor, which nobody spawned, leaves the caller's in confine_enter().
 *  1. confine_early(), first lines of main: not dumpable, death with the
 *     monitor, exact fds, no_new_privs.
 *  2. The program reads HELLO's answer, maps what it was granted, sets up its
 *     libraries. Trusted input only: the monitor's.
 *  3. confine_enter(): what /proc tells is read, for /proc is about to go;
 *     empty root (needs CAP_SYS_ADMIN of the user namespace); capabilities;
 *     death signal and dumpable again, since credentials changed; rlimits;
 *     Landlock (forbids mounting, hence after the root); seccomp last, since it
 *     refuses the calls that all the others need.
 *  4. READY carries the report. Threads are made now: capabilities, Landlock
 *     and seccomp belong to a thread and are inherited by those it makes.
 *  5. confine_thread() in each vCPU thread, and in the main thread when the
 *     last thread exists: nobody can make another.
 *
 * Nothing falls back silently: a wall that cannot be built ends the process
 * unless confine_allow_missing() named it.
 */
#include "policy/confine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "policy/wall.h"

#define WALL_BIT(id) (1u << (id))

#define CONFINE_WALLS_CHILD (WALL_BIT(CONFINE_WALL_COUNT) - 1)
/*
 * The monitor outlives whoever started it, cannot leave its pid namespace, and
 * has a user namespace only where it needs one to make the others.
 */
#define CONFINE_WALLS_MONITOR                                                 \
	(CONFINE_WALLS_CHILD &                                                \
	 ~(WALL_BIT(CONFINE_WALL_PDEATHSIG) | WALL_BIT(CONFINE_WALL_USERNS) | \
	   WALL_BIT(CONFINE_WALL_PIDNS)))

static const char *const confine_wall_names[] = {
	[CONFINE_WALL_DUMPABLE] = "dumpable",
	[CONFINE_WALL_PDEATHSIG] = "pdeathsig",
	[CONFINE_WALL_FDS] = "fds",
	[CONFINE_WALL_NNP] = "no-new-privs",
	[CONFINE_WALL_USERNS] = "userns",
	[CONFINE_WALL_PIDNS] = "pidns",
	[CONFINE_WALL_MNTNS] = "mntns",
	[CONFINE_WALL_NETNS] = "netns",
	[CONFINE_WALL_IPCNS] = "ipcns",
	[CONFINE_WALL_UTSNS] = "utsns",
	[CONFINE_WALL_CGROUPNS] = "cgroupns",
	[CONFINE_WALL_ROOT] = "root",
	[CONFINE_WALL_CAPS] = "caps",
	[CONFINE_WALL_RLIMITS] = "rlimits",
	[CONFINE_WALL_LANDLOCK] = "landlock",
	[CONFINE_WALL_SECCOMP] = "seccomp",
};
_Static_assert(ARRAY_SIZE(confine_wall_names) == CONFINE_WALL_COUNT,
	       "a name for each wall");

/* Set once before confine_enter() by the only thread there is. */
static struct {
	uint32_t allowed;
	bool run_as;
	uid_t uid;
	gid_t gid;
	bool keep_kill;
	struct wall_dir dirs[CONFINE_DIRS_MAX];
	size_t dir_cnt;
} confine_given;

const char *confine_wall_name(enum confine_wall_id id)
{
	BUG_ON(id >= CONFINE_WALL_COUNT);
	return confine_wall_names[id];
}

enum confine_wall_id confine_wall_by_name(const char *name)
{
	unsigned id = 0;

	while (id < CONFINE_WALL_COUNT &&
	       strcmp(confine_wall_names[id], name) != 0)
		id++;
	return (enum confine_wall_id)id;
}

void wall_set(struct confine_report *r, enum confine_wall_id id, bool stands,
	      const char *fmt, ...)
{
	struct confine_wall *w = &r->wall[id];
	va_list ap;

	w->stands = stands;
	va_start(ap, fmt);
	(void)vsnprintf(w->detail, sizeof(w->detail), fmt, ap);
	va_end(ap);
}

/* confine_walls() - the walls that a process of this role must have. */
static uint32_t confine_walls(enum role role)
{
	return role == ROLE_MONITOR ? CONFINE_WALLS_MONITOR
				    : CONFINE_WALLS_CHILD;
}

static bool confine_is_needed(enum role role, enum confine_wall_id id)
{
	return confine_walls(role) & ~confine_given.allowed & WALL_BIT(id);
}

void confine_explain(const struct confine_report *r, int err, char *ret_text,
		     size_t size)
{
	if (r->failed < r->cnt)
		(void)snprintf(ret_text, size, "wall \"%s\": %s",
			       r->wall[r->failed].name,
			       r->wall[r->failed].detail);
	else
		(void)snprintf(ret_text, size, "%s", strerrordesc_np(-err));
}

void confine_allow_missing(uint32_t mask)
{
	confine_given.allowed = mask;
}

void confine_run_as(uid_t uid, gid_t gid)
{
	confine_given.run_as = true;
	confine_given.uid = uid;
	confine_given.gid = gid;
}

void confine_keep_kill(void)
{
	confine_given.keep_kill = true;
}

int confine_keep_dir(int dir_fd, enum confine_keep what)
{
	if (confine_given.dir_cnt == CONFINE_DIRS_MAX)
		return -ENOSPC;
	confine_given.dirs[confine_given.dir_cnt++] =
		(struct wall_dir){dir_fd, what};
	return 0;
}

int confine_early(enum role role)
{
	int ret;

	/*
	 * The monitor starts children: those of a process that is not dumpable
	 * have id maps that only root may write. It follows in confine_enter().
	 */
	if (role == ROLE_MONITOR)
		return 0;
	ret = wall_dumpable_build();
	if (ret < 0)
		return ret;
	ret = wall_pdeathsig_build();
	if (ret < 0)
		return ret;
	ret = wall_fds_build();
	if (ret < 0)
		return ret;
	return wall_nnp_build();
}

/* confine_hint() - what the user can do about it. */
static const char *confine_hint(enum confine_wall_id id, int err)
{
	if (id == CONFINE_WALL_LANDLOCK &&
	    (err == -ENOSYS || err == -EOPNOTSUPP))
		return " (needs Linux 5.19 with lsm=landlock)";
	if (id == CONFINE_WALL_ROOT && (err == -EPERM || err == -EACCES) &&
	    wall_root_apparmor())
		return "; sysctl kernel.apparmor_restrict_unprivileged_userns "
		       "is 1";
	return "";
}

/* confine_missed() - a wall does not stand: @err if it must, and 0. */
static int confine_missed(struct confine_report *r, enum role role,
			  enum confine_wall_id id, int err)
{
	if (!confine_is_needed(role, id))
		return 0;
	r->failed = id;
	return err;
}

/**
 * confine_wall_failed() - a wall's builder returned @err
 * Return: 0 if it may be missing, else @err; the report says why either way.
 */
static int confine_wall_failed(struct confine_report *r, enum role role,
			       enum confine_wall_id id, int err)
{
	wall_set(r, id, false, "could not be built: %s%s", strerror(-err),
		 confine_hint(id, err));
	return confine_missed(r, role, id, err);
}

/* confine_root() - the root wall, where there is a namespace to build it in. */
static int confine_root(enum role role, struct confine_report *r)
{
	bool stacked = false;
	int ret;

	if (!r->wall[CONFINE_WALL_MNTNS].stands) {
		wall_set(r, CONFINE_WALL_ROOT, false,
			 "needs a mount namespace of its own");
		return confine_missed(r, role, CONFINE_WALL_ROOT, -EPERM);
	}
	ret = wall_root_build(&stacked);
	if (ret < 0)
		return confine_wall_failed(r, role, CONFINE_WALL_ROOT, ret);
	report_root(r, stacked);
	return 0;
}

/* confine_creds() - capabilities, and what their change has undone. */
static int confine_creds(enum role role, struct confine_report *r)
{
	int ret = 0;

	if (confine_given.run_as && !r->wall[CONFINE_WALL_USERNS].stands)
		ret = wall_ids_build(confine_given.uid, confine_given.gid);
	if (ret == 0 && !confine_given.keep_kill)
		ret = wall_caps_build();
	else if (ret == 0)
		ret = wall_ids_keep_kill();
	if (ret < 0)
		return confine_wall_failed(r, role, CONFINE_WALL_CAPS, ret);
	ret = wall_dumpable_build();
	if (ret < 0)
		return ret;
	if (role != ROLE_MONITOR) {
		ret = wall_pdeathsig_build();
		if (ret < 0)
			return ret;
	}
	return wall_nnp_build();
}

/* confine_limits() - rlimits and Landlock. */
static int confine_limits(enum role role, struct confine_report *r)
{
	bool own_userns = r->wall[CONFINE_WALL_USERNS].stands;
	int ret = wall_rlimits_build(role, own_userns);

	if (ret < 0)
		ret = confine_wall_failed(r, role, CONFINE_WALL_RLIMITS, ret);
	else
		report_rlimits(r, role, own_userns);
	if (ret < 0)
		return ret;
	report_facts_read(r);
	report_fds(r, confine_given.dir_cnt);
	ret = wall_landlock_build(role, confine_given.dirs,
				  confine_given.dir_cnt);
	if (ret < 0)
		return confine_wall_failed(r, role, CONFINE_WALL_LANDLOCK, ret);
	report_landlock(r, role);
	return 0;
}

/* confine_filter() - the last wall. */
static int confine_filter(enum role role, enum confine_mode mode,
			  struct confine_report *r)
{
	int ret;

	report_caps(r, confine_given.keep_kill);
	report_early(r, role);
	ret = wall_seccomp_build(role, mode);
	if (ret < 0)
		return confine_wall_failed(r, role, CONFINE_WALL_SECCOMP, ret);
	report_seccomp(r, mode);
	return 0;
}

/* confine_check() - every wall of @first..@last that must stand does. */
static int confine_check(struct confine_report *r, enum role role,
			 unsigned first, unsigned last)
{
	int ret = 0;

	for (unsigned id = first; id <= last && ret == 0; id++) {
		if (!r->wall[id].stands)
			ret = confine_missed(r, role, (enum confine_wall_id)id,
					     -EPERM);
	}
	return ret;
}

/* confine_unshare_failed() - what was to be made at once was not made at all */
static void confine_unshare_failed(enum role role, struct confine_report *r,
				   int err)
{
	for (unsigned id = CONFINE_WALL_USERNS; id <= CONFINE_WALL_CGROUPNS;
	     id++) {
		if (r->wall[id].stands ||
		    !confine_is_needed(role, (enum confine_wall_id)id))
			continue;
		wall_set(r, (enum confine_wall_id)id, false, "unshare: %s",
			 strerrordesc_np(-err));
		return;
	}
}

/* confine_report_off() - what stands without our doing, for CONFINE_MODE_OFF */
static void confine_report_off(enum role role, struct confine_report *r)
{
	wall_set(r, CONFINE_WALL_ROOT, false, "confinement is off");
	report_facts_read(r);
	report_fds(r, confine_given.dir_cnt);
	report_caps(r, false);
	report_rlimits(r, role, false);
	report_landlock(r, role);
	report_seccomp(r, CONFINE_MODE_OFF);
	report_early(r, role);
	report_facts_end(r);
}

/*
 * confine_off() - no walls; but a child of a machine that is confined, and that
 * was told a user, does not stay root.
 */
static int confine_off(enum role role, struct confine_report *r)
{
	int ret = 0;

	if (confine_given.run_as && role != ROLE_MONITOR)
		ret = report_threads() > 1 ? -EBUSY : confine_creds(role, r);
	confine_report_off(role, r);
	return ret;
}

int confine_enter(enum role role, enum confine_mode mode,
		  struct confine_report *ret_report)
{
	struct confine_report *r = ret_report;
	int ret = 0;

	report_init(r);
	if (role == ROLE_MONITOR && mode != CONFINE_MODE_OFF)
		ret = wall_namespaces_build(confine_given.allowed);
	/* What could not be made is missing in the report, and refused below.
	 */
	report_namespaces(r, role);
	if (ret < 0)
		confine_unshare_failed(role, r, ret);
	report_facts_begin();
	if (mode == CONFINE_MODE_OFF)
		return confine_off(role, r);
	if (report_threads() > 1) {
		wall_set(r, CONFINE_WALL_SECCOMP, false,
			 "%u threads exist: walls would miss the others",
			 report_threads());
		r->failed = CONFINE_WALL_SECCOMP;
		return -EBUSY;
	}
	/* What spawn made, before more is built on it. */
	ret = confine_check(r, role, CONFINE_WALL_USERNS,
			    CONFINE_WALL_CGROUPNS);
	if (ret < 0)
		return ret;
	ret = confine_root(role, r);
	if (ret < 0)
		return ret;
	ret = confine_creds(role, r);
	if (ret < 0)
		return ret;
	ret = confine_limits(role, r);
	if (ret < 0)
		return ret;
	ret = confine_filter(role, mode, r);
	if (ret < 0)
		return ret;
	report_facts_end(r);
	return confine_check(r, role, 0,
			     mode == CONFINE_MODE_LOG ? CONFINE_WALL_LANDLOCK
						      : CONFINE_WALL_SECCOMP);
}
