// SPDX-License-Identifier: Apache-2.0
/*
 * facts_fds.c - the open fds of a process, from /proc/PID/fd: each with its
 * kind, which tells more of a wall than its number. Runs like facts.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "policy/facts_read.h"

/**
 * struct facts_fds - the list while it is made
 * @dir_fd: /proc/PID/fd
 * @used: bytes of all targets
 */
struct facts_fds {
	struct facts_reader *r;
	int dir_fd;
	size_t used;
};

/* fds_is_ours() - is it open for reading only? */
static bool fds_is_ours(const struct facts_fds *l, uint64_t number)
{
	const struct facts_reader *r = l->r;

	if (r->own_cnt == 0)
		return false;
	if (number == (uint64_t)l->dir_fd)
		return true;
	for (size_t i = 0; i < r->own_cnt; i++) {
		if (number == (uint64_t)r->own[i])
			return true;
	}
	return false;
}

/* fds_target() - the link text, as far as there is room. 0 or -ENOMEM. */
static int fds_target(struct facts_fds *l, Bulkhead__Facts__OpenFd *fd,
		      struct facts_slice link)
{
	if (l->used + link.len > FACTS_TARGETS_BYTES)
		return facts_cut(l->r->facts, "targets");
	if (link.len > FACTS_TEXT_MAX && facts_cut(l->r->facts, "targets") < 0)
		return -ENOMEM;
	fd->target = facts_dup(link, FACTS_TEXT_MAX);
	if (!fd->target)
		return -ENOMEM;
	l->used += strlen(fd->target);
	return 0;
}

/* fds_device() - the numbers of a device node. */
static void fds_device(Bulkhead__Facts__OpenFd *fd, const struct stat *st)
{
	if (!S_ISCHR(st->st_mode) && !S_ISBLK(st->st_mode))
		return;
	fd->has_dev_major = 1;
	fd->dev_major = major(st->st_rdev);
	fd->has_dev_minor = 1;
	fd->dev_minor = minor(st->st_rdev);
}

/* fds_add() - @name of /proc/PID/fd into the list. 0 or -ENOMEM. */
static int fds_add(struct facts_fds *l, const char *name, uint32_t number)
{
	Bulkhead__Facts__Facts *f = l->r->facts;
	char text[FACTS_TEXT_MAX + 2], kind[FACTS_NAME_MAX + 1];
	ssize_t len = readlinkat(l->dir_fd, name, text, sizeof(text));
	Bulkhead__Facts__OpenFd *fd;
	struct facts_slice link;
	struct stat st = {.st_mode = 0};

	/* Closed meanwhile. */
	if (len < 0)
		return 0;
	(void)fstatat(l->dir_fd, name, &st, 0);
	link = (struct facts_slice){text, (size_t)len};
	facts_fd_kind(link, st.st_mode, kind);
	fd = malloc(sizeof(*fd));
	if (!fd)
		return -ENOMEM;
	bulkhead__facts__open_fd__init(fd);
	f->fds[f->n_fds++] = fd;
	fd->fd = number;
	fds_device(fd, &st);
	fd->kind = strdup(kind);
	return fd->kind ? fds_target(l, fd, link) : -ENOMEM;
}

/* fds_entry() - 0; 1 no room; -ENOMEM. */
static int fds_entry(struct facts_fds *l, const char *name)
{
	uint64_t number;

	if (!facts_number((struct facts_slice){name, strlen(name)}, 10,
			  &number) ||
	    number > UINT32_MAX || fds_is_ours(l, number))
		return 0;
	if (l->r->facts->n_fds < FACTS_FDS_MAX)
		return fds_add(l, name, (uint32_t)number);
	return facts_cut(l->r->facts, "fds") < 0 ? -ENOMEM : 1;
}

int facts_fds_read(struct facts_reader *r)
{
	DIR *dir = facts_dir_open(r, "fd");
	struct facts_fds l = {.r = r};
	int ret = 0;

	if (!dir)
		return facts_unseen(r, "fds", -errno);
	l.dir_fd = dirfd(dir);
	r->facts->fds = calloc(FACTS_FDS_MAX, sizeof(*r->facts->fds));
	if (!r->facts->fds)
		ret = -ENOMEM;
	for (struct dirent *e = readdir(dir); e && ret == 0; e = readdir(dir))
		ret = fds_entry(&l, e->d_name);
	closedir(dir);
	return ret < 0 ? ret : 0;
}
