/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - finds the children's binaries: beside `bulkhead` itself, else in
 * ../libexec/bulkhead. Opened once (O_PATH); no path is looked up at spawn.
 */
#ifndef MONITOR_HOST_PROGRAM_H
#define MONITOR_HOST_PROGRAM_H

#include "ipc/compiler.h"
#include "monitor/problem.h"
#include "policy/role.h"

/**
 * program_open() - the binary of @role
 * @ret_fd: owned, O_PATH | O_CLOEXEC
 * Return: 0; -errno with *p set, naming the places looked at.
 */
MUST_CHECK int program_open(enum role role, int *ret_fd, struct problem *p);

#endif
