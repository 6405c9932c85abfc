/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_place.h - where a control socket lies: rules only, and the directory.
 */
#ifndef MONITOR_CONTROL_CONTROL_PLACE_H
#define MONITOR_CONTROL_CONTROL_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "ipc/compiler.h"
#include "monitor/problem.h"

/* sizeof(sockaddr_un.sun_path), with the NUL. */
#define CONTROL_PATH_BYTES 108u
/* How the kernel names users that a namespace does not map (overflowuid). */
#define CONTROL_UID_UNMAPPED 65534u
#define CONTROL_ROOT_BASE "/run/bulkhead"
#define CONTROL_SUFFIX ".sock"
/* PID_MAX_LIMIT of the kernel. */
#define CONTROL_PID_MAX (1 << 22)

/**
 * struct control_place - a path, and who owns its directory
 * @path: of the socket; "" = this machine gets none
 * @name: last part of @path
 * @make: the directory is ours to make and to check
 * @base: in which user directories lie, "" where there is just one level
 * @dir: of @path
 * @owner: who owns @dir: the user that the monitor becomes, since it removes
 * the socket at the end
 */
struct control_place {
	char path[CONTROL_PATH_BYTES];
	const char *name;
	bool make;
	char base[CONTROL_PATH_BYTES];
	char dir[CONTROL_PATH_BYTES];
	uid_t owner;
};

/**
 * struct control_who - what the automatic place depends on
 * @euid: of the command
 * @run_uid: that the monitor will have; @euid unless that is root
 * @runtime_dir: XDG_RUNTIME_DIR, NULL = not set; borrowed
 */
struct control_who {
	uid_t euid;
	uid_t run_uid;
	pid_t pid;
	const char *runtime_dir;
};

/**
 * control_place_find() - place by configuration. Pure.
 * @asked: "auto" or NULL, "none", or a path with a '/'
 * Return: 0; -ENOENT "auto", and there is no runtime directory; -ENAMETOOLONG,
 * -EINVAL with *p set.
 */
MUST_CHECK int control_place_find(const char *asked,
				  const struct control_who *who,
				  struct control_place *ret_place,
				  struct problem *p);

/** control_place_pid() - whose socket has this @name; 0 = no automatic name. */
pid_t control_place_pid(const char *name);

/**
 * control_place_open() - the directory, made if it is ours to make
 * Return: an O_PATH fd; -EPERM with *p set: it belongs to somebody else, or
 * others may write to it; other -errno of mkdir, open or chown, *p not set.
 */
MUST_CHECK int control_place_open(const struct control_place *place,
				  struct problem *p);

#endif
