// SPDX-License-Identifier: Apache-2.0
/*
 * console.c - opens the console's ends. Runs in the monitor, which never reads
 * or writes the guest's bytes.
 */
#include "monitor/host/console.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/fds.h"

/* console_dup() - an owned, close-on-exec copy above the standard fds. */
static int console_dup(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? -errno : copy;
}

/*
 * console_in_background() - is the terminal somebody else's just now?
 * Reading it would stop the reader (SIGTTIN, termios(3)).
 */
static bool console_in_background(int tty)
{
	pid_t foreground = tcgetpgrp(tty);

	return foreground > 0 && foreground != getpgrp();
}

/* console_open_stdio() - standard input and output. */
static int console_open_stdio(struct console *console, struct problem *p)
{
	console->in = console_dup(STDIN_FILENO);
	console->out = console_dup(STDOUT_FILENO);
	if (console->in < 0 || console->out < 0)
		return problem_set(p, EXIT_CODE_HOST, -EMFILE,
				   "console: cannot duplicate standard input "
				   "and output");
	console->tty = isatty(console->in);
	if (console->tty && console_in_background(console->in)) {
		warning_print("console: started in the background of a "
			      "terminal; the guest gets no input");
		fd_cleanup(&console->in);
		console->tty = false;
	}
	return 0;
}

/* console_open_file() - output only; appended, because it is a log. */
static int console_open_file(const struct config *cfg, struct console *console,
			     struct problem *p)
{
	struct stat st;

	console->out = open(cfg->console_path,
			    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC |
				    O_NOCTTY | O_NONBLOCK,
			    0600);
	if (console->out < 0)
		return problem_set(p, EXIT_CODE_INPUT, -errno,
				   "console: cannot open %s for writing: %s",
				   cfg->console_path, strerror(errno));
	if (fstat(console->out, &st) < 0 || S_ISDIR(st.st_mode))
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "console: %s cannot be written to",
				   cfg->console_path);
	return 0;
}

int console_open(const struct config *cfg, struct console *ret_console,
		 struct problem *p)
{
	struct console console = {.in = -1, .out = -1};
	int ret = 0;

	if (cfg->console_mode == CONFIG_CONSOLE_STDIO)
		ret = console_open_stdio(&console, p);
	else if (cfg->console_mode == CONFIG_CONSOLE_FILE)
		ret = console_open_file(cfg, &console, p);
	if (ret) {
		fd_cleanup(&console.in);
		fd_cleanup(&console.out);
		return ret;
	}
	*ret_console = console;
	return 0;
}
