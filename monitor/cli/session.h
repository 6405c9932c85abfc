/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - what `run` and `check` have in common: from the arguments to a
 * machine that can be run.
 */
#ifndef MONITOR_CLI_SESSION_H
#define MONITOR_CLI_SESSION_H

#include "monitor/cli/verb.h"
#include "monitor/config/config.h"
#include "monitor/host/resources.h"
#include "monitor/machine/machine.h"

/**
 * struct session - one machine of the command line
 */
struct session {
	struct config cfg;
	struct config_args args;
	struct resources res;
	struct machine machine;
};

/**
 * session_open() - configuration and resources; prints what is wrong
 * @ret_s: owned; NULL when there is nothing to run
 * Return: exit code when *ret_s is NULL, else 0.
 */
MUST_CHECK int session_open(const struct verb *verb, int argc, char **argv,
			    struct phases *phases, struct session **ret_s);
/** session_close() - ends and frees everything. */
void session_close(struct session *s);
/** session_why() - the machine's reason, escaped: a child may have said it. */
void session_why(const struct session *s, char *ret_text, size_t size);

#endif
