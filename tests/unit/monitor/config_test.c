// SPDX-License-Identifier: Apache-2.0
/*
 * config_test.c - CONFIG.json: what is stored, and that each kind of mistake is
 * refused with line, key path and accepted range (a typo must never leave a
 * machine without its limit).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ipc/log.h"
#include "monitor/config/config.h"
#include "tests/unit/monitor/suites.h"

static const struct config_limits limits = {.memory_max_mib = 1000,
					    .memory_why = "test host",
					    .cpu_max_percent = 200,
					    .cpu_why = "two CPUs"};

/* parse() - a text; the caller frees @cfg. */
static int parse(struct config *cfg, const char *text, struct problem *p)
{
	config_init(cfg);
	*p = (struct problem){0};
	return config_parse(cfg, &limits, "dir/c.json", text, strlen(text), p);
}

/* refuses() - with exactly this error. */
static void refuses(const char *text, const char *error)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL(parse(&cfg, text, &p), -EINVAL);
	CU_ASSERT_EQUAL(p.code, EXIT_CODE_INPUT);
	CU_ASSERT_STRING_EQUAL(p.text, error);
	if (strcmp(p.text, error) != 0)
		printf("\n got: %s\nwant: %s\n", p.text, error);
	config_fini(&cfg);
}

static void config_stores_all(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL_FATAL(
		parse(&cfg,
		      "{\"kernel\":{\"path\":\"k\",\"initrd\":\"/i\","
		      "\"cmdline\":\"a b\",\"boot\":\"pvh\"},\"cpus\":32,"
		      "\"memory\":{\"size-mib\":1000,\"hugepages\":\"1g\","
		      "\"transparent-hugepages\":false,\"prefault\":true},"
		      "\"disks\":[{\"path\":\"d\"},{\"path\":\"/e\",\"id\":"
		      "\"x\",\"readonly\":true,\"serial\":\"S\","
		      "\"confine\":\"log\"}],"
		      "\"console\":{\"mode\":\"file\",\"path\":\"o\"},"
		      "\"debug-exit\":true,\"pvpanic\":false,"
		      "\"power-button-grace-ms\":0,\"log-level\":\"debug\","
		      "\"confine\":\"off\",\"timings-file\":\"t\","
		      "\"confine-missing\":[\"userns\",\"cgroup\"],"
		      "\"uid-base\":5000,\"control\":\"/c\","
		      "\"cgroup\":\"/g\"}",
		      &p),
		0);
	CU_ASSERT_STRING_EQUAL(cfg.kernel_path, "dir/k");
	CU_ASSERT_STRING_EQUAL(cfg.initrd_path, "/i");
	CU_ASSERT_STRING_EQUAL(cfg.cmdline, "a b");
	CU_ASSERT_EQUAL(cfg.boot, CONFIG_BOOT_PVH);
	CU_ASSERT_EQUAL(cfg.cpus, 32);
	CU_ASSERT_EQUAL(cfg.memory_mib, 1000);
	CU_ASSERT_EQUAL(cfg.hugepages, CONFIG_HUGEPAGES_1G);
	CU_ASSERT_FALSE(cfg.transparent_huge);
	CU_ASSERT_TRUE(cfg.prefault);
	CU_ASSERT_EQUAL(cfg.disk_cnt, 2);
	CU_ASSERT_STRING_EQUAL(cfg.disks[0].path, "dir/d");
	CU_ASSERT_PTR_NULL(cfg.disks[0].serial);
	CU_ASSERT_STRING_EQUAL(cfg.disks[1].id, "x");
	CU_ASSERT_TRUE(cfg.disks[1].readonly);
	CU_ASSERT_EQUAL(cfg.console_mode, CONFIG_CONSOLE_FILE);
	CU_ASSERT_TRUE(cfg.debug_exit);
	CU_ASSERT_FALSE(cfg.pvpanic);
	CU_ASSERT_EQUAL(cfg.power_button_grace_ms, 0);
	CU_ASSERT_EQUAL(cfg.log_level, LOG_LEVEL_DEBUG);
	CU_ASSERT_EQUAL(cfg.confine, CONFIG_CONFINE_OFF);
	CU_ASSERT_EQUAL(config_disk_confine(&cfg, 0), CONFIG_CONFINE_OFF);
	CU_ASSERT_EQUAL(config_disk_confine(&cfg, 1), CONFIG_CONFINE_LOG);
	CU_ASSERT_EQUAL(cfg.confine_missing,
			1u << CONFIG_MISSING_USERNS |
				1u << CONFIG_MISSING_CGROUP);
	CU_ASSERT_EQUAL(cfg.uid_base, 5000);
	CU_ASSERT_STRING_EQUAL(cfg.control, "/c");
	CU_ASSERT_STRING_EQUAL(cfg.cgroup_path, "/g");
	CU_ASSERT_STRING_EQUAL(cfg.timings_path, "dir/t");
	CU_ASSERT_EQUAL(config_finish(&cfg, &p), 0);
	CU_ASSERT_STRING_EQUAL(cfg.disks[0].id, "disk0");
	config_fini(&cfg);
}

static void config_defaults(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL(parse(&cfg, "{}", &p), 0);
	CU_ASSERT_EQUAL(cfg.cpus, 1);
	CU_ASSERT_EQUAL(cfg.memory_mib, 512);
	CU_ASSERT_TRUE(cfg.transparent_huge);
	CU_ASSERT_TRUE(cfg.pvpanic);
	CU_ASSERT_EQUAL(cfg.confine, CONFIG_CONFINE_ENFORCE);
	CU_ASSERT_EQUAL(cfg.power_button_grace_ms, 30000);
	config_fini(&cfg);
}

static void config_unknown_keys(void)
{
	refuses("{\n\"cpu\": 1}",
		"dir/c.json:2: cpu: unknown key; did you mean \"cpus\"?");
	refuses("{\"memory\":\n{\n\"size_mib\": 1}}",
		"dir/c.json:3: memory.size_mib: unknown key; did you mean "
		"\"size-mib\"?");
	refuses("{\"Memory\": {}}",
		"dir/c.json:1: Memory: unknown key; did you mean \"memory\"?");
	refuses("{\"size-mib\": 1}",
		"dir/c.json:1: size-mib: unknown key; did you mean "
		"\"memory.size-mib\"?");
	refuses("{\"zzz\": 1}", "dir/c.json:1: zzz: unknown key");
}

static void config_repeated_keys(void)
{
	refuses("{\"cpus\": 1,\n\"memory\": {\"size-mib\": 64,\n"
		"\"size-mib\": 65}}",
		"dir/c.json:3: memory.size-mib: key given twice (column 10)");
}

static void config_wrong_types(void)
{
	refuses("{\"cpus\": \"512\"}",
		"dir/c.json:1: cpus: expected a whole number, found a string; "
		"accepted: 1..32");
	refuses("{\"cpus\": 1.5}",
		"dir/c.json:1: cpus: expected a whole number, found a real; "
		"accepted: 1..32");
	refuses("{\"disks\": [{}, \n3]}",
		"dir/c.json:2: disks[1]: expected an object, found a whole "
		"number");
	refuses("{\"kernel\": \"k\"}",
		"dir/c.json:1: kernel: expected an object, found a string");
	refuses("{\"pvpanic\": 1}",
		"dir/c.json:1: pvpanic: expected true or false, found a whole "
		"number");
	refuses("{\"kernel\": {\"cmdline\": null}}",
		"dir/c.json:1: kernel.cmdline: expected a string, found null");
	refuses("[]", "dir/c.json:1: expected an object, found a list");
}

static void config_ranges(void)
{
	static const char *const wrong[] = {
		"0", "1", "31", "-1", "17592186044416", "1001"};
	char text[96];
	char error[192];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		(void)snprintf(text, sizeof(text),
			       "{\"memory\":{\"size-mib\":%s}}", wrong[i]);
		(void)snprintf(error, sizeof(error),
			       "dir/c.json:1: memory.size-mib: %s is out of "
			       "range; accepted: 32..1000 (test host)",
			       wrong[i]);
		refuses(text, error);
	}
	refuses("{\"cpus\": -9223372036854775808}",
		"dir/c.json:1: cpus: -9223372036854775808 is out of range; "
		"accepted: 1..32");
	refuses("{\"power-button-grace-ms\": 600001}",
		"dir/c.json:1: power-button-grace-ms: 600001 is out of range; "
		"accepted: 0..600000");
}

static void config_exact_limits(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL(parse(&cfg, "{\"memory\":{\"size-mib\":32}}", &p), 0);
	config_fini(&cfg);
	CU_ASSERT_EQUAL(parse(&cfg, "{\"memory\":{\"size-mib\":1000}}", &p), 0);
	config_fini(&cfg);
}

static void config_words(void)
{
	refuses("{\"confine-missing\": [\"user\"]}",
		"dir/c.json:1: confine-missing: \"user\" is not accepted; "
		"accepted: userns, pidns, mntns, netns, ipcns, utsns, "
		"cgroupns, root, landlock, cgroup; did you mean \"userns\"?");
	refuses("{\"confine-missing\": [1]}",
		"dir/c.json:1: confine-missing: expected a string, found a "
		"whole number");
	refuses("{\"confine-missing\": \"userns\"}",
		"dir/c.json:1: confine-missing: expected a list of strings, "
		"found a string");
	refuses("{\"control\": \"sock\"}",
		"dir/c.json:1: control: \"sock\" is not accepted; accepted: "
		"auto, none, or a path with a '/'");
	refuses("{\"confine\": \"enforced\"}",
		"dir/c.json:1: confine: \"enforced\" is not accepted; "
		"accepted: enforce, log, off; did you mean \"enforce\"?");
	refuses("{\"disks\": [{\"serial\": \"a b\"}]}",
		"dir/c.json:1: disks[0].serial: \"a b\" is not accepted; "
		"accepted: printable ASCII without spaces");
	refuses("{\"kernel\": {\"path\": \"\"}}",
		"dir/c.json:1: kernel.path: 0 bytes long; accepted: 1..4095 "
		"bytes");
}

static void config_syntax(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL(parse(&cfg, "{\"cpus\": 1,\n\"memory\": {]}", &p),
			-EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.text, "dir/c.json:2: memory: "));
	config_fini(&cfg);
	/* A NUL would cut the command line without a word. */
	CU_ASSERT_EQUAL(parse(&cfg, "{\"kernel\":{\"cmdline\":\"a\\u0000b\"}}",
			      &p),
			-EINVAL);
	config_fini(&cfg);
}

static void config_whole(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL(parse(&cfg,
			      "{\"kernel\":{\"path\":\"k\"},\"disks\":[\n"
			      "{\"path\":\"a\",\"id\":\"disk1\"},\n"
			      "{\"path\":\"b\"}]}",
			      &p),
			0);
	CU_ASSERT_EQUAL(config_finish(&cfg, &p), 0);
	/* The default name was taken. */
	CU_ASSERT_STRING_EQUAL(cfg.disks[1].id, "disk2");
	config_fini(&cfg);
	CU_ASSERT_EQUAL(parse(&cfg,
			      "{\"kernel\":{\"path\":\"k\"},\"disks\":[\n"
			      "{\"path\":\"a\",\"id\":\"x\"},\n"
			      "{\"path\":\"b\",\"id\":\"x\"}]}",
			      &p),
			0);
	CU_ASSERT_EQUAL(config_finish(&cfg, &p), -EINVAL);
	CU_ASSERT_STRING_EQUAL(p.text,
			       "dir/c.json:3: disks[1].id: \"x\" is already "
			       "the id of disks[0]; ids must differ");
	config_fini(&cfg);
	CU_ASSERT_EQUAL(parse(&cfg, "{}", &p), 0);
	CU_ASSERT_EQUAL(config_finish(&cfg, &p), -EINVAL);
	config_fini(&cfg);
}

static void config_host_limits(void)
{
	struct config_limits host;

	config_limits_probe(&host);
	CU_ASSERT(host.memory_max_mib > CONFIG_MEMORY_MIN_MIB);
	/* Its bytes must not wrap, with the hole. */
	CU_ASSERT(host.memory_max_mib <= (1ull << 46) >> 20);
	CU_ASSERT_PTR_NOT_NULL(strstr(host.memory_why, "bits"));
	CU_ASSERT(host.cpu_max_percent >= 100);
	CU_ASSERT_EQUAL(host.cpu_max_percent % 100, 0);
}

static void config_quotas(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL_FATAL(
		parse(&cfg,
		      "{\"kernel\":{\"path\":\"k\"},\"cgroup\":\"own\","
		      "\"limits\":{\"vmm\":{\"cpu-percent\":200,"
		      "\"memory-mib\":67108864,\"pids\":1},\"blk\":{"
		      "\"io-read-bps\":2,\"io-write-bps\":1125899906842624,"
		      "\"io-read-iops\":4294967294,\"io-write-iops\":3},"
		      "\"monitor\":{\"pids\":4194304}}}",
		      &p),
		0);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_VMM].cpu_percent, 200);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_VMM].memory_mib, 67108864);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_VMM].pids, 1);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_VMM].io_read_bps, 0);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_BLK].io_read_bps, 2);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_BLK].io_write_bps, 1ull << 50);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_BLK].io_read_iops, 4294967294);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_BLK].io_write_iops, 3);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_BLK].pids, 0);
	CU_ASSERT_EQUAL(cfg.quota[ROLE_MONITOR].pids, 4194304);
	CU_ASSERT_TRUE(config_quota_any(&cfg.quota[ROLE_MONITOR]));
	CU_ASSERT_FALSE(config_quota_any(&cfg.quota[ROLE_NET]));
	CU_ASSERT_EQUAL(config_finish(&cfg, &p), 0);
	config_fini(&cfg);
}

/* A limit that is mistyped, nothing or too much is never just left out. */
static void config_quotas_refused(void)
{
	refuses("{\"limits\":{\n\"vmm\":{\n\"memory_mib\":1}}}",
		"dir/c.json:3: limits.vmm.memory_mib: unknown key; did you "
		"mean \"memory-mib\"?");
	refuses("{\"limits\":{\"vm\":{}}}",
		"dir/c.json:1: limits.vm: unknown key; did you mean \"vmm\"?");
	refuses("{\"limit\":{}}",
		"dir/c.json:1: limit: unknown key; did you mean \"limits\"?");
	refuses("{\"cpu-percent\":1}",
		"dir/c.json:1: cpu-percent: unknown key; did you mean "
		"\"limits.monitor.cpu-percent\"?");
	refuses("{\"limits\":{\"vmm\":{\"io-read-bps\":5}}}",
		"dir/c.json:1: limits.vmm.io-read-bps: unknown key; did you "
		"mean \"limits.blk.io-read-bps\"?");
	refuses("{\"limits\":{\"vmm\":{\"cpu-percent\":0}}}",
		"dir/c.json:1: limits.vmm.cpu-percent: 0 is out of range; "
		"accepted: 1..200 (two CPUs)");
	refuses("{\"limits\":{\"vmm\":{\"cpu-percent\":201}}}",
		"dir/c.json:1: limits.vmm.cpu-percent: 201 is out of range; "
		"accepted: 1..200 (two CPUs)");
	refuses("{\"limits\":{\"blk\":{\"memory-mib\":67108865}}}",
		"dir/c.json:1: limits.blk.memory-mib: 67108865 is out of "
		"range; accepted: 1..67108864");
	refuses("{\"limits\":{\"blk\":{\"io-read-iops\":4294967295}}}",
		"dir/c.json:1: limits.blk.io-read-iops: 4294967295 is out of "
		"range; accepted: 2..4294967294");
	refuses("{\"limits\":{\"blk\":{\"io-write-bps\":"
		"1125899906842625}}}",
		"dir/c.json:1: limits.blk.io-write-bps: 1125899906842625 is "
		"out of range; accepted: 2..1125899906842624");
	refuses("{\"limits\":{\"fs\":{\"pids\":0}}}",
		"dir/c.json:1: limits.fs.pids: 0 is out of range; accepted: "
		"1..4194304");
	refuses("{\"limits\":{\"fs\":{\"pids\":\"1\"}}}",
		"dir/c.json:1: limits.fs.pids: expected a whole number, found "
		"a string; accepted: 1..4194304");
	refuses("{\"cgroup\":\"machines\"}",
		"dir/c.json:1: cgroup: \"machines\" is not accepted; accepted: "
		"an absolute path such as /sys/fs/cgroup/machines, or own");
}

static void config_quotas_alone(void)
{
	struct config cfg;
	struct problem p;

	CU_ASSERT_EQUAL(parse(&cfg,
			      "{\"kernel\":{\"path\":\"k\"},"
			      "\"limits\":{\"vmm\":{\"pids\":9}}}",
			      &p),
			0);
	CU_ASSERT_EQUAL(config_finish(&cfg, &p), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.text, "dir/c.json:1: limits: need a "
					      "cgroup to be set in"));
	CU_ASSERT_PTR_NOT_NULL(strstr(p.text, "Delegate=yes"));
	config_fini(&cfg);
}

const struct unit_case cases_config[14] = {
	UNIT_CASE(config_stores_all),     UNIT_CASE(config_defaults),
	UNIT_CASE(config_unknown_keys),   UNIT_CASE(config_repeated_keys),
	UNIT_CASE(config_wrong_types),    UNIT_CASE(config_ranges),
	UNIT_CASE(config_exact_limits),   UNIT_CASE(config_words),
	UNIT_CASE(config_syntax),         UNIT_CASE(config_whole),
	UNIT_CASE(config_host_limits),    UNIT_CASE(config_quotas),
	UNIT_CASE(config_quotas_refused), UNIT_CASE(config_quotas_alone),
};
