// SPDX-License-Identifier: Apache-2.0
/*
 * console_tty.c - raw mode of the operator's terminal, and its way back on
 * every exit path. Runs in the monitor.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "monitor/host/console.h"

/* Read by signal handlers: written before `console_is_raw` is set. */
static struct termios console_saved;
static volatile sig_atomic_t console_is_raw;
/* A pidfd of this process, kept to its end. */
static int console_self = -1;

/* Signals that end the monitor without going through its event loop. */
static const int console_fatal[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,
				    SIGABRT, SIGQUIT, SIGSYS, SIGXCPU};

void console_tty_restore(void)
{
	int error = errno;

	if (console_is_raw) {
		console_is_raw = 0;
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &console_saved);
	}
	errno = error;
}

/* console_fatal_handler() - terminal back, then die of the same signal. */
static void console_fatal_handler(int sig)
{
	console_tty_restore();
	/*
	 * SA_RESETHAND: the default action is back already. By pidfd, since the
	 * monitor's filter knows no other way to signal.
	 */
	(void)syscall(SYS_pidfd_send_signal, console_self, sig, NULL, 0);
}

/* console_fatal_watch() - SA_NODEFER lets the raised signal through at once. */
static int console_fatal_watch(void)
{
	struct sigaction action = {.sa_handler = console_fatal_handler,
				   .sa_flags = (int)SA_RESETHAND | SA_NODEFER};

	console_self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (console_self < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(console_fatal); i++) {
		if (sigaction(console_fatal[i], &action, NULL) < 0)
			return -errno;
	}
	/* So that the way back works from the background, too. */
	if (signal(SIGTTOU, SIG_IGN) == SIG_ERR)
		return -errno;
	return atexit(console_tty_restore) ? -ENOMEM : 0;
}

int console_tty_raw(void)
{
	struct termios raw;
	int ret;

	/* tcsetattr from the background would stop us (SIGTTOU). */
	if (tcgetpgrp(STDIN_FILENO) != getpgrp())
		return 0;
	if (tcgetattr(STDIN_FILENO, &console_saved) < 0)
		return -errno;
	ret = console_fatal_watch();
	if (ret)
		return ret;
	raw = console_saved;
	cfmakeraw(&raw);
	/* Our own lines on stderr need their carriage returns. */
	raw.c_oflag = console_saved.c_oflag;
	console_is_raw = 1;
	if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) < 0) {
		ret = -errno;
		console_is_raw = 0;
		return ret;
	}
	return 0;
}
