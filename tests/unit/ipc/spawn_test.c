// SPDX-License-Identifier: Apache-2.0
/*
 * spawn_test.c - a child has what its map names and nothing else, dies with its
 * parent at any moment, and leaves nothing behind when it cannot start.
 */
#include "ipc/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/ipc/spawn_fixture.h"
#include "tests/unit/ipc/support.h"

static uint64_t inode_of(int fd)
{
	struct stat st = {0};

	CU_ASSERT_EQUAL(fstat(fd, &st), 0);
	return st.st_ino;
}

/* A fresh inode at number @at, inherited by a careless exec. */
static void memfd_at(int at)
{
	int fd = memfd_create("spawn", 0);

	CU_ASSERT_EQUAL_FATAL(dup2(fd, at), at);
	close(fd);
}

static void spawn_gives_only_the_map(void)
{
	struct probe_run run = {.mode = "report"};
	struct probe_report r;

	/* What the test runner left open would be in the way. */
	CU_ASSERT_EQUAL(close_range(3, ~0u, 0), 0);

	size_t before = test_fd_cnt();

	/* Not close-on-exec, and all over the place. */
	memfd_at(10);
	memfd_at(63);
	memfd_at(64);
	memfd_at(500);
	r = probe_run_report(&run);
	CU_ASSERT_EQUAL(r.open_cnt, 4);
	CU_ASSERT_EQUAL(r.null_cnt, 3);
	CU_ASSERT_EQUAL(r.argc, 2);
	run.extra[0] = (struct spawn_fd){10, 4};
	run.extra[1] = (struct spawn_fd){500, 63};
	run.extra[2] = (struct spawn_fd){10, 9};
	run.extra_cnt = 3;
	r = probe_run_report(&run);
	CU_ASSERT_EQUAL(r.open_cnt, 7);
	CU_ASSERT_EQUAL(r.ino[4], inode_of(10));
	CU_ASSERT_EQUAL(r.ino[9], inode_of(10));
	CU_ASSERT_EQUAL(r.ino[63], inode_of(500));
	close(10);
	close(63);
	close(64);
	close(500);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
}

/* Sources that are each other's targets, the program's own fd among them. */
static void spawn_map_may_collide(void)
{
	struct probe_run run = {
		.mode = "report",
		.extra = {{6, 5}, {5, 6}, {7, 8}, {8, 9}, {9, 7}, {0, 20}},
		.extra_cnt = 6,
		.path_fd = 20,
	};
	struct probe_report r;
	int probe = open(SPAWN_PROBE, O_PATH | O_CLOEXEC);

	for (int fd = 5; fd <= 9; fd++)
		memfd_at(fd);
	CU_ASSERT_EQUAL(dup3(probe, 20, O_CLOEXEC), 20);
	close(probe);
	r = probe_run_report(&run);
	CU_ASSERT_EQUAL(r.open_cnt, 10);
	CU_ASSERT_EQUAL(r.ino[5], inode_of(6));
	CU_ASSERT_EQUAL(r.ino[6], inode_of(5));
	CU_ASSERT_EQUAL(r.ino[8], inode_of(7));
	CU_ASSERT_EQUAL(r.ino[9], inode_of(8));
	CU_ASSERT_EQUAL(r.ino[7], inode_of(9));
	CU_ASSERT_EQUAL(r.ino[20], inode_of(0));
	for (int fd = 5; fd <= 9; fd++)
		close(fd);
	close(20);
}

static void spawn_keeps_stderr_if_asked(void)
{
	struct probe_run run = {.mode = "report", .keep_stderr = true};
	int saved = dup(2);
	struct probe_report r;

	memfd_at(2);
	r = probe_run_report(&run);
	CU_ASSERT_EQUAL(r.null_cnt, 2);
	CU_ASSERT_EQUAL(r.ino[2], inode_of(2));
	dup2(saved, 2);
	close(saved);
}

static void spawn_environment_is_empty(void)
{
	struct probe_run run = {.mode = "report"};

	CU_ASSERT_EQUAL(setenv("SPAWN_SECRET", "1", 1), 0);
	CU_ASSERT_EQUAL(probe_run_report(&run).env_cnt, 0);
	unsetenv("SPAWN_SECRET");
}

static void on_signal(int sig)
{
	(void)sig;
}

static void spawn_signals_are_default(void)
{
	struct probe_run run = {.mode = "report"};
	struct sigaction handle = {.sa_handler = on_signal};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	struct probe_report r;
	sigset_t block;
	sigset_t now;

	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigaction(SIGUSR2, &handle, NULL);
	sigaction(SIGHUP, &ignore, NULL);
	sigaction(SIGRTMAX, &ignore, NULL);
	sigprocmask(SIG_BLOCK, &block, NULL);
	r = probe_run_report(&run);
	CU_ASSERT_EQUAL(r.blocked, 0);
	CU_ASSERT_EQUAL(r.ignored_cnt, 0);
	CU_ASSERT_EQUAL(r.death_signal, SIGKILL);
	/* Ours are as they were. */
	sigprocmask(SIG_UNBLOCK, &block, &now);
	CU_ASSERT(sigismember(&now, SIGUSR1));
	CU_ASSERT_FALSE(sigismember(&now, SIGTERM));
	sigaction(SIGUSR2, &dfl, NULL);
	sigaction(SIGHUP, &dfl, NULL);
	sigaction(SIGRTMAX, &dfl, NULL);
}

/* No child of ours is left, running or to be reaped. */
static void no_child_left(void)
{
	CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	CU_ASSERT_EQUAL(errno, ECHILD);
}

/* A start that must fail at @step with @error and leave nothing behind. */
static void spawn_fails(const struct probe_run *run, int error,
			const char *want_step)
{
	size_t before = test_fd_cnt();
	struct spawn_child child = {.pid = 77, .pidfd = 88};
	const char *step = NULL;
	int fd = -1;

	CU_ASSERT_EQUAL(probe_start(run, &child, &fd, &step), error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(step);
	CU_ASSERT_STRING_EQUAL(step, want_step);
	CU_ASSERT_EQUAL(child.pid, 77);
	CU_ASSERT_EQUAL(child.pidfd, 88);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
	no_child_left();
}

static void spawn_reports_failed_exec(void)
{
	struct probe_run run = {.mode = "report"};

	run.path_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	spawn_fails(&run, -EACCES, "exec");
	close(run.path_fd);
	run.path_fd = memfd_create("garbage", MFD_CLOEXEC);
	CU_ASSERT_EQUAL(write(run.path_fd, "garbage\n", 8), 8);
	spawn_fails(&run, -ENOEXEC, "exec");
	close(run.path_fd);
	run.path_fd = open("/", O_PATH | O_CLOEXEC);
	spawn_fails(&run, -EACCES, "exec");
	close(run.path_fd);
}

static void spawn_reports_failed_steps(void)
{
	struct probe_run run = {.mode = "report"};

	/* A number that is not open is found out in the child. */
	run.extra[0] = (struct spawn_fd){900, 5};
	run.extra_cnt = 1;
	spawn_fails(&run, -EBADF, "move fds out of the way");
	run.extra_cnt = 0;
	run.clone_flags = CLONE_SIGHAND; /* not without CLONE_VM */
	spawn_fails(&run, -EINVAL, "clone3");
}

static void spawn_refuses_bad_requests(void)
{
	static const struct spawn_fd bad[] = {
		{0, 2}, {0, -1}, {0, 64}, {0, CHILD_FD_CONTROL}, {-1, 5}};
	struct probe_run run = {.mode = "report", .extra_cnt = 1};
	char *argv[] = {NULL};
	struct spawn_request req = {.path_fd = 0, .argv = argv};
	struct spawn_fd many[17];
	struct spawn_child child;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		run.extra[0] = bad[i];
		spawn_fails(&run, -EINVAL, "check the request");
	}
	CU_ASSERT_EQUAL(spawn_child_start(&req, &child, NULL), -EINVAL);

	char name[] = "x";
	char *good[] = {name, NULL};

	for (int i = 0; i < 17; i++)
		many[i] = (struct spawn_fd){0, i + 3};
	req = (struct spawn_request){.argv = good, .fds = many, .fd_cnt = 17};
	CU_ASSERT_EQUAL(spawn_child_start(&req, &child, NULL), -EINVAL);
	req = (struct spawn_request){.argv = good, .path_fd = -1};
	CU_ASSERT_EQUAL(spawn_child_start(&req, &child, NULL), -EINVAL);
	no_child_left();
}

/* In a process of its own: starts a waiting probe, then waits for its end. */
NORETURN static void parent_main(const struct probe_run *run, int watch)
{
	struct spawn_child child;
	int fd = -1;

	/* The pipe that the test watches is open in the probe, too. */
	if (probe_start(run, &child, &fd, NULL) == 0) {
		struct probe_report r;

		(void)!probe_report_read(fd, &r);
		(void)!write(watch, "x", 1);
	}
	for (;;)
		pause();
}

/*
 * Kills the parent of a probe after @delay_us, or when the probe is up if that
 * is negative; the probe must go with it.
 */
static void parent_killed(struct probe_run *run, int delay_us)
{
	int watch[2];
	char byte;
	pid_t parent;

	CU_ASSERT_EQUAL_FATAL(pipe2(watch, O_CLOEXEC), 0);
	run->extra[0] = (struct spawn_fd){watch[1], 5};
	run->extra_cnt = 1;
	parent = fork();
	if (parent == 0)
		parent_main(run, watch[1]);
	close(watch[1]);
	if (delay_us >= 0) {
		usleep((useconds_t)delay_us);
	} else {
		CU_ASSERT_EQUAL(read(watch[0], &byte, 1), 1);
	}
	kill(parent, SIGKILL);
	CU_ASSERT_EQUAL(waitpid(parent, NULL, 0), parent);
	CU_ASSERT_EQUAL(probe_eof_wait(watch[0]), 0);
	close(watch[0]);
}

static void spawn_dies_with_its_parent(void)
{
	struct probe_run run = {.mode = "wait"};

	parent_killed(&run, -1);
}

/* At any step of the start, the time before PR_SET_PDEATHSIG included. */
static void spawn_dies_with_its_parent_at_any_time(void)
{
	struct probe_run run = {.mode = "wait"};

	for (int i = 0; i < 150; i++)
		parent_killed(&run, i * 20);
}

static const struct unit_case spawn_cases[] = {
	UNIT_CASE(spawn_gives_only_the_map),
	UNIT_CASE(spawn_map_may_collide),
	UNIT_CASE(spawn_keeps_stderr_if_asked),
	UNIT_CASE(spawn_environment_is_empty),
	UNIT_CASE(spawn_signals_are_default),
	UNIT_CASE(spawn_reports_failed_exec),
	UNIT_CASE(spawn_reports_failed_steps),
	UNIT_CASE(spawn_refuses_bad_requests),
	UNIT_CASE(spawn_dies_with_its_parent),
	UNIT_CASE(spawn_dies_with_its_parent_at_any_time),
};

const struct unit_suite unit_suites[] = {
	{"spawn", spawn_cases, ARRAY_SIZE(spawn_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
