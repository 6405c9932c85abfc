// SPDX-License-Identifier: Apache-2.0
/*
 * probe.c - a child of every role in turn: goes behind the role's real walls as
 * a child does and then does one thing that the test asked for.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ipc/spawn.h"
#include "policy/violation.h"
#include "tests/policy/escapes.h"
#include "tests/policy/probe.h"

#define LOG_MODULE "probe"
#include "ipc/log.h"

static struct probe_request request;

static uint64_t probe_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static long probe_escape(const struct escape *e)
{
	long ret;

	if (e->fn)
		return e->fn();
	ret = syscall(e->number, e->args[0], e->args[1], e->args[2], e->args[3],
		      e->args[4], e->args[5]);
	return ret < 0 ? -errno : ret;
}

static void *probe_nothing(void *arg)
{
	return arg;
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
	if (request.thread != PROBE_NO_THREAD)
		return 0;
	for (int i = 0; i < 4; i++) {
		int err = pthread_create(&t, NULL, probe_nothing, NULL);

		if (err)
			return -err;
		err = pthread_join(t, NULL);
		if (err)
			return -err;
	}
	return 0;
}

static void probe_result_send(long ret)
{
	struct probe_result r = {.ret = ret, .refusals = confine_refusals()};

	if (write(CHILD_FD_CONTROL, &r, sizeof(r)) != sizeof(r))
		_exit(3);
}

/* The attempt, by whichever thread is to make it. */
static void *probe_attempt(void *arg)
{
	int ret = 0;

	if (request.thread != PROBE_NO_THREAD)
		ret = confine_thread(request.thread);
	if (ret < 0)
		_exit(4);
	switch (request.what) {
	case PROBE_ESCAPE:
		probe_result_send(probe_escape(&escapes[request.escape]));
		break;
	case PROBE_WORK:
		probe_result_send(probe_work());
		break;
	case PROBE_ABORT:
		abort();
	case PROBE_STAY:
		probe_result_send(0);
		break;
	}
	return arg;
}

static void *probe_sleep(void *arg)
{
	pause();
	return arg;
}

static int probe_confine(void)
{
	static struct probe_report r;
	pthread_t second;

	if (request.two_threads &&
	    pthread_create(&second, NULL, probe_sleep, NULL) != 0)
		return -EAGAIN;
	confine_allow_missing(request.allow_missing);
	r.cpu_ns = probe_clock(CLOCK_PROCESS_CPUTIME_ID);
	r.wall_ns = probe_clock(CLOCK_MONOTONIC);
	r.ret = confine_enter(request.role, request.mode, &r.report);
	r.cpu_ns = probe_clock(CLOCK_PROCESS_CPUTIME_ID) - r.cpu_ns;
	r.wall_ns = probe_clock(CLOCK_MONOTONIC) - r.wall_ns;
	if (write(CHILD_FD_CONTROL, &r, sizeof(r)) != sizeof(r))
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
