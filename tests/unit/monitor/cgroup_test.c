// SPDX-License-Identifier: Apache-2.0
/*
 * cgroup_test.c - what the kernel's files about cgroups mean, and the walk over
 * the ancestors, on a tree of ordinary files. The real thing is tested in the
 * bed (tests/e2e, group cgroup).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "monitor/host/cgroup_parts.h"
#include "tests/unit/monitor/suites.h"

static void cgroup_self_lines(void)
{
	struct cgroup_self self;

	cgroup_self_parse("0::/user.slice/a.scope\n", &self);
	CU_ASSERT_FALSE(self.v1);
	CU_ASSERT_STRING_EQUAL(self.path, "/user.slice/a.scope");
	cgroup_self_parse("5:cpu,cpuacct:/x\n1:name=systemd:/y\n0::/\n", &self);
	CU_ASSERT_TRUE(self.v1);
	CU_ASSERT_STRING_EQUAL(self.path, "/");
	cgroup_self_parse("1:name=systemd:/y\n0::/a:b\n", &self);
	CU_ASSERT_FALSE(self.v1);
	CU_ASSERT_STRING_EQUAL(self.path, "/a:b");
	cgroup_self_parse("3:memory:/\n", &self);
	CU_ASSERT_TRUE(self.v1);
	CU_ASSERT_STRING_EQUAL(self.path, "");
	cgroup_self_parse("", &self);
	CU_ASSERT_STRING_EQUAL(self.path, "");
	cgroup_self_parse("nonsense\n\n::", &self);
	CU_ASSERT_STRING_EQUAL(self.path, "");
}

static void cgroup_mounts(void)
{
	static const char text[] =
		"22 1 0:20 / /sys rw - sysfs sysfs rw\n"
		"23 22 0:21 / /sys/fs/cgroup rw shared:9 - tmpfs tmpfs rw\n"
		"24 23 0:22 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
		"25 23 0:23 / /sys/fs/cgroup/unified rw - cgroup2 c rw\n"
		"26 1 0:23 /a/b /mnt/my\\040groups rw,nosuid shared:1 "
		"master:2 - cgroup2 c rw\n";
	struct cgroup_mount mount;
	char path[PATH_MAX];

	CU_ASSERT_TRUE(cgroup_mount_parse(text, NULL, &mount));
	CU_ASSERT_STRING_EQUAL(mount.point, "/sys/fs/cgroup/unified");
	CU_ASSERT_EQUAL(cgroup_path_join(&mount, "/a/c", path), 0);
	CU_ASSERT_STRING_EQUAL(path, "/sys/fs/cgroup/unified/a/c");
	CU_ASSERT_EQUAL(cgroup_path_join(&mount, "/", path), 0);
	CU_ASSERT_STRING_EQUAL(path, "/sys/fs/cgroup/unified");
	CU_ASSERT_EQUAL(cgroup_path_join(&mount, "/../x", path), -ENOENT);
	CU_ASSERT_TRUE(cgroup_mount_parse(text, "/mnt/my groups/x", &mount));
	CU_ASSERT_STRING_EQUAL(mount.point, "/mnt/my groups");
	CU_ASSERT_STRING_EQUAL(mount.root, "/a/b");
	CU_ASSERT_EQUAL(cgroup_path_join(&mount, "/a/b/c", path), 0);
	CU_ASSERT_STRING_EQUAL(path, "/mnt/my groups/c");
	CU_ASSERT_EQUAL(cgroup_path_join(&mount, "/a/b", path), 0);
	CU_ASSERT_STRING_EQUAL(path, "/mnt/my groups");
	CU_ASSERT_EQUAL(cgroup_path_join(&mount, "/a/bc", path), -ENOENT);
	CU_ASSERT_FALSE(cgroup_mount_parse(text, "/mnt/my groupsx", &mount));
	CU_ASSERT_FALSE(cgroup_mount_parse(text, "/sys/fs/cgroup/cpu", &mount));
	CU_ASSERT_FALSE(cgroup_mount_parse("", NULL, &mount));
	CU_ASSERT_FALSE(cgroup_mount_parse("1 2\n- cgroup2", NULL, &mount));
}

static void cgroup_values(void)
{
	uint64_t value = 0;
	char text[CGROUP_CTLS_BYTES];

	CU_ASSERT_TRUE(cgroup_number_parse("max\n", &value));
	CU_ASSERT_EQUAL(value, CGROUP_MAX);
	CU_ASSERT_TRUE(cgroup_number_parse("18446744073709551615\n", &value));
	CU_ASSERT_EQUAL(value, UINT64_MAX);
	CU_ASSERT_FALSE(cgroup_number_parse("18446744073709551616\n", &value));
	CU_ASSERT_TRUE(cgroup_number_parse("1048576\n", &value));
	CU_ASSERT_EQUAL(value, 1048576);
	CU_ASSERT_FALSE(cgroup_number_parse("", &value));
	CU_ASSERT_TRUE(cgroup_cpu_parse("max 100000\n", &value));
	CU_ASSERT_EQUAL(value, CGROUP_MAX);
	CU_ASSERT_TRUE(cgroup_cpu_parse("25000 100000\n", &value));
	CU_ASSERT_EQUAL(value, 2500);
	CU_ASSERT_TRUE(cgroup_cpu_parse("150000 50000\n", &value));
	CU_ASSERT_EQUAL(value, 3 * CGROUP_CPU_WHOLE);
	CU_ASSERT_FALSE(cgroup_cpu_parse("25000", &value));
	CU_ASSERT_FALSE(cgroup_cpu_parse("25000 0", &value));
	CU_ASSERT_FALSE(
		cgroup_cpu_parse("18446744073709551615 100000", &value));
	CU_ASSERT_EQUAL(cgroup_ctls_parse("cpuset cpu io memory pids\n"), 15);
	CU_ASSERT_EQUAL(cgroup_ctls_parse("cpuset hugetlb misc\n"), 0);
	CU_ASSERT_EQUAL(cgroup_ctls_parse("\n"), 0);
	CU_ASSERT_EQUAL(cgroup_ctls_parse("pids"), 1u << CGROUP_CTL_PIDS);
	cgroup_ctls_text(15, "+", text);
	CU_ASSERT_STRING_EQUAL(text, "+cpu +memory +pids +io");
	cgroup_ctls_text(0, "+", text);
	CU_ASSERT_STRING_EQUAL(text, "");
}

/* tree - a folder of files, removed at the end. */
static char tree[] = "/tmp/bulkhead-unit.XXXXXX";

/* put() - a file of the tree. */
static void put(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", tree, name);
	f = fopen(path, "we");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(text, f);
	fclose(f);
}

/* folder() - below the tree. */
static void folder(const char *name)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", tree, name);
	CU_ASSERT_EQUAL_FATAL(mkdir(path, 0755), 0);
}

/* tree_begin() and tree_end() - around a test. */
static void tree_begin(void)
{
	(void)snprintf(tree, sizeof(tree), "/tmp/bulkhead-unit.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(tree));
}

static void tree_end(void)
{
	char command[PATH_MAX];

	(void)snprintf(command, sizeof(command), "rm -r '%s'", tree);
	CU_ASSERT_EQUAL(system(command), 0); // NOLINT(cert-env33-c)
}

/* force() - what is in force on a/b/c; the length below the tree. */
static uint64_t force(enum cgroup_ctl ctl, size_t *ret_len)
{
	struct cgroup_force f;
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/a/b/c", tree);
	cgroup_force_read(tree, path, ctl, &f);
	*ret_len = f.from_len ? f.from_len - strlen(tree) : 0;
	return f.known ? f.value : 0;
}

static void cgroup_ancestors(void)
{
	size_t len;

	tree_begin();
	folder("a");
	folder("a/b");
	folder("a/b/c");
	/* Nobody has the controller. */
	CU_ASSERT_EQUAL(force(CGROUP_CTL_PIDS, &len), 0);
	put("a/b/c/memory.max", "67108864\n");
	put("a/b/memory.max", "max\n");
	put("a/memory.max", "134217728\n");
	CU_ASSERT_EQUAL(force(CGROUP_CTL_MEMORY, &len), 67108864);
	CU_ASSERT_EQUAL(len, strlen("/a/b/c"));
	put("a/memory.max", "4096\n");
	CU_ASSERT_EQUAL(force(CGROUP_CTL_MEMORY, &len), 4096);
	CU_ASSERT_EQUAL(len, strlen("/a"));
	/* At the mount itself, as in a container. */
	put("cpu.max", "10000 100000\n");
	put("a/b/c/cpu.max", "max 100000\n");
	CU_ASSERT_EQUAL(force(CGROUP_CTL_CPU, &len), 1000);
	CU_ASSERT_EQUAL(len, 0);
	put("a/b/c/pids.max", "max\n");
	CU_ASSERT_EQUAL(force(CGROUP_CTL_PIDS, &len), CGROUP_MAX);
	CU_ASSERT_EQUAL(len, 0);
	/* Further up is none of the hierarchy's. */
	put("a/b/c/pids.max", "nonsense\n");
	CU_ASSERT_EQUAL(force(CGROUP_CTL_PIDS, &len), 0);
	tree_end();
}

static void cgroup_force_texts(void)
{
	struct cgroup_force f = {.known = true, .value = 2550};
	char text[CGROUP_FORCE_BYTES];

	cgroup_force_text(CGROUP_CTL_CPU, &f, text);
	CU_ASSERT_STRING_EQUAL(text, "25.50%");
	f.value = 64u << 20;
	cgroup_force_text(CGROUP_CTL_MEMORY, &f, text);
	CU_ASSERT_STRING_EQUAL(text, "64 MiB");
	f.value = 4097;
	cgroup_force_text(CGROUP_CTL_MEMORY, &f, text);
	CU_ASSERT_STRING_EQUAL(text, "4097 bytes");
	cgroup_force_text(CGROUP_CTL_PIDS, &f, text);
	CU_ASSERT_STRING_EQUAL(text, "4097");
	f.value = CGROUP_MAX;
	cgroup_force_text(CGROUP_CTL_PIDS, &f, text);
	CU_ASSERT_STRING_EQUAL(text, "max");
	f.known = false;
	cgroup_force_text(CGROUP_CTL_PIDS, &f, text);
	CU_ASSERT_STRING_EQUAL(text, "no controller");
}

/* gone_pid() - of a process that is no more. */
static int gone_pid(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(0);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	return pid;
}

/* there() - is the folder still there? */
static bool there(const char *name)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", tree, name);
	return access(path, F_OK) == 0;
}

/* Removed is what is ours, empty, and of a process that is no more. */
static void cgroup_leftovers(void)
{
	char dead[64], leaf[80], full[64], alive[64];
	char file[80];
	int fd;

	tree_begin();
	(void)snprintf(dead, sizeof(dead), CGROUP_PREFIX "%d", gone_pid());
	(void)snprintf(leaf, sizeof(leaf), "%s/vmm", dead);
	(void)snprintf(full, sizeof(full), CGROUP_PREFIX "%d", gone_pid());
	(void)snprintf(file, sizeof(file), "%s/busy", full);
	(void)snprintf(alive, sizeof(alive), CGROUP_PREFIX "%d", getppid());
	folder(dead);
	folder(leaf);
	folder(full);
	put(file, "");
	folder(alive);
	folder("bulkhead-");
	folder("bulkhead-x");
	folder("bulkhead-99999999999999999999");
	folder("other");
	fd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cgroup_leftovers_remove(fd);
	close(fd);
	CU_ASSERT_FALSE(there(dead));
	CU_ASSERT_TRUE(there(full));
	CU_ASSERT_TRUE(there(alive));
	CU_ASSERT_TRUE(there("bulkhead-"));
	CU_ASSERT_TRUE(there("bulkhead-x"));
	CU_ASSERT_TRUE(there("bulkhead-99999999999999999999"));
	CU_ASSERT_TRUE(there("other"));
	tree_end();
}

static void cgroup_strangers(void)
{
	char procs[160];
	char names[256];
	char want[32];

	(void)snprintf(procs, sizeof(procs), "%d\n", getpid());
	CU_ASSERT_EQUAL(cgroup_others(procs, getpid(), names, sizeof(names)),
			0);
	(void)snprintf(procs, sizeof(procs), "%d\n1\n0\n", getpid());
	CU_ASSERT_EQUAL(cgroup_others(procs, getpid(), names, sizeof(names)),
			2);
	CU_ASSERT_PTR_NOT_NULL(strstr(names, "1 ("));
	CU_ASSERT_PTR_NOT_NULL(strstr(names, "0 (of another pid namespace)"));
	(void)snprintf(want, sizeof(want), "%d (gone)", gone_pid());
	(void)snprintf(procs, sizeof(procs), "%d\n", atoi(want));
	CU_ASSERT_EQUAL(cgroup_others(procs, getpid(), names, sizeof(names)),
			1);
	CU_ASSERT_STRING_EQUAL(names, want);
	CU_ASSERT_EQUAL(cgroup_others("1\n1\n1\n1\n1\n1\n1\n1\n", getpid(),
				      names, sizeof(names)),
			8);
	CU_ASSERT_EQUAL(cgroup_others("", 1, names, sizeof(names)), 0);
	CU_ASSERT_EQUAL(cgroup_others("x\n", 1, names, sizeof(names)), 0);
}

/* Of the configurations, which controllers they take. */
static void cgroup_needs(void)
{
	struct config cfg;

	config_init(&cfg);
	CU_ASSERT_EQUAL(cgroup_limits_needed(&cfg), 0);
	cfg.quota[ROLE_BLK].io_read_iops = 5;
	cfg.quota[ROLE_GPU].pids = 5;
	/* No such process. */
	CU_ASSERT_EQUAL(cgroup_limits_needed(&cfg), 0);
	cfg.disk_cnt = 1;
	CU_ASSERT_EQUAL(cgroup_limits_needed(&cfg), 1u << CGROUP_CTL_IO);
	cfg.quota[ROLE_VMM].cpu_percent = 50;
	cfg.quota[ROLE_MONITOR].memory_mib = 5;
	CU_ASSERT_EQUAL(cgroup_limits_needed(&cfg),
			1u << CGROUP_CTL_IO | 1u << CGROUP_CTL_CPU |
				1u << CGROUP_CTL_MEMORY);
	cfg.disk_cnt = 0;
	config_fini(&cfg);
}

const struct unit_case cases_cgroup[8] = {
	UNIT_CASE(cgroup_self_lines),  UNIT_CASE(cgroup_mounts),
	UNIT_CASE(cgroup_values),      UNIT_CASE(cgroup_ancestors),
	UNIT_CASE(cgroup_force_texts), UNIT_CASE(cgroup_leftovers),
	UNIT_CASE(cgroup_strangers),   UNIT_CASE(cgroup_needs),
};
