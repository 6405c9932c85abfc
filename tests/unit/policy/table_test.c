// SPDX-License-Identifier: Apache-2.0
/*
 * table_test.c - guards the rules of the tables: each row has its reason, none
 * is there twice, what can never be needed after READY is absent, and what is
 * dangerous without an argument test has one.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "policy/compile.h"
#include "policy/rows.h"
#include "tests/unit/policy/rows.h"
#include "tests/unit/policy/suites.h"

/* Calls that no filter may have a row to allow, whatever the arguments. */
static const char *const forbidden[] = {
	"execve",
	"execveat",
	"ptrace",
	"process_vm_readv",
	"process_vm_writev",
	"process_madvise",
	"open",
	"openat",
	"openat2",
	"open_by_handle_at",
	"creat",
	"socket",
	"socketpair",
	"connect",
	"bind",
	"listen",
	"accept",
	"accept4",
	"bpf",
	"mount",
	"umount2",
	"pivot_root",
	"chroot",
	"setns",
	"unshare",
	"fsopen",
	"fsmount",
	"move_mount",
	"open_tree",
	"mount_setattr",
	"fork",
	"vfork",
	"kill",
	"keyctl",
	"add_key",
	"request_key",
	"userfaultfd",
	"io_uring_setup",
	"perf_event_open",
	"memfd_create",
	"memfd_secret",
	"pidfd_open",
	"pidfd_getfd",
	"setuid",
	"setgid",
	"setresuid",
	"setresgid",
	"setgroups",
	"capset",
	"personality",
	"modify_ldt",
	"init_module",
	"finit_module",
	"kexec_load",
	"reboot",
	"shmget",
	"shmat",
	"mq_open",
	"unlink",
	"unlinkat",
	"rename",
	"renameat2",
	"mkdir",
	"mkdirat",
	"mknod",
	"mknodat",
	"link",
	"linkat",
	"symlink",
	"symlinkat",
	"chmod",
	"fchmodat",
	"chown",
	"fchownat",
	"truncate",
	"dup",
	"dup2",
	"dup3",
	"remap_file_pages",
	"process_mrelease",
	"uselib",
	"landlock_add_rule",
};

static void test_reason(void)
{
	FOR_EACH_TABLE(t)
	{
		FOR_EACH_ROW(t, r)
		{
			CU_ASSERT_PTR_NOT_NULL_FATAL(r->why);
			CU_ASSERT(strlen(r->why) >= 5);
			if ((r->action == POLICY_ALLOW) != (r->error == 0))
				printf("\n%s: %s: error %d ", t->name, r->name,
				       r->error);
			CU_ASSERT_EQUAL(r->action == POLICY_ALLOW,
					r->error == 0);
		}
	}
}

static void test_names_are_numbers(void)
{
	FOR_EACH_TABLE(t)
	{
		FOR_EACH_ROW(t, r)
		{
			int number = policy_name_resolve(r->name);

			/* Newer than the library: only the number counts. */
			if (number < 0)
				CU_ASSERT(r->number > 449);
			if (number >= 0 && number != r->number)
				printf("\n%s is %d, not %d ", r->name, number,
				       r->number);
			if (number >= 0)
				CU_ASSERT_EQUAL(number, r->number);
		}
	}
}

static bool rows_equal(const struct policy_row *a, const struct policy_row *b)
{
	bool same = a->number == b->number;

	for (size_t i = 0; i < POLICY_TESTS_MAX; i++)
		same = same && a->test[i].op == b->test[i].op &&
		       a->test[i].arg == b->test[i].arg &&
		       a->test[i].value == b->test[i].value;
	return same;
}

/* rows_like() - how many rows of @t decide just what @row decides. */
static int rows_like(const struct policy_table *t, const struct policy_row *row)
{
	int cnt = 0;

	FOR_EACH_ROW(t, r)
	{
		/* A role may allow what a shared row, looked up later, counts.
		 */
		cnt += rows_equal(row, r) && row->action == r->action;
	}
	return cnt;
}

static void test_no_row_twice(void)
{
	FOR_EACH_TABLE(t)
	{
		FOR_EACH_ROW(t, r)
		{
			if (rows_like(t, r) != 1)
				printf("\n%s: %s twice ", t->name, r->name);
			CU_ASSERT_EQUAL(rows_like(t, r), 1);
		}
	}
}

/*
 * The named exceptions: files of the share are what the fs role works on, and
 * the monitor serves its control socket and removes what it made. Each with the
 * arguments that must be real directory fds, as bits.
 */
static const struct {
	enum role role;
	const char *name;
	uint8_t dirfds;
} named_exceptions[] = {
	{ROLE_FS, "openat2", 1 << 0},
	{ROLE_FS, "mkdirat", 1 << 0},
	{ROLE_FS, "mknodat", 1 << 0},
	{ROLE_FS, "unlinkat", 1 << 0},
	{ROLE_FS, "symlinkat", 1 << 1},
	{ROLE_FS, "fchownat", 1 << 0},
	{ROLE_FS, "linkat", 1 << 0 | 1 << 2},
	{ROLE_FS, "renameat2", 1 << 0 | 1 << 2},
	{ROLE_MONITOR, "accept4", 0},
	{ROLE_MONITOR, "unlinkat", 0},
};

/* row_is_fd() - is that argument never AT_FDCWD in the row? */
static bool row_is_fd(const struct policy_row *r, uint8_t arg)
{
	for (size_t i = 0; i < POLICY_TESTS_MAX; i++) {
		if (r->test[i].op == POLICY_CLEAR && r->test[i].arg == arg &&
		    r->test[i].value == UINT64_C(1) << 31)
			return true;
	}
	return false;
}

/* is_exception() - is @r of @t one, with all its directory fds tested? */
static bool is_exception(const struct policy_table *t,
			 const struct policy_row *r)
{
	if (t == &table_fs_main)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(named_exceptions); i++) {
		bool ok = t->role == named_exceptions[i].role &&
			  strcmp(r->name, named_exceptions[i].name) == 0;

		for (uint8_t arg = 0; arg < 6; arg++) {
			if (named_exceptions[i].dirfds >> arg & 1)
				ok = ok && row_is_fd(r, arg);
		}
		if (ok)
			return true;
	}
	return false;
}

static void test_forbidden_absent(void)
{
	FOR_EACH_TABLE(t)
	{
		FOR_EACH_ROW(t, r)
		{
			for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++) {
				if (strcmp(r->name, forbidden[i]) != 0 ||
				    r->action != POLICY_ALLOW ||
				    is_exception(t, r))
					continue;
				printf("\n%s allows %s ", t->name, r->name);
				CU_FAIL("a call that none may have");
			}
		}
	}
}

/* Calls that may only be allowed with a test of that argument. */
static const struct {
	int number;
	uint8_t arg;
} tested[] = {
	{SYS_ioctl, 1},   {SYS_prctl, 0},        {SYS_fcntl, 1},
	{SYS_mmap, 2},    {SYS_mprotect, 2},     {SYS_madvise, 2},
	{SYS_clone, 0},   {SYS_tgkill, 2},       {SYS_tkill, 1},
	{SYS_sendto, 4},  {SYS_rt_sigaction, 0}, {SYS_newfstatat, 3},
	{SYS_seccomp, 0}, {SYS_futex, 1},        {SYS_io_uring_register, 1},
	{SYS_waitid, 0},  {SYS_getsockopt, 1},   {SYS_statx, 0},
	{SYS_flock, 1},   {SYS_readlinkat, 0},   {SYS_utimensat, 0},
};

static bool has_test(const struct policy_row *r, uint8_t arg)
{
	for (size_t i = 0; i < POLICY_TESTS_MAX; i++) {
		if (r->test[i].op != POLICY_ANY && r->test[i].arg == arg)
			return true;
	}
	return false;
}

static void test_arguments_tested(void)
{
	FOR_EACH_TABLE(t)
	{
		FOR_EACH_ROW(t, r)
		{
			for (size_t i = 0; i < ARRAY_SIZE(tested); i++) {
				if (r->number != tested[i].number ||
				    r->action != POLICY_ALLOW)
					continue;
				CU_ASSERT(has_test(r, tested[i].arg));
			}
		}
	}
}

/* exec_may() - may memory get @prot by that call? */
static bool exec_may(const struct policy_table *t, int call, uint64_t prot)
{
	/* The named exception: code made at run time, never writable too. */
	if (call == SYS_mprotect &&
	    (t == &table_gpu_software || t == &table_gpu_software_queue))
		return (prot & (PROT_WRITE | PROT_EXEC)) !=
		       (PROT_WRITE | PROT_EXEC);
	return !(prot & PROT_EXEC);
}

static void test_never_executable(void)
{
	const int calls[] = {SYS_mmap, SYS_mprotect};

	FOR_EACH_TABLE(t)
	{
		for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
			for (uint64_t prot = 0; prot < 16; prot++) {
				const uint64_t args[6] = {0, 4096, prot};
				const struct policy_row *r =
					policy_match(t, calls[i], args);
				bool allowed = r && r->action == POLICY_ALLOW;

				CU_ASSERT_EQUAL(allowed,
						exec_may(t, calls[i], prot));
			}
		}
	}
}

static bool table_has(const struct policy_table *t,
		      const struct policy_row *row)
{
	FOR_EACH_ROW(t, r)
	{
		if (r->action == row->action && rows_equal(r, row))
			return true;
	}
	return false;
}

/* threads_check() - one kind of thread of the filter that is @role's now. */
static void threads_check(enum role role, enum confine_thread_kind kind)
{
	const struct policy_table *process =
		policy_table(policy_filter_of_role(role));
	enum policy_filter f = policy_filter_of_thread(role, kind);
	const uint64_t thread[6] = {0x3d0f00};
	const struct policy_row *clone;

	if (f == POLICY_FILTER_COUNT)
		return;
	CU_ASSERT_EQUAL(policy_table(f)->role, role);
	FOR_EACH_ROW(policy_table(f), r)
	{
		/* What is refused may be refused to a thread alone. */
		if (r->action != POLICY_ALLOW || table_has(process, r))
			continue;
		printf("\n%s: %s ", policy_table(f)->name, r->name);
		CU_FAIL("a thread is allowed what its process is not");
	}
	/* None of them makes threads any more. */
	clone = policy_match(policy_table(f), SYS_clone, thread);
	CU_ASSERT(!clone || clone->action == POLICY_REFUSE_QUIET);
}

/* A thread's filter adds to its process's: what only it allows is dead. */
static void test_threads_get_less(void)
{
	const enum policy_filter variants[] = {POLICY_FILTER_GPU_SOFTWARE,
					       POLICY_FILTER_GPU};

	/* The last one is a role's own: nothing is chosen afterwards. */
	for (size_t v = 0; v < ARRAY_SIZE(variants); v++) {
		policy_variant_choose(variants[v]);
		for (int role = 0; role < ROLE_COUNT; role++) {
			for (int kind = 0; kind < CONFINE_THREAD_COUNT; kind++)
				threads_check((enum role)role,
					      (enum confine_thread_kind)kind);
		}
	}
}

/* Types of ioctl requests that a role's rows may be of. */
static const char ioctl_types[ROLE_COUNT][8] = {
	[ROLE_MONITOR] = {'T'}, [ROLE_VMM] = {(char)0xae},
	[ROLE_BLK] = {0},       [ROLE_NET] = {'T', (char)0xaf},
	[ROLE_FS] = {0},        [ROLE_GPU] = {'d', 'b', '>', 'u'},
};

static void test_ioctl_families(void)
{
	FOR_EACH_TABLE(t)
	{
		FOR_EACH_ROW(t, r)
		{
			char type = (char)(r->test[0].value >> 8 & 0xff);

			if (r->number != SYS_ioctl || r->action != POLICY_ALLOW)
				continue;
			CU_ASSERT_EQUAL(r->test[0].arg, 1);
			CU_ASSERT(
				r->test[0].op == POLICY_EQ32 ||
				(r->test[0].op == POLICY_EQ16 && type == 'd'));
			CU_ASSERT_PTR_NOT_NULL(
				memchr(ioctl_types[t->role], type, 8));
			CU_ASSERT_NOT_EQUAL(type, 0);
		}
	}
	/* The threads with the channels have no device at all. */
	FOR_EACH_ROW(&table_gpu_main, r)
	{
		CU_ASSERT(r->number != SYS_ioctl || r->action != POLICY_ALLOW);
	}
	FOR_EACH_ROW(&table_fs_main, r)
	{
		CU_ASSERT(r->number != SYS_openat2);
	}
}

static void test_variants(void)
{
	CU_ASSERT_EQUAL(policy_filter_of_role(ROLE_GPU), POLICY_FILTER_GPU);
	policy_variant_choose(POLICY_FILTER_GPU_SOFTWARE);
	CU_ASSERT_EQUAL(policy_filter_of_role(ROLE_GPU),
			POLICY_FILTER_GPU_SOFTWARE);
	CU_ASSERT_EQUAL(policy_filter_of_role(ROLE_BLK), POLICY_FILTER_BLK);
	CU_ASSERT_EQUAL(policy_filter_of_thread(ROLE_GPU, CONFINE_THREAD_QUEUE),
			POLICY_FILTER_GPU_SOFTWARE_QUEUE);
	CU_ASSERT_EQUAL(policy_filter_of_thread(ROLE_GPU, CONFINE_THREAD_MAIN),
			POLICY_FILTER_GPU_MAIN);
	policy_variant_choose(POLICY_FILTER_GPU);
	CU_ASSERT_EQUAL(policy_filter_of_role(ROLE_GPU), POLICY_FILTER_GPU);
	for (int role = 0; role < ROLE_COUNT; role++) {
		enum policy_filter f = policy_filter_of_role((enum role)role);

		CU_ASSERT_STRING_EQUAL(policy_table(f)->name,
				       role_info((enum role)role)->name);
		CU_ASSERT_EQUAL(policy_table(f)->role, (enum role)role);
	}
}

static void test_lookup(void)
{
	const uint64_t thread[6] = {0x3d0f00};

	CU_ASSERT_EQUAL(policy_filter_by_name("vmm-vcpu"),
			POLICY_FILTER_VMM_VCPU);
	CU_ASSERT_EQUAL(policy_filter_by_name("nobody"), POLICY_FILTER_COUNT);
	CU_ASSERT_PTR_NOT_NULL(policy_match(&table_vmm, SYS_clone, thread));
	/* No ioctl for blk but those that libc makes unasked. */
	FOR_EACH_ROW(&table_blk, r)
	{
		if (r->number == SYS_ioctl)
			CU_ASSERT_EQUAL(r->action, POLICY_REFUSE);
	}
}

const struct unit_case cases_table[] = {
	UNIT_CASE(test_reason),           UNIT_CASE(test_names_are_numbers),
	UNIT_CASE(test_no_row_twice),     UNIT_CASE(test_forbidden_absent),
	UNIT_CASE(test_arguments_tested), UNIT_CASE(test_never_executable),
	UNIT_CASE(test_threads_get_less), UNIT_CASE(test_lookup),
	UNIT_CASE(test_ioctl_families),   UNIT_CASE(test_variants),
};
