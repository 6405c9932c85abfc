// SPDX-License-Identifier: Apache-2.0
/*
 * report_test.c - the report is what the kernel says: each wall's row against
 * /proc as seen from outside, missing walls named and refused unless allowed,
 * and the end of a probe with its parent.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/policy/run_probe.h"
#include "tests/policy/suites.h"

#define BIT(id) (1u << (id))

static void probe_stay(struct probe_run *run, enum role role,
		       enum confine_mode mode)
{
	const struct probe_request req = {.role = role,
					  .mode = mode,
					  .what = PROBE_STAY,
					  .thread = PROBE_NO_THREAD};

	probe_start(run, &req, 0);
}

static void print_walls(const struct confine_report *r)
{
	for (size_t i = 0; i < r->cnt; i++)
		printf("\n    %-12s %s %s",
		       confine_wall_name((enum confine_wall_id)i),
		       r->wall[i].stands ? "yes" : "NO ", r->wall[i].detail);
}

static void test_all_walls_stand(void)
{
	const enum role roles[] = ROLES_CONFINED;

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		struct probe_run run;
		size_t standing = 0;

		probe_stay(&run, roles[i], CONFINE_MODE_ENFORCE);
		CU_ASSERT_EQUAL(run.report.ret, 0);
		CU_ASSERT_EQUAL(run.report.report.cnt, CONFINE_WALL_COUNT);
		for (size_t w = 0; w < run.report.report.cnt; w++)
			standing += run.report.report.wall[w].stands;
		CU_ASSERT_EQUAL(standing, CONFINE_WALL_COUNT);
		if (i == 0 || standing != CONFINE_WALL_COUNT)
			print_walls(&run.report.report);
		printf("\n    %s: all walls took %.2f ms of CPU, %.2f ms ",
		       role_info(roles[i])->name,
		       (double)run.report.cpu_ns / 1e6,
		       (double)run.report.wall_ns / 1e6);
		probe_end(&run);
		CU_ASSERT_EQUAL(run.status, 0);
	}
}

/* status_field() - value of a line of /proc/<pid>/status, hex or decimal. */
static unsigned long long status_field(pid_t pid, const char *name, int base)
{
	char path[64], line[256];
	unsigned long long value = ~0ull;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	while (fgets(line, sizeof(line), f)) {
		size_t len = strlen(name);

		if (strncmp(line, name, len) == 0 && line[len] == ':')
			value = strtoull(line + len + 1, NULL, base);
	}
	fclose(f);
	return value;
}

/* The kernel's view from outside, which the probe cannot colour. */
static void test_seen_from_outside(void)
{
	static const char *const zero[] = {"CapInh", "CapPrm", "CapEff",
					   "CapBnd", "CapAmb"};
	const enum role roles[] = ROLES_CONFINED;

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		struct probe_run run;

		probe_stay(&run, roles[i], CONFINE_MODE_ENFORCE);
		for (size_t z = 0; z < ARRAY_SIZE(zero); z++)
			CU_ASSERT_EQUAL(
				status_field(run.child.pid, zero[z], 16), 0);
		CU_ASSERT_EQUAL(status_field(run.child.pid, "NoNewPrivs", 10),
				1);
		CU_ASSERT_EQUAL(status_field(run.child.pid, "Seccomp", 10), 2);
		CU_ASSERT_EQUAL(
			status_field(run.child.pid, "Seccomp_filters", 10), 1);
		CU_ASSERT_EQUAL(status_field(run.child.pid, "Threads", 10), 1);
		probe_end(&run);
	}
}

/* Of root only: links and fds of a process that is not dumpable. */
static void test_namespaces_and_root(void)
{
	static const char *const names[] = {"user", "pid", "mnt",   "net",
					    "ipc",  "uts", "cgroup"};
	struct probe_run run;
	char path[64], ours[64], theirs[64];
	DIR *dir;

	if (geteuid() != 0)
		return;
	probe_stay(&run, ROLE_BLK, CONFINE_MODE_ENFORCE);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		ssize_t a, b;

		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		a = readlink(path, ours, sizeof(ours));
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", run.child.pid,
			 names[i]);
		b = readlink(path, theirs, sizeof(theirs));
		CU_ASSERT(a > 0 && b > 0);
		CU_ASSERT(a != b || memcmp(ours, theirs, (size_t)a) != 0);
	}
	snprintf(path, sizeof(path), "/proc/%d/root", run.child.pid);
	dir = opendir(path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(dir);
	for (struct dirent *e = readdir(dir); e; e = readdir(dir))
		CU_ASSERT_EQUAL(e->d_name[0], '.');
	closedir(dir);
	snprintf(path, sizeof(path), "/proc/%d/fd", run.child.pid);
	dir = opendir(path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(dir);
	for (struct dirent *e = readdir(dir); e; e = readdir(dir))
		CU_ASSERT(e->d_name[0] == '.' || atoi(e->d_name) <= 4);
	closedir(dir);
	probe_end(&run);
}

/* A wall that is missing: named in the report, and an error unless allowed. */
static void test_missing_namespace(void)
{
	struct probe_request req = {.role = ROLE_BLK,
				    .what = PROBE_STAY,
				    .thread = PROBE_NO_THREAD};
	struct probe_run run;
	const struct confine_wall *w;

	probe_start(&run, &req, CLONE_NEWNET);
	CU_ASSERT_EQUAL(run.report.ret, -EPERM);
	w = &run.report.report.wall[CONFINE_WALL_NETNS];
	CU_ASSERT_FALSE(w->stands);
	CU_ASSERT_PTR_NOT_NULL(strstr(w->detail, "net:["));
	probe_end(&run);
	CU_ASSERT_TRUE(WIFEXITED(run.status) && WEXITSTATUS(run.status) == 1);

	req.allow_missing = BIT(CONFINE_WALL_NETNS);
	probe_start(&run, &req, CLONE_NEWNET);
	CU_ASSERT_EQUAL(run.report.ret, 0);
	CU_ASSERT_FALSE(run.report.report.wall[CONFINE_WALL_NETNS].stands);
	CU_ASSERT_TRUE(run.report.report.wall[CONFINE_WALL_ROOT].stands);
	probe_end(&run);
}

/* No namespaces at all, as on a host that refuses them. */
static void test_no_namespaces(void)
{
	const uint32_t spawned =
		BIT(CONFINE_WALL_USERNS) | BIT(CONFINE_WALL_PIDNS) |
		BIT(CONFINE_WALL_MNTNS) | BIT(CONFINE_WALL_NETNS) |
		BIT(CONFINE_WALL_IPCNS) | BIT(CONFINE_WALL_UTSNS) |
		BIT(CONFINE_WALL_CGROUPNS);
	struct probe_request req = {.role = ROLE_BLK,
				    .what = PROBE_STAY,
				    .allow_missing = spawned,
				    .thread = PROBE_NO_THREAD};
	struct probe_run run;

	/* Without a mount namespace the root cannot be emptied either. */
	probe_start(&run, &req, ~UINT64_C(0));
	CU_ASSERT_EQUAL(run.report.ret, -EPERM);
	probe_end(&run);

	req.allow_missing = spawned | BIT(CONFINE_WALL_ROOT);
	probe_start(&run, &req, ~UINT64_C(0));
	CU_ASSERT_EQUAL(run.report.ret, 0);
	CU_ASSERT_TRUE(run.report.report.wall[CONFINE_WALL_SECCOMP].stands);
	CU_ASSERT_TRUE(run.report.report.wall[CONFINE_WALL_LANDLOCK].stands);
	CU_ASSERT_TRUE(run.report.report.wall[CONFINE_WALL_CAPS].stands);
	CU_ASSERT_FALSE(run.report.report.wall[CONFINE_WALL_ROOT].stands);
	probe_end(&run);
	CU_ASSERT_EQUAL(run.status, 0);
}

/* own_ids_map() - in a new user namespace: one id each, as unshare -Ur does. */
static bool own_ids_map(uid_t uid, gid_t gid)
{
	const struct {
		const char *path;
		unsigned id;
	} maps[] = {{"/proc/self/uid_map", uid}, {"/proc/self/gid_map", gid}};
	FILE *f = fopen("/proc/self/setgroups", "we");
	bool ok = f && fputs("deny", f) >= 0;

	if (f)
		ok &= fclose(f) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(maps) && ok; i++) {
		f = fopen(maps[i].path, "we");
		ok = f && fprintf(f, "0 %u 1\n", maps[i].id) > 0;
		if (f)
			ok &= fclose(f) == 0;
	}
	return ok;
}

/* inherited_run() - in a process of its own. Return: its exit status. */
static int inherited_run(void)
{
	const struct probe_request req = {.role = ROLE_BLK,
					  .what = PROBE_STAY,
					  .allow_missing = ~0u,
					  .thread = PROBE_NO_THREAD};
	const uid_t uid = geteuid();
	const gid_t gid = getegid();
	const struct confine_wall *w;
	struct probe_run run;

	if (unshare(CLONE_NEWUSER) < 0 || !own_ids_map(uid, gid))
		return 2;
	probe_start(&run, &req, ~UINT64_C(0));
	if (run.report.ret != 0)
		return 3;
	w = &run.report.report.wall[CONFINE_WALL_USERNS];
	if (w->stands || !strstr(w->detail, "caller's"))
		return 4;
	probe_end(&run);
	return 0;
}

/* A caller's user namespace with a map of one id is not a wall of ours. */
static void test_inherited_userns(void)
{
	int status = -1;
	pid_t pid = fork();

	CU_ASSERT_FATAL(pid >= 0);
	if (pid == 0)
		_exit(inherited_run());
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE(WIFEXITED(status));
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
}

static void test_off_and_log(void)
{
	struct probe_run run;
	const struct confine_wall *w = run.report.report.wall;

	probe_stay(&run, ROLE_BLK, CONFINE_MODE_OFF);
	CU_ASSERT_EQUAL(run.report.ret, 0);
	CU_ASSERT_FALSE(w[CONFINE_WALL_SECCOMP].stands);
	CU_ASSERT_FALSE(w[CONFINE_WALL_LANDLOCK].stands);
	CU_ASSERT_FALSE(w[CONFINE_WALL_ROOT].stands);
	CU_ASSERT_TRUE(w[CONFINE_WALL_NNP].stands);
	probe_end(&run);

	probe_stay(&run, ROLE_BLK, CONFINE_MODE_LOG);
	CU_ASSERT_EQUAL(run.report.ret, 0);
	CU_ASSERT_FALSE(w[CONFINE_WALL_SECCOMP].stands);
	CU_ASSERT_TRUE(w[CONFINE_WALL_LANDLOCK].stands);
	CU_ASSERT_TRUE(w[CONFINE_WALL_ROOT].stands);
	probe_end(&run);
}

/* Walls belong to a thread: with two of them they would have a hole. */
static void test_second_thread_refused(void)
{
	const struct probe_request req = {.role = ROLE_VMM,
					  .what = PROBE_STAY,
					  .thread = PROBE_NO_THREAD,
					  .two_threads = true};
	struct probe_run run;

	probe_start(&run, &req, 0);
	CU_ASSERT_EQUAL(run.report.ret, -EBUSY);
	probe_end(&run);
}

/* Unasked calls are counted; abort ends a process that is init of its ns. */
static void test_count_and_abort(void)
{
	struct probe_request req = {.role = ROLE_BLK,
				    .what = PROBE_STAY,
				    .thread = PROBE_NO_THREAD};
	struct probe_run run;

	probe_start(&run, &req, 0);
	CU_ASSERT_EQUAL(run.result.refusals, 0);
	probe_end(&run);
	req.what = PROBE_ABORT;
	probe_start(&run, &req, 0);
	probe_end(&run);
	CU_ASSERT_TRUE(WIFSIGNALED(run.status));
	CU_ASSERT_EQUAL(run.log_cnt, 0);
	if (run.log_cnt)
		printf("\n%s ", run.text);
}

/* The monitor stays in its pid namespace; all else stands, and it works. */
static void test_monitor(void)
{
	const uint32_t wanted =
		BIT(CONFINE_WALL_DUMPABLE) | BIT(CONFINE_WALL_FDS) |
		BIT(CONFINE_WALL_NNP) | BIT(CONFINE_WALL_CAPS) |
		BIT(CONFINE_WALL_RLIMITS) | BIT(CONFINE_WALL_LANDLOCK) |
		BIT(CONFINE_WALL_SECCOMP) | BIT(CONFINE_WALL_MNTNS) |
		BIT(CONFINE_WALL_NETNS) | BIT(CONFINE_WALL_IPCNS) |
		BIT(CONFINE_WALL_UTSNS) | BIT(CONFINE_WALL_CGROUPNS) |
		BIT(CONFINE_WALL_ROOT) |
		(geteuid() ? BIT(CONFINE_WALL_USERNS) : 0);
	const struct probe_request req = {.role = ROLE_MONITOR,
					  .what = PROBE_WORK,
					  .thread = CONFINE_THREAD_MAIN};
	struct probe_run run;

	probe_start(&run, &req, 0);
	CU_ASSERT_EQUAL(run.report.ret, 0);
	for (unsigned i = 0; i < CONFINE_WALL_COUNT; i++) {
		if (wanted & BIT(i))
			CU_ASSERT_TRUE(run.report.report.wall[i].stands);
	}
	CU_ASSERT_EQUAL(run.result.ret, 0);
	probe_end(&run);
	CU_ASSERT_EQUAL(run.status, 0);
	CU_ASSERT_EQUAL(run.log_cnt, 4);
}

const struct unit_case cases_report[] = {
	UNIT_CASE(test_all_walls_stand),
	UNIT_CASE(test_seen_from_outside),
	UNIT_CASE(test_namespaces_and_root),
	UNIT_CASE(test_missing_namespace),
	UNIT_CASE(test_no_namespaces),
	UNIT_CASE(test_inherited_userns),
	UNIT_CASE(test_off_and_log),
	UNIT_CASE(test_second_thread_refused),
	UNIT_CASE(test_count_and_abort),
	UNIT_CASE(test_monitor),
};
