// SPDX-License-Identifier: Apache-2.0
/*
 * facts_test.c - texts of /proc/PID as facts: what kernels 6.1 and 6.18 write,
 * texts cut off at any byte, and garbage, none of which may set a wrong fact;
 * the bounds of a message; and this process as the reader sees it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policy/facts_text.h"
#include "tests/unit/policy/suites.h"

#define SLICE(text) FACTS_SLICE(text)

/* The lines that matter, among others that begin alike. */
static const char status_6_1[] = "Name:\tblk-queue 0\n"
				 "Umask:\t0022\n"
				 "State:\tS (sleeping)\n"
				 "Tgid:\t12\n"
				 "Uid:\t1000\t1001\t1002\t1003\n"
				 "Gid:\t7\t8\t9\t10\n"
				 "FDSize:\t64\n"
				 "Groups:\t24 108 4294967295 \n"
				 "NStgid:\t12\t1\n"
				 "Threads:\t1\n"
				 "CapInh:\t0000000000000000\n"
				 "CapPrm:\t000001ffffffffff\n"
				 "CapEff:\t0000000000000020\n"
				 "CapBnd:\tffffffffffffffff\n"
				 "CapAmb:\t0000000000000001\n"
				 "NoNewPrivs:\t1\n"
				 "Seccomp:\t2\n"
				 "Seccomp_filters:\t3\n"
				 "Speculation_Store_Bypass:\tvulnerable\n";
/* Of 6.18, as seen by its own user namespace; no group is one blank. */
static const char status_6_18[] = "Name:\tbulkhead-vmm\n"
				  "Uid:\t0\t0\t0\t0\n"
				  "Gid:\t0\t0\t0\t0\n"
				  "Groups:\t \n"
				  "Kthread:\t0\n"
				  "untag_mask:\t0xffffffffffffffff\n"
				  "CapBnd:\t0000000000000000\n"
				  "NoNewPrivs:\t0\n"
				  "Seccomp:\t0\n"
				  "Seccomp_filters:\t0\n";

static Bulkhead__Facts__Facts *facts_new(void)
{
	Bulkhead__Facts__Facts *f = malloc(sizeof(*f));

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	bulkhead__facts__facts__init(f);
	return f;
}

static void test_status_6_1(void)
{
	Bulkhead__Facts__Facts *f = facts_new();

	CU_ASSERT_EQUAL(facts_parse_status(SLICE(status_6_1), f), 0);
	CU_ASSERT_EQUAL_FATAL(f->n_uids, 4);
	CU_ASSERT(f->uids[0] == 1000 && f->uids[3] == 1003);
	CU_ASSERT_EQUAL_FATAL(f->n_gids, 4);
	CU_ASSERT(f->gids[0] == 7 && f->gids[3] == 10);
	CU_ASSERT_EQUAL_FATAL(f->n_groups, 3);
	CU_ASSERT(f->groups[0] == 24 && f->groups[2] == UINT32_MAX);
	CU_ASSERT(f->has_cap_inheritable && f->cap_inheritable == 0);
	CU_ASSERT(f->has_cap_permitted && f->cap_permitted == 0x1ffffffffff);
	CU_ASSERT(f->has_cap_effective && f->cap_effective == 0x20);
	CU_ASSERT(f->has_cap_bounding && f->cap_bounding == UINT64_MAX);
	CU_ASSERT(f->has_cap_ambient && f->cap_ambient == 1);
	CU_ASSERT(f->has_no_new_privs && f->no_new_privs == 1);
	CU_ASSERT(f->has_seccomp_mode && f->seccomp_mode == 2);
	CU_ASSERT(f->has_seccomp_filters && f->seccomp_filters == 3);
	CU_ASSERT_EQUAL(f->n_incomplete, 0);
	/* A second look replaces the first. */
	CU_ASSERT_EQUAL(facts_parse_status(SLICE(status_6_18), f), 0);
	CU_ASSERT(f->n_uids == 4 && f->uids[0] == 0 && f->n_groups == 0);
	CU_ASSERT(f->cap_bounding == 0 && f->no_new_privs == 0);
	facts_free(f);
}

static void test_status_garbage(void)
{
	static const char text[] = "Uid:\nGid:\tx\nGroups:\t1 -2 3\n"
				   "CapInh:\t\nCapPrm:\t1g\n"
				   "CapEff:\t10000000000000000\n"
				   "CapBnd: 0x1\nNoNewPrivs:\tyes\n"
				   "Seccomp:\t4294967296\n"
				   "Seccomp_filters\t1\nSeccomp:";
	Bulkhead__Facts__Facts *f = facts_new();

	CU_ASSERT_EQUAL(facts_parse_status(SLICE(text), f), 0);
	CU_ASSERT(f->n_uids == 0 && f->n_gids == 0 && f->n_groups == 1);
	CU_ASSERT_FALSE(f->has_cap_inheritable || f->has_cap_permitted ||
			f->has_cap_effective || f->has_cap_bounding);
	CU_ASSERT_FALSE(f->has_no_new_privs || f->has_seccomp_mode ||
			f->has_seccomp_filters);
	facts_free(f);
}

/* Every beginning of every text: what is read lies inside it (ASan). */
static void test_cut_off(void)
{
	for (size_t len = 0; len < sizeof(status_6_1); len++) {
		Bulkhead__Facts__Facts *f = facts_new();
		char *copy = malloc(len ? len : 1);
		struct facts_slice text = {copy, len};

		CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
		memcpy(copy, status_6_1, len);
		CU_ASSERT_EQUAL(facts_parse_status(text, f), 0);
		CU_ASSERT_EQUAL(facts_parse_thread(text, 1, f), 0);
		CU_ASSERT_EQUAL(facts_parse_limits(text, f), 0);
		CU_ASSERT_EQUAL(facts_parse_maps(text, f), 0);
		CU_ASSERT_EQUAL(facts_parse_cgroup(text, f), 0);
		CU_ASSERT_EQUAL(facts_check(f), 0);
		facts_free(f);
		free(copy);
	}
}

static void test_threads(void)
{
	Bulkhead__Facts__Facts *f = facts_new();

	CU_ASSERT_EQUAL(facts_parse_thread(SLICE(status_6_1), 41, f), 0);
	CU_ASSERT_EQUAL(facts_parse_thread(SLICE("Name:\n"), 42, f), 0);
	CU_ASSERT_EQUAL_FATAL(f->n_threads, 2);
	CU_ASSERT_EQUAL(f->threads[0]->tid, 41);
	CU_ASSERT_STRING_EQUAL(f->threads[0]->name, "blk-queue 0");
	CU_ASSERT(f->threads[0]->seccomp_mode == 2 &&
		  f->threads[0]->seccomp_filters == 3);
	CU_ASSERT_STRING_EQUAL(f->threads[1]->name, "");
	CU_ASSERT_EQUAL(f->threads[1]->seccomp_mode, 0);
	while (f->n_threads < FACTS_THREADS_MAX)
		CU_ASSERT_EQUAL_FATAL(
			facts_parse_thread(SLICE("Name:\tx\n"), 1, f), 0);
	CU_ASSERT_EQUAL(f->n_incomplete, 0);
	CU_ASSERT_EQUAL(facts_parse_thread(SLICE("Name:\tx\n"), 1, f), 0);
	CU_ASSERT_EQUAL(f->n_threads, FACTS_THREADS_MAX);
	CU_ASSERT_EQUAL_FATAL(f->n_incomplete, 1);
	CU_ASSERT_STRING_EQUAL(f->incomplete[0], "threads");
	facts_free(f);
}

/* One thread needs no file of its own; of several each has one. */
static void test_single_thread(void)
{
	Bulkhead__Facts__Facts *f = facts_new();

	CU_ASSERT_EQUAL(facts_parse_single(SLICE("Pid:\t7\nThreads:\t2\n"), f),
			0);
	CU_ASSERT_EQUAL(facts_parse_single(SLICE("Threads:\t1\n"), f), 0);
	CU_ASSERT_EQUAL(facts_parse_single(SLICE("Pid:\t-7\nThreads:\t1\n"), f),
			0);
	CU_ASSERT_EQUAL(f->n_threads, 0);
	CU_ASSERT_EQUAL(facts_parse_single(
				SLICE("Name:\tx\nTgid:\t9\nPid:\t9\nPPid:\t1\n"
				      "Threads:\t1\nSeccomp:\t2\n"),
				f),
			0);
	CU_ASSERT_EQUAL_FATAL(f->n_threads, 1);
	CU_ASSERT(f->threads[0]->tid == 9 && f->threads[0]->seccomp_mode == 2);
	CU_ASSERT_STRING_EQUAL(f->threads[0]->name, "x");
	facts_free(f);
}

static void test_limits(void)
{
	static const char text[] =
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max cpu time              unlimited            unlimited            seconds   \n"
		"Max core file size        0                    unlimited            bytes     \n"
		"Max processes             128                  256                  processes \n"
		"Max nice priority         0                    0                    \n"
		"Max file locks            few                  0                    locks     \n"
		"Max open files            10\n"
		"Max of a later kernel     1                    1                    \n";
	Bulkhead__Facts__Facts *f = facts_new();

	CU_ASSERT_EQUAL(facts_parse_limits(SLICE(text), f), 0);
	CU_ASSERT_EQUAL_FATAL(f->n_rlimits, 4);
	CU_ASSERT_STRING_EQUAL(f->rlimits[0]->name, "CPU");
	CU_ASSERT_EQUAL(f->rlimits[0]->soft, UINT64_MAX);
	CU_ASSERT_STRING_EQUAL(f->rlimits[1]->name, "CORE");
	CU_ASSERT(f->rlimits[1]->soft == 0 &&
		  f->rlimits[1]->hard == UINT64_MAX);
	CU_ASSERT_STRING_EQUAL(f->rlimits[2]->name, "NPROC");
	CU_ASSERT(f->rlimits[2]->soft == 128 && f->rlimits[2]->hard == 256);
	CU_ASSERT_STRING_EQUAL(f->rlimits[3]->name, "NICE");
	facts_free(f);
}

static void test_maps(void)
{
	static const char text[] =
		"55d0c0000000-55d0c0004000 r--p 00000000 fe:01 1234                       /usr/bin/bulkhead vmm\n"
		"55d0c0004000-55d0c0009000 r-xp 00004000 fe:01 1234                       /usr/bin/bulkhead vmm\n"
		"55d0c0009000-55d0c000a000 r-xp 00009000 fe:01 1234                       /usr/bin/bulkhead vmm\n"
		"7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
		"7f0000001000-7f0000002000 rw-p 00000000 00:00 0 \n"
		"7f0000002000-7f0000003000 r-xs 00000000 00:01 7                          /memfd:x (deleted)\n"
		"7ffc00000000-7ffc00001000 r-xp 00000000 00:00 0                          [vdso]\n"
		"7ffc00001000-7ffc00002000 xxxx\n"
		"r-xp r-xp\n"
		"7ffc00001000-7ffc00002000 r-xp 00000000 00:00\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]";
	static const char *const want[] = {"/usr/bin/bulkhead vmm", "anonymous",
					   "/memfd:x (deleted)", "[vdso]",
					   "[vsyscall]"};
	Bulkhead__Facts__Facts *f = facts_new();

	CU_ASSERT_EQUAL(facts_parse_maps(SLICE(text), f), 0);
	CU_ASSERT_EQUAL_FATAL(f->n_exec_maps, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		CU_ASSERT_STRING_EQUAL(f->exec_maps[i], want[i]);
	facts_free(f);
}

/* More mappings than fit: the list ends at its bound and says so. */
static void test_maps_many(void)
{
	Bulkhead__Facts__Facts *f = facts_new();
	char text[FACTS_MAPS_MAX * 40 + 400] = "";
	size_t len = 0;

	for (unsigned i = 0; i <= FACTS_MAPS_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"1-2 r-xp 0 0:0 0 /lib/%u\n", i);
	CU_ASSERT_EQUAL(facts_parse_maps((struct facts_slice){text, len}, f),
			0);
	CU_ASSERT_EQUAL(f->n_exec_maps, FACTS_MAPS_MAX);
	CU_ASSERT_EQUAL_FATAL(f->n_incomplete, 1);
	CU_ASSERT_STRING_EQUAL(f->incomplete[0], "exec_maps");
	facts_free(f);
}

static void test_cgroup_and_id_maps(void)
{
	Bulkhead__Facts__Facts *f = facts_new();
	static const char line[10] = {"1234 6 89\n"};
	char many[2048];

	CU_ASSERT_EQUAL(facts_parse_cgroup(SLICE("9:memory:/a\n0::/b c\n"), f),
			0);
	CU_ASSERT_STRING_EQUAL(f->cgroup, "/b c");
	CU_ASSERT_EQUAL(facts_parse_id_map(SLICE("         0       1000     "
						 "     1\n"),
					   "uid_map", f, &f->uid_map),
			0);
	CU_ASSERT_STRING_EQUAL(f->uid_map, "0 1000 1");
	CU_ASSERT_EQUAL(facts_parse_id_map(SLICE("0 1 2\n 5\t6 7"), "gid_map",
					   f, &f->gid_map),
			0);
	CU_ASSERT_STRING_EQUAL(f->gid_map, "0 1 2\n5 6 7");
	facts_free(f);

	/* One that is too long ends with a whole line. */
	f = facts_new();
	for (size_t i = 0; i + 10 <= sizeof(many); i += 10)
		memcpy(many + i, line, sizeof(line));
	CU_ASSERT_EQUAL(facts_parse_id_map((struct facts_slice){many, 2040},
					   "uid_map", f, &f->uid_map),
			0);
	CU_ASSERT_EQUAL(strlen(f->uid_map), 51 * 10 - 1);
	CU_ASSERT_STRING_EQUAL(f->incomplete[0], "uid_map");
	/* No map has been written yet. */
	CU_ASSERT_EQUAL(
		facts_parse_id_map(SLICE(""), "gid_map", f, &f->gid_map), 0);
	CU_ASSERT_PTR_NULL(f->gid_map);
	facts_free(f);
}

static void test_fd_kinds(void)
{
	static const struct {
		const char *link;
		mode_t mode;
		const char *kind;
	} rows[] = {
		{"socket:[123]", S_IFSOCK | 0777, "socket"},
		{"pipe:[5]", S_IFIFO | 0600, "pipe"},
		{"/run/fifo", S_IFIFO | 0600, "pipe"},
		{"anon_inode:[eventfd]", 0600, "eventfd"},
		{"anon_inode:[eventpoll]", 0600, "eventpoll"},
		{"anon_inode:[io_uring]", 0600, "io_uring"},
		{"anon_inode:[signalfd]", S_IFREG | 0600, "signalfd"},
		{"anon_inode:[timerfd]", 0600, "timerfd"},
		{"anon_inode:[pidfd]", 0600, "pidfd"},
		{"pidfd:[7]", S_IFREG | 0700, "pidfd"},
		{"anon_inode:kvm-vm", 0600, "kvm-vm"},
		{"anon_inode:kvm-vcpu:3", 0600, "kvm-vcpu"},
		{"anon_inode:[landlock-ruleset]", 0600, "landlock-ruleset"},
		{"net:[4026531833]", S_IFREG | 0444, "net"},
		{"/memfd:guest (deleted)", S_IFREG | 0777, "memfd"},
		{"/var/x:[1]", S_IFREG | 0600, "file"},
		{"/", S_IFDIR | 0555, "directory"},
		{"/dev/null", S_IFCHR | 0666, "chardev"},
		{"/dev/vda", S_IFBLK | 0600, "blockdev"},
		{"/run/socket", S_IFSOCK | 0600, "socket"},
		{"/gone", 0, "unknown"},
		{"", 0, "unknown"},
		{"anon_inode:", 0, ""},
		{"anon_inode:0123456789012345678901234567890123", 0,
		 "0123456789012345678901234567890"},
	};
	char kind[FACTS_NAME_MAX + 1];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct facts_slice link = {rows[i].link, strlen(rows[i].link)};

		facts_fd_kind(link, rows[i].mode, kind);
		CU_ASSERT_STRING_EQUAL(kind, rows[i].kind);
	}
}

/* fd_fact() - what the list says of @fd; NULL if it is not in it. */
static const Bulkhead__Facts__OpenFd *fd_fact(const Bulkhead__Facts__Facts *f,
					      int fd)
{
	for (size_t i = 0; i < f->n_fds; i++) {
		if (f->fds[i]->fd == (uint32_t)fd)
			return f->fds[i];
	}
	return NULL;
}

/* A child that holds still with known fds, read from outside. */
static void test_read_another(void)
{
	Bulkhead__Facts__Facts *f = NULL;
	char path[32];
	struct rlimit lim;
	int sock[2], proc_fd;
	int memory = memfd_create("facts", MFD_CLOEXEC);
	int event = eventfd(0, EFD_CLOEXEC), epoll = epoll_create1(0);
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid;

	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, sock), 0);
	pid = fork();
	CU_ASSERT_FATAL(pid >= 0);
	if (pid == 0) {
		close(sock[0]);
		(void)!read(sock[1], path, 1);
		_exit(0);
	}
	close(sock[1]);
	(void)snprintf(path, sizeof(path), "/proc/%d", pid);
	proc_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	CU_ASSERT_EQUAL_FATAL(facts_read(proc_fd, &f), 0);
	CU_ASSERT_EQUAL(facts_check(f), 0);
	CU_ASSERT_EQUAL(f->uids[1], geteuid());
	CU_ASSERT(f->n_threads == 1 && f->threads[0]->tid == (uint32_t)pid);
	CU_ASSERT(f->n_namespaces >= 7 && f->n_rlimits == 16);
	CU_ASSERT_EQUAL(getrlimit(RLIMIT_NOFILE, &lim), 0);
	CU_ASSERT_EQUAL(f->rlimits[7]->hard, lim.rlim_max);
	CU_ASSERT_PTR_NOT_NULL(f->uid_map);
	CU_ASSERT(f->root_read && f->n_root_entries > 0);
	CU_ASSERT(f->n_exec_maps >= 2);
	CU_ASSERT_STRING_EQUAL(fd_fact(f, memory)->kind, "memfd");
	CU_ASSERT_STRING_EQUAL(fd_fact(f, event)->kind, "eventfd");
	CU_ASSERT_STRING_EQUAL(fd_fact(f, epoll)->kind, "eventpoll");
	CU_ASSERT_STRING_EQUAL(fd_fact(f, sock[1])->kind, "socket");
	CU_ASSERT_STRING_EQUAL(fd_fact(f, null_fd)->kind, "chardev");
	CU_ASSERT_STRING_EQUAL(fd_fact(f, null_fd)->target, "/dev/null");
	CU_ASSERT(fd_fact(f, null_fd)->dev_major == 1 &&
		  fd_fact(f, null_fd)->dev_minor == 3);
	facts_free(f);
	close(sock[0]);
	CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
	/* Gone: its directory says nothing any more. */
	CU_ASSERT_EQUAL(facts_read(proc_fd, &f), -ESRCH);
	close(proc_fd);
	close(memory);
	close(event);
	close(epoll);
	close(null_fd);
}

const struct unit_case cases_facts[] = {
	UNIT_CASE(test_status_6_1),
	UNIT_CASE(test_status_garbage),
	UNIT_CASE(test_cut_off),
	UNIT_CASE(test_threads),
	UNIT_CASE(test_single_thread),
	UNIT_CASE(test_limits),
	UNIT_CASE(test_maps),
	UNIT_CASE(test_maps_many),
	UNIT_CASE(test_cgroup_and_id_maps),
	UNIT_CASE(test_fd_kinds),
	UNIT_CASE(test_read_another),
};
