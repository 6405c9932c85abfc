// SPDX-License-Identifier: Apache-2.0
/*
 * verb_run.c - `bulkhead run`: the monitor of one machine.
 */
#include <stdio.h>

#include "monitor/cli/help.h"
#include "monitor/cli/session.h"

int verb_run(const struct verb *verb, int argc, char **argv,
	     struct phases *phases)
{
	struct session *s;
	int code = session_open(verb, argc, argv, phases, &s);
	char why[MACHINE_WHY_BYTES];
	bool ran;

	if (!s)
		return code;
	s->machine.dry_run = false;
	code = machine_run(&s->machine);
	session_why(s, why, sizeof(why));
	ran = s->machine.running;
	/* Socket and groups go first: the last line may wait for its reader. */
	session_close(s);
	if (ran)
		fprintf(stderr, "bulkhead: machine ended: %s (exit %d)\n", why,
			code);
	else
		fprintf(stderr, "bulkhead: %s\n", why);
	return code;
}
