// SPDX-License-Identifier: Apache-2.0
/*
 * verb_run.c - `bulkhead run`: the monitor of one machine.
 */
#include <stdio.h>

#include "monitor/cli/help.h"
#include "monitor/cli/session.h"

/* verb_run_last_line() - why it ended. */
static void verb_run_last_line(const struct session *s)
{
	char why[MACHINE_WHY_BYTES];

	session_why(s, why, sizeof(why));
	if (!s->machine.running)
		fprintf(stderr, "bulkhead: %s\n", why);
	else
		fprintf(stderr, "bulkhead: machine ended: %s (exit %d)\n", why,
			s->machine.code);
}

int verb_run(const struct verb *verb, int argc, char **argv,
	     struct phases *phases)
{
	struct session *s;
	int code = session_open(verb, argc, argv, phases, &s);

	if (s) {
		s->machine.dry_run = false;
		code = machine_run(&s->machine);
		verb_run_last_line(s);
		session_close(s);
	}
	return code;
}
