/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.h - what the kernel says of a process, as one message: the same reader
 * for a process's own report (READY) and for one that looks from outside.
 */
#ifndef POLICY_FACTS_H
#define POLICY_FACTS_H

#include "ipc/compiler.h"
#include "proto/facts.pb-c.h"

/**
 * facts_read() - reads everything that /proc tells of one process
 * @proc_fd: directory fd of /proc/PID or /proc/self, borrowed; read relative to
 * it, so that it may be used after /proc is out of reach
 * @ret_facts: owned by the caller, facts_free(); what could not be read is not
 * set
 * Return: 0; -ESRCH the process is gone; -EACCES the kernel lets us see nothing
 * beyond /proc/PID/status; -ENOMEM.
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
