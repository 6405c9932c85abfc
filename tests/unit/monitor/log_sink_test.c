// SPDX-License-Identifier: Apache-2.0
/*
 * log_sink_test.c - a child cannot flood the log.
 */
#include "monitor/machine/log_sink.h"
#include "tests/unit/monitor/suites.h"

static void log_sink_rate(void)
{
	struct log_sink s = {.name = "t"};
	uint32_t passed = 0;

	for (uint32_t i = 0; i < LOG_SINK_RATE * 3; i++)
		passed += (uint32_t)log_sink_admit(&s, 5000000000u);
	CU_ASSERT_EQUAL(passed, LOG_SINK_RATE);
	CU_ASSERT_EQUAL(s.dropped, LOG_SINK_RATE * 2);
}

static void log_sink_window(void)
{
	struct log_sink s = {.name = "t", .window_ns = 5000000000u};

	s.cnt = LOG_SINK_RATE;
	CU_ASSERT_FALSE(log_sink_admit(&s, 5999999999u));
	CU_ASSERT_TRUE(log_sink_admit(&s, 6000000000u));
	CU_ASSERT_EQUAL(s.dropped, 0);
}

const struct unit_case cases_log_sink[2] = {
	UNIT_CASE(log_sink_rate),
	UNIT_CASE(log_sink_window),
};
