// SPDX-License-Identifier: Apache-2.0
/*
 * landlock_test.c - what is asked of each Landlock ABI: all that it knows and
 * nothing that it does not (an unknown bit or a longer struct is refused).
 */
#include "policy/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/compiler.h"
#include "policy/wall.h"
#include "tests/unit/policy/suites.h"

static void test_attr_by_abi(void)
{
	static const struct {
		int abi;
		uint64_t fs, net, scoped;
		uint32_t size;
	} want[] = {
		{1, 0x1fff, 0, 0, 8},  {2, 0x3fff, 0, 0, 8},
		{3, 0x7fff, 0, 0, 8},  {4, 0x7fff, 3, 0, 16},
		{5, 0xffff, 3, 0, 16}, {6, 0xffff, 3, 3, 24},
		{7, 0xffff, 3, 3, 24}, {99, 0xffff, 3, 3, 24},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct landlock_attr a;

		CU_ASSERT_EQUAL(landlock_attr_for(want[i].abi, &a),
				want[i].size);
		CU_ASSERT_EQUAL(a.handled_access_fs, want[i].fs);
		CU_ASSERT_EQUAL(a.handled_access_net, want[i].net);
		CU_ASSERT_EQUAL(a.scoped, want[i].scoped);
	}
}

static void test_abi_of_this_kernel(void)
{
	int abi = landlock_abi();

	CU_ASSERT(abi >= 1 || abi == -38 || abi == -95);
}

/* Of a directory for files, one for directories, and one for nothing. */
static const struct {
	const char *path;
	int flags;
	int error;
} removals[] = {
	{"files/f", 0, 0},
	{"files/d", AT_REMOVEDIR, EACCES},
	{"files/deep/f", 0, 0},
	{"dirs/f", 0, EACCES},
	{"dirs/d", AT_REMOVEDIR, 0},
	{"none/f", 0, EACCES},
	{"none/d", AT_REMOVEDIR, EACCES},
};

/* removals_try() - behind the wall. Return: 1 + index of a wrong one, or 0. */
static int removals_try(const struct wall_dir *dirs)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    wall_landlock_build(ROLE_MONITOR, dirs, 2))
		return 100;
	for (size_t i = 0; i < ARRAY_SIZE(removals); i++) {
		int ret =
			unlinkat(AT_FDCWD, removals[i].path, removals[i].flags);

		if ((ret < 0 ? errno : 0) != removals[i].error)
			return (int)i + 1;
	}
	return 0;
}

/* removals_make() - the files and directories, in an empty folder. */
static void removals_make(void)
{
	CU_ASSERT_FATAL(!mkdir("files", 0700) && !mkdir("files/deep", 0700) &&
			!mkdir("dirs", 0700) && !mkdir("none", 0700));
	for (size_t i = 0; i < ARRAY_SIZE(removals); i++) {
		bool dir = removals[i].flags == AT_REMOVEDIR;

		CU_ASSERT_EQUAL_FATAL(dir ? mkdir(removals[i].path, 0700)
					  : mknod(removals[i].path,
						  S_IFREG | 0600, 0),
				      0);
	}
}

static void test_kept_directories(void)
{
	char name[] = "/tmp/bulkhead-landlock.XXXXXX";
	int back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct wall_dir dirs[2];
	int status = -1;
	pid_t pid;

	CU_ASSERT_FATAL(mkdtemp(name) && chdir(name) == 0);
	removals_make();
	dirs[0] = (struct wall_dir){open("files", O_PATH | O_CLOEXEC),
				    CONFINE_KEEP_FILES};
	dirs[1] = (struct wall_dir){open("dirs", O_PATH | O_CLOEXEC),
				    CONFINE_KEEP_DIRS};
	pid = fork();
	if (pid == 0)
		_exit(removals_try(dirs));
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT(WIFEXITED(status));
	/* A host without Landlock has nothing to show. */
	if (landlock_abi() >= LANDLOCK_ABI_MIN)
		CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
	for (size_t i = 0; i < ARRAY_SIZE(removals); i++)
		(void)unlinkat(AT_FDCWD, removals[i].path, removals[i].flags);
	(void)!rmdir("files/deep");
	(void)!rmdir("files");
	(void)!rmdir("dirs");
	(void)!rmdir("none");
	CU_ASSERT(fchdir(back) == 0 && rmdir(name) == 0);
	close(dirs[0].fd);
	close(dirs[1].fd);
	close(back);
}

const struct unit_case cases_landlock[] = {
	UNIT_CASE(test_attr_by_abi),
	UNIT_CASE(test_abi_of_this_kernel),
	UNIT_CASE(test_kept_directories),
};
