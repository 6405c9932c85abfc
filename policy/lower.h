/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h - a monitor that root started becomes an ordinary user before it
 * starts its children, which then belong to user namespaces of that user.
 */
#ifndef POLICY_LOWER_H
#define POLICY_LOWER_H

#include <sys/types.h>

#include "ipc/compiler.h"

/**
 * lower_enter() - become @uid and @gid, in no other group, and keep only the
 * capabilities that starting children takes; confine_enter() drops those
 * Needs CAP_SETUID and CAP_SETGID, and one thread.
 * Return: 0 or -errno; on error the process may be half changed and must end.
 */
MUST_CHECK int lower_enter(uid_t uid, gid_t gid);

#endif
