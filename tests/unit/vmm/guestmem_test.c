// SPDX-License-Identifier: Apache-2.0
/*
 * guestmem_test.c - guest RAM: a memory fd that could be cut under us is
 * refused, and no access leaves a region, the hole below 4 GiB included.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/vmm/boot_guest.h"

#define BOTH_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/* map_sealed() - maps a memfd of @bytes as one of @table_bytes. */
static int map_sealed(uint64_t bytes, uint64_t table_bytes, int seals,
		      const struct guestmem_options *opts)
{
	int fd = memfd_create("ram", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct guestmem mem = {0};
	struct memtable table;
	int rc;

	CU_ASSERT_EQUAL_FATAL(ftruncate(fd, (off_t)bytes), 0);
	CU_ASSERT_EQUAL_FATAL(fcntl(fd, F_ADD_SEALS, seals), 0);
	memtable_layout(table_bytes, &table);
	rc = guestmem_map(fd, &table, opts, &mem);
	guestmem_unmap(&mem);
	close(fd);
	return rc;
}

static void test_map_refuses_unsealed(void)
{
	const struct guestmem_options o = {.page_size = 4096};

	CU_ASSERT_EQUAL(map_sealed(MIB, MIB, BOTH_SEALS, &o), 0);
	CU_ASSERT_EQUAL(map_sealed(MIB, MIB, F_SEAL_SHRINK, &o), -EINVAL);
	CU_ASSERT_EQUAL(map_sealed(MIB, MIB, F_SEAL_GROW, &o), -EINVAL);
	CU_ASSERT_EQUAL(map_sealed(MIB, MIB, 0, &o), -EINVAL);
}

static void test_map_refuses_other_size(void)
{
	const struct guestmem_options o = {.page_size = 4096};
	const struct guestmem_options huge = {.page_size = 2 * MIB};
	const struct guestmem_options odd = {.page_size = 5000};

	CU_ASSERT_EQUAL(map_sealed(MIB, MIB + 4096, BOTH_SEALS, &o), -EINVAL);
	CU_ASSERT_EQUAL(map_sealed(MIB, MIB - 4096, BOTH_SEALS, &o), -EINVAL);
	CU_ASSERT_EQUAL(map_sealed(MIB, MIB, BOTH_SEALS, &huge), -EINVAL);
	CU_ASSERT_EQUAL(map_sealed(MIB, MIB, BOTH_SEALS, &odd), -EINVAL);
}

static void test_map_refuses_no_memfd(void)
{
	const struct guestmem_options o = {.page_size = 4096};
	struct guestmem mem = {0};
	struct memtable table;
	int fds[2];

	memtable_layout(MIB, &table);
	CU_ASSERT_EQUAL(guestmem_map(-1, &table, &o, &mem), -EINVAL);
	CU_ASSERT_EQUAL_FATAL(pipe2(fds, O_CLOEXEC), 0);
	CU_ASSERT_EQUAL(guestmem_map(fds[0], &table, &o, &mem), -EINVAL);
	CU_ASSERT_PTR_NULL(mem.base);
	close(fds[0]);
	close(fds[1]);
}

/* huge_room() - free pages of 2 MiB and those that the host may still make. */
static long huge_room(void)
{
	static const char *const names[] = {"free_hugepages",
					    "nr_overcommit_hugepages"};
	long room = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[96];
		long n = -1;
		FILE *f;

		snprintf(path, sizeof(path),
			 "/sys/kernel/mm/hugepages/hugepages-2048kB/%s",
			 names[i]);
		f = fopen(path, "re");
		if (!f || fscanf(f, "%ld", &n) != 1)
			n = -1;
		if (f)
			fclose(f);
		if (n < 0)
			return -1;
		room += n;
	}
	return room;
}

/* More than the pool has is refused at once, not by SIGBUS at a late touch. */
static void test_map_reserves_huge_pages(void)
{
	const struct guestmem_options o = {.page_size = 2 * MIB};
	struct guestmem mem = {0};
	struct memtable table;
	long room = huge_room();
	uint64_t bytes = ((uint64_t)room + 1) * 2 * MIB;
	int fd = memfd_create("ram", MFD_CLOEXEC | MFD_ALLOW_SEALING |
					     MFD_HUGETLB | MFD_HUGE_2MB);

	/* A host without such pages has nothing to reserve. */
	if (fd < 0 || room < 0) {
		close(fd);
		return;
	}
	CU_ASSERT_EQUAL_FATAL(ftruncate(fd, (off_t)bytes), 0);
	CU_ASSERT_EQUAL_FATAL(fcntl(fd, F_ADD_SEALS, BOTH_SEALS), 0);
	memtable_layout(bytes, &table);
	CU_ASSERT_EQUAL(guestmem_map(fd, &table, &o, &mem), -ENOMEM);
	CU_ASSERT_PTR_NULL(mem.base);
	guestmem_unmap(&mem);
	close(fd);
}

static void test_map_prefaults(void)
{
	const struct guestmem_options o = {
		.page_size = 4096, .transparent_huge = true, .prefault = true};
	struct boot_guest g = boot_guest_make(2 * MIB);
	struct guestmem mem = {0};
	struct stat st;

	CU_ASSERT_TRUE(boot_guest_is_untouched(&g));
	CU_ASSERT_EQUAL_FATAL(guestmem_map(g.memfd, &g.mem.table, &o, &mem), 0);
	CU_ASSERT_EQUAL_FATAL(fstat(g.memfd, &st), 0);
	CU_ASSERT_EQUAL(st.st_blocks * 512, (long)(2 * MIB));
	CU_ASSERT_EQUAL((uintptr_t)mem.base % (2 * MIB), 0);
	guestmem_unmap(&mem);
	boot_guest_free(&g);
}

/* access_checked() - write, read and clear 8 bytes; each must give @rc. */
static void access_checked(struct guestmem *m, uint64_t gpa, int rc)
{
	const uint64_t value = 0x1122334455667788;
	uint64_t back = 0;

	CU_ASSERT_EQUAL(guestmem_write(m, gpa, &value, 8), rc);
	CU_ASSERT_EQUAL(guestmem_read(m, gpa, &back, 8), rc);
	CU_ASSERT_EQUAL(back, rc == 0 ? value : 0);
	CU_ASSERT_EQUAL(guestmem_zero(m, gpa, 8), rc);
	back = 0;
	CU_ASSERT_EQUAL(guestmem_read(m, gpa, &back, 8), rc);
	CU_ASSERT_EQUAL(back, 0);
}

static void test_access_is_bounded(void)
{
	struct boot_guest g = boot_guest_make(5 * GIB);
	static const struct {
		uint64_t gpa;
		int rc;
	} rows[] = {
		{0, 0},
		{3 * GIB - 8, 0},
		{3 * GIB - 7, -EFAULT},
		{3 * GIB, -EFAULT},
		{4 * GIB - 8, -EFAULT},
		{4 * GIB - 4, -EFAULT},
		{4 * GIB, 0},
		{6 * GIB - 8, 0},
		{6 * GIB - 7, -EFAULT},
		{UINT64_MAX - 3, -EFAULT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		access_checked(&g.mem, rows[i].gpa, rows[i].rc);
	boot_guest_free(&g);
}

/* High RAM must land behind low RAM in the file: devices see it there. */
static void test_high_ram_offset(void)
{
	struct boot_guest g = boot_guest_make(5 * GIB);
	uint32_t value = 0xabcdef01;
	uint32_t back = 0;

	CU_ASSERT_EQUAL(guestmem_write(&g.mem, 4 * GIB, &value, 4), 0);
	CU_ASSERT_EQUAL(pread(g.memfd, &back, 4, (off_t)(3 * GIB)), 4);
	CU_ASSERT_EQUAL(back, value);
	boot_guest_free(&g);
}

/* pread_checked() - reads of a file of ten bytes, good and bad. */
static void pread_checked(struct boot_guest *g)
{
	int fd = boot_memfd("0123456789", 10);
	char back[4] = {0};

	CU_ASSERT_EQUAL(guestmem_pread(&g->mem, 0x1000, fd, 3, 4), 0);
	CU_ASSERT_EQUAL(guestmem_read(&g->mem, 0x1000, back, 4), 0);
	CU_ASSERT_EQUAL(memcmp(back, "3456", 4), 0);
	CU_ASSERT_EQUAL(guestmem_pread(&g->mem, 0x1000, fd, 8, 3), -ENODATA);
	CU_ASSERT_EQUAL(guestmem_pread(&g->mem, 2 * MIB - 2, fd, 0, 4),
			-EFAULT);
	CU_ASSERT_EQUAL(guestmem_pread(&g->mem, 0, fd, UINT64_MAX, 4), -EFAULT);
	CU_ASSERT_EQUAL(guestmem_pread(&g->mem, 0, -1, 0, 4), -EBADF);
	close(fd);
}

static void test_pread(void)
{
	struct boot_guest g = boot_guest_make(2 * MIB);

	pread_checked(&g);
	boot_guest_free(&g);
}

static void test_pread_by_memfd(void)
{
	struct boot_guest g = boot_guest_make(2 * MIB);

	CU_ASSERT_TRUE(g.mem.sparse);
	guestmem_load_by(&g.mem, g.memfd);
	CU_ASSERT_EQUAL(g.mem.fd, g.memfd);
	pread_checked(&g);
	guestmem_load_end(&g.mem);
	CU_ASSERT_EQUAL(g.mem.fd, -1);
	g.mem.sparse = false;
	guestmem_load_by(&g.mem, g.memfd);
	CU_ASSERT_EQUAL(g.mem.fd, -1);
	boot_guest_free(&g);
}

/* A large range is cleared by a hole: its neighbours stay, pages go. */
static void test_zero_gives_pages_back(void)
{
	struct boot_guest g = boot_guest_make(2 * MIB);
	const uint64_t from = 0x10123;
	const uint64_t len = 0x40000;
	struct stat before;
	struct stat after;

	memset(g.mem.base, 0xaa, MIB);
	CU_ASSERT_EQUAL_FATAL(fstat(g.memfd, &before), 0);
	CU_ASSERT_EQUAL(guestmem_zero(&g.mem, from, len), 0);
	CU_ASSERT_EQUAL_FATAL(fstat(g.memfd, &after), 0);
	CU_ASSERT_EQUAL(before.st_blocks - after.st_blocks,
			(0x40000 - 0x1000) / 512);
	CU_ASSERT_EQUAL(g.mem.base[from - 1], 0xaa);
	CU_ASSERT_EQUAL(g.mem.base[from + len], 0xaa);
	for (uint64_t i = 0; i < len; i++) {
		if (g.mem.base[from + i] != 0)
			CU_FAIL_FATAL("not cleared");
	}
	boot_guest_free(&g);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_map_refuses_unsealed),
	UNIT_CASE(test_map_refuses_other_size),
	UNIT_CASE(test_map_refuses_no_memfd),
	UNIT_CASE(test_map_reserves_huge_pages),
	UNIT_CASE(test_map_prefaults),
	UNIT_CASE(test_access_is_bounded),
	UNIT_CASE(test_high_ram_offset),
	UNIT_CASE(test_pread),
	UNIT_CASE(test_pread_by_memfd),
	UNIT_CASE(test_zero_gives_pages_back),
};

const struct unit_suite unit_suites[] = {
	{"guestmem", cases, ARRAY_SIZE(cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
