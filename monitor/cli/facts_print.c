// SPDX-License-Identifier: Apache-2.0
/*
 * facts_print.c - facts of a process for people: one line for each kind of
 * fact, from the JSON value. Runs in the command.
 */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "monitor/cli/facts_json.h"

/* print_scalar() - strings are escaped already. */
static void print_scalar(FILE *out, const json_t *value)
{
	if (json_is_string(value))
		fputs(json_string_value(value), out);
	else if (json_is_integer(value))
		fprintf(out, "%" PRId64, (int64_t)json_integer_value(value));
	else
		fputs(json_is_true(value) ? "yes" : "no", out);
}

/* print_members() - of an object: "name value, name value" */
static void print_members(FILE *out, json_t *object)
{
	const char *name, *comma = "";
	json_t *value;

	json_object_foreach(object, name, value)
	{
		fprintf(out, "%s%s ", comma, name);
		print_scalar(out, value);
		comma = ", ";
	}
}

/* print_values() - of an object, without their names: "user 4026531837" */
static void print_values(FILE *out, json_t *object)
{
	const char *name, *blank = "";
	json_t *value;

	json_object_foreach(object, name, value)
	{
		fputs(blank, out);
		print_scalar(out, value);
		blank = " ";
	}
}

/* print_list() - items between commas. */
static void print_list(FILE *out, const json_t *list)
{
	const char *comma = "";
	json_t *item;
	size_t i;

	if (json_array_size(list) == 0)
		fputs("none", out);
	json_array_foreach(list, i, item)
	{
		fputs(comma, out);
		if (json_is_object(item))
			print_values(out, item);
		else
			print_scalar(out, item);
		comma = ", ";
	}
}

static const char *fd_kind(const json_t *fds, size_t i)
{
	const json_t *kind = json_object_get(json_array_get(fds, i), "kind");

	return json_is_string(kind) ? json_string_value(kind) : "";
}

/* print_kind() - the numbers of all fds of @fds[first]'s kind; and how many */
static void print_kind(FILE *out, const json_t *fds, size_t first)
{
	for (size_t i = first; i < json_array_size(fds); i++) {
		if (strcmp(fd_kind(fds, i), fd_kind(fds, first)) != 0)
			continue;
		fputc(' ', out);
		print_scalar(out,
			     json_object_get(json_array_get(fds, i), "fd"));
	}
}

/* print_fds() - "chardev 0 1 2, socket 3 4" */
static void print_fds(FILE *out, const json_t *fds)
{
	const char *comma = "";

	if (json_array_size(fds) == 0)
		fputs("none", out);
	for (size_t i = 0; i < json_array_size(fds); i++) {
		size_t before = 0;

		while (strcmp(fd_kind(fds, before), fd_kind(fds, i)) != 0)
			before++;
		if (before < i)
			continue;
		fprintf(out, "%s%s", comma, fd_kind(fds, i));
		print_kind(out, fds, i);
		comma = ", ";
	}
}

void facts_print(json_t *facts, FILE *out, int indent)
{
	const char *name;
	json_t *value;

	json_object_foreach(facts, name, value)
	{
		if (strcmp(name, "incomplete") == 0 &&
		    json_array_size(value) == 0)
			continue;
		fprintf(out, "%*s%s: ", indent, "", name);
		if (strcmp(name, "fds") == 0)
			print_fds(out, value);
		else if (json_is_array(value))
			print_list(out, value);
		else if (json_is_object(value))
			print_members(out, value);
		else
			print_scalar(out, value);
		fputc('\n', out);
	}
}
