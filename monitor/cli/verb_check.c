// SPDX-License-Identifier: Apache-2.0
/*
 * verb_check.c - `bulkhead check`: all of run but the guest, and a report.
 */
#include <stdio.h>

#include "monitor/cli/help.h"
#include "monitor/cli/report.h"
#include "monitor/cli/session.h"

int verb_check(const struct verb *verb, int argc, char **argv,
	       struct phases *phases)
{
	struct session *s;
	int code = session_open(verb, argc, argv, phases, &s);

	if (!s)
		return code;
	s->machine.dry_run = true;
	code = machine_run(&s->machine);
	if (code || !s->machine.prepared) {
		char why[MACHINE_WHY_BYTES];

		session_why(s, why, sizeof(why));
		fprintf(stderr, "bulkhead: %s\n", why);
	} else {
		code = report_print(s, stdout);
	}
	session_close(s);
	return code;
}
