/* SPDX-License-Identifier: Apache-2.0 */
/*
 * violation.h - what happens to a call that a filter did not let through;
 * private to policy/.
 */
#ifndef POLICY_VIOLATION_H
#define POLICY_VIOLATION_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "policy/confine.h"
#include "policy/table.h"

/**
 * violation_init() - installs the SIGSYS handler of this process
 * @t: the process's table
 * @mode: ENFORCE ends the process, LOG reports and lets the call happen
 * @fd: where reports go: the log channel of a child, fd 2 of the monitor
 * Return: 0 or -errno.
 */
MUST_CHECK int violation_init(const struct policy_table *t,
			      enum confine_mode mode, int fd);

/**
 * violation_unblock() - SIGSYS reaches the calling thread
 * Where it is blocked the kernel ends the process without a report.
 */
MUST_CHECK int violation_unblock(void);

/** violation_thread_set() - the calling thread's table, on top of the other. */
void violation_thread_set(const struct policy_table *t);

/**
 * violation_stub() - the one place from which a filter in log mode lets every
 * call through
 * Return: what the kernel returned.
 */
long violation_stub(long number, const uint64_t args[6]);

/** violation_stub_ip() - what the kernel sees as the caller's address there. */
uint64_t violation_stub_ip(void);

/* A violation in words; see violation_format(). */
struct violation {
	const char *filter;
	int number;
	const uint64_t *args;
	enum confine_mode mode;
};

#define VIOLATION_TEXT_MAX 320

/**
 * violation_format() - one line about a violation
 * Context: async-signal-safe.
 * Return: bytes written, without the NUL; always terminated.
 */
size_t violation_format(const struct violation *v,
			char ret_text[VIOLATION_TEXT_MAX]);

/**
 * violation_frame() - a LOG frame (child.proto) around @text
 * Context: async-signal-safe, no protobuf-c.
 * Return: bytes written.
 */
size_t violation_frame(const char *text, size_t len, uint64_t realtime_ns,
		       uint8_t *ret_bytes, size_t size);

#endif
