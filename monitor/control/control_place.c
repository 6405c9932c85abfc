// SPDX-License-Identifier: Apache-2.0
/*
 * control_place.c - where a control socket lies. Runs in the monitor before it
 * gives up its rights, and in `bulkhead status`.
 *
 * Theory of operation: a user's sockets are in $XDG_RUNTIME_DIR/bulkhead, which
 * is 0700 and the user's. A monitor that root started becomes another user, but
 * must remove its socket at the end, which takes write permission on the
 * directory: hence one directory below /run/bulkhead for each such user, owned
 * by it. The sockets in it are root's, mode 0600: only root may connect. It
 * stays when the machine ends and is used again; several machines share it just
 * as they share the user.
 */
#include "monitor/control/control_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/fds.h"

/* place_print() - false if it does not fit into CONTROL_PATH_BYTES. */
PRINTF_LIKE(2, 3)
static bool place_print(char ret_text[CONTROL_PATH_BYTES], const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start */
	len = vsnprintf(ret_text, CONTROL_PATH_BYTES, fmt, ap);
	va_end(ap);
	return len >= 0 && (size_t)len < CONTROL_PATH_BYTES;
}

/* place_too_long() - the error of a path that no socket can have. */
static int place_too_long(const char *path, const char *rest, struct problem *p)
{
	return problem_set(p, EXIT_CODE_INPUT, -ENAMETOOLONG,
			   "control: %.128s%s is too long; a socket's path has "
			   "at most %u bytes",
			   path, rest, CONTROL_PATH_BYTES - 1);
}

/* place_auto() - by user and pid. */
static int place_auto(const struct control_who *who,
		      struct control_place *place, struct problem *p)
{
	const char *runtime = who->runtime_dir;
	bool fits;

	place->make = true;
	place->owner = who->run_uid;
	if (who->euid == 0) {
		(void)place_print(place->base, "%s", CONTROL_ROOT_BASE);
		(void)place_print(place->dir, "%s/%u", CONTROL_ROOT_BASE,
				  (unsigned)who->run_uid);
		runtime = CONTROL_ROOT_BASE;
		fits = true;
	} else if (!runtime || *runtime != '/') {
		return -ENOENT;
	} else {
		fits = place_print(place->dir, "%s/bulkhead", runtime);
	}
	if (!fits || !place_print(place->path, "%s/%d" CONTROL_SUFFIX,
				  place->dir, (int)who->pid)) {
		place->path[0] = '\0';
		return place_too_long(runtime, "/bulkhead/PID" CONTROL_SUFFIX,
				      p);
	}
	return 0;
}

/* place_given() - a path of the user's; its directory is the user's matter. */
static int place_given(const char *asked, struct control_place *place,
		       struct problem *p)
{
	const char *slash = strrchr(asked, '/');
	size_t dir_len;

	if (!slash || !slash[1] || !strcmp(slash, "/.") ||
	    !strcmp(slash, "/.."))
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "control: %.128s names no file; accepted: "
				   "auto, none, or a path of a socket",
				   asked);
	if (!place_print(place->path, "%s", asked)) {
		place->path[0] = '\0';
		return place_too_long(asked, "", p);
	}
	dir_len = (size_t)(slash - asked);
	(void)place_print(place->dir, "%.*s", dir_len ? (int)dir_len : 1,
			  asked);
	return 0;
}

int control_place_find(const char *asked, const struct control_who *who,
		       struct control_place *ret_place, struct problem *p)
{
	int ret = 0;

	memset(ret_place, 0, sizeof(*ret_place));
	ret_place->name = ret_place->path;
	if (asked && !strcmp(asked, "none"))
		return 0;
	if (!asked || !strcmp(asked, "auto"))
		ret = place_auto(who, ret_place, p);
	else
		ret = place_given(asked, ret_place, p);
	if (!ret)
		ret_place->name = strrchr(ret_place->path, '/') + 1;
	return ret;
}

pid_t control_place_pid(const char *name)
{
	char *end;
	long pid;

	if (name[0] < '1' || name[0] > '9')
		return 0;
	pid = strtol(name, &end, 10);
	if (pid > CONTROL_PID_MAX || strcmp(end, CONTROL_SUFFIX) != 0)
		return 0;
	return (pid_t)pid;
}

/* place_dir_check() - @fd is a directory of @owner's, and only its. */
static int place_dir_check(int fd, const char *path, uid_t owner,
			   struct problem *p)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	/* Root of a user namespace, and a directory of the root outside. */
	if (st.st_uid == CONTROL_UID_UNMAPPED && geteuid() == 0)
		return -EPERM;
	if (st.st_uid != owner)
		return problem_set(p, EXIT_CODE_HOST, -EPERM,
				   "control: %s belongs to user %u, not to "
				   "user %u; move it away, or see --control",
				   path, (unsigned)st.st_uid, (unsigned)owner);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return problem_set(
			p, EXIT_CODE_HOST, -EPERM,
			"control: %s has mode %04o: others may write "
			"to it; accepted: 0700 or 0755",
			path, (unsigned)st.st_mode & 07777);
	return 0;
}

/*
 * place_dir() - directory @path, made if missing, checked
 * Return: an O_PATH fd, or -errno.
 */
static int place_dir(const char *path, uid_t owner, struct problem *p)
{
	CLEANUP(fd_cleanup) int fd = -1;
	bool made = mkdir(path, 0700) == 0;
	int ret;

	if (!made && errno != EEXIST)
		return -errno;
	fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* What we make is ours; only root makes one for somebody else. */
	if (made && owner != geteuid() &&
	    fchownat(fd, "", owner, (gid_t)-1, AT_EMPTY_PATH) < 0) {
		ret = -errno;
		(void)rmdir(path);
		return ret;
	}
	ret = place_dir_check(fd, path, owner, p);
	return ret ? ret : fd_steal(&fd);
}

int control_place_open(const struct control_place *place, struct problem *p)
{
	CLEANUP(fd_cleanup) int base = -1;
	int fd;

	if (!place->make) {
		fd = open(place->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	if (place->base[0]) {
		base = place_dir(place->base, geteuid(), p);
		if (base < 0)
			return base;
	}
	return place_dir(place->dir, place->owner, p);
}
