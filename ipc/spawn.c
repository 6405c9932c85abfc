// SPDX-License-Identifier: Apache-2.0
/*
 * spawn.c - the parent's side of starting a child: the monitor runs it. The
 * child is not trusted once it has called exec; until then it is our own code
 * (spawn_child.c), held back by a socket until its id maps are written.
 */
#include "ipc/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/spawn_child.h"

/* From clone3 to exec, in which a child does little. */
#define SPAWN_EXEC_S 10

static const char *const spawn_step_names[] = {
	[SPAWN_STEP_REQUEST] = "check the request",
	[SPAWN_STEP_NULL] = "open /dev/null",
	[SPAWN_STEP_SOCKET] = "make the start socket",
	[SPAWN_STEP_CLONE] = "clone3",
	[SPAWN_STEP_SETGROUPS] = "write setgroups",
	[SPAWN_STEP_UID_MAP] = "write uid_map",
	[SPAWN_STEP_GID_MAP] = "write gid_map",
	[SPAWN_STEP_GO] = "let the child go on",
	[SPAWN_STEP_PDEATHSIG] = "prctl PR_SET_PDEATHSIG",
	[SPAWN_STEP_PARENT] = "look for the parent",
	[SPAWN_STEP_SESSION] = "setsid",
	[SPAWN_STEP_IDS] = "become the mapped user",
	[SPAWN_STEP_SIGNALS] = "reset signals",
	[SPAWN_STEP_FDS_MOVE] = "move fds out of the way",
	[SPAWN_STEP_FDS_MAP] = "put fds in place",
	[SPAWN_STEP_FDS_CLOSE] = "close other fds",
	[SPAWN_STEP_EXEC] = "exec",
};

_Static_assert(ARRAY_SIZE(spawn_step_names) == SPAWN_STEP_COUNT,
	       "a name for each step");

/* No two entries to one number, all numbers in range. */
static int spawn_request_check(const struct spawn_request *req)
{
	uint64_t given = 0;

	if (req->path_fd < 0 || !req->argv || !req->argv[0] ||
	    (req->in_cgroup && req->cgroup_fd < 0) ||
	    req->fd_cnt > SPAWN_FDS_MAX)
		return -EINVAL;
	for (size_t i = 0; i < req->fd_cnt; i++) {
		const struct spawn_fd *f = &req->fds[i];

		if (f->from < 0 || f->to <= STDERR_FILENO ||
		    f->to > SPAWN_TO_MAX)
			return -EINVAL;
		if (given & (1ULL << f->to))
			return -EINVAL;
		given |= 1ULL << f->to;
	}
	return 0;
}

/*
 * clone3 as fork, into the namespaces and the cgroup that @req names; signals
 * stay blocked in the child.
 */
static int spawn_clone(const struct spawn_request *req,
		       struct spawn_child *ret_child)
{
	int pidfd = -1;
	struct clone_args args = {
		.flags = req->clone_flags | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)&pidfd,
		.exit_signal = SIGCHLD,
	};
	long pid;

	if (req->in_cgroup) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint32_t)req->cgroup_fd;
	}
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid < 0)
		return -errno;
	ret_child->pid = (pid_t)pid;
	ret_child->pidfd = pidfd;
	return 0;
}

/*
 * Starts the child with all signals blocked, so that no handler of ours runs in
 * it. Does not return in the child.
 */
static int spawn_fork(const struct spawn_plan *plan,
		      struct spawn_child *ret_child)
{
	sigset_t all;
	sigset_t saved;
	int err;

	sigfillset(&all);
	err = pthread_sigmask(SIG_SETMASK, &all, &saved);
	if (err)
		return -err;
	err = spawn_clone(plan->req, ret_child);
	if (!err && ret_child->pid == 0)
		spawn_child_run(plan);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return err;
}

/* Writes @text to /proc/@pid/@file in one write, as the id maps want it. */
static int spawn_proc_write(pid_t pid, const char *file, const char *text)
{
	char path[64];
	size_t len = strlen(text);

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);

	CLEANUP(fd_cleanup) int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;

	ssize_t n = write(fd, text, len);

	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

/* Does the namespace map somebody else than the caller? */
static bool spawn_changes_ids(const struct spawn_request *req)
{
	return (req->clone_flags & CLONE_NEWUSER) &&
	       (req->own_uid != geteuid() || req->own_gid != getegid());
}

/*
 * One id outside becomes one id inside. Mapping its own ids, a caller must have
 * setgroups refused for ever; mapping others takes capabilities, and the child
 * needs setgroups to leave the caller's groups.
 */
static int spawn_ids_map(const struct spawn_request *req, pid_t pid,
			 enum spawn_step *ret_step)
{
	char uids[48];
	char gids[48];
	int err;

	if (!(req->clone_flags & CLONE_NEWUSER))
		return 0;
	snprintf(uids, sizeof(uids), "%u %u 1\n", req->map_uid, req->own_uid);
	snprintf(gids, sizeof(gids), "%u %u 1\n", req->map_gid, req->own_gid);
	*ret_step = SPAWN_STEP_UID_MAP;
	err = spawn_proc_write(pid, "uid_map", uids);
	if (err)
		return err;
	*ret_step = SPAWN_STEP_SETGROUPS;
	if (!spawn_changes_ids(req))
		err = spawn_proc_write(pid, "setgroups", "deny");
	if (err)
		return err;
	*ret_step = SPAWN_STEP_GID_MAP;
	return spawn_proc_write(pid, "gid_map", gids);
}

/* Lets the child go on and waits until it has called exec or failed. */
static int spawn_wait_exec(int sock, enum spawn_step *ret_step)
{
	const struct timeval patience = {.tv_sec = SPAWN_EXEC_S};
	const char go = 1;
	struct spawn_failure f;
	ssize_t n;

	*ret_step = SPAWN_STEP_GO;
	/* Somebody may have stopped or frozen it. */
	if (setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof(patience)) < 0)
		return -errno;
	if (send(sock, &go, sizeof(go), MSG_NOSIGNAL) < 0)
		return -errno;
	do {
		n = recv(sock, &f, sizeof(f), 0);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	if (n < 0 && errno == EAGAIN)
		return -ETIMEDOUT;
	if (n < 0)
		return -errno;
	if (n != sizeof(f) || f.step >= SPAWN_STEP_COUNT || f.error <= 0)
		return -EPROTO;
	*ret_step = (enum spawn_step)f.step;
	return -f.error;
}

/* Kills and reaps a child that did not start. */
static void spawn_reap(struct spawn_child *child)
{
	siginfo_t info;
	int n;

	syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
	do {
		n = waitid(P_PIDFD, (id_t)child->pidfd, &info, WEXITED);
	} while (n < 0 && errno == EINTR);
	fd_cleanup(&child->pidfd);
}

/* All steps; *@ret_step is the one under way when it returns. */
static int spawn_start(const struct spawn_request *req,
		       struct spawn_child *ret_child, enum spawn_step *ret_step)
{
	int pair[2];
	int err;

	*ret_step = SPAWN_STEP_REQUEST;
	err = spawn_request_check(req);
	if (err)
		return err;
	*ret_step = SPAWN_STEP_NULL;

	CLEANUP(fd_cleanup) int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null_fd < 0)
		return -errno;
	*ret_step = SPAWN_STEP_SOCKET;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;

	CLEANUP(fd_cleanup) int ours = pair[0];
	CLEANUP(fd_cleanup) int theirs = pair[1];
	struct spawn_plan plan = {
		.req = req,
		.change_ids = spawn_changes_ids(req),
		.null_fd = null_fd,
		.parent_fd = ours,
		.child_fd = theirs,
	};

	*ret_step = SPAWN_STEP_CLONE;
	err = spawn_fork(&plan, ret_child);
	if (err)
		return err;
	fd_cleanup(&theirs);
	err = spawn_ids_map(req, ret_child->pid, ret_step);
	if (!err)
		err = spawn_wait_exec(ours, ret_step);
	if (err)
		spawn_reap(ret_child);
	return err;
}

int spawn_child_start(const struct spawn_request *req,
		      struct spawn_child *ret_child, const char **ret_step)
{
	struct spawn_child child = {.pid = -1, .pidfd = -1};
	enum spawn_step step = SPAWN_STEP_REQUEST;
	int err = spawn_start(req, &child, &step);

	if (ret_step)
		*ret_step = err ? spawn_step_names[step] : NULL;
	if (!err)
		*ret_child = child;
	return err;
}
