/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_probe.h - starts a probe as the monitor starts a child, and collects what
 * became of it.
 */
#ifndef TESTS_POLICY_RUN_PROBE_H
#define TESTS_POLICY_RUN_PROBE_H

#include "ipc/spawn.h"
#include "policy/violation.h"
#include "tests/policy/probe.h"

/**
 * struct probe_run - a probe that runs or has ended
 * @control: our end of fd 3, -1 when closed
 * @log: our end of fd 4
 * @got_report, @got_result: it sent one
 * @facts: what it reported, owned, until probe_end(); NULL for nothing
 * @status: of waitpid, after probe_end()
 * @text: last log record
 * @log_cnt: log records
 */
struct probe_run {
	struct spawn_child child;
	int control;
	int log;
	bool got_report;
	bool got_result;
	struct probe_report report;
	struct probe_result result;
	Bulkhead__Facts__Facts *facts;
	int status;
	char text[VIOLATION_TEXT_MAX];
	unsigned log_cnt;
};

/**
 * probe_start() - spawns with the role's namespaces and waits for its result
 * @without: namespaces not to make, of the role's clone_flags
 */
void probe_start(struct probe_run *run, const struct probe_request *req,
		 uint64_t without);

/** probe_end() - closes its channel, reaps it and reads its log. */
void probe_end(struct probe_run *run);

/** probe_program_open() - before privileges are dropped. */
int probe_program_open(void);

#endif
