// SPDX-License-Identifier: Apache-2.0
/*
 * cgroup.c - from the configuration to a group for each process, and back to
 * none. Runs in the monitor; cgroup_free() does so behind the monitor's walls,
 * so it only writes to fds that are open and removes directories.
 */
#define LOG_MODULE "cgroup"
#include "monitor/host/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/log.h"
#include "monitor/host/cgroup_parts.h"

int cgroup_fault(const struct cgroup_making *m, int error, const char *fmt, ...)
{
	char text[PROBLEM_BYTES];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	if (!m->lenient)
		return problem_set(m->p, EXIT_CODE_HOST, error, "%s", text);
	log_warn("going on without (confine-missing): %s", text);
	return 0;
}

int cgroup_read(int dir_fd, const char *file, char *ret_text, size_t size)
{
	int fd CLEANUP(fd_cleanup) = openat(dir_fd, file, O_RDONLY | O_CLOEXEC);
	size_t len = 0;

	ret_text[0] = '\0';
	if (fd < 0)
		return -errno;
	while (len + 1 < size) {
		ssize_t n = read(fd, ret_text + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	ret_text[len] = '\0';
	return 0;
}

int cgroup_write(int dir_fd, const char *file, const char *text)
{
	int fd CLEANUP(fd_cleanup) = openat(dir_fd, file, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

/* cgroup_alloc() - no fd is open. */
static struct cgroup *cgroup_alloc(void)
{
	struct cgroup *g = calloc(1, sizeof(*g));

	if (g) {
		g->path_fd = g->path_control_fd = -1;
		g->group_fd = g->group_control_fd = g->home_fd = -1;
	}
	return g;
}

/* cgroup_all() - in order. Return: as cgroup_find(). */
static int cgroup_all(struct cgroup_making *m)
{
	int ret = cgroup_find(m);

	if (ret)
		return ret;
	m->needed = cgroup_limits_needed(m->cfg);
	ret = cgroup_make(m);
	if (!ret)
		ret = cgroup_limits_set(m);
	if (!ret)
		cgroup_force_all(m->g);
	return ret;
}

int cgroup_new(const struct config *cfg, const struct image *images,
	       struct cgroup **ret_group, struct problem *p)
{
	struct cgroup_making m = {
		.cfg = cfg,
		.images = images,
		.p = p,
		.lenient = cfg->confine_missing >> CONFIG_MISSING_CGROUP & 1,
	};
	int ret;

	*ret_group = NULL;
	if (!cfg->cgroup_path)
		return 0;
	m.g = cgroup_alloc();
	if (!m.g)
		return problem_set(p, EXIT_CODE_HOST, -ENOMEM, "out of memory");
	ret = cgroup_all(&m);
	if (!ret) {
		*ret_group = m.g;
		return 0;
	}
	cgroup_free(m.g);
	if (ret < 0 && m.lenient) {
		log_warn("going on without cgroups (confine-missing): %s",
			 p->text);
		*p = (struct problem){0};
		ret = 0;
	}
	return ret < 0 ? ret : 0;
}

int cgroup_dir_fd(const struct cgroup *g)
{
	return g ? g->path_fd : -1;
}

int cgroup_child_fd(const struct cgroup *g, uint32_t idx)
{
	return g && idx + 1 < g->leaf_cnt ? g->leaf[idx + 1].fd : -1;
}

/* cgroup_disable() - what we passed on below @control_fd. */
static void cgroup_disable(int control_fd, uint32_t mask)
{
	char text[CGROUP_CTLS_BYTES];

	if (control_fd < 0 || !mask)
		return;
	cgroup_ctls_text(mask, "-", text);
	if (write(control_fd, text, strlen(text)) < 0)
		log_debug("\"%s\": %s", text, strerror(errno));
}

/*
 * cgroup_go_home() - the monitor out of its own group. PATH takes it back only
 * when it passes nothing on any more.
 */
static void cgroup_go_home(struct cgroup *g)
{
	if (g->home_fd < 0)
		return;
	if (g->home) {
		cgroup_disable(g->group_control_fd, g->passed);
		cgroup_disable(g->path_control_fd, g->enabled);
	}
	if (write(g->home_fd, "0", 1) < 0)
		log_info("the monitor stays in its group: %s", strerror(errno));
}

/*
 * cgroup_remove() - the machine's group, or @leaf in it; the next start removes
 * what cannot be removed now
 */
static void cgroup_remove(const struct cgroup *g, const char *leaf)
{
	char path[CGROUP_NAME_BYTES + CGROUP_LEAF_BYTES + 1];

	if (g->path_fd < 0 || !g->name[0])
		return;
	(void)snprintf(path, sizeof(path), "%s%s%s", g->name, leaf ? "/" : "",
		       leaf ? leaf : "");
	if (unlinkat(g->path_fd, path, AT_REMOVEDIR) < 0 && errno != ENOENT)
		log_info("cgroup %s stays: %s", path, strerror(errno));
}

void cgroup_started(struct cgroup *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->leaf_cnt; i++)
		fd_cleanup(&g->leaf[i].fd);
	fd_cleanup(&g->group_fd);
}

void cgroup_free(struct cgroup *g)
{
	if (!g)
		return;
	for (uint32_t i = 1; i < g->leaf_cnt; i++)
		cgroup_remove(g, g->leaf[i].name);
	cgroup_go_home(g);
	if (g->leaf_cnt)
		cgroup_remove(g, g->leaf[0].name);
	cgroup_remove(g, NULL);
	cgroup_started(g);
	fd_cleanup(&g->path_fd);
	fd_cleanup(&g->path_control_fd);
	fd_cleanup(&g->group_control_fd);
	fd_cleanup(&g->home_fd);
	free(g);
}
