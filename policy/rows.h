/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - makers of rows, and the sets and tables that are made of them. For
 * policy/common, policy/roles and table.c.
 */
#ifndef POLICY_ROWS_H
#define POLICY_ROWS_H

#include <sys/syscall.h>

#include "policy/table.h"

/* Row makers: T_... are tests, the last argument says who needs it. */
#define T_EQ(n, v)                                                    \
	{                                                             \
		.op = POLICY_EQ32, .arg = (n), .value = (uint32_t)(v) \
	}
#define T_EQ64(n, v)                                                  \
	{                                                             \
		.op = POLICY_EQ64, .arg = (n), .value = (uint64_t)(v) \
	}
#define T_CLEAR(n, v)                                                  \
	{                                                              \
		.op = POLICY_CLEAR, .arg = (n), .value = (uint64_t)(v) \
	}
#define T_ONLY(n, v)                                                    \
	{                                                               \
		.op = POLICY_ONLY32, .arg = (n), .value = (uint32_t)(v) \
	}

#define ALLOW(call, reason)                                                  \
	{                                                                    \
		.name = #call, .number = SYS_##call, .action = POLICY_ALLOW, \
		.why = (reason)                                              \
	}
#define ALLOW_IF(call, test0, reason)                                        \
	{                                                                    \
		.name = #call, .number = SYS_##call, .action = POLICY_ALLOW, \
		.test = {test0}, .why = (reason)                             \
	}
#define ALLOW_IF2(call, test0, test1, reason)                                \
	{                                                                    \
		.name = #call, .number = SYS_##call, .action = POLICY_ALLOW, \
		.test = {test0, test1}, .why = (reason)                      \
	}
#define REFUSE_NR(call, nr, err, reason)                                \
	{                                                               \
		.name = #call, .number = (nr), .action = POLICY_REFUSE, \
		.error = (err), .why = (reason)                         \
	}
#define REFUSE(call, err, reason) REFUSE_NR(call, SYS_##call, err, reason)
#define REFUSE_IF(call, test0, err, reason)                                   \
	{                                                                     \
		.name = #call, .number = SYS_##call, .action = POLICY_REFUSE, \
		.error = (err), .test = {test0}, .why = (reason)              \
	}
#define REFUSE_QUIET(call, err, reason)                                        \
	{                                                                      \
		.name = #call, .number = SYS_##call,                           \
		.action = POLICY_REFUSE_QUIET, .error = (err), .why = (reason) \
	}

#define POLICY_SET(id, rows_)          \
	const struct policy_set id = { \
		.name = #id, .rows = (rows_), .cnt = ARRAY_SIZE(rows_)}

/* common/: rows shared by the roles. */
extern const struct policy_set set_memory;
extern const struct policy_set set_thread;
extern const struct policy_set set_thread_new;
extern const struct policy_set set_signal;
extern const struct policy_set set_end;
extern const struct policy_set set_time;
extern const struct policy_set set_event;
extern const struct policy_set set_channel;
extern const struct policy_set set_data;
extern const struct policy_set set_report;
extern const struct policy_set set_unasked;

/* roles/: one table each. */
extern const struct policy_table table_monitor;
extern const struct policy_table table_vmm;
extern const struct policy_table table_vmm_main;
extern const struct policy_table table_vmm_vcpu;
extern const struct policy_table table_blk;
extern const struct policy_table table_blk_main;
extern const struct policy_table table_blk_queue;

#endif
