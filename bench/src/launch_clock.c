// SPDX-License-Identifier: Apache-2.0
/*
 * launch_clock.c - times one launch: CLOCK_MONOTONIC just before the command is
 * spawned, when its output first holds the marker, and when it has exited.
 *
 *   launch_clock MARKER SECONDS -- COMMAND [ARG...]
 *
 * Prints one JSON object on stdout; everything the command printed goes to
 * stderr. A run counts only if the marker came exactly once and the command
 * ended by itself: otherwise "ok" is false and "why" says what was missing.
 * Exit status: 0 a line was printed, 2 usage, 3 the command was not started.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_MAX (4u << 20)

extern char **environ;

/**
 * struct launch - one timed run
 * @output: everything read so far, NUL-terminated
 * @marker_ns: from spawn; 0 while the marker has not come
 */
struct launch {
	const char *marker;
	uint64_t limit_ns;
	char *output;
	size_t output_bytes;
	uint64_t start_ns;
	uint64_t marker_ns;
	uint64_t exit_ns;
	bool timed_out;
	int status;
};

static uint64_t launch_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* launch_spawn() - stdin is /dev/null, stdout and stderr are @out. */
static int launch_spawn(char **argv, int out, pid_t *ret_pid)
{
	posix_spawn_file_actions_t acts;
	int err;

	posix_spawn_file_actions_init(&acts);
	posix_spawn_file_actions_addopen(&acts, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&acts, out, 1);
	posix_spawn_file_actions_adddup2(&acts, out, 2);
	err = posix_spawnp(ret_pid, argv[0], &acts, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&acts);
	return -err;
}

static void launch_take(struct launch *l, const char *data, size_t len)
{
	if (len > OUTPUT_MAX - 1 - l->output_bytes)
		len = OUTPUT_MAX - 1 - l->output_bytes;
	memcpy(l->output + l->output_bytes, data, len);
	l->output_bytes += len;
	l->output[l->output_bytes] = '\0';
	/* Guests may print NULs; they must not hide what follows. */
	for (size_t i = l->output_bytes - len; i < l->output_bytes; i++) {
		if (l->output[i] == '\0')
			l->output[i] = ' ';
	}
	if (l->marker_ns == 0 && strstr(l->output, l->marker))
		l->marker_ns = launch_now_ns() - l->start_ns;
}

/* launch_drain() - reads until the command closes its output or time is up. */
static void launch_drain(struct launch *l, int in)
{
	char buf[4096];

	for (;;) {
		uint64_t gone = launch_now_ns() - l->start_ns;
		struct pollfd p = {.fd = in, .events = POLLIN};
		ssize_t n;

		if (gone >= l->limit_ns) {
			l->timed_out = true;
			return;
		}
		if (poll(&p, 1, (int)((l->limit_ns - gone) / 1000000u) + 1) <=
		    0)
			continue;
		n = read(in, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		launch_take(l, buf, (size_t)n);
	}
}

static unsigned launch_marker_cnt(const struct launch *l)
{
	unsigned cnt = 0;

	for (const char *p = l->output; (p = strstr(p, l->marker)); p++)
		cnt++;
	return cnt;
}

static void launch_print(const struct launch *l)
{
	unsigned cnt = launch_marker_cnt(l);
	struct rusage ru;
	const char *why = NULL;

	getrusage(RUSAGE_CHILDREN, &ru);
	if (l->timed_out)
		why = "timed out and was killed";
	else if (cnt == 0)
		why = "marker missing";
	else if (cnt > 1)
		why = "marker more than once";
	printf("{\"ok\": %s, \"why\": \"%s\", \"marker_ns\": %llu, "
	       "\"exit_ns\": %llu, \"status\": %d, \"user_us\": %llu, "
	       "\"sys_us\": %llu}\n",
	       why ? "false" : "true", why ? why : "",
	       (unsigned long long)l->marker_ns, (unsigned long long)l->exit_ns,
	       WIFEXITED(l->status) ? WEXITSTATUS(l->status)
				    : 128 + WTERMSIG(l->status),
	       (unsigned long long)(ru.ru_utime.tv_sec * 1000000 +
				    ru.ru_utime.tv_usec),
	       (unsigned long long)(ru.ru_stime.tv_sec * 1000000 +
				    ru.ru_stime.tv_usec));
}

static int launch_run(struct launch *l, char **argv)
{
	int pipe_fds[2];
	pid_t pid;
	int err;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -errno;
	l->start_ns = launch_now_ns();
	err = launch_spawn(argv, pipe_fds[1], &pid);
	close(pipe_fds[1]);
	if (err < 0) {
		close(pipe_fds[0]);
		return err;
	}
	launch_drain(l, pipe_fds[0]);
	if (l->timed_out)
		kill(pid, SIGKILL);
	while (waitpid(pid, &l->status, 0) < 0 && errno == EINTR)
		;
	l->exit_ns = launch_now_ns() - l->start_ns;
	close(pipe_fds[0]);
	return 0;
}

/* launch_seconds() - 1..86400; 0 if @text is anything else. */
static uint64_t launch_seconds(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	return *end == '\0' && n <= 86400 ? n : 0;
}

int main(int argc, char **argv)
{
	struct launch l = {0};
	int err;

	if (argc < 5 || strcmp(argv[3], "--") != 0 || argv[1][0] == '\0' ||
	    launch_seconds(argv[2]) == 0) {
		fprintf(stderr,
			"usage: launch_clock MARKER SECONDS -- COMMAND [ARG...]\n");
		return 2;
	}
	l.marker = argv[1];
	l.limit_ns = launch_seconds(argv[2]) * 1000000000u;
	l.output = calloc(1, OUTPUT_MAX);
	if (!l.output)
		return 3;
	err = launch_run(&l, argv + 4);
	if (err < 0) {
		fprintf(stderr, "launch_clock: %s: %s\n", argv[4],
			strerror(-err));
		free(l.output);
		return 3;
	}
	fwrite(l.output, 1, l.output_bytes, stderr);
	launch_print(&l);
	free(l.output);
	return 0;
}
