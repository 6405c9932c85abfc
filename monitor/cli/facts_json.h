/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts_json.h - facts of a process as JSON and as text, for every command that
 * shows them.
 */
#ifndef MONITOR_CLI_FACTS_JSON_H
#define MONITOR_CLI_FACTS_JSON_H

#include <stdio.h>

#include "proto/facts.pb-c.h"

struct json_t;

/**
 * facts_json() - all facts, under the names of facts.proto with "-" for "_"
 * @f: checked by facts_check(); strings of children are escaped here
 * Capability sets are names or "none", limits numbers or "unlimited". What is
 * not known is not there.
 * Return: an object, owned by the caller; NULL: out of memory.
 */
struct json_t *facts_json(const Bulkhead__Facts__Facts *f);

/**
 * facts_print() - for people: one line for each kind of fact, fds by their kind
 * @facts: of facts_json()
 * @indent: blanks before each line
 */
void facts_print(struct json_t *facts, FILE *out, int indent);

#endif
