/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.h - what the kernel says of a process, as one message: the same reader
 * for a process's own report (READY) and for one that looks from outside.
 */
#ifndef POLICY_FACTS_H
#define POLICY_FACTS_H

#include "ipc/compiler.h"
#include "proto/facts.pb-c.h"

/*
 * Bounds of a Facts message. What is over a bound is left out, and the list is
 * named in `incomplete`. Together they keep READY within one frame.
 */
#define FACTS_IDS_MAX 4u /* uids, gids */
#define FACTS_GROUPS_MAX 64u
#define FACTS_NAMESPACES_MAX 16u
#define FACTS_THREADS_MAX 128u
#define FACTS_RLIMITS_MAX 32u
#define FACTS_ROOT_MAX 32u
#define FACTS_FDS_MAX 512u
#define FACTS_MAPS_MAX 64u
#define FACTS_INCOMPLETE_MAX 16u
#define FACTS_NAME_MAX 31u  /* bytes of a name or kind */
#define FACTS_ENTRY_MAX 63u /* bytes of a name in the root */
#define FACTS_TEXT_MAX 255u /* bytes of a path or link text */
#define FACTS_MAP_MAX 511u  /* bytes of an id map */
/* All targets of fds together, all executable maps together. */
#define FACTS_TARGETS_BYTES ((size_t)12 * 1024)
#define FACTS_MAPS_BYTES ((size_t)8 * 1024)
/* The whole message; walls and phases of READY take less than the rest. */
#define FACTS_PACKED_MAX ((size_t)56 * 1024)

/**
 * facts_read() - reads everything that /proc tells of another process
 * @proc_fd: directory fd of /proc/PID, borrowed; read relative to it, so that
 * it may be used after /proc is out of reach. For /proc/self the fds that are
 * used for reading are in the list of fds.
 * @ret_facts: owned by the caller, facts_free(); what could not be read, or may
 * not be seen, is not set
 * Return: 0; -ESRCH the process is gone; -EACCES the kernel shows us nothing of
 * it, not even /proc/PID/status; -ENOMEM.
 */
MUST_CHECK int facts_read(int proc_fd, Bulkhead__Facts__Facts **ret_facts);

/** facts_free() - NULL is fine. */
void facts_free(Bulkhead__Facts__Facts *facts);

/**
 * facts_check() - bounds of a Facts message of an untrusted sender. Pure.
 * Return: 0 or -EPROTO.
 */
MUST_CHECK int facts_check(const Bulkhead__Facts__Facts *facts);

#endif
