// SPDX-License-Identifier: Apache-2.0
/*
 * fds_test.c - ownership of fds: what is owned is closed once, what was moved
 * out is not closed, errno survives.
 */
#include "ipc/fds.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/ipc/support.h"

static int fds_open_null(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void fds_cleanup_closes(void)
{
	size_t before = test_fd_cnt();
	int copy;

	{
		CLEANUP(fd_cleanup) int fd = fds_open_null();

		copy = fd;
		CU_ASSERT_FATAL(fd >= 0);
		errno = ENOTTY;
	}
	CU_ASSERT_EQUAL(errno, ENOTTY);
	CU_ASSERT_EQUAL(fcntl(copy, F_GETFD), -1);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
}

static void fds_cleanup_of_none_keeps_errno(void)
{
	int fd = -1;

	errno = ENOTTY;
	fd_cleanup(&fd);
	CU_ASSERT_EQUAL(errno, ENOTTY);
	CU_ASSERT_EQUAL(fd, -1);
	/* close of a bad number would set errno; it is kept all the same. */
	fd = 1000000;
	fd_cleanup(&fd);
	CU_ASSERT_EQUAL(errno, ENOTTY);
	CU_ASSERT_EQUAL(fd, -1);
}

static void fds_steal_disarms(void)
{
	int kept;

	{
		CLEANUP(fd_cleanup) int fd = fds_open_null();

		kept = fd_steal(&fd);
		CU_ASSERT_EQUAL(fd, -1);
	}
	CU_ASSERT(fcntl(kept, F_GETFD) >= 0);
	close(kept);
}

static void fds_set_closes_what_is_left(void)
{
	size_t before = test_fd_cnt();
	struct fdset set;

	fdset_init(&set);
	CU_ASSERT_EQUAL(set.cnt, 0);
	for (size_t i = 0; i < 3; i++)
		set.fd[set.cnt++] = fds_open_null();

	int taken = fdset_take(&set, 1);

	CU_ASSERT(taken >= 0);
	CU_ASSERT_EQUAL(fdset_take(&set, 1), -1);
	CU_ASSERT_EQUAL(fdset_take(&set, 3), -1);
	CU_ASSERT_EQUAL(fdset_take(&set, (size_t)-1), -1);
	fdset_close(&set);
	CU_ASSERT_EQUAL(set.cnt, 0);
	CU_ASSERT_EQUAL(test_fd_cnt(), before + 1);
	close(taken);
	fdset_close(&set);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
}

static const struct unit_case fds_cases[] = {
	UNIT_CASE(fds_cleanup_closes),
	UNIT_CASE(fds_cleanup_of_none_keeps_errno),
	UNIT_CASE(fds_steal_disarms),
	UNIT_CASE(fds_set_closes_what_is_left),
};

const struct unit_suite unit_suites[] = {
	{"fds", fds_cases, ARRAY_SIZE(fds_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
