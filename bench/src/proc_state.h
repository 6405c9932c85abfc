/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc_state.h - what the kernel says of a measured process: the filters of its
 * threads, and its CPU time.
 */
#ifndef BENCH_SRC_PROC_STATE_H
#define BENCH_SRC_PROC_STATE_H

#include <stdint.h>
#include <sys/types.h>

#include "ipc/compiler.h"

#define PROC_THREADS_MAX 32u

/**
 * struct proc_thread - one thread as /proc/PID/task/TID/status has it
 * @seccomp: 0 none, 2 filtered
 * @filters: how many lie on it
 */
struct proc_thread {
	pid_t tid;
	char name[32];
	unsigned seccomp;
	unsigned filters;
};

/**
 * struct proc_threads - thread[0..cnt), the first thread first
 */
struct proc_threads {
	struct proc_thread thread[PROC_THREADS_MAX];
	unsigned cnt;
};

/** proc_threads_read() - 0; -E2BIG more than PROC_THREADS_MAX; -errno. */
MUST_CHECK int proc_threads_read(pid_t pid, struct proc_threads *ret_threads);

/** proc_cpu_ns() - CPU time of all its threads so far. 0 or -errno. */
MUST_CHECK int proc_cpu_ns(pid_t pid, uint64_t *ret_ns);

/**
 * proc_wait_ns() - how long its threads were ready to run, and others ran
 * Return: 0; -ENODATA the kernel does not tell; -errno.
 */
MUST_CHECK int proc_wait_ns(pid_t pid, uint64_t *ret_ns);
/** proc_wait_own_ns() - the same of the calling thread alone. */
MUST_CHECK int proc_wait_own_ns(uint64_t *ret_ns);

/** proc_warm() - reads a file into the page cache. 0 or -errno. */
MUST_CHECK int proc_warm(int fd, uint64_t bytes);

/**
 * proc_cached() - part of a file that is in the page cache, 0..1
 * Return: 0 or -errno.
 */
MUST_CHECK int proc_cached(int fd, uint64_t bytes, double *ret_part);

#endif
