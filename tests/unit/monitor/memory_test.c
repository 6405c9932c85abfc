// SPDX-License-Identifier: Apache-2.0
/*
 * memory_test.c - guest memory is sealed, has its exact size and layout.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "monitor/host/memory.h"
#include "tests/unit/monitor/suites.h"

static void memory_sealed(void)
{
	struct config cfg = {.memory_mib = 5120};
	struct memory m = {.fd = -1};
	struct problem p = {0};
	struct stat st;

	CU_ASSERT_EQUAL_FATAL(memory_create(&cfg, &m, &p), 0);
	CU_ASSERT_EQUAL(fcntl(m.fd, F_GET_SEALS),
			F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	CU_ASSERT_EQUAL(fstat(m.fd, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, 5120LL << 20);
	CU_ASSERT_EQUAL(ftruncate(m.fd, 0), -1);
	CU_ASSERT_EQUAL(m.table.cnt, 2);
	CU_ASSERT_EQUAL(m.page_bytes, 4096);
	fd_cleanup(&m.fd);
}

static void memory_hugepage_multiple(void)
{
	struct config cfg = {.memory_mib = 33,
			     .hugepages = CONFIG_HUGEPAGES_2M};
	struct memory m = {.fd = -1};
	struct problem p = {0};

	CU_ASSERT_EQUAL(memory_create(&cfg, &m, &p), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.text, "not a multiple"));
	CU_ASSERT_EQUAL(m.fd, -1);
}

static void memory_hugepages_missing(void)
{
	struct config cfg = {.memory_mib = 1ull << 28,
			     .hugepages = CONFIG_HUGEPAGES_1G};
	struct memory m = {.fd = -1};
	struct problem p = {0};

	CU_ASSERT_EQUAL(memory_create(&cfg, &m, &p), -ENOMEM);
	CU_ASSERT_EQUAL(p.code, EXIT_CODE_INPUT);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.text, "262144 free pages of 1 GiB"));
}

const struct unit_case cases_memory[3] = {
	UNIT_CASE(memory_sealed),
	UNIT_CASE(memory_hugepage_multiple),
	UNIT_CASE(memory_hugepages_missing),
};
