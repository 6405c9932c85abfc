/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console.h - where the guest's serial port goes, and the state of the
 * operator's terminal.
 */
#ifndef MONITOR_HOST_CONSOLE_H
#define MONITOR_HOST_CONSOLE_H

#include <stdbool.h>

#include "ipc/compiler.h"
#include "monitor/config/config.h"

/**
 * struct console - the fds that the vmm gets
 * @in: -1 = no input; owned
 * @out: -1 = no console at all; owned
 * @tty: @in is the operator's terminal: raw mode and escape keys
 */
struct console {
	int in;
	int out;
	bool tty;
};

/**
 * console_open() - as configured
 * Return: 0; -errno with *p set.
 */
MUST_CHECK int console_open(const struct config *cfg,
			    struct console *ret_console, struct problem *p);

/**
 * console_tty_raw() - every key goes to the guest; output is left as it is
 * The old state comes back by console_tty_restore, at exit(3), and when a fatal
 * signal ends the monitor.
 * Return: 0; -errno of tcsetattr(3). In the background it does nothing.
 */
MUST_CHECK int console_tty_raw(void);
/** console_tty_restore() - async-signal-safe; harmless when not raw. */
void console_tty_restore(void);

#endif
