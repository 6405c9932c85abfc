/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine.h - how a process puts itself behind its walls. Two calls: the first
 * lines of main, and the one just before READY. Theory of operation, order of
 * the walls and what each must and must not do: policy/confine.c.
 */
#ifndef POLICY_CONFINE_H
#define POLICY_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

#include "ipc/compiler.h"
#include "policy/role.h"

enum confine_mode { CONFINE_MODE_ENFORCE, CONFINE_MODE_LOG, CONFINE_MODE_OFF };

#define CONFINE_WALLS_MAX 16

/**
 * struct confine_wall - one wall as the kernel reports it afterwards
 * @name: static, for example "userns", "root", "caps", "seccomp"
 * @stands: read back, not assumed
 * @detail: what was read, or why it does not stand
 */
struct confine_wall {
	const char *name;
	bool stands;
	char detail[96];
};

struct confine_report {
	struct confine_wall wall[CONFINE_WALLS_MAX];
	size_t cnt;
};

/**
 * confine_early() - first call of a child's main: not dumpable, dies with the
 * monitor, no_new_privs, fds other than its table closed
 * Return: 0 or -errno.
 */
MUST_CHECK int confine_early(enum role role);

/**
 * confine_enter() - empty root, capabilities, rlimits, Landlock, seccomp
 * Called once, after the granted memory is mapped and libraries are set up,
 * before the first byte that a guest controls is read.
 * Return: 0; -errno of the wall that could not be built (then *ret_report has a
 * row that says why); in CONFINE_MODE_OFF only the report is made.
 */
MUST_CHECK int confine_enter(enum role role, enum confine_mode mode,
			     struct confine_report *ret_report);

#endif
