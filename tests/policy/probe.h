/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe.h - what the test and the probe say to each other on fd 3: a request,
 * then a report, then for each step one result.
 */
#ifndef TESTS_POLICY_PROBE_H
#define TESTS_POLICY_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/confine.h"
#include "policy/table.h"

/* No thread of its own kind: the attempt is the process's first thread's. */
#define PROBE_NO_THREAD CONFINE_THREAD_COUNT

enum probe_what {
	PROBE_ESCAPE,    /* tries escapes[escape] */
	PROBE_ROWS,      /* makes the call of every row of its filter */
	PROBE_NEIGHBOUR, /* makes a call that row @escape nearly allows */
	PROBE_WORK,      /* what every role must still be able to do */
	PROBE_ABORT,     /* abort(3) */
	PROBE_STAY       /* waits for the end of the channel */
};

/**
 * struct probe_request - test to probe
 * @two_threads: a second thread exists when the walls are built
 * @variant: process filter to choose; one of another role changes nothing
 * @sibling: pid of a second probe, as its parent sees it
 * @monitor: likewise of the test
 */
struct probe_request {
	enum role role;
	enum confine_mode mode;
	uint32_t allow_missing;
	enum probe_what what;
	uint32_t escape;
	enum confine_thread_kind thread;
	bool two_threads;
	enum policy_filter variant;
	int sibling;
	int monitor;
};

/**
 * struct probe_report - probe to test
 * @ret: of confine_enter()
 * @cpu_ns: CPU time it took
 * @wall_ns: time it took
 * @report: if its facts are not NULL, the packed facts are the next datagram
 */
struct probe_report {
	int ret;
	uint64_t cpu_ns;
	uint64_t wall_ns;
	struct confine_report report;
};

/**
 * struct probe_result - probe to test
 * @ret: 0.. or -errno of the attempt
 * @refusals: confine_refusals() afterwards
 * @row: PROBE_ROWS: the row that was answered wrongly, with @ret
 * @tried: PROBE_ROWS: rows whose call was made
 */
struct probe_result {
	long ret;
	uint64_t refusals;
	uint32_t row;
	uint32_t tried;
};

#endif
