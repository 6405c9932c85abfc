// SPDX-License-Identifier: Apache-2.0
/*
 * control_socket.c - makes and removes the control socket. Runs in the monitor;
 * the directory may be one that others write to (a path like /tmp/x.sock).
 *
 * Theory of operation: two machines may be started with one path at a time, and
 * the loser must know. A socket that refuses connections is stale, or somebody
 * has bound it and does not listen yet. So a stale one is first renamed away
 * and asked again there; and whoever listens then connects to its own name: if
 * that leads to itself, it is not renamed away later, since it answers.
 */
#define LOG_MODULE "control"
#include "monitor/control/control_socket.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/log.h"

/* Stale sockets that one start removes. */
#define SOCKET_SWEEP_MAX 64u
#define SOCKET_TYPE (SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK)

/* socket_address() - @path fits: it was checked, or is ours. */
static void socket_address(struct sockaddr_un *ret_a, const char *path)
{
	*ret_a = (struct sockaddr_un){.sun_family = AF_UNIX};
	(void)snprintf(ret_a->sun_path, sizeof(ret_a->sun_path), "%s", path);
}

int control_socket_connect(int node_fd)
{
	CLEANUP(fd_cleanup) int fd = socket(AF_UNIX, SOCKET_TYPE, 0);
	struct sockaddr_un address;
	char path[32];

	if (fd < 0)
		return -errno;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", node_fd);
	socket_address(&address, path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return fd_steal(&fd);
}

/* socket_node() - @name in @dir_fd, which must be a socket; fd or -errno. */
static int socket_node(int dir_fd, const char *name)
{
	CLEANUP(fd_cleanup)
	int fd = openat(dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISSOCK(st.st_mode) ? fd_steal(&fd) : -ENOTSOCK;
}

/* socket_is_stale() - does nobody listen at @name? 1, 0 or -errno. */
static int socket_is_stale(int dir_fd, const char *name)
{
	CLEANUP(fd_cleanup) int node = socket_node(dir_fd, name);
	CLEANUP(fd_cleanup) int fd = -1;

	if (node < 0)
		return node;
	fd = control_socket_connect(node);
	return fd == -ECONNREFUSED;
}

/* socket_taken() - why @path cannot be had. */
static int socket_taken(const char *path, int error, struct problem *p)
{
	if (error == -ENOTSOCK)
		return problem_set(p, EXIT_CODE_INPUT, -EEXIST,
				   "control: %s exists and is no socket; it "
				   "was left alone",
				   path);
	if (error == -EADDRINUSE)
		return problem_set(p, EXIT_CODE_INPUT, error,
				   "control: %s: another machine that runs "
				   "listens there",
				   path);
	return problem_set(p, EXIT_CODE_INPUT, error,
			   "control: cannot make the socket %s: %s", path,
			   strerror(-error));
}

/* socket_away() - removes a stale socket, unless it proves to be alive. */
static int socket_away(int dir_fd, const char *name)
{
	char aside[48];
	int stale;

	(void)snprintf(aside, sizeof(aside), ".bulkhead-stale.%d",
		       (int)getpid());
	if (renameat(dir_fd, name, dir_fd, aside) < 0)
		return errno == ENOENT ? 0 : -errno;
	stale = socket_is_stale(dir_fd, aside);
	if (stale == 1)
		return unlinkat(dir_fd, aside, 0) < 0 ? -errno : 0;
	/* Its owner listens by now. Should the name be taken again: no loss. */
	if (renameat2(dir_fd, aside, dir_fd, name, RENAME_NOREPLACE) < 0)
		log_warn("%s was moved to %s: %s", name, aside,
			 strerror(errno));
	return stale < 0 ? stale : -EADDRINUSE;
}

/* socket_clear() - what is at the place already? Return: 0 or -errno. */
static int socket_clear(int dir_fd, const char *name)
{
	int stale = socket_is_stale(dir_fd, name);

	if (stale == -ENOENT)
		return 0;
	if (stale < 0)
		return stale;
	return stale ? socket_away(dir_fd, name) : -EADDRINUSE;
}

/*
 * socket_sweep() - removes what killed monitors have left in a directory of
 * ours. Those whose pid lives are not disturbed; the others may be of another
 * pid namespace, so they too go only if nobody listens.
 */
static void socket_sweep(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	unsigned cnt = 0;

	if (!dir) {
		fd_cleanup(&fd);
		return;
	}
	for (struct dirent *e = readdir(dir); e && cnt < SOCKET_SWEEP_MAX;
	     e = readdir(dir)) {
		pid_t pid = control_place_pid(e->d_name);

		if (!pid || kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		cnt++;
		if (socket_clear(dir_fd, e->d_name) == 0)
			log_debug("removed stale %s", e->d_name);
	}
	closedir(dir);
}

/* socket_bind() - mode 0600 from the first moment. */
static int socket_bind(int fd, const char *path)
{
	struct sockaddr_un address;
	mode_t before = umask(0177);
	int ret;

	socket_address(&address, path);
	ret = bind(fd, (struct sockaddr *)&address, sizeof(address));
	ret = ret < 0 ? -errno : 0;
	(void)umask(before);
	if (!ret && listen(fd, (int)CONTROL_CLIENTS_MAX) < 0)
		ret = -errno;
	return ret;
}

/* socket_is_ours() - does @node_fd lead to @fd? */
static int socket_is_ours(int node_fd, int fd)
{
	CLEANUP(fd_cleanup) int out = control_socket_connect(node_fd);
	CLEANUP(fd_cleanup) int in = -1;
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);

	if (out < 0)
		return out;
	in = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (in < 0)
		return errno == EAGAIN ? -EADDRINUSE : -errno;
	if (getsockopt(in, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return -errno;
	return peer.pid == getpid() ? 0 : -EADDRINUSE;
}

/* socket_make() - in the directory s->dir_fd. Return: 0 or -errno. */
static int socket_make(struct control_socket *s, const char *name)
{
	int ret = socket_clear(s->dir_fd, name);

	if (ret)
		return ret;
	s->fd = socket(AF_UNIX, SOCKET_TYPE, 0);
	if (s->fd < 0)
		return -errno;
	ret = socket_bind(s->fd, s->path);
	if (ret)
		return ret;
	s->node_fd = socket_node(s->dir_fd, name);
	if (s->node_fd < 0)
		return s->node_fd;
	ret = socket_is_ours(s->node_fd, s->fd);
	if (ret)
		fd_cleanup(&s->node_fd); /* so that it is not removed */
	return ret;
}

/*
 * socket_no_directory() - a host that has no place for "auto" is no reason not
 * to start a machine, but is told; all else is an error.
 */
static int socket_no_directory(const struct control_place *place, int error,
			       struct problem *p)
{
	static const int none[] = {-ENOENT, -EACCES, -EPERM, -EROFS, -EINVAL};

	if (p->error)
		return error;
	for (size_t i = 0; place->make && i < ARRAY_SIZE(none); i++) {
		if (error != none[i])
			continue;
		log_warn("no control socket: cannot make %s: %s; see --control",
			 place->dir, strerror(-error));
		return 0;
	}
	return socket_taken(place->make ? place->dir : place->path, error, p);
}

/* socket_find() - the place by the configuration. */
static int socket_find(const struct config *cfg, struct control_place *place,
		       struct problem *p)
{
	struct control_who who = {
		.euid = geteuid(),
		.run_uid = geteuid() ? geteuid() : (uid_t)cfg->uid_base,
		.pid = getpid(),
		.runtime_dir = getenv("XDG_RUNTIME_DIR"),
	};
	int ret = control_place_find(cfg->control, &who, place, p);

	if (ret != -ENOENT || p->error)
		return ret;
	log_info("no control socket: XDG_RUNTIME_DIR is not set");
	return 0;
}

int control_socket_open(const struct config *cfg, struct control_socket *ret_s,
			struct problem *p)
{
	struct control_socket *s = ret_s;
	struct control_place place;
	int ret;

	*s = (struct control_socket){
		.fd = -1, .dir_fd = -1, .node_fd = -1, .starter = geteuid()};
	ret = socket_find(cfg, &place, p);
	if (ret || !place.path[0])
		return ret;
	s->dir_fd = control_place_open(&place, p);
	if (s->dir_fd < 0)
		return socket_no_directory(&place, s->dir_fd, p);
	if (place.make)
		socket_sweep(s->dir_fd);
	(void)snprintf(s->path, sizeof(s->path), "%s", place.path);
	ret = socket_make(s, place.name);
	if (!ret)
		return 0;
	(void)socket_taken(s->path, ret, p);
	control_socket_close(s);
	return ret;
}

bool control_socket_private(const struct control_socket *s)
{
	struct stat st;

	return s->node_fd >= 0 && fstat(s->node_fd, &st) == 0 &&
	       st.st_uid == s->starter && (st.st_mode & 0077) == 0;
}

void control_socket_close(struct control_socket *s)
{
	const char *slash = strrchr(s->path, '/');
	struct stat st;

	fd_cleanup(&s->fd);
	/* Somebody may have removed it, and another machine have its name. */
	if (s->node_fd >= 0 && slash && fstat(s->node_fd, &st) == 0 &&
	    st.st_nlink > 0 && unlinkat(s->dir_fd, slash + 1, 0) < 0)
		log_warn("cannot remove %s: %s", s->path, strerror(errno));
	fd_cleanup(&s->node_fd);
	fd_cleanup(&s->dir_fd);
	s->path[0] = '\0';
}
