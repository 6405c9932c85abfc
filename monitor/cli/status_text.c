// SPDX-License-Identifier: Apache-2.0
/*
 * status_text.c - prints a machine's JSON object for people. Runs in `bulkhead
 * status`. Strings were escaped when the object was made.
 */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "monitor/cli/facts_json.h"
#include "monitor/cli/status.h"

/* text_of() - a string member; "-" for none. */
static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "-";
}

/* text_int() - an integer member. */
static int64_t text_int(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

/* text_is_there() - known, and not an empty list. */
static bool text_is_there(const json_t *value)
{
	return value && !json_is_null(value) &&
	       (!json_is_array(value) || json_array_size(value) > 0);
}

/* text_facts() - the kernel's, then what only the process itself could tell. */
static void text_facts(FILE *out, const json_t *confinement)
{
	json_t *kernel = json_object_get(confinement, "kernel");
	json_t *ready = json_object_get(confinement, "ready");
	json_t *rest = json_object();
	const char *name;
	json_t *value;

	if (json_is_string(json_object_get(confinement, "kernel-note")))
		fprintf(out, "    note: %s\n",
			text_of(confinement, "kernel-note"));
	if (json_is_object(kernel)) {
		fputs("    the kernel says now:\n", out);
		facts_print(kernel, out, 6);
	}
	json_object_foreach(ready, name, value)
	{
		if (text_is_there(value) &&
		    !text_is_there(json_object_get(kernel, name)))
			(void)json_object_set(rest, name, value);
	}
	if (json_object_size(rest) > 0) {
		fputs("    it said itself when it was ready:\n", out);
		facts_print(rest, out, 6);
	}
	json_decref(rest);
}

/* text_confinement() - walls and facts of one process. */
static void text_confinement(FILE *out, const json_t *process)
{
	const json_t *confinement = json_object_get(process, "confinement");
	json_t *wall;
	size_t i;

	if (!confinement)
		return;
	fprintf(out, "\n%s[%" PRId64 "]\n", text_of(process, "name"),
		text_int(process, "pid"));
	if (!json_is_true(json_object_get(confinement, "reported")))
		fputs("    it has not reported its walls yet\n", out);
	json_array_foreach(json_object_get(confinement, "walls"), i, wall)
	{
		fprintf(out, "    wall %s %s: %s\n", text_of(wall, "name"),
			json_is_true(json_object_get(wall, "stands"))
				? "stands"
				: "does not stand",
			text_of(wall, "detail"));
	}
	text_facts(out, confinement);
}

/* text_process() - one line of the list. */
static void text_process(FILE *out, const json_t *process)
{
	fprintf(out,
		"  %-20s %8" PRId64 "  %-8s %-8s %8" PRId64 ".%" PRId64 " s",
		text_of(process, "name"), text_int(process, "pid"),
		text_of(process, "state"), text_of(process, "confine"),
		text_int(process, "uptime-ms") / 1000,
		text_int(process, "uptime-ms") % 1000 / 100);
	if (json_is_integer(json_object_get(process, "refusals")) &&
	    text_int(process, "refusals"))
		fprintf(out, "  %" PRId64 " calls refused",
			text_int(process, "refusals"));
	if (json_is_string(json_object_get(process, "ended")))
		fprintf(out, "  %s", text_of(process, "ended"));
	fputc('\n', out);
}

/* text_warning() - a process with fewer walls is never one among others. */
static void text_warning(FILE *out, const json_t *list)
{
	static const struct {
		const char *confine, *says;
	} modes[] = {
		{"off", "confinement is OFF"},
		{"log", "confinement only LOGS what it should refuse"},
	};
	json_t *process;
	size_t i;

	for (size_t k = 0; k < sizeof(modes) / sizeof(modes[0]); k++) {
		const char *before = " for";
		bool any = false;

		json_array_foreach(list, i, process)
		{
			if (strcmp(text_of(process, "confine"),
				   modes[k].confine) != 0)
				continue;
			if (!any)
				fprintf(out, "  WARNING: %s", modes[k].says);
			fprintf(out, "%s %s", before, text_of(process, "name"));
			before = ",";
			any = true;
		}
		if (any)
			fputc('\n', out);
	}
}

int status_text(const json_t *machine, FILE *out)
{
	const json_t *list = json_object_get(machine, "processes");
	const json_t *ending = json_object_get(machine, "ending");
	json_t *process;
	size_t i;

	fprintf(out,
		"machine %" PRId64 "%s%s: %s for %" PRId64 ".%" PRId64
		" s, %" PRId64 " CPUs, %" PRId64 " MiB, confine %s\n",
		text_int(machine, "pid"),
		json_is_string(json_object_get(machine, "name")) ? " " : "",
		json_is_string(json_object_get(machine, "name"))
			? text_of(machine, "name")
			: "",
		text_of(machine, "phase"),
		text_int(machine, "uptime-ms") / 1000,
		text_int(machine, "uptime-ms") % 1000 / 100,
		text_int(machine, "cpus"), text_int(machine, "memory-mib"),
		text_of(machine, "confine"));
	fprintf(out, "  socket %s, bulkhead %s\n", text_of(machine, "socket"),
		text_of(machine, "build"));
	if (json_is_object(ending))
		fprintf(out, "  ends with exit code %" PRId64 ": %s\n",
			text_int(ending, "code"), text_of(ending, "why"));
	text_warning(out, list);
	fprintf(out, "  %-20s %8s  %-8s %-8s %10s\n", "PROCESS", "PID", "STATE",
		"CONFINE", "SINCE");
	json_array_foreach(list, i, process) text_process(out, process);
	json_array_foreach(list, i, process) text_confinement(out, process);
	return ferror(out);
}
