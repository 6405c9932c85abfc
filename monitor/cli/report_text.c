// SPDX-License-Identifier: Apache-2.0
/*
 * report_text.c - prints the report of `check` for people: every member of the
 * JSON value, one line for a flat object. Runs in the monitor.
 */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "monitor/cli/facts_json.h"
#include "monitor/cli/report.h"

/* report_scalar() - a value that is no object or list. */
static void report_scalar(FILE *out, const json_t *value)
{
	if (json_is_string(value))
		fputs(json_string_value(value), out);
	else if (json_is_integer(value))
		fprintf(out, "%" PRId64, (int64_t)json_integer_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "yes" : "no", out);
	else
		fputs("none", out);
}

/* report_flat() - the scalars of an object: "name value, name value". */
static void report_flat(FILE *out, json_t *object)
{
	const char *name;
	json_t *value;
	const char *comma = "";

	json_object_foreach(object, name, value)
	{
		if (json_is_array(value) || json_is_object(value))
			continue;
		if (json_is_string(value) && !*json_string_value(value))
			continue;
		fprintf(out, "%s%s ", comma, name);
		report_scalar(out, value);
		comma = ", ";
	}
}

/* report_inner() - the lists inside an object: one line for each item; facts
 * have a form of their own. */
static void report_inner(FILE *out, json_t *object, int indent)
{
	const char *name;
	json_t *list;
	json_t *item;
	size_t i;

	json_object_foreach(object, name, list)
	{
		if (strcmp(name, "facts") == 0) {
			facts_print(list, out, indent);
			continue;
		}
		json_array_foreach(list, i, item)
		{
			fprintf(out, "%*s", indent, "");
			report_flat(out, item);
			fputc('\n', out);
		}
	}
}

/* report_list() - one line for each item, and its inner lists below. */
static void report_list(FILE *out, json_t *list, int indent)
{
	size_t i;
	json_t *item;

	json_array_foreach(list, i, item)
	{
		fprintf(out, "%*s", indent, "");
		if (json_is_object(item))
			report_flat(out, item);
		else
			report_scalar(out, item);
		fputc('\n', out);
		if (json_is_object(item))
			report_inner(out, item, indent + 2);
	}
}

int report_text_print(json_t *report, FILE *out)
{
	const char *name;
	json_t *value;

	json_object_foreach(report, name, value)
	{
		fprintf(out, "%s:", name);
		if (json_is_array(value)) {
			fputs(json_array_size(value) ? "\n" : " none\n", out);
			report_list(out, value, 2);
			continue;
		}
		fputc(' ', out);
		if (json_is_object(value))
			report_flat(out, value);
		else
			report_scalar(out, value);
		fputc('\n', out);
	}
	return ferror(out);
}
