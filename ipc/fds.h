/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fds.h - who owns a file descriptor. A variable that owns one is initialised
 * to -1 and declared with CLEANUP(fd_cleanup); fd_steal moves ownership out.
 */
#ifndef IPC_FDS_H
#define IPC_FDS_H

#include <stddef.h>

#include "ipc/compiler.h"

/* Most fds that one frame carries (ARCHITECTURE.md section 5). */
#define FDSET_MAX 8

/**
 * struct fdset - the fds that came with a frame
 * @fd: fd[0..cnt), owned; -1 where one was taken
 * @cnt: number of fds that arrived, 0..FDSET_MAX
 *
 * Dispatch closes what a handler did not take, on every path.
 */
struct fdset {
	int fd[FDSET_MAX];
	size_t cnt;
};

/** fd_cleanup() - closes *@fd if it is >= 0, keeps errno, sets it to -1. */
void fd_cleanup(int *fd);
/** fd_steal() - moves ownership out of *@fd, which becomes -1. */
int fd_steal(int *fd);
/** fdset_init() - makes @set empty. */
void fdset_init(struct fdset *set);
/** fdset_take() - moves the @idx-th fd out; -1 if there is none (any more). */
int fdset_take(struct fdset *set, size_t idx);
/** fdset_close() - closes all that were not taken and empties @set. */
void fdset_close(struct fdset *set);

#endif
