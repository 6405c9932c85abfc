// SPDX-License-Identifier: Apache-2.0
/*
 * suites.c - the suites of unit.monitor. What happens between processes is
 * tested in tests/machine/cli.
 */
#include "tests/unit/monitor/suites.h"
#include "ipc/compiler.h"

const struct unit_suite unit_suites[] = {
	{"config", cases_config, ARRAY_SIZE(cases_config)},
	{"flags", cases_flags, ARRAY_SIZE(cases_flags)},
	{"locate", cases_locate, ARRAY_SIZE(cases_locate)},
	{"suggest", cases_suggest, ARRAY_SIZE(cases_suggest)},
	{"check", cases_check, ARRAY_SIZE(cases_check)},
	{"control", cases_control, ARRAY_SIZE(cases_control)},
	{"image", cases_image, ARRAY_SIZE(cases_image)},
	{"memory", cases_memory, ARRAY_SIZE(cases_memory)},
	{"cgroup", cases_cgroup, ARRAY_SIZE(cases_cgroup)},
	{"log_sink", cases_log_sink, ARRAY_SIZE(cases_log_sink)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
