/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_socket.h - the listening socket and its name in the file system, from
 * before the machine's start to after its end.
 */
#ifndef MONITOR_CONTROL_CONTROL_SOCKET_H
#define MONITOR_CONTROL_CONTROL_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "ipc/compiler.h"
#include "monitor/config/config.h"
#include "monitor/control/control_place.h"
#include "monitor/problem.h"

/* Connections at a time, and waiting to be accepted. */
#define CONTROL_CLIENTS_MAX 16u

/**
 * struct control_socket - fds are owned, -1 = none
 * @path: "" = this machine has no control socket
 * @fd: listening
 * @dir_fd: its directory, O_PATH; for unlinkat when paths are out of reach
 * @node_fd: the socket's file, O_PATH; tells whether it is still there
 * @starter: euid that started the machine; it and root may connect
 */
struct control_socket {
	char path[CONTROL_PATH_BYTES];
	int fd;
	int dir_fd;
	int node_fd;
	uid_t starter;
};

/**
 * control_socket_open() - by the configuration; before rights are given up
 * A stale socket is replaced; anything else at its place is an error. One
 * thread only: umask.
 * Return: 0, also where there is none (said in the log); -errno with *p set.
 */
MUST_CHECK int control_socket_open(const struct config *cfg,
				   struct control_socket *ret_s,
				   struct problem *p);
/** control_socket_private() - is its file the starter's, and no one else's? */
bool control_socket_private(const struct control_socket *s);
/**
 * control_socket_close() - removes the file, if it is still ours
 * Makes only the calls fstat, unlinkat with @dir_fd, and close.
 */
void control_socket_close(struct control_socket *s);

/**
 * control_socket_connect() - to the socket's file @node_fd, opened O_PATH
 * Return: a non-blocking fd; -ECONNREFUSED nobody listens any more; -EAGAIN its
 * queue is full; -EPROTOTYPE another kind of socket; other -errno.
 */
MUST_CHECK int control_socket_connect(int node_fd);

#endif
