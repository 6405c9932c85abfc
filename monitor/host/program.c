// SPDX-License-Identifier: Apache-2.0
/*
 * program.c - the children's binaries. Runs in the monitor.
 */
#include "monitor/host/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ipc/fds.h"

static const char *const program_places[] = {"", "/../libexec/bulkhead"};

/* program_dir() - the directory of our own binary. */
static int program_dir(char *ret_dir, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", ret_dir, size - 1);
	char *slash;

	if (n < 0)
		return -errno;
	ret_dir[n] = '\0';
	slash = strrchr(ret_dir, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	return 0;
}

int program_open(enum role role, int *ret_fd, struct problem *p)
{
	const char *name = role_info(role)->program;
	char dir[PATH_MAX];
	int ret = program_dir(dir, sizeof(dir));

	if (ret)
		return problem_set(p, EXIT_CODE_HOST, ret,
				   "cannot find our own binary by "
				   "/proc/self/exe: %s",
				   strerror(-ret));
	for (size_t i = 0; i < ARRAY_SIZE(program_places); i++) {
		char path[PATH_MAX + 64];
		int fd CLEANUP(fd_cleanup) = -1;

		(void)snprintf(path, sizeof(path), "%s%s/%s", dir,
			       program_places[i], name);
		fd = open(path, O_PATH | O_CLOEXEC);
		if (fd >= 0 && !faccessat(fd, "", X_OK, AT_EMPTY_PATH)) {
			*ret_fd = fd_steal(&fd);
			return 0;
		}
	}
	return problem_set(p, EXIT_CODE_HOST, -ENOENT,
			   "program %s not found in %s or %s%s", name, dir, dir,
			   program_places[1]);
}
