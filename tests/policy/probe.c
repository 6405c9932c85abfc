// SPDX-License-Identifier: Apache-2.0
/*
 * probe.c - a process of every role in turn: goes behind the role's real walls
 * as a child does and then does one thing that the test asked for.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ipc/frame.h"
#include "ipc/spawn.h"
#include "policy/facts.h"
#include "policy/violation.h"
#include "tests/policy/escapes.h"
#include "tests/policy/probe.h"
#include "tests/policy/rows.h"

#define LOG_MODULE "probe"
#include "ipc/log.h"

static struct probe_request request;

static uint64_t probe_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static long probe_call(long number, const uint64_t args[6])
{
	long ret = syscall(number, args[0], args[1], args[2], args[3], args[4],
			   args[5]);

	return ret < 0 ? -errno : ret;
}

static long probe_escape(const struct escape *e)
{
	uint64_t args[6];

	if (e->fn)
		return e->fn();
	for (size_t i = 0; i < 6; i++) {
		args[i] = e->args[i];
		if (args[i] == ESCAPE_SIBLING)
			args[i] = (uint64_t)escape_sibling;
		if (args[i] == ESCAPE_MONITOR)
			args[i] = (uint64_t)escape_monitor;
	}
	return probe_call(e->number, args);
}

/* probe_process() - the table of the process's filter. */
static const struct policy_table *probe_process(void)
{
	return policy_table(policy_filter_of_role(request.role));
}

/* probe_table() - of the thread that calls; its process's without one. */
static const struct policy_table *probe_table(void)
{
	enum policy_filter f = policy_filter_of_role(request.role);

	if (request.thread != PROBE_NO_THREAD &&
	    policy_filter_of_thread(request.role, request.thread) !=
		    POLICY_FILTER_COUNT)
		f = policy_filter_of_thread(request.role, request.thread);
	return policy_table(f);
}

/* probe_row() - the call of one row; is it answered as the row says? */
static bool probe_row(const struct policy_row *row, struct probe_result *r)
{
	uint64_t args[6];

	if (!rows_args(probe_table(), probe_process(), row, args))
		return true;
	r->tried++;
	r->ret = probe_call(row->number, args);
	if (row->action != POLICY_ALLOW)
		return r->ret == -row->error;
	/* Through to the kernel, which looks at the fd first. */
	return row->number != SYS_ioctl || r->ret == -EBADF;
}

/* probe_rows() - every row; a wrong answer is told, a kill tells itself. */
static void probe_rows(struct probe_result *r)
{
	const struct policy_table *t = probe_table();
	const struct policy_row *row;

	for (r->row = 0; (row = rows_at(t, r->row)); r->row++) {
		if (!probe_row(row, r))
			return;
	}
	r->ret = 0;
}

/* probe_neighbour() - a call that one row just does not allow. */
static long probe_neighbour(void)
{
	const struct policy_table *t = probe_table();
	const struct policy_row *row = rows_at(t, request.escape);
	uint64_t args[6];

	if (!row || !rows_neighbour(t, probe_process(), row, args))
		return -EINVAL;
	return probe_call(row->number, args);
}

static void *probe_nothing(void *arg)
{
	return arg;
}

/* probe_more_threads() - a renderer's pool asks for one: refused, not dead. */
static long probe_more_threads(void)
{
	pthread_t t;
	int err = pthread_create(&t, NULL, probe_nothing, NULL);

	return err == EAGAIN ? 0 : -EPROTO;
}

/* probe_code() - what a renderer in software does: code made at run time. */
static long probe_code(void)
{
	static const uint8_t code[] = {0xb8, 42, 0, 0, 0, 0xc3};
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*fn)(void);

	if (p == MAP_FAILED)
		return -errno;
	memcpy(p, code, sizeof(code));
	if (mprotect(p, 4096, PROT_READ | PROT_EXEC) < 0)
		return -errno;
	memcpy(&fn, &p, sizeof(fn));
	if (fn() != 42)
		return -EPROTO;
	return munmap(p, 4096) < 0 ? -errno : 0;
}

/* probe_role_work() - what only some may do. */
static long probe_role_work(void)
{
	long ret = 0;

	if (request.role == ROLE_GPU && request.thread == CONFINE_THREAD_QUEUE)
		ret = probe_more_threads();
	if (ret == 0 && request.role == ROLE_GPU &&
	    request.variant == POLICY_FILTER_GPU_SOFTWARE &&
	    request.thread != CONFINE_THREAD_MAIN)
		ret = probe_code();
	return ret;
}

/* Everything here must work behind the walls of every role. */
static long probe_work(void)
{
	char *big = malloc(16u << 20), *text = NULL;
	pthread_t t;

	if (!big)
		return -ENOMEM;
	memset(big, 1, 16u << 20);
	big = realloc(big, 48u << 20);
	if (!big)
		return -ENOMEM;
	free(big);
	/* A log line at each level; the time is formatted without zone file. */
	log_set_level(LOG_LEVEL_DEBUG);
	log_err("err %d", 1);
	log_warn("warn %d", 2);
	log_info("info %d", 3);
	log_debug("debug %d", 4);
	if (asprintf(&text, "%s %f", strerror(EIO), 1.5) < 0)
		return -ENOMEM;
	free(text);
	/* Only a process that has not dropped it may make a thread. */
	if (request.thread != PROBE_NO_THREAD || request.role == ROLE_MONITOR)
		return probe_role_work();
	for (int i = 0; i < 4; i++) {
		int err = pthread_create(&t, NULL, probe_nothing, NULL);

		if (err)
			return -err;
		err = pthread_join(t, NULL);
		if (err)
			return -err;
	}
	return probe_role_work();
}

static void probe_result_send(struct probe_result r)
{
	r.refusals = confine_refusals();
	if (write(CHILD_FD_CONTROL, &r, sizeof(r)) != sizeof(r))
		_exit(3);
}

/* The attempt, by whichever thread is to make it. */
static void *probe_attempt(void *arg)
{
	struct probe_result r = {.ret = 0};
	int ret = 0;

	if (request.thread != PROBE_NO_THREAD)
		ret = confine_thread(request.thread);
	if (ret < 0)
		_exit(4);
	switch (request.what) {
	case PROBE_ESCAPE:
		r.ret = probe_escape(&escapes[request.escape]);
		break;
	case PROBE_ROWS:
		probe_rows(&r);
		break;
	case PROBE_NEIGHBOUR:
		r.ret = probe_neighbour();
		break;
	case PROBE_WORK:
		r.ret = probe_work();
		break;
	case PROBE_ABORT:
		abort();
	case PROBE_STAY:
		break;
	}
	probe_result_send(r);
	return arg;
}

static void *probe_sleep(void *arg)
{
	pause();
	return arg;
}

/* probe_facts_send() - as one datagram. 0 or -errno. */
static int probe_facts_send(Bulkhead__Facts__Facts *f)
{
	static uint8_t bytes[FRAME_PAYLOAD_MAX];
	size_t len = bulkhead__facts__facts__get_packed_size(f);

	if (len > sizeof(bytes))
		return -EMSGSIZE;
	(void)bulkhead__facts__facts__pack(f, bytes);
	facts_free(f);
	return write(CHILD_FD_CONTROL, bytes, len) == (ssize_t)len ? 0 : -EIO;
}

static int probe_confine(void)
{
	static struct probe_report r;
	pthread_t second;

	if (request.two_threads &&
	    pthread_create(&second, NULL, probe_sleep, NULL) != 0)
		return -EAGAIN;
	confine_allow_missing(request.allow_missing);
	policy_variant_choose(request.variant);
	escape_sibling = request.sibling;
	escape_monitor = request.monitor;
	/* The monitor reports on its fd 2, children on their log channel. */
	if (request.role == ROLE_MONITOR &&
	    dup2(CHILD_FD_LOG, STDERR_FILENO) < 0)
		return -errno;
	r.cpu_ns = probe_clock(CLOCK_PROCESS_CPUTIME_ID);
	r.wall_ns = probe_clock(CLOCK_MONOTONIC);
	r.ret = confine_enter(request.role, request.mode, &r.report);
	r.cpu_ns = probe_clock(CLOCK_PROCESS_CPUTIME_ID) - r.cpu_ns;
	r.wall_ns = probe_clock(CLOCK_MONOTONIC) - r.wall_ns;
	if (write(CHILD_FD_CONTROL, &r, sizeof(r)) != sizeof(r))
		return -EIO;
	if (r.report.facts && probe_facts_send(r.report.facts) < 0)
		return -EIO;
	return r.ret;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char end;

	if (argc != 2)
		return 2;
	if (confine_early((enum role)atoi(argv[1])) < 0)
		return 2;
	if (read(CHILD_FD_CONTROL, &request, sizeof(request)) !=
	    sizeof(request))
		return 2;
	log_to_channel(role_info(request.role)->name, CHILD_FD_LOG);
	if (probe_confine() < 0)
		return 1;
	if (request.thread == PROBE_NO_THREAD ||
	    request.thread == CONFINE_THREAD_MAIN) {
		probe_attempt(NULL);
	} else {
		if (pthread_create(&thread, NULL, probe_attempt, NULL) != 0)
			return 1;
		if (pthread_join(thread, NULL) != 0)
			return 1;
	}
	/* The test looks at us from outside meanwhile. */
	return read(CHILD_FD_CONTROL, &end, 1) == 0 ? 0 : 1;
}
