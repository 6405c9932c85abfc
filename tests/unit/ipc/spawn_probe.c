// SPDX-License-Identifier: Apache-2.0
/*
 * spawn_probe.c - the program that the spawn tests start. argv[1]: "report"
 * says what it finds on fd 3 and ends; "wait" does so and stays until killed.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "ipc/spawn.h"
#include "tests/unit/ipc/spawn_probe.h"

/* Which fds are there, and which of the first three are /dev/null. */
static void probe_fds(struct probe_report *r)
{
	struct stat st;

	for (int fd = 0; fd < PROBE_FDS; fd++) {
		if (fstat(fd, &st) < 0)
			continue;
		r->open_cnt++;
		if (fd < PROBE_INODES)
			r->ino[fd] = st.st_ino;
		if (fd <= 2 && S_ISCHR(st.st_mode) &&
		    st.st_rdev == makedev(1, 3))
			r->null_cnt++;
	}
}

/* The signal mask, and how many dispositions are not the default. */
static void probe_signals(struct probe_report *r)
{
	unsigned long action[4];

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &r->blocked,
		sizeof(r->blocked));
	for (int sig = 1; sig <= 64; sig++) {
		memset(action, 0, sizeof(action));
		syscall(SYS_rt_sigaction, sig, NULL, action, sizeof(uint64_t));
		r->ignored_cnt += action[0] != 0;
	}
}

int main(int argc, char **argv)
{
	struct probe_report r = {.argc = (uint32_t)argc};

	probe_fds(&r);
	probe_signals(&r);
	for (char **e = environ; *e; e++)
		r.env_cnt++;
	r.pid = getpid();
	r.uid = getuid();
	r.gid = getgid();
	prctl(PR_GET_PDEATHSIG, &r.death_signal, 0, 0, 0);
	if (write(CHILD_FD_CONTROL, &r, sizeof(r)) != sizeof(r))
		return 1;
	if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		for (;;)
			pause();
	}
	return 0;
}
