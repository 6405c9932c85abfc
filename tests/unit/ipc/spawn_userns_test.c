// SPDX-License-Identifier: Apache-2.0
/*
 * spawn_userns_test.c - children in namespaces of their own. A kernel that
 * refuses user namespaces ends this binary with 77 and the reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/ipc/spawn_fixture.h"
#include "tests/unit/ipc/support.h"

#define SKIPPED 77

/* First case: can this kernel do it at all? */
static void userns_is_there(void)
{
	struct probe_run run = {.mode = "report", .clone_flags = CLONE_NEWUSER};
	struct spawn_child child;
	const char *step = NULL;
	int fd = -1;
	int err = probe_start(&run, &child, &fd, &step);

	if (err && step && strcmp(step, "clone3") == 0) {
		fprintf(stderr, "skipped: no user namespaces, clone3: %s\n",
			strerror(-err));
		exit(SKIPPED);
	}
	CU_ASSERT_EQUAL_FATAL(err, 0);
	CU_ASSERT_EQUAL(probe_end(&child), 0);
	close(fd);
}

static void userns_maps_ids(void)
{
	static const unsigned ids[] = {0, 1000, 65534};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct probe_run run = {
			.mode = "report",
			.clone_flags = CLONE_NEWUSER,
			.map_id = ids[i],
		};
		struct probe_report r = probe_run_report(&run);

		CU_ASSERT_EQUAL(r.uid, ids[i]);
		CU_ASSERT_EQUAL(r.gid, ids[i]);
		CU_ASSERT_EQUAL(r.death_signal, SIGKILL);
		CU_ASSERT_EQUAL(r.open_cnt, 4);
	}
}

static void userns_with_all_others(void)
{
	struct probe_run run = {
		.mode = "report",
		.clone_flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS |
			       CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
			       CLONE_NEWCGROUP,
	};
	struct probe_report r = probe_run_report(&run);

	CU_ASSERT_EQUAL(r.pid, 1);
	CU_ASSERT_EQUAL(r.death_signal, SIGKILL);
}

/* What /proc/@pid/@name says, up to @size - 1 bytes. */
static void userns_proc_read(pid_t pid, const char *name, char *buf,
			     size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0);
	n = read(fd, buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
	close(fd);
}

static void userns_setgroups_is_refused(void)
{
	struct probe_run run = {.mode = "wait", .clone_flags = CLONE_NEWUSER};
	struct spawn_child child;
	char text[128];
	unsigned inside = 9;
	unsigned outside = 9;
	unsigned cnt = 9;
	int fd = -1;

	CU_ASSERT_EQUAL_FATAL(probe_start(&run, &child, &fd, NULL), 0);
	userns_proc_read(child.pid, "setgroups", text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "deny\n");
	userns_proc_read(child.pid, "uid_map", text, sizeof(text));
	CU_ASSERT_EQUAL(sscanf(text, "%u %u %u", &inside, &outside, &cnt), 3);
	CU_ASSERT_EQUAL(inside, 0);
	CU_ASSERT_EQUAL(outside, geteuid());
	CU_ASSERT_EQUAL(cnt, 1);
	kill(child.pid, SIGKILL);
	CU_ASSERT_EQUAL(probe_end(&child), -SIGKILL);
	close(fd);
}

/* What only root can ask for: the child is another user outside. */
static void userns_becomes_another_user(void)
{
	struct probe_run run = {
		.mode = "wait",
		.clone_flags = CLONE_NEWUSER | CLONE_NEWPID,
		.own_id = 720900,
	};
	const gid_t groups[] = {4, 27};
	struct spawn_child child;
	char text[2048];
	const char *step = NULL;
	int fd = -1;

	if (geteuid() != 0) {
		CU_ASSERT_EQUAL(probe_start(&run, &child, &fd, &step), -EPERM);
		CU_ASSERT_STRING_EQUAL(step, "write uid_map");
		return;
	}
	CU_ASSERT_EQUAL_FATAL(setgroups(2, groups), 0);
	CU_ASSERT_EQUAL_FATAL(probe_start(&run, &child, &fd, NULL), 0);
	CU_ASSERT_EQUAL(setgroups(0, NULL), 0);
	userns_proc_read(child.pid, "status", text, sizeof(text));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\nUid:\t720900\t720900\t720900\t720900\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\nGid:\t720900\t720900\t720900\t720900\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nGroups:\t \n"));
	CU_ASSERT_EQUAL(getsid(child.pid), child.pid);
	kill(child.pid, SIGKILL);
	CU_ASSERT_EQUAL(probe_end(&child), -SIGKILL);
	close(fd);
}

static void userns_failed_exec_leaves_nothing(void)
{
	struct probe_run run = {
		.mode = "report",
		.clone_flags = CLONE_NEWUSER | CLONE_NEWPID,
	};
	struct spawn_child child;
	const char *step = NULL;
	int fd = -1;

	run.path_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	size_t before = test_fd_cnt();

	CU_ASSERT_EQUAL(probe_start(&run, &child, &fd, &step), -EACCES);
	CU_ASSERT_STRING_EQUAL(step, "exec");
	CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	CU_ASSERT_EQUAL(errno, ECHILD);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
	close(run.path_fd);
}

/* getppid is 0 in there before and after, so it could not tell. */
static void userns_child_dies_with_its_parent(void)
{
	struct probe_run run = {
		.mode = "wait",
		.clone_flags = CLONE_NEWUSER | CLONE_NEWPID,
	};

	for (int i = 0; i < 40; i++) {
		int watch[2];
		pid_t parent;

		CU_ASSERT_EQUAL_FATAL(pipe2(watch, O_CLOEXEC), 0);
		run.extra[0] = (struct spawn_fd){watch[1], 5};
		run.extra_cnt = 1;
		parent = fork();
		if (parent == 0) {
			struct spawn_child child;
			int fd = -1;

			(void)!probe_start(&run, &child, &fd, NULL);
			for (;;)
				pause();
		}
		close(watch[1]);
		usleep((useconds_t)i * 100);
		kill(parent, SIGKILL);
		CU_ASSERT_EQUAL(waitpid(parent, NULL, 0), parent);
		CU_ASSERT_EQUAL(probe_eof_wait(watch[0]), 0);
		close(watch[0]);
	}
}

static const struct unit_case userns_cases[] = {
	UNIT_CASE(userns_is_there),
	UNIT_CASE(userns_maps_ids),
	UNIT_CASE(userns_with_all_others),
	UNIT_CASE(userns_setgroups_is_refused),
	UNIT_CASE(userns_becomes_another_user),
	UNIT_CASE(userns_failed_exec_leaves_nothing),
	UNIT_CASE(userns_child_dies_with_its_parent),
};

const struct unit_suite unit_suites[] = {
	{"userns", userns_cases, ARRAY_SIZE(userns_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
