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

static void test_forbidden_absent(void)
{
	FOR_EACH_TABLE(t)
	{
		FOR_EACH_ROW(t, r)
		{
			for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++) {
				if (strcmp(r->name, forbidden[i]) != 0)
					continue;
				printf("\n%s allows %s ", t->name, r->name);
				CU_ASSERT_NOT_EQUAL(r->action, POLICY_ALLOW);
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
	{SYS_waitid, 0},  {SYS_getsockopt, 1},
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

				CU_ASSERT_EQUAL(allowed, !(prot & PROT_EXEC));
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

/* A thread's filter adds to its process's: what only it allows is dead. */
static void test_threads_get_less(void)
{
	for (int kind = 0; kind < CONFINE_THREAD_COUNT; kind++) {
		for (int role = 0; role < ROLE_COUNT; role++) {
			enum policy_filter f = policy_filter_of_thread(
				(enum role)role,
				(enum confine_thread_kind)kind);
			const uint64_t thread[6] = {0x3d0f00};

			if (f == POLICY_FILTER_COUNT)
				continue;
			FOR_EACH_ROW(policy_table(f), r)
			{
				if (!table_has(
					    policy_table(policy_filter_of_role(
						    (enum role)role)),
					    r))
					printf("\n%s: %s ",
					       policy_table(f)->name, r->name);
				CU_ASSERT(table_has(
					policy_table(policy_filter_of_role(
						(enum role)role)),
					r));
			}
			/* None of them makes threads any more. */
			CU_ASSERT_PTR_NULL(policy_match(policy_table(f),
							SYS_clone, thread));
		}
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
};
