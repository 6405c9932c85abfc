/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the system calls of a role or thread as data: who needs which call,
 * with which arguments, and why. The rows are turned into BPF at build time
 * (policygen), shown to people (show.h), and looked up by the violation
 * handler; constant data only.
 */
#ifndef POLICY_TABLE_H
#define POLICY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "ipc/compiler.h"
#include "policy/confine.h"
#include "policy/role.h"

/* What becomes of a call that a row matches; without a row it kills. */
enum policy_action {
	POLICY_ALLOW,
	/* Made unasked by libc or a new kernel: @error, counted. */
	POLICY_REFUSE,
	/*
	 * The same for calls made while signals are blocked (thread start):
	 * refused by the kernel itself, hence not counted.
	 */
	POLICY_REFUSE_QUIET,
	POLICY_ACTION_COUNT
};

/*
 * Tests of one argument. The kernel takes int arguments from the low half of
 * the register and libcs differ in what is in the upper one: 32-bit tests look
 * at the low half only. The 16-bit one is for ioctl requests of which the
 * kernel looks at type and number only (DRM), while direction and size change
 * with each version of the headers.
 */
enum policy_op {
	POLICY_ANY,    /* no test */
	POLICY_EQ16,   /* low 16 bits equal value */
	POLICY_EQ32,   /* low 32 bits equal value */
	POLICY_EQ64,   /* all bits equal value */
	POLICY_CLEAR,  /* no bit of value is set */
	POLICY_ONLY32, /* low half has no bit outside value */
	POLICY_OP_COUNT
};

#define POLICY_TESTS_MAX 3

/**
 * struct policy_test - all tests of a row must hold
 * @arg: 0..5
 * @text: @value as it is written in the table; for people
 */
struct policy_test {
	enum policy_op op;
	uint8_t arg;
	uint64_t value;
	const char *text;
};

/**
 * struct policy_row - one call, or one form of it
 * @name: as the kernel's table has it
 * @number: x86-64
 * @error: positive errno of the REFUSE actions
 * @test: until the first POLICY_ANY
 * @why: caller (file or function) and purpose
 */
struct policy_row {
	const char *name;
	int number;
	enum policy_action action;
	int error;
	struct policy_test test[POLICY_TESTS_MAX];
	const char *why;
};

/**
 * struct policy_set - rows that belong together
 * @name: file they are in, for example "memory"
 */
struct policy_set {
	const char *name;
	const struct policy_row *rows;
	size_t cnt;
};

#define POLICY_SETS_MAX 20

/**
 * struct policy_table - all rows of one filter
 * @name: role, or role-thread: "vmm", "vmm-vcpu"
 * @role: whose process it is loaded in
 * @sets: until the first NULL
 */
struct policy_table {
	const char *name;
	enum role role;
	const struct policy_set *sets[POLICY_SETS_MAX];
};

/*
 * The filters that are built: one per role, one per kind of thread that has its
 * own, one per variant of a role.
 */
enum policy_filter {
	POLICY_FILTER_MONITOR,
	POLICY_FILTER_VMM,
	POLICY_FILTER_BLK,
	POLICY_FILTER_NET,
	POLICY_FILTER_FS,
	POLICY_FILTER_GPU,
	POLICY_FILTER_GPU_SOFTWARE, /* variant of GPU: code made at run time */
	POLICY_FILTER_VMM_MAIN,
	POLICY_FILTER_VMM_VCPU,
	POLICY_FILTER_BLK_MAIN,
	POLICY_FILTER_BLK_QUEUE,
	POLICY_FILTER_NET_MAIN,
	POLICY_FILTER_NET_QUEUE,
	POLICY_FILTER_FS_MAIN,
	POLICY_FILTER_FS_QUEUE,
	POLICY_FILTER_GPU_MAIN,
	POLICY_FILTER_GPU_QUEUE,
	POLICY_FILTER_GPU_SOFTWARE_QUEUE,
	POLICY_FILTER_COUNT
};

/* The call that kills without a report; the violation handler ends with it. */
#define POLICY_KILL_CALL SYS_uselib

/** policy_table() - never NULL below POLICY_FILTER_COUNT. */
const struct policy_table *policy_table(enum policy_filter filter);

/**
 * policy_filter_of_role() - the process filter of @role; the chosen variant
 * where there is one
 */
enum policy_filter policy_filter_of_role(enum role role);

/**
 * policy_variant_choose() - a process filter instead of its role's own
 * Before confine_enter(), by the only thread.
 * @filter: the role's own or a variant of it, as POLICY_FILTER_GPU_SOFTWARE
 */
void policy_variant_choose(enum policy_filter filter);

/**
 * policy_filter_of_thread() - POLICY_FILTER_COUNT if threads of that kind in
 * that role have no filter of their own
 */
enum policy_filter policy_filter_of_thread(enum role role,
					   enum confine_thread_kind kind);

/** policy_filter_by_name() - POLICY_FILTER_COUNT if there is none. */
enum policy_filter policy_filter_by_name(const char *name);

/** policy_row_matches() - is it that call, and do all tests hold? */
bool policy_row_matches(const struct policy_row *row, int number,
			const uint64_t args[6]);

/**
 * policy_match() - the row that decides a call; NULL: kill
 * Context: async-signal-safe.
 */
const struct policy_row *policy_match(const struct policy_table *t, int number,
				      const uint64_t args[6]);

#endif
