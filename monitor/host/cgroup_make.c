// SPDX-License-Identifier: Apache-2.0
/*
 * cgroup_make.c - the groups of a machine and their controllers. Runs in the
 * monitor, before its walls.
 *
 * Theory of operation: a group that passes controllers on may hold no process
 * itself. So the monitor, which is often in PATH when it starts, moves to its
 * own group first; whoever else is in PATH is an error. Then the controllers
 * that the limits take are passed on, from PATH to the machine and from the
 * machine to its processes.
 */
#define LOG_MODULE "cgroup"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/log.h"
#include "monitor/host/cgroup_parts.h"

/* Of the processes in the way, so many are named. */
#define CGROUP_OTHERS_NAMED 5u

/* cgroup_dir_close() - for CLEANUP. */
static void cgroup_dir_close(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* cgroup_dir_open() - to list @name in @fd. */
static DIR *cgroup_dir_open(int fd, const char *name)
{
	int dir_fd = openat(fd, name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = dir_fd < 0 ? NULL : fdopendir(dir_fd);

	if (!dir)
		fd_cleanup(&dir_fd);
	return dir;
}

/* cgroup_leftover_remove() - @name and the groups in it, if all are empty. */
static void cgroup_leftover_remove(int path_fd, const char *name)
{
	DIR *dir CLEANUP(cgroup_dir_close) = cgroup_dir_open(path_fd, name);

	if (!dir)
		return;
	for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			(void)unlinkat(dirfd(dir), e->d_name, AT_REMOVEDIR);
	}
	if (unlinkat(path_fd, name, AT_REMOVEDIR) == 0)
		log_info("removed %s, left by a monitor that was killed", name);
}

/* cgroup_leftover() - is @name that of a monitor that is no more? */
static bool cgroup_leftover(const char *name)
{
	size_t len = strlen(CGROUP_PREFIX);
	char *end;
	long pid;

	if (strncmp(name, CGROUP_PREFIX, len) != 0)
		return false;
	pid = strtol(name + len, &end, 10);
	if (*end || pid <= 0 || pid > INT32_MAX)
		return false;
	/* Ours is not made yet. */
	return pid == getpid() || (kill((pid_t)pid, 0) < 0 && errno == ESRCH);
}

void cgroup_leftovers_remove(int path_fd)
{
	DIR *dir CLEANUP(cgroup_dir_close) = cgroup_dir_open(path_fd, ".");

	if (!dir)
		return;
	for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
		if (e->d_type == DT_DIR && cgroup_leftover(e->d_name))
			cgroup_leftover_remove(path_fd, e->d_name);
	}
}

/* cgroup_comm() - what a process calls itself. */
static void cgroup_comm(long pid, char *ret_text, size_t size)
{
	char file[48];

	(void)snprintf(file, sizeof(file), "/proc/%ld/comm", pid);
	if (pid == 0)
		(void)snprintf(ret_text, size, "of another pid namespace");
	else if (cgroup_read(AT_FDCWD, file, ret_text, size))
		(void)snprintf(ret_text, size, "gone");
	ret_text[strcspn(ret_text, "\n")] = '\0';
}

size_t cgroup_others(const char *text, int self, char *ret_text, size_t size)
{
	size_t cnt = 0;
	size_t used = 0;
	char comm[32];

	ret_text[0] = '\0';
	while (*text) {
		char *end;
		long pid = strtol(text, &end, 10);

		if (end == text)
			break;
		text = end + strspn(end, "\n");
		if (pid == self || cnt++ >= CGROUP_OTHERS_NAMED)
			continue;
		cgroup_comm(pid, comm, sizeof(comm));
		if (used < size)
			used += (size_t)snprintf(ret_text + used, size - used,
						 "%s%ld (%s)", used ? ", " : "",
						 pid, comm);
	}
	return cnt;
}

/* cgroup_available() - does PATH have what the limits take? */
static int cgroup_available(struct cgroup_making *m)
{
	char text[256] = "";
	char missing[CGROUP_CTLS_BYTES];
	uint32_t have;
	int ret = cgroup_read(m->g->path_fd, "cgroup.controllers", text,
			      sizeof(text));

	have = ret ? 0 : cgroup_ctls_parse(text);
	cgroup_ctls_text(m->needed & ~have, "", missing);
	if (m->needed & ~have)
		ret = cgroup_fault(m, -ENOENT,
				   "%s: the limits take controllers that are "
				   "not passed on to it: %s (it has: %.*s); %s",
				   m->g->path, missing,
				   (int)strcspn(text, "\n"), text,
				   CGROUP_ADVICE);
	m->needed &= have;
	/* Writes are charged to who made them only where both are on. */
	if (m->needed >> CGROUP_CTL_IO & 1)
		m->needed |= have & 1u << CGROUP_CTL_MEMORY;
	return ret;
}

/* cgroup_mkdir() - makes and opens @name in @fd. */
static int cgroup_mkdir(const struct cgroup_making *m, int fd, const char *name,
			int *ret_fd)
{
	int ret = mkdirat(fd, name, 0755) < 0 ? -errno : 0;

	if (!ret) {
		*ret_fd = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ret = *ret_fd < 0 ? -errno : 0;
	}
	if (ret)
		return problem_set(m->p, EXIT_CODE_HOST, ret,
				   "cannot make the cgroup %s below %s: %s; %s",
				   name, m->g->path, strerror(-ret),
				   CGROUP_ADVICE);
	return 0;
}

/* cgroup_leaf_make() - the next process's group. */
static int cgroup_leaf_make(const struct cgroup_making *m, enum role role,
			    const char *id)
{
	struct cgroup *g = m->g;
	struct cgroup_leaf *leaf = &g->leaf[g->leaf_cnt];
	const char *kind = role_info(role)->name;
	char path[PATH_MAX];
	int n;

	leaf->role = role;
	leaf->fd = -1;
	(void)snprintf(leaf->name, sizeof(leaf->name), "%s%s%s", kind,
		       *id ? "-" : "", id);
	n = snprintf(path, sizeof(path), "%s/%s/%s", g->path, g->name,
		     leaf->name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return problem_set(m->p, EXIT_CODE_HOST, -ENAMETOOLONG,
				   "cgroup %s: too long", g->path);
	memcpy(leaf->path, path, sizeof(path));
	g->leaf_cnt++;
	return cgroup_mkdir(m, g->group_fd, leaf->name, &leaf->fd);
}

/* cgroup_dirs_make() - the machine's group and one for each process. */
static int cgroup_dirs_make(const struct cgroup_making *m)
{
	struct cgroup *g = m->g;
	int ret;

	(void)snprintf(g->name, sizeof(g->name), CGROUP_PREFIX "%d", getpid());
	ret = cgroup_mkdir(m, g->path_fd, g->name, &g->group_fd);
	if (!ret)
		ret = cgroup_leaf_make(m, ROLE_MONITOR, "");
	if (!ret)
		ret = cgroup_leaf_make(m, ROLE_VMM, "");
	for (uint32_t i = 0; i < m->cfg->disk_cnt && !ret; i++)
		ret = cgroup_leaf_make(m, ROLE_BLK, m->cfg->disks[i].id);
	return ret;
}

/* cgroup_move() - the monitor into its own group. */
static int cgroup_move(const struct cgroup_making *m)
{
	struct cgroup_leaf *leaf = &m->g->leaf[0];
	int ret = cgroup_write(leaf->fd, "cgroup.procs", "0");

	if (ret)
		return problem_set(m->p, EXIT_CODE_HOST, ret,
				   "cannot move into %s/cgroup.procs: %s%s; %s",
				   leaf->path, strerror(-ret),
				   ret == -EACCES ? ": only root or a process "
						    "in the delegated subtree "
						    "may"
						  : "",
				   CGROUP_ADVICE);
	return 0;
}

/* cgroup_text_free() - for CLEANUP. */
static void cgroup_text_free(char **text)
{
	free(*text);
}

/* cgroup_alone() - is nobody else in PATH? */
static int cgroup_alone(const struct cgroup_making *m)
{
	const struct cgroup *g = m->g;
	char *text CLEANUP(cgroup_text_free) = malloc(CGROUP_FILE_BYTES);
	char names[256];
	size_t cnt;
	int ret;

	if (!text)
		return problem_set(m->p, EXIT_CODE_HOST, -ENOMEM,
				   "out of memory");
	ret = cgroup_read(g->path_fd, "cgroup.procs", text, CGROUP_FILE_BYTES);
	if (ret)
		return problem_set(m->p, EXIT_CODE_HOST, ret,
				   "%s/cgroup.procs: %s", g->path,
				   strerror(-ret));
	cnt = cgroup_others(text, getpid(), names, sizeof(names));
	if (!cnt)
		return 0;
	return cgroup_fault(m, -EBUSY,
			    "%s holds other processes, so that no limit can be "
			    "passed on below it: %s%s; bulkhead must be alone "
			    "there (after exec, not as a shell's child), or "
			    "have an empty group named",
			    g->path, names,
			    cnt > CGROUP_OTHERS_NAMED ? ", ..." : "");
}

/* cgroup_enable() - @control_fd is the cgroup.subtree_control of @path. */
static int cgroup_enable(struct cgroup_making *m, int control_fd, uint32_t mask,
			 const char *path)
{
	char text[CGROUP_CTLS_BYTES];
	ssize_t n;

	cgroup_ctls_text(mask, "+", text);
	n = write(control_fd, text, strlen(text));
	if (n >= 0)
		return 0;
	n = -errno;
	m->needed = 0;
	return cgroup_fault(m, (int)n, "%s/cgroup.subtree_control: \"%s\": %s",
			    path, text, strerror((int)-n));
}

/* cgroup_control_open() - the cgroup.subtree_control of a group. */
static int cgroup_control_open(struct cgroup_making *m, int dir_fd,
			       const char *path, int *ret_fd)
{
	int error;

	*ret_fd = openat(dir_fd, "cgroup.subtree_control", O_RDWR | O_CLOEXEC);
	if (*ret_fd >= 0)
		return 0;
	error = -errno;
	m->needed = 0;
	return cgroup_fault(m, error, "%s/cgroup.subtree_control: %s; %s", path,
			    strerror(-error), CGROUP_ADVICE);
}

/* cgroup_path_enable() - in PATH what is not on yet. */
static int cgroup_path_enable(struct cgroup_making *m)
{
	struct cgroup *g = m->g;
	char text[256] = "";
	uint32_t on;
	int ret = cgroup_read(g->path_fd, "cgroup.subtree_control", text,
			      sizeof(text));

	on = ret ? 0 : cgroup_ctls_parse(text);
	if (!(m->needed & ~on))
		return 0;
	ret = g->top ? 0 : cgroup_alone(m);
	if (!ret)
		ret = cgroup_control_open(m, g->path_fd, g->path,
					  &g->path_control_fd);
	if (ret || g->path_control_fd < 0)
		return ret;
	g->enabled = m->needed & ~on;
	ret = cgroup_enable(m, g->path_control_fd, g->enabled, g->path);
	if (!m->needed)
		g->enabled = 0;
	return ret;
}

/* cgroup_group_enable() - and all of it in the machine's own. */
static int cgroup_group_enable(struct cgroup_making *m)
{
	struct cgroup *g = m->g;
	char path[PATH_MAX + CGROUP_NAME_BYTES];
	int ret;

	if (!m->needed)
		return 0;
	(void)snprintf(path, sizeof(path), "%s/%s", g->path, g->name);
	ret = cgroup_control_open(m, g->group_fd, path, &g->group_control_fd);
	if (ret || g->group_control_fd < 0)
		return ret;
	ret = cgroup_enable(m, g->group_control_fd, m->needed, path);
	g->passed = m->needed;
	return ret;
}

/*
 * cgroup_give() - to the user that a monitor started by root becomes: it starts
 * children in the groups (it keeps the capability for that long) and removes
 * them at the end. In PATH it may just add and remove groups.
 */
static void cgroup_give(const struct cgroup_making *m)
{
	const struct cgroup *g = m->g;
	uid_t base = (uid_t)m->cfg->uid_base;
	struct stat st;

	if (geteuid() != 0 || m->cfg->confine == CONFIG_CONFINE_OFF)
		return;
	/* A user that is not mapped here is not taken on either. */
	if (fchown(g->group_fd, base, base) < 0 || fstat(g->path_fd, &st) < 0)
		return;
	if (fchown(g->path_fd, (uid_t)-1, base) < 0 ||
	    fchmod(g->path_fd, (st.st_mode & 07777) | S_IWGRP) < 0)
		log_info("%s stays with its owner: %s", g->path,
			 strerror(errno));
}

int cgroup_make(struct cgroup_making *m)
{
	int ret;

	cgroup_leftovers_remove(m->g->path_fd);
	ret = cgroup_available(m);
	if (!ret)
		ret = cgroup_dirs_make(m);
	if (!ret)
		ret = cgroup_move(m);
	if (!ret)
		ret = cgroup_path_enable(m);
	if (!ret)
		ret = cgroup_group_enable(m);
	if (!ret)
		cgroup_give(m);
	return ret;
}
