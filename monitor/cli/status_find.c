// SPDX-License-Identifier: Apache-2.0
/*
 * status_find.c - which control sockets there are. Runs in `bulkhead status`.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "monitor/cli/status.h"

/* find_in() - the sockets in @dir. */
static int find_in(const char *dir,
		   int (*fn)(void *ctx, const char *path, pid_t pid), void *ctx)
{
	DIR *d = opendir(dir);
	unsigned cnt = 0;
	int ret = 0;

	if (!d)
		return 0;
	for (struct dirent *e = readdir(d);
	     e && !ret && cnt < STATUS_SOCKETS_MAX; e = readdir(d)) {
		pid_t pid = control_place_pid(e->d_name);
		char path[CONTROL_PATH_BYTES];
		int len;

		if (!pid)
			continue;
		cnt++;
		len = snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (len > 0 && (size_t)len < sizeof(path))
			ret = fn(ctx, path, pid);
	}
	closedir(d);
	return ret;
}

/* find_root() - below /run/bulkhead, one directory for each user. */
static int find_root(int (*fn)(void *ctx, const char *path, pid_t pid),
		     void *ctx)
{
	DIR *d = opendir(CONTROL_ROOT_BASE);
	int ret = 0;

	if (!d)
		return 0;
	for (struct dirent *e = readdir(d); e && !ret; e = readdir(d)) {
		char dir[CONTROL_PATH_BYTES];
		int len;

		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		len = snprintf(dir, sizeof(dir), CONTROL_ROOT_BASE "/%s",
			       e->d_name);
		if (len > 0 && (size_t)len < sizeof(dir))
			ret = find_in(dir, fn, ctx);
	}
	closedir(d);
	return ret;
}

int status_find_each(int (*fn)(void *ctx, const char *path, pid_t pid),
		     void *ctx)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char dir[CONTROL_PATH_BYTES];
	int len;

	if (geteuid() == 0)
		return find_root(fn, ctx);
	if (!runtime || *runtime != '/')
		return 0;
	len = snprintf(dir, sizeof(dir), "%s/bulkhead", runtime);
	if (len < 0 || (size_t)len >= sizeof(dir))
		return 0;
	return find_in(dir, fn, ctx);
}
