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
#define T_TEST(op_, n, v, text_)                                       \
	{                                                              \
		.op = (op_), .arg = (n), .value = (v), .text = (text_) \
	}
/* With a name for people where the value comes out of another macro. */
#define T_EQ_AS(n, v, name) T_TEST(POLICY_EQ32, n, (uint32_t)(v), name)
#define T_EQ16_AS(n, v, name) T_TEST(POLICY_EQ16, n, (uint16_t)(v), name)
#define T_EQ(n, v) T_TEST(POLICY_EQ32, n, (uint32_t)(v), #v)
#define T_EQ64(n, v) T_TEST(POLICY_EQ64, n, (uint64_t)(v), #v)
#define T_CLEAR(n, v) T_TEST(POLICY_CLEAR, n, (uint64_t)(v), #v)
#define T_ONLY(n, v) T_TEST(POLICY_ONLY32, n, (uint32_t)(v), #v)
/* A real fd: AT_FDCWD and every other special value is negative. */
#define T_FD(n) T_TEST(POLICY_CLEAR, n, UINT64_C(1) << 31, "NEGATIVE")

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
#define ALLOW_IF3(call, test0, test1, test2, reason)                         \
	{                                                                    \
		.name = #call, .number = SYS_##call, .action = POLICY_ALLOW, \
		.test = {test0, test1, test2}, .why = (reason)               \
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
extern const struct policy_set set_ring;
extern const struct policy_set set_ring_enable;
extern const struct policy_set set_queue;
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
extern const struct policy_table table_net;
extern const struct policy_table table_net_main;
extern const struct policy_table table_net_queue;
extern const struct policy_table table_fs;
extern const struct policy_table table_fs_main;
extern const struct policy_table table_fs_queue;
extern const struct policy_table table_gpu;
extern const struct policy_table table_gpu_main;
extern const struct policy_table table_gpu_queue;
extern const struct policy_table table_gpu_software;
extern const struct policy_table table_gpu_software_queue;

#endif
