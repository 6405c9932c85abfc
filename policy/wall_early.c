// SPDX-License-Identifier: Apache-2.0
/*
 * wall_early.c - the walls that a process builds in the first lines of main,
 * in every role. Nothing was read from anybody yet.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ipc/spawn.h"
#include "policy/wall.h"

/**
 * wall_dumpable_build() - no core dump, no ptrace by processes of the same user
 *
 * Should: hold for the whole life; exec resets it, hence first of all.
 * Mustn't: be undone by a credential change (those only lower it).
 * Return: 0 or -errno.
 */
int wall_dumpable_build(void)
{
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : 0;
}

/**
 * wall_pdeathsig_build() - SIGKILL when the monitor dies
 *
 * Should: be called again after each credential change, which clears it.
 * Mustn't: trust getppid(), which is 0 in a pid namespace of its own: that the
 * monitor still lives is seen by its end of the control channel.
 * Return: 0; -ECONNRESET the monitor is gone; other -errno.
 */
int wall_pdeathsig_build(void)
{
	struct pollfd control = {.fd = CHILD_FD_CONTROL, .events = 0};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return -errno;
	if (poll(&control, 1, 0) < 0)
		return -errno;
	return control.revents & (POLLHUP | POLLERR) ? -ECONNRESET : 0;
}

/**
 * wall_fds_build() - exactly the fds 0..4
 *
 * Should: refuse to go on without one of them, or the next open would take its
 * number and be read or logged to by mistake.
 * Mustn't: rely on close-on-exec alone.
 * Return: 0; -EBADF; other -errno.
 */
int wall_fds_build(void)
{
	for (int fd = 0; fd < CHILD_FD_FIRST_FREE; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			return -errno;
	}
	if (close_range(CHILD_FD_FIRST_FREE, ~0u, 0) < 0)
		return -errno;
	return 0;
}

/**
 * wall_nnp_build() - exec never gives more rights
 *
 * Should: precede Landlock and seccomp, which need it without capabilities.
 * Mustn't: come before a setuid helper is run; we run none.
 * Return: 0 or -errno.
 */
int wall_nnp_build(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}
