// SPDX-License-Identifier: Apache-2.0
/*
 * spawn_fixture.c - see spawn_fixture.h.
 */
#include "tests/unit/ipc/spawn_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "tests/support/unit/unit.h"

int probe_start(const struct probe_run *run, struct spawn_child *ret_child,
		int *ret_report_fd, const char **ret_step)
{
	char name[] = "probe";
	char mode[16];
	char *argv[] = {name, mode, NULL};
	struct spawn_fd map[16];
	int pipe_fds[2];

	strncpy(mode, run->mode, sizeof(mode) - 1);
	mode[sizeof(mode) - 1] = '\0';
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -errno;

	CLEANUP(fd_cleanup) int read_end = pipe_fds[0];
	CLEANUP(fd_cleanup) int write_end = pipe_fds[1];
	CLEANUP(fd_cleanup) int probe = open(SPAWN_PROBE, O_PATH | O_CLOEXEC);

	if (probe < 0)
		return -errno;
	map[0] = (struct spawn_fd){write_end, CHILD_FD_CONTROL};
	memcpy(map + 1, run->extra, run->extra_cnt * sizeof(map[0]));

	struct spawn_request req = {
		.path_fd = run->path_fd ? run->path_fd : probe,
		.argv = argv,
		.fds = map,
		.fd_cnt = run->extra_cnt + 1,
		.clone_flags = run->clone_flags,
		.own_uid = run->own_id ? run->own_id : geteuid(),
		.own_gid = run->own_id ? run->own_id : getegid(),
		.map_uid = run->map_id,
		.map_gid = run->map_id,
		.keep_stderr = run->keep_stderr,
	};
	int err = spawn_child_start(&req, ret_child, ret_step);

	if (!err)
		*ret_report_fd = fd_steal(&read_end);
	return err;
}

/* poll(2) for input with the bound of these tests. */
static int probe_poll(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int n;

	do {
		n = poll(&p, 1, SPAWN_WAIT_MS);
	} while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : -ETIME;
}

int probe_report_read(int fd, struct probe_report *ret_report)
{
	int err = probe_poll(fd);

	if (err)
		return err;
	/* Smaller than PIPE_BUF, so whole or not at all. */
	return read(fd, ret_report, sizeof(*ret_report)) == sizeof(*ret_report)
		       ? 0
		       : -EIO;
}

int probe_eof_wait(int fd)
{
	char skip[4096];
	ssize_t n;

	do {
		int err = probe_poll(fd);

		if (err)
			return err;
		n = read(fd, skip, sizeof(skip));
	} while (n > 0);
	return n < 0 ? -errno : 0;
}

int probe_end(struct spawn_child *child)
{
	siginfo_t info = {0};

	if (probe_poll(child->pidfd) < 0)
		kill(child->pid, SIGKILL);
	if (waitid(P_PIDFD, (id_t)child->pidfd, &info, WEXITED) < 0)
		return -errno;
	fd_cleanup(&child->pidfd);
	return info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
}

struct probe_report probe_run_report(const struct probe_run *run)
{
	struct probe_report r = {0};
	struct spawn_child child;
	const char *step = NULL;
	int fd = -1;

	CU_ASSERT_EQUAL_FATAL(probe_start(run, &child, &fd, &step), 0);
	CU_ASSERT_PTR_NULL(step);
	CU_ASSERT(fcntl(child.pidfd, F_GETFD) == FD_CLOEXEC);
	CU_ASSERT_EQUAL(probe_report_read(fd, &r), 0);
	CU_ASSERT_EQUAL(probe_end(&child), 0);
	CU_ASSERT_EQUAL(probe_eof_wait(fd), 0);
	close(fd);
	return r;
}
