// SPDX-License-Identifier: Apache-2.0
/*
 * unasked.c - calls that libc or a newer libc makes on its own, and for which
 * it has an answer when they are refused. Each is counted. Numbers that the
 * base distribution's headers lack are given.
 */
#include <errno.h>
#include <sys/prctl.h>

#include "policy/rows.h"

#define TCGETS 0x5401
#define TCGETS2 0x802c542a
#define TIOCGWINSZ 0x5413

static const struct policy_row rows[] = {
	REFUSE(getrandom, ENOSYS, "malloc's tcache key, arc4random"),
	REFUSE(futex_waitv, ENOSYS, "newer libc"),
	REFUSE_NR(futex_wake, 454, ENOSYS, "newer libc"),
	REFUSE_NR(futex_wait, 455, ENOSYS, "newer libc"),
	REFUSE_NR(futex_requeue, 456, ENOSYS, "newer libc"),
	REFUSE(rseq, ENOSYS, "newer libc, outside the start of a thread"),
	REFUSE(membarrier, ENOSYS, "libc, registration"),
	REFUSE(getcpu, ENOSYS, "sched_getcpu without rseq"),
	REFUSE(sched_getaffinity, EPERM, "CPU count for malloc arenas"),
	REFUSE(sysinfo, EPERM, "memory size, qsort of older libcs"),
	REFUSE(uname, EPERM, "kernel version"),
	REFUSE(prlimit64, EPERM, "getrlimit, stack size of a new thread"),
	REFUSE(getrlimit, EPERM, "stack size of a new thread"),
	REFUSE(getuid, EPERM, "secure_getenv and the like"),
	REFUSE(geteuid, EPERM, "secure_getenv and the like"),
	REFUSE(getgid, EPERM, "secure_getenv and the like"),
	REFUSE(getegid, EPERM, "secure_getenv and the like"),
	REFUSE(statx, ENOSYS, "stat of newer libcs"),
	REFUSE(readlink, ENOENT, "libc's look at its own path"),
	REFUSE(readlinkat, ENOENT, "libc's look at its own path"),
	REFUSE(sigaltstack, EPERM, "sanitizers and debuggers' libraries"),
	REFUSE_NR(map_shadow_stack, 453, ENOSYS, "newer libc with CET"),
	REFUSE_NR(mseal, 462, ENOSYS, "newer libc"),
	REFUSE_IF(ioctl, T_EQ(1, TCGETS), ENOTTY, "isatty of stdio"),
	REFUSE_IF(ioctl, T_EQ(1, TCGETS2), ENOTTY, "isatty of newer libcs"),
	REFUSE_IF(ioctl, T_EQ(1, TIOCGWINSZ), ENOTTY, "isatty of musl"),
	REFUSE_IF(prctl, T_EQ(0, PR_SET_VMA), EINVAL,
		  "names of malloc's mappings, glibc 2.41"),
};
POLICY_SET(set_unasked, rows);
