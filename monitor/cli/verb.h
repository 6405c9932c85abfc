/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb.h - what the command can do, one row each.
 */
#ifndef MONITOR_CLI_VERB_H
#define MONITOR_CLI_VERB_H

#include <stdbool.h>
#include <stddef.h>

#include "ipc/compiler.h"
#include "monitor/machine/phases.h"

/**
 * struct verb - one verb
 * @args: synopsis behind the verb
 * @summary: one phrase, for lists
 * @help: sentences, for its own page
 * @takes_config: CONFIG.json and its flags are its arguments
 * @takes_format: and --format
 * @run: @argv[argc] behind the verb. Return: exit code.
 */
struct verb {
	const char *name;
	const char *args;
	const char *summary;
	const char *help;
	bool takes_config;
	bool takes_format;
	int (*run)(const struct verb *verb, int argc, char **argv,
		   struct phases *phases);
};

/** verb_rows() - the whole table; @ret_cnt rows. */
const struct verb *verb_rows(size_t *ret_cnt);
/** verb_find() - NULL if there is none of @name. */
const struct verb *verb_find(const char *name);

/** verb_main() - the command. Return: exit code. */
int verb_main(int argc, char **argv);

/* Each in a file of its own. */
int verb_run(const struct verb *verb, int argc, char **argv,
	     struct phases *phases);
int verb_check(const struct verb *verb, int argc, char **argv,
	       struct phases *phases);
int verb_status(const struct verb *verb, int argc, char **argv,
		struct phases *phases);
int verb_policy(const struct verb *verb, int argc, char **argv,
		struct phases *phases);

#endif
