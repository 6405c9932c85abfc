/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - what `check` found, as JSON and as text.
 */
#ifndef MONITOR_CLI_REPORT_H
#define MONITOR_CLI_REPORT_H

#include <stdio.h>

#include "monitor/cli/session.h"

struct json_t;

/**
 * report_print() - s->machine.prepared must be there
 * Return: exit code.
 */
MUST_CHECK int report_print(const struct session *s, FILE *out);

/**
 * report_limits() - what is in force on each process, a new list; empty where
 * processes have no cgroups
 */
struct json_t *report_limits(const struct session *s);

/**
 * report_text_print() - @report as lines for people; borrowed
 * Return: 0; not 0 on a write error.
 */
MUST_CHECK int report_text_print(struct json_t *report, FILE *out);

#endif
