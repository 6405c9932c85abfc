/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_sink.h - where a child's log records end: lines on stderr, bounded in
 * rate and length, escaped.
 */
#ifndef MONITOR_MACHINE_LOG_SINK_H
#define MONITOR_MACHINE_LOG_SINK_H

#include <stdint.h>

#include "proto/child.pb-c.h"

/* Records of one child in a second; what comes more is counted. */
#define LOG_SINK_RATE 200u

/**
 * struct log_sink - of one child, zero-initialised
 * @name: borrowed
 * @level: records above are dropped
 */
struct log_sink {
	const char *name;
	int pid;
	uint32_t level;
	uint64_t window_ns;
	uint32_t cnt;
	uint32_t dropped;
};

/**
 * log_sink_write() - prints a record
 * @now_ns: CLOCK_MONOTONIC
 * Trust: peer; the record was checked by child_check_log.
 */
void log_sink_write(struct log_sink *s, const Bulkhead__Child__Log *record,
		    uint64_t now_ns);

/** log_sink_admit() - rate limit alone. Return: may a record pass at @now_ns?
 */
int log_sink_admit(struct log_sink *s, uint64_t now_ns);

#endif
