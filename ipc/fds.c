// SPDX-License-Identifier: Apache-2.0
/*
 * fds.c - ownership of file descriptors. Every process runs it; pure but for
 * close(2).
 */
#include "ipc/fds.h"

#include <errno.h>
#include <unistd.h>

void fd_cleanup(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int fd_steal(int *fd)
{
	int moved = *fd;

	*fd = -1;
	return moved;
}

void fdset_init(struct fdset *set)
{
	for (size_t i = 0; i < FDSET_MAX; i++)
		set->fd[i] = -1;
	set->cnt = 0;
}

int fdset_take(struct fdset *set, size_t idx)
{
	if (idx >= set->cnt)
		return -1;
	return fd_steal(&set->fd[idx]);
}

void fdset_close(struct fdset *set)
{
	for (size_t i = 0; i < set->cnt; i++)
		fd_cleanup(&set->fd[i]);
	set->cnt = 0;
}
