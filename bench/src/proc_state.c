// SPDX-License-Identifier: Apache-2.0
/*
 * proc_state.c - what the kernel says of a measured process; see proc_state.h.
 * Runs in measuring programs.
 */
#include "bench/src/proc_state.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* proc_field() - value of a line "@key:\tNUMBER"; counts in @found. */
static void proc_field(const char *line, const char *key, unsigned *ret_value,
		       unsigned *found)
{
	size_t len = strlen(key);
	unsigned long v;
	char *end;

	if (strncmp(line, key, len) != 0 || line[len] != ':')
		return;
	v = strtoul(line + len + 1, &end, 10);
	if (*end != '\n' || v > UINT_MAX)
		return;
	*ret_value = (unsigned)v;
	(*found)++;
}

/* proc_thread_read() - one thread's name and filters. 0 or -errno. */
static int proc_thread_read(pid_t pid, pid_t tid, struct proc_thread *ret)
{
	char path[64];
	char line[256];
	unsigned found = 0;
	FILE *f;

	*ret = (struct proc_thread){.tid = tid};
	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "Name:\t", 6) == 0)
			snprintf(ret->name, sizeof(ret->name), "%.*s",
				 (int)strcspn(line + 6, "\n"), line + 6);
		proc_field(line, "Seccomp", &ret->seccomp, &found);
		proc_field(line, "Seccomp_filters", &ret->filters, &found);
	}
	fclose(f);
	return found == 2 ? 0 : -ENODATA;
}

/**
 * proc_each_thread() - calls @fn for each thread of @pid
 * Return: 0; what @fn returned first; -ENODATA there was no thread; -errno.
 */
static int proc_each_thread(pid_t pid,
			    int (*fn)(pid_t pid, pid_t tid, void *ctx),
			    void *ctx)
{
	char path[64];
	bool found = false;
	int rc = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)
		return -errno;
	for (struct dirent *e = readdir(d); e && !rc; e = readdir(d)) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		found = true;
		rc = fn(pid, tid, ctx);
	}
	closedir(d);
	return rc < 0 || found ? rc : -ENODATA;
}

static int proc_thread_add(pid_t pid, pid_t tid, void *ctx)
{
	struct proc_threads *t = ctx;

	if (t->cnt == PROC_THREADS_MAX)
		return -E2BIG;
	return proc_thread_read(pid, tid, &t->thread[t->cnt++]);
}

int proc_threads_read(pid_t pid, struct proc_threads *ret_threads)
{
	ret_threads->cnt = 0;
	return proc_each_thread(pid, proc_thread_add, ret_threads);
}

static int proc_wait_add(pid_t pid, pid_t tid, void *ctx)
{
	uint64_t *sum = ctx;
	char path[64];
	char line[128];
	char *at = line;
	char *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	/* Time on a CPU, then time that it waited for one. */
	(void)strtoull(line, &at, 10);
	*sum += strtoull(at, &end, 10);
	return at != line && end != at ? 0 : -ENODATA;
}

int proc_wait_ns(pid_t pid, uint64_t *ret_ns)
{
	*ret_ns = 0;
	return proc_each_thread(pid, proc_wait_add, ret_ns);
}

int proc_wait_own_ns(uint64_t *ret_ns)
{
	*ret_ns = 0;
	return proc_wait_add(getpid(), gettid(), ret_ns);
}

int proc_cpu_ns(pid_t pid, uint64_t *ret_ns)
{
	struct timespec t;
	clockid_t clock;
	int err = clock_getcpuclockid(pid, &clock);

	if (err)
		return -err;
	if (clock_gettime(clock, &t) < 0)
		return -errno;
	*ret_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return 0;
}

int proc_warm(int fd, uint64_t bytes)
{
	const size_t chunk = 1u << 20;
	void *buf = malloc(chunk);
	int rc = buf ? 0 : -ENOMEM;

	for (uint64_t at = 0; !rc && at < bytes; at += chunk) {
		if (pread(fd, buf, chunk, (off_t)at) < 0)
			rc = -errno;
	}
	free(buf);
	return rc;
}

int proc_cached(int fd, uint64_t bytes, double *ret_part)
{
	size_t pages = (size_t)((bytes + 4095) / 4096);
	unsigned char *vec = calloc(pages, 1);
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	size_t in = 0;
	int rc = 0;

	if (!vec)
		rc = -ENOMEM;
	else if (map == MAP_FAILED || mincore(map, bytes, vec) < 0)
		rc = -errno;
	for (size_t i = 0; !rc && i < pages; i++)
		in += vec[i] & 1;
	if (map != MAP_FAILED)
		munmap(map, bytes);
	free(vec);
	*ret_part = (double)in / (double)pages;
	return rc;
}
