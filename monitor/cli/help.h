/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help.h - help texts and man page, made from the rows of verbs, keys and exit
 * codes.
 */
#ifndef MONITOR_CLI_HELP_H
#define MONITOR_CLI_HELP_H

#include <stdio.h>

#include "monitor/cli/verb.h"

/** help_all() - the command: verbs and exit codes. */
void help_all(FILE *out);
/** help_verb() - one verb: its flags, and the keys of CONFIG.json. */
void help_verb(FILE *out, const struct verb *verb);
/**
 * help_man() - the man page in mdoc
 * @template: page with lines @VERBS@, @FLAGS@, @KEYS@ and @EXIT@, which are
 * replaced by lists made from the rows
 * Return: 0; -1 an unknown @...@ line or a write error.
 */
int help_man(FILE *page_template, FILE *out);

#endif
