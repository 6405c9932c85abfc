// SPDX-License-Identifier: Apache-2.0
/*
 * report.c - reads back from the kernel which walls stand. Runs inside the
 * process that they surround. What only /proc tells is read before the root is
 * emptied; the rest by system calls after the wall was built.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/nsfs.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "policy/facts.h"
#include "policy/landlock.h"
#include "policy/wall.h"

/* The namespaces of spawn, beside their names in /proc/self/ns. */
static const struct {
	enum confine_wall_id id;
	const char *file;
} report_ns[] = {
	{CONFINE_WALL_PIDNS, "pid"}, {CONFINE_WALL_MNTNS, "mnt"},
	{CONFINE_WALL_NETNS, "net"}, {CONFINE_WALL_IPCNS, "ipc"},
	{CONFINE_WALL_UTSNS, "uts"}, {CONFINE_WALL_CGROUPNS, "cgroup"},
};

void report_init(struct confine_report *r)
{
	memset(r, 0, sizeof(*r));
	r->cnt = CONFINE_WALL_COUNT;
	r->failed = CONFINE_WALL_COUNT;
	for (unsigned id = 0; id < CONFINE_WALL_COUNT; id++) {
		r->wall[id].name = confine_wall_name((enum confine_wall_id)id);
		wall_set(r, (enum confine_wall_id)id, false, "not reached");
	}
}

/* report_number() - the next decimal number of *@text, which moves on. */
static unsigned long report_number(char **text)
{
	return strtoul(*text, text, 10);
}

/**
 * report_map_read() - the one line of uid_map or gid_map, "inside outside 1"
 * Return: false if not just one id is mapped, as it is in the namespace that
 * spawn makes.
 */
static bool report_map_read(const char *path, unsigned long *ret_in,
			    unsigned long *ret_out)
{
	char text[128];
	char *at = text;
	ssize_t len;
	CLEANUP(fd_cleanup) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return false;
	text[len] = '\0';
	*ret_in = report_number(&at);
	*ret_out = report_number(&at);
	return report_number(&at) == 1 && strcmp(at, "\n") == 0;
}

/* report_ns_owner() - inode of the user namespace that owns @fd's; 0 if it is
 * one that we may not see, thus not ours. */
static ino_t report_ns_owner(int fd)
{
	struct stat st;
	CLEANUP(fd_cleanup) int owner = ioctl(fd, NS_GET_USERNS);

	if (owner < 0 || fstat(owner, &st) < 0)
		return 0;
	return st.st_ino;
}

/**
 * report_userns_spawned() - did spawn make user namespace @userns for us?
 *
 * The kernel does not say whether a namespace was inherited, and one that the
 * caller made for one user (unshare -Ur) has just such a map. But spawn makes
 * all namespaces of a role at once, and whoever it made them for is process 1
 * of a pid namespace that the user namespace owns.
 */
static bool report_userns_spawned(enum role role, ino_t userns)
{
	CLEANUP(fd_cleanup) int fd = -1;

	if (!(role_info(role)->clone_flags & CLONE_NEWUSER) || getpid() != 1)
		return false;
	fd = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	return fd >= 0 && report_ns_owner(fd) == userns;
}

/* report_userns_monitor() - its own where it had no capability at first. */
static void report_userns_monitor(struct confine_report *r, ino_t ino)
{
	bool left = wall_namespace_left(CONFINE_WALL_USERNS, ino);

	wall_set(r, CONFINE_WALL_USERNS, left, "user:[%lu]%s", ino,
		 left ? " maps its user only"
		      : " is the caller's; not for this role");
}

/* report_userns() - fills its row; Return: inode if it is ours alone, else 0 */
static ino_t report_userns(struct confine_report *r, enum role role)
{
	unsigned long uid_in, uid_out, gid_in, gid_out;
	struct stat st;

	if (stat("/proc/self/ns/user", &st) < 0) {
		wall_set(r, CONFINE_WALL_USERNS, false,
			 "/proc/self/ns/user: %s", strerror(errno));
		return 0;
	}
	if (role == ROLE_MONITOR) {
		report_userns_monitor(r, st.st_ino);
		return 0;
	}
	if (!report_map_read("/proc/self/uid_map", &uid_in, &uid_out) ||
	    !report_map_read("/proc/self/gid_map", &gid_in, &gid_out)) {
		wall_set(r, CONFINE_WALL_USERNS, false,
			 "user:[%lu] is shared with the monitor", st.st_ino);
		return 0;
	}
	if (!report_userns_spawned(role, st.st_ino)) {
		wall_set(r, CONFINE_WALL_USERNS, false,
			 "user:[%lu] maps one user, but is the caller's",
			 st.st_ino);
		return 0;
	}
	wall_set(r, CONFINE_WALL_USERNS, true,
		 "user:[%lu] uid %lu is %lu outside, gid %lu is %lu", st.st_ino,
		 uid_in, uid_out, gid_in, gid_out);
	return st.st_ino;
}

/* report_parent() - the monitor's pid where /proc is mounted; 0 if unknown. */
static unsigned long report_parent(void)
{
	char text[1024];
	CLEANUP(fd_cleanup)
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	char *at;

	if (len <= 0)
		return 0;
	text[len] = '\0';
	at = strstr(text, "\nPPid:");
	return at ? strtoul(at + strlen("\nPPid:"), NULL, 10) : 0;
}

/*
 * report_ns_new() - is namespace @file, inode @ino, another than the monitor's?
 * Without a user namespace that owns it, only the comparison tells; who may not
 * look at the monitor could not have made one either.
 */
static bool report_ns_new(const char *file, ino_t ino)
{
	unsigned long parent = report_parent();
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%lu/ns/%s", parent, file);
	return parent != 0 && stat(path, &st) == 0 && st.st_ino != ino;
}

/* report_ns_ours() - is namespace @i, open as @fd, inode @ino, ours alone? */
static bool report_ns_ours(enum role role, ino_t own, size_t i, int fd,
			   ino_t ino)
{
	if (role == ROLE_MONITOR)
		return wall_namespace_left(report_ns[i].id, ino);
	return own ? report_ns_owner(fd) == own
		   : report_ns_new(report_ns[i].file, ino);
}

void report_namespaces(struct confine_report *r, enum role role)
{
	ino_t own = report_userns(r, role);
	char path[64];
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(report_ns); i++) {
		(void)snprintf(path, sizeof(path), "/proc/self/ns/%s",
			       report_ns[i].file);
		CLEANUP(fd_cleanup) int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd < 0 || fstat(fd, &st) < 0) {
			wall_set(r, report_ns[i].id, false, "%s: %s", path,
				 strerror(errno));
			continue;
		}
		bool ours = report_ns_ours(role, own, i, fd, st.st_ino);

		wall_set(r, report_ns[i].id, ours, "%s:[%lu]%s",
			 report_ns[i].file, st.st_ino,
			 ours ? ""
			 : role == ROLE_MONITOR &&
					 report_ns[i].id == CONFINE_WALL_PIDNS
				 ? " is the caller's; not for this role"
				 : " is not ours alone");
	}
}

unsigned report_threads(void)
{
	struct stat st;

	if (stat("/proc/self/task", &st) < 0 || st.st_nlink < 3)
		return 0;
	return (unsigned)(st.st_nlink - 2);
}

void report_fds(struct confine_report *r, size_t kept)
{
	const Bulkhead__Facts__Facts *f = r->facts;
	uint32_t high = 0;
	size_t dirs = 0;

	if (!f || f->n_fds == FACTS_FDS_MAX) {
		wall_set(r, CONFINE_WALL_FDS, false, "%s",
			 f ? "too many to look at"
			   : "/proc/self could not be read");
		return;
	}
	for (size_t i = 0; i < f->n_fds; i++) {
		high = f->fds[i]->fd > high ? f->fds[i]->fd : high;
		dirs += strcmp(f->fds[i]->kind, "directory") == 0;
	}
	wall_set(r, CONFINE_WALL_FDS, dirs <= kept,
		 "%zu open, highest %" PRIu32 ", %zu directories", f->n_fds,
		 high, dirs);
}

void report_early(struct confine_report *r, enum role role)
{
	int sig = 0;
	int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
	int nnp = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);

	wall_set(r, CONFINE_WALL_DUMPABLE, dumpable == 0, "dumpable %d",
		 dumpable);
	wall_set(r, CONFINE_WALL_NNP, nnp == 1, "no_new_privs %d", nnp);
	if (role == ROLE_MONITOR) {
		wall_set(r, CONFINE_WALL_PDEATHSIG, false, "not for this role");
		return;
	}
	(void)prctl(PR_GET_PDEATHSIG, &sig, 0, 0, 0);
	wall_set(r, CONFINE_WALL_PDEATHSIG, sig == SIGKILL,
		 "signal %d when the monitor ends", sig);
}

void report_root(struct confine_report *r, bool stacked)
{
	int cnt = 0;
	DIR *dir = opendir("/");
	int writable, err;

	if (!dir) {
		wall_set(r, CONFINE_WALL_ROOT, false, "/: %s", strerror(errno));
		return;
	}
	for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			cnt++;
	}
	closedir(dir);
	writable = mkdir("/x", 0700);
	err = writable < 0 ? errno : 0;
	wall_set(r, CONFINE_WALL_ROOT, cnt == 0 && err == EROFS,
		 "%d entries, %s%s", cnt,
		 err == EROFS ? "read-only" : "not read-only",
		 stacked ? ", over an initramfs that cannot be left" : "");
}

void report_rlimits(struct confine_report *r, enum role role, bool own_userns)
{
	const struct role_info *info = role_info(role);
	struct rlimit core = {1, 1}, files = {0, 0}, procs = {0, 0};
	bool ok;

	if (getrlimit(RLIMIT_CORE, &core) < 0 ||
	    getrlimit(RLIMIT_NOFILE, &files) < 0 ||
	    getrlimit(RLIMIT_NPROC, &procs) < 0) {
		wall_set(r, CONFINE_WALL_RLIMITS, false, "getrlimit: %s",
			 strerror(errno));
		return;
	}
	ok = core.rlim_max == 0 && files.rlim_max <= info->nofile &&
	     (!own_userns || info->nproc == 0 || procs.rlim_max <= info->nproc);
	wall_set(r, CONFINE_WALL_RLIMITS, ok,
		 "core %lld nofile %lld nproc %lld", (long long)core.rlim_max,
		 (long long)files.rlim_max, (long long)procs.rlim_max);
}

void report_landlock(struct confine_report *r, enum role role)
{
	struct landlock_attr attr;
	int abi = landlock_abi();
	int fd, err;

	if (abi < 0) {
		wall_set(r, CONFINE_WALL_LANDLOCK, false, "%s", strerror(-abi));
		return;
	}
	(void)landlock_attr_for(abi, &attr);
	/* See wall_landlock_build(). */
	if (role == ROLE_MONITOR)
		attr.scoped = 0;
	/* The root may be listed by its mode; only a domain refuses it. */
	fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = fd < 0 ? errno : 0;
	fd_cleanup(&fd);
	report_facts_landlock(r, abi, &attr, err == EACCES);
	wall_set(
		r, CONFINE_WALL_LANDLOCK, err == EACCES,
		"abi %d, open of / is %s, denies fs %#llx net %#llx scope %#llx",
		abi, err == EACCES ? "refused" : "allowed",
		(unsigned long long)attr.handled_access_fs,
		(unsigned long long)attr.handled_access_net,
		(unsigned long long)attr.scoped);
}

void report_seccomp(struct confine_report *r, enum confine_mode mode)
{
	int state = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);

	/* A filter that only logs is no wall. */
	wall_set(r, CONFINE_WALL_SECCOMP,
		 state == 2 && mode == CONFINE_MODE_ENFORCE, "mode %d%s", state,
		 mode == CONFINE_MODE_LOG ? ", refusals are logged only" : "");
}
