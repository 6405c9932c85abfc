// SPDX-License-Identifier: Apache-2.0
/*
 * flags_test.c - the command line: the same rows as the JSON keys.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "monitor/config/config.h"
#include "tests/unit/monitor/suites.h"

static const struct config_limits limits = {.memory_max_mib = 1000,
					    .memory_why = "test host",
					    .cpu_max_percent = 400};

/* flags() - up to a NULL; the caller frees @cfg. */
static int flags(struct config *cfg, struct problem *p, const char *const *args)
{
	struct config_args found = {.allow_format = true};
	char *argv[16];
	int argc = 0;
	int ret;

	for (; args[argc]; argc++)
		argv[argc] = strdup(args[argc]);
	config_init(cfg);
	*p = (struct problem){0};
	ret = config_flags(cfg, &limits, argc, argv, &found, p);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	return ret;
}

#define FLAGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* refuses() - with exactly this error. */
static void refuses(const char *error, const char *const *args)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL(flags(&cfg, &p, args), -EINVAL);
	CU_ASSERT_STRING_EQUAL(p.text, error);
	if (strcmp(p.text, error) != 0)
		printf("\n got: %s\nwant: %s\n", p.text, error);
	config_fini(&cfg);
}

static void flags_store(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL_FATAL(flags(&cfg, &p,
				    FLAGS("--kernel", "k", "--cpus=4",
					  "--memory", "64", "--no-pvpanic",
					  "--debug-exit", "--cmdline", "a=b c",
					  "--disk", "path=a", "--disk",
					  "path=b,readonly=on,id=x,serial=S")),
			      0);
	CU_ASSERT_STRING_EQUAL(cfg.kernel_path, "k");
	CU_ASSERT_STRING_EQUAL(cfg.cmdline, "a=b c");
	CU_ASSERT_EQUAL(cfg.cpus, 4);
	CU_ASSERT_EQUAL(cfg.memory_mib, 64);
	CU_ASSERT_FALSE(cfg.pvpanic);
	CU_ASSERT_TRUE(cfg.debug_exit);
	CU_ASSERT_EQUAL(cfg.disk_cnt, 2);
	CU_ASSERT_TRUE(cfg.disks[1].readonly);
	config_fini(&cfg);
}

static void flags_commas(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL(flags(&cfg, &p, FLAGS("--disk", "path=a,,b=c,id=x")),
			0);
	CU_ASSERT_STRING_EQUAL(cfg.disks[0].path, "a,b=c");
	CU_ASSERT_STRING_EQUAL(cfg.disks[0].id, "x");
	config_fini(&cfg);
}

static void flags_console(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL(flags(&cfg, &p, FLAGS("--console", "file=/x=y")), 0);
	CU_ASSERT_EQUAL(cfg.console_mode, CONFIG_CONSOLE_FILE);
	CU_ASSERT_STRING_EQUAL(cfg.console_path, "/x=y");
	config_fini(&cfg);
	CU_ASSERT_EQUAL(flags(&cfg, &p, FLAGS("--console", "none")), 0);
	CU_ASSERT_EQUAL(cfg.console_mode, CONFIG_CONSOLE_NONE);
	config_fini(&cfg);
}

static void flags_unknown(void)
{
	refuses("--memroy: unknown flag; did you mean --memory?",
		FLAGS("--memroy", "1"));
	refuses("--xyzzyx: unknown flag; see --help", FLAGS("--xyzzyx"));
	refuses("-c: unexpected; CONFIG.json comes first, then flags",
		FLAGS("-c"));
}

static void flags_numbers(void)
{
	refuses("--memory: \"512M\" is not a whole number; accepted: 32..1000",
		FLAGS("--memory", "512M"));
	refuses("--memory: 18446744073709551615 is out of range; accepted: "
		"32..1000 (test host)",
		FLAGS("--memory", "99999999999999999999999"));
	refuses("--cpus: -1 is out of range; accepted: 1..32",
		FLAGS("--cpus", "-1"));
	refuses("--cpus: \"\" is not a whole number; accepted: 1..32",
		FLAGS("--cpus="));
}

static void flags_repeated(void)
{
	refuses("--cpus: given twice", FLAGS("--cpus", "1", "--cpus", "1"));
	refuses("--disk id: key given twice",
		FLAGS("--disk", "path=a,id=x,id=y"));
}

static void flags_missing(void)
{
	refuses("--kernel: needs a value; see --help", FLAGS("--kernel"));
	refuses("--debug-exit: takes no value", FLAGS("--debug-exit=on"));
	refuses("--disk: \"x\" is not KEY=VALUE", FLAGS("--disk", "x"));
	refuses("--disk: \"\" is not KEY=VALUE", FLAGS("--disk", "path=a,"));
}

static void flags_help_wins(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL(flags(&cfg, &p, FLAGS("--nonsense", "--help")), 0);
	config_fini(&cfg);
}

static void flags_limits(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL_FATAL(flags(&cfg, &p,
				    FLAGS("--cgroup", "/g", "--limit",
					  "vmm:cpu-percent=150,memory-mib=64",
					  "--limit=vmm:pids=5", "--limit",
					  "blk:io-read-bps=1000")),
			      0);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_VMM].cpu_percent, 150);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_VMM].memory_mib, 64);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_VMM].pids, 5);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_BLK].io_read_bps, 1000);
	config_fini(&cfg);
	refuses("--limit: expected ROLE:KEY=VALUE,... such as "
		"vmm:cpu-percent=50",
		FLAGS("--limit", "cpu-percent=5"));
	refuses("--limit: unknown role \"bkl\"; did you mean \"blk\"?",
		FLAGS("--limit", "bkl:pids=5"));
	refuses("--limit vmm: unknown key \"pid\"; did you mean \"pids\"?",
		FLAGS("--limit", "vmm:pid=5"));
	refuses("--limit vmm: \"pids\" is not KEY=VALUE",
		FLAGS("--limit", "vmm:pids"));
	refuses("--limit vmm:pids: key given twice",
		FLAGS("--limit", "vmm:pids=5", "--limit", "vmm:pids=6"));
	refuses("--limit vmm:pids: 18446744073709551615 is out of range; "
		"accepted: 1..4194304",
		FLAGS("--limit", "vmm:pids=99999999999999999999"));
	refuses("--limit vmm:cpu-percent: 401 is out of range; accepted: "
		"1..400 ()",
		FLAGS("--limit", "vmm:cpu-percent=401"));
	refuses("--limit gpu:pids: 0 is out of range; accepted: 1..4194304",
		FLAGS("--limit", "gpu:pids=0"));
}

const struct unit_case cases_flags[9] = {
	UNIT_CASE(flags_store),   UNIT_CASE(flags_commas),
	UNIT_CASE(flags_console), UNIT_CASE(flags_unknown),
	UNIT_CASE(flags_numbers), UNIT_CASE(flags_repeated),
	UNIT_CASE(flags_missing), UNIT_CASE(flags_help_wins),
	UNIT_CASE(flags_limits),
};
