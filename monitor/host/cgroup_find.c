// SPDX-License-Identifier: Apache-2.0
/*
 * cgroup_find.c - is there a cgroup v2 to be used, and where? Runs in the
 * monitor, before its walls.
 */
#define LOG_MODULE "cgroup"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/log.h"
#include "monitor/host/cgroup_parts.h"

/**
 * struct cgroup_host - what /proc says
 * @v2: a cgroup2 file system is mounted
 */
struct cgroup_host {
	struct cgroup_self self;
	char mounts[CGROUP_FILE_BYTES];
	bool v2;
};

/* cgroup_host_read() - of this process. */
static int cgroup_host_read(struct cgroup *g, struct cgroup_host *h)
{
	int ret = cgroup_read(AT_FDCWD, "/proc/self/cgroup", h->mounts,
			      sizeof(h->mounts));

	if (ret)
		return ret;
	cgroup_self_parse(h->mounts, &h->self);
	ret = cgroup_read(AT_FDCWD, "/proc/self/mountinfo", h->mounts,
			  sizeof(h->mounts));
	h->v2 = !ret && cgroup_mount_parse(h->mounts, NULL, &g->mount);
	return ret;
}

/* cgroup_host_v1() - are all controllers in v1 hierarchies? */
static bool cgroup_host_v1(const struct cgroup *g, const struct cgroup_host *h)
{
	char text[256] = "";
	char file[PATH_MAX + 32];

	if (!h->self.v1)
		return false;
	if (!h->v2)
		return true;
	(void)snprintf(file, sizeof(file), "%s/cgroup.controllers",
		       g->mount.point);
	return cgroup_read(AT_FDCWD, file, text, sizeof(text)) ||
	       cgroup_ctls_parse(text) == 0;
}

/* cgroup_find_path() - PATH, resolved. */
static int cgroup_find_path(const struct cgroup_making *m,
			    const struct cgroup_host *h)
{
	const char *asked = m->cfg->cgroup_path;
	struct cgroup *g = m->g;
	char own[PATH_MAX];
	int ret;

	if (!strcmp(asked, CONFIG_CGROUP_OWN)) {
		ret = h->v2 && h->self.path[0]
			      ? cgroup_path_join(&g->mount, h->self.path, own)
			      : -ENOENT;
		if (ret)
			return problem_set(
				m->p, EXIT_CODE_HOST, ret,
				"cgroup own: the group of this process, "
				"\"%s\", is in no cgroup2 file system that is "
				"mounted here",
				h->self.path);
		asked = own;
	}
	if (!realpath(asked, g->path)) {
		ret = -errno;
		return problem_set(m->p, EXIT_CODE_HOST, ret,
				   "cgroup %s: %s; %s", asked, strerror(-ret),
				   CGROUP_ADVICE);
	}
	return 0;
}

/* cgroup_find_open() - PATH is a group, of the kind that may have others. */
static int cgroup_find_open(const struct cgroup_making *m,
			    const struct cgroup_host *h)
{
	struct cgroup *g = m->g;
	struct statfs fs;
	char type[64] = "";

	g->path_fd = open(g->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (g->path_fd < 0)
		return problem_set(m->p, EXIT_CODE_HOST, -errno,
				   "cgroup %s: %s; %s", g->path,
				   strerror(errno), CGROUP_ADVICE);
	if (fstatfs(g->path_fd, &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC ||
	    !cgroup_mount_parse(h->mounts, g->path, &g->mount))
		return problem_set(m->p, EXIT_CODE_HOST, -EINVAL,
				   "cgroup %s: not in a cgroup2 file system",
				   g->path);
	/* The root of the hierarchy has no type. */
	if (cgroup_read(g->path_fd, "cgroup.type", type, sizeof(type)))
		g->top = true;
	else if (strcmp(type, "domain\n") != 0)
		return problem_set(m->p, EXIT_CODE_HOST, -EINVAL,
				   "cgroup %s: cgroup.type is \"%.*s\", not "
				   "\"domain\": it cannot hold processes",
				   g->path, (int)strcspn(type, "\n"), type);
	return 0;
}

/* cgroup_find_home() - where the monitor goes back to at the end. */
static void cgroup_find_home(struct cgroup *g, const struct cgroup_host *h)
{
	char path[PATH_MAX];
	char file[PATH_MAX + 16];

	if (!h->self.path[0] || cgroup_path_join(&g->mount, h->self.path, path))
		return;
	g->home = !strcmp(path, g->path);
	(void)snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	g->home_fd = open(file, O_WRONLY | O_CLOEXEC);
	if (g->home_fd < 0)
		log_debug("%s: %s", file, strerror(errno));
}

/* cgroup_find_in() - with the buffers. */
static int cgroup_find_in(struct cgroup_making *m, struct cgroup_host *h)
{
	int ret = cgroup_host_read(m->g, h);

	if (ret)
		return problem_set(m->p, EXIT_CODE_HOST, ret,
				   "cgroup: /proc/self: %s", strerror(-ret));
	if (cgroup_host_v1(m->g, h)) {
		log_warn("this host has its controllers in cgroup v1, which is "
			 "not used: no group is made and no limit is set");
		return 1;
	}
	ret = cgroup_find_path(m, h);
	if (!ret)
		ret = cgroup_find_open(m, h);
	if (!ret)
		cgroup_find_home(m->g, h);
	return ret;
}

int cgroup_find(struct cgroup_making *m)
{
	struct cgroup_host *h = calloc(1, sizeof(*h));
	int ret =
		h ? cgroup_find_in(m, h)
		  : problem_set(m->p, EXIT_CODE_HOST, -ENOMEM, "out of memory");

	free(h);
	return ret;
}
