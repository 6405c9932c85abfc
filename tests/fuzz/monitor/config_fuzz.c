// SPDX-License-Identifier: Apache-2.0
/*
 * config_fuzz.c - any bytes as CONFIG.json: no crash, and what is accepted is
 * inside its ranges (a tenant may write the file).
 */
#include <stdlib.h>

#include "monitor/config/config.h"
#include "monitor/config/config_locate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct config_limits limits = {.memory_max_mib = 65536,
						    .memory_why = "fuzz"};
	const char *text = (const char *)data;
	char path[LOCATE_PATH_BYTES];
	struct problem p = {0};
	struct config cfg;

	config_init(&cfg);
	if (!config_parse(&cfg, &limits, "f/c.json", text, size, &p)) {
		if (p.error || cfg.cpus < 1 || cfg.cpus > CONFIG_CPUS_MAX ||
		    cfg.memory_mib < CONFIG_MEMORY_MIN_MIB ||
		    cfg.memory_mib > limits.memory_max_mib ||
		    cfg.disk_cnt > CONFIG_DISKS_MAX)
			abort();
		if (config_finish(&cfg, &p) && !p.error)
			abort();
	} else if (!p.error || p.code != EXIT_CODE_INPUT || !p.text[0]) {
		abort();
	}
	config_fini(&cfg);
	/* The locator must stand text that jansson would refuse. */
	if (locate_line(text, size, "disks[1].path") < 1)
		abort();
	locate_path(text, size, size / 2, path);
	return 0;
}
