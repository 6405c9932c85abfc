// SPDX-License-Identifier: Apache-2.0
/*
 * thread.c - rows for threads. Making one is a set of its own, which a process
 * loses when its last thread exists (confine_thread). glibc tries clone3 first;
 * its argument is in memory and cannot be tested, so it is refused and glibc
 * takes clone with the flags below.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include "policy/rows.h"

/* pthread_create of glibc 2.36..2.41 and musl (which adds CLONE_DETACHED). */
#define THREAD_FLAGS                                                        \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
	 CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |               \
	 CLONE_CHILD_CLEARTID)

#define FUTEX_ROW(op, reason)                   \
	ALLOW_IF(futex, T_EQ(1, (op)), reason), \
		ALLOW_IF(futex, T_EQ(1, (op) | FUTEX_PRIVATE_FLAG), reason)
#define FUTEX_CLOCK_ROW(op, reason)                                    \
	ALLOW_IF(futex, T_EQ(1, (op) | FUTEX_CLOCK_REALTIME), reason), \
		ALLOW_IF(futex,                                        \
			 T_EQ(1, (op) | FUTEX_PRIVATE_FLAG |           \
					 FUTEX_CLOCK_REALTIME),        \
			 reason)

static const struct policy_row thread_rows[] = {
	FUTEX_ROW(FUTEX_WAIT, "mutexes, pthread_join"),
	FUTEX_ROW(FUTEX_WAKE, "mutexes, end of a thread"),
	FUTEX_ROW(FUTEX_WAIT_BITSET, "condition variables, pthread_join"),
	FUTEX_CLOCK_ROW(FUTEX_WAIT_BITSET, "pthread_join, timed waits"),
	FUTEX_ROW(FUTEX_REQUEUE, "condition variables of musl"),
	ALLOW(gettid, "pthread_kill, raise"),
	ALLOW(getpid, "raise, abort; log records"),
	ALLOW_IF(prctl, T_EQ(0, PR_SET_NAME), "names of threads"),
	/* A new thread's first call, with all signals blocked. */
	REFUSE_QUIET(set_robust_list, ENOSYS, "start of a thread; unused"),
};
POLICY_SET(set_thread, thread_rows);

static const struct policy_row new_rows[] = {
	ALLOW_IF(clone, T_EQ64(0, THREAD_FLAGS), "pthread_create (glibc)"),
	/* Signals 32 and 33 are libc's own. */
	ALLOW_IF(rt_sigaction, T_EQ(0, 32), "pthread_cancel's handler"),
	ALLOW_IF(rt_sigaction, T_EQ(0, 33), "first pthread_create: setxid"),
	ALLOW_IF(clone, T_EQ64(0, THREAD_FLAGS | 0x00400000),
		 "pthread_create (musl, with the old CLONE_DETACHED)"),
	REFUSE_QUIET(clone3, ENOSYS,
		     "pthread_create tries it first; takes clone then"),
	/* glibc aborts where the first thread had it and the next has not. */
	ALLOW(rseq, "start of a thread (glibc)"),
};
POLICY_SET(set_thread_new, new_rows);
