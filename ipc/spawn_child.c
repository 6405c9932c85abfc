// SPDX-License-Identifier: Apache-2.0
/*
 * spawn_child.c - the new process between clone3 and exec. It is a copy of a
 * program that may have had threads, so only async-signal-safe calls: no
 * allocation, no stdio, no locks.
 *
 * Theory of operation: (1) wait until the parent has written the id maps, (2)
 * become the mapped user, bind life to the parent's, (3) a session of its own,
 * default signals, (4) move every wanted fd above all numbers that will be
 * given out, so that no dup2 hits one still needed, (5) dup2 them into place,
 * (6) close the rest, (7) exec. A step that fails is sent to the parent and the
 * process ends.
 */
#include "ipc/spawn_child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPAWN_EXIT_FAILED 127
/* Signal numbers of the kernel, 1..64. */
#define SPAWN_SIGNAL_MAX 64

/* What rt_sigaction(2) takes; all zero is the default action. */
struct spawn_kernel_sigaction {
	unsigned long handler;
	unsigned long flags;
	unsigned long restorer;
	uint64_t mask;
};

/* Tells the parent why, and ends. */
NORETURN static void spawn_child_die(int fd, enum spawn_step step, int error)
{
	struct spawn_failure f = {.step = step, .error = error};

	(void)!send(fd, &f, sizeof(f), MSG_NOSIGNAL);
	_exit(SPAWN_EXIT_FAILED);
}

/*
 * The one user and group that the namespace maps, and no other group. The
 * system calls, not libc's functions, which would want to tell other threads.
 * Return: 0 or errno.
 */
static int spawn_child_ids(const struct spawn_request *req)
{
	uid_t uid = req->map_uid;
	gid_t gid = req->map_gid;

	if (syscall(SYS_setgroups, 0, NULL) ||
	    syscall(SYS_setresgid, gid, gid, gid) ||
	    syscall(SYS_setresuid, uid, uid, uid))
		return errno;
	return 0;
}

/* Waits for the id maps; a parent that dies meanwhile ends the wait. */
static void spawn_child_wait(int fd)
{
	char go;
	ssize_t n;

	do {
		n = recv(fd, &go, sizeof(go), 0);
	} while (n < 0 && errno == EINTR);
	if (n != sizeof(go))
		spawn_child_die(fd, SPAWN_STEP_GO, n < 0 ? errno : EPIPE);
}

/*
 * Dies with the parent from here on; after the change of ids, which would clear
 * it. A parent that died before the prctl has closed its end of the socket by
 * then, and only it holds that end; getppid would not tell in a new pid
 * namespace, where it is always 0.
 */
static void spawn_child_bind(int fd)
{
	char more;
	ssize_t n;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		spawn_child_die(fd, SPAWN_STEP_PDEATHSIG, errno);
	n = recv(fd, &more, sizeof(more), MSG_PEEK | MSG_DONTWAIT);
	if (n >= 0 || errno != EAGAIN)
		spawn_child_die(fd, SPAWN_STEP_PARENT, n < 0 ? errno : ESRCH);
}

/*
 * Default dispositions, also for what the parent ignored and for the two
 * signals that libc keeps for itself, and an empty mask.
 */
static int spawn_child_signals(void)
{
	const struct spawn_kernel_sigaction dfl = {0};
	const uint64_t none = 0;

	for (int sig = 1; sig <= SPAWN_SIGNAL_MAX; sig++) {
		if (sig == SIGKILL || sig == SIGSTOP)
			continue;
		if (syscall(SYS_rt_sigaction, sig, &dfl, NULL, sizeof(none)))
			return errno;
	}
	if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none)))
		return errno;
	return 0;
}

/* Copies *@fd to a number >= @base. Return: 0 or errno. */
static int spawn_child_move(int *fd, int base)
{
	int moved = fcntl(*fd, F_DUPFD_CLOEXEC, base);

	if (moved < 0)
		return errno;
	*fd = moved;
	return 0;
}

/* Does the map give out number @to? */
static bool spawn_child_mapped(const struct spawn_request *req, int to)
{
	for (size_t i = 0; i < req->fd_cnt; i++) {
		if (req->fds[i].to == to)
			return true;
	}
	return false;
}

/* @moved[] and @null_fd to where the map wants them. Return: 0 or errno. */
static int spawn_child_place(const struct spawn_request *req, const int *moved,
			     int null_fd)
{
	int last_null = req->keep_stderr ? STDOUT_FILENO : STDERR_FILENO;

	for (int fd = 0; fd <= last_null; fd++) {
		if (dup2(null_fd, fd) < 0)
			return errno;
	}
	for (size_t i = 0; i < req->fd_cnt; i++) {
		if (dup2(moved[i], req->fds[i].to) < 0)
			return errno;
	}
	return 0;
}

/*
 * Closes the gaps below @base and has exec close all from there on, the start
 * socket and the program's own fd included. Return: 0 or errno.
 */
static int spawn_child_close(const struct spawn_request *req, int base)
{
	for (int fd = STDERR_FILENO + 1; fd < base; fd++) {
		if (!spawn_child_mapped(req, fd))
			close(fd);
	}
	if (close_range((unsigned)base, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		return errno;
	return 0;
}

void spawn_child_run(const struct spawn_plan *plan)
{
	static char *const no_env[] = {NULL};
	const struct spawn_request *req = plan->req;
	const int base = SPAWN_TO_MAX + 1;
	int moved[SPAWN_FDS_MAX];
	int sock = plan->child_fd;
	int null_fd = plan->null_fd;
	int path_fd = req->path_fd;
	int err;

	close(plan->parent_fd);
	spawn_child_wait(sock);
	err = plan->change_ids ? spawn_child_ids(req) : 0;
	if (err)
		spawn_child_die(sock, SPAWN_STEP_IDS, err);
	spawn_child_bind(sock);
	if (setsid() < 0)
		spawn_child_die(sock, SPAWN_STEP_SESSION, errno);
	err = spawn_child_signals();
	if (err)
		spawn_child_die(sock, SPAWN_STEP_SIGNALS, err);
	err = spawn_child_move(&sock, base);
	if (!err)
		err = spawn_child_move(&null_fd, base);
	if (!err)
		err = spawn_child_move(&path_fd, base);
	for (size_t i = 0; i < req->fd_cnt && !err; i++) {
		moved[i] = req->fds[i].from;
		err = spawn_child_move(&moved[i], base);
	}
	if (err)
		spawn_child_die(sock, SPAWN_STEP_FDS_MOVE, err);
	err = spawn_child_place(req, moved, null_fd);
	if (err)
		spawn_child_die(sock, SPAWN_STEP_FDS_MAP, err);
	err = spawn_child_close(req, base);
	if (err)
		spawn_child_die(sock, SPAWN_STEP_FDS_CLOSE, err);
	syscall(SYS_execveat, path_fd, "", req->argv, no_env, AT_EMPTY_PATH);
	spawn_child_die(sock, SPAWN_STEP_EXEC, errno);
}
