// SPDX-License-Identifier: Apache-2.0
/*
 * gmem_test.c - translation at the borders of regions, and refusal of memory
 * that could be cut under us.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "devices/core/gmem.h"
#include "tests/unit/devices/core_suites.h"

#define PAGE 4096u

static const struct memtable gmem_table = {
	.region = {{.gpa = 0, .size = 2 * PAGE, .offset = 0},
		   {.gpa = 0x100000000, .size = PAGE, .offset = 2 * PAGE}},
	.cnt = 2,
};

static void gmem_at_test(void)
{
	static uint8_t mem[3 * PAGE];
	struct gmem m;

	gmem_wrap(&m, mem, sizeof(mem), &gmem_table);
	CU_ASSERT_PTR_EQUAL(gmem_at(&m, 0, 1), mem);
	CU_ASSERT_PTR_EQUAL(gmem_at(&m, 0, 2 * PAGE), mem);
	CU_ASSERT_PTR_EQUAL(gmem_at(&m, 2 * PAGE - 1, 1), mem + 2 * PAGE - 1);
	CU_ASSERT_PTR_EQUAL(gmem_at(&m, 0x100000000, PAGE), mem + 2 * PAGE);
	CU_ASSERT_PTR_NULL(gmem_at(&m, 0, 0));
	CU_ASSERT_PTR_NULL(gmem_at(&m, 0, 2 * PAGE + 1));
	CU_ASSERT_PTR_NULL(gmem_at(&m, 2 * PAGE, 1));
	CU_ASSERT_PTR_NULL(gmem_at(&m, 2 * PAGE - 1, 2));
	CU_ASSERT_PTR_NULL(gmem_at(&m, 0xffffffff, 2));
	CU_ASSERT_PTR_NULL(gmem_at(&m, 0x100000000 + PAGE, 1));
	CU_ASSERT_PTR_NULL(gmem_at(&m, 1, UINT64_MAX));
	CU_ASSERT_PTR_NULL(gmem_at(&m, UINT64_MAX, 1));
	CU_ASSERT_PTR_NULL(gmem_at(&m, UINT64_MAX, 2));
	gmem_fini(&m);
}

/** gmem_fd() - a memfd of @bytes with @seals. */
static int gmem_fd(uint64_t bytes, int seals)
{
	int fd = memfd_create("g", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	CU_ASSERT_EQUAL(ftruncate(fd, (off_t)bytes), 0);
	CU_ASSERT_EQUAL(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

/** gmem_try() - gmem_map of a new memfd. */
static int gmem_try(uint64_t bytes, int seals)
{
	struct gmem m = {0};
	struct gmem_request r = {.fd = gmem_fd(bytes, seals),
				 .size = 3 * PAGE,
				 .table = &gmem_table,
				 .transparent_huge = true,
				 .prefault = true};
	int rc = gmem_map(&m, &r);

	close(r.fd);
	if (!rc) {
		uint8_t *at = gmem_at(&m, 0x100000000, PAGE);

		at[0] = 1;
		CU_ASSERT_EQUAL(m.base[2 * PAGE], 1);
	}
	gmem_fini(&m);
	return rc;
}

static void gmem_map_test(void)
{
	struct gmem m = {0};
	struct gmem_request r = {.size = 3 * PAGE, .table = &gmem_table};

	CU_ASSERT_EQUAL(gmem_try(3 * PAGE, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	CU_ASSERT_EQUAL(gmem_try(3 * PAGE, F_SEAL_SHRINK), -EPROTO);
	CU_ASSERT_EQUAL(gmem_try(3 * PAGE, F_SEAL_GROW), -EPROTO);
	CU_ASSERT_EQUAL(gmem_try(3 * PAGE, 0), -EPROTO);
	CU_ASSERT_EQUAL(gmem_try(2 * PAGE, F_SEAL_SHRINK | F_SEAL_GROW),
			-EPROTO);
	CU_ASSERT_EQUAL(gmem_try(4 * PAGE, F_SEAL_SHRINK | F_SEAL_GROW),
			-EPROTO);
	r.fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	CU_ASSERT_EQUAL(gmem_map(&m, &r), -EPROTO);
	close(r.fd);
}

const struct unit_case gmem_cases[] = {
	UNIT_CASE(gmem_at_test),
	UNIT_CASE(gmem_map_test),
};
const size_t gmem_case_cnt = sizeof(gmem_cases) / sizeof(gmem_cases[0]);
