// SPDX-License-Identifier: Apache-2.0
/*
 * session.c - arguments to machine. Runs in the monitor.
 */
#define LOG_MODULE "session"
#include "monitor/cli/session.h"

#include <errno.h>

#include "ipc/log.h"
#include "monitor/cli/help.h"

/* session_config() - file and flags. */
static int session_config(struct session *s, const struct verb *verb, int argc,
			  char **argv, struct problem *p)
{
	struct config_limits limits;
	int ret;

	config_limits_probe(&limits);
	s->args.allow_format = verb->takes_format;
	ret = config_flags(&s->cfg, &limits, argc, argv, &s->args, p);
	if (!ret && !s->args.help)
		ret = config_finish(&s->cfg, p);
	return ret;
}

/* session_warn() - fewer walls are never silent. */
static void session_warn(const struct config *cfg)
{
	if (cfg->confine != CONFIG_CONFINE_ENFORCE)
		warning_print("confine is not enforce: the guest's processes "
			      "have fewer walls");
	for (uint32_t i = 0; i < cfg->disk_cnt; i++) {
		if (cfg->disks[i].confine == CONFIG_DISK_CONFINE_MACHINE ||
		    config_disk_confine(cfg, i) == CONFIG_CONFINE_ENFORCE)
			continue;
		warning_print(
			"disk \"%s\": confine is not enforce: its process "
			"has fewer walls",
			cfg->disks[i].id);
	}
}

/* session_begin() - all that can fail. Return: 0; -errno; 1 = only help. */
static int session_begin(struct session *s, const struct verb *verb, int argc,
			 char **argv, struct phases *phases, struct problem *p)
{
	int ret;

	log_to_stderr("monitor");
	config_init(&s->cfg);
	ret = session_config(s, verb, argc, argv, p);
	if (ret)
		return ret;
	if (s->args.help) {
		help_verb(stdout, verb);
		return 1;
	}
	log_set_level((enum log_level)s->cfg.log_level);
	session_warn(&s->cfg);
	phases_mark(phases, "config");
	ret = resources_open(&s->cfg, &s->res, p);
	phases_mark(phases, "resources");
	return ret;
}

int session_open(const struct verb *verb, int argc, char **argv,
		 struct phases *phases, struct session **ret_s)
{
	struct problem p = {0};
	struct session *s = calloc(1, sizeof(*s));
	int ret;

	*ret_s = NULL;
	if (!s) {
		(void)problem_set(&p, EXIT_CODE_HOST, -ENOMEM, "out of memory");
		return problem_print(&p);
	}
	ret = session_begin(s, verb, argc, argv, phases, &p);
	if (ret) {
		config_fini(&s->cfg);
		free(s);
		return ret < 0 ? problem_print(&p) : 0;
	}
	s->machine.cfg = &s->cfg;
	s->machine.res = &s->res;
	s->machine.phases = phases;
	*ret_s = s;
	return 0;
}

void session_close(struct session *s)
{
	machine_fini(&s->machine);
	resources_close(&s->res);
	config_fini(&s->cfg);
	free(s);
}

void session_why(const struct session *s, char *ret_text, size_t size)
{
	(void)log_text_escape(ret_text, size, s->machine.why);
}
