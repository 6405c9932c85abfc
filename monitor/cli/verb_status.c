// SPDX-License-Identifier: Apache-2.0
/*
 * verb_status.c - `bulkhead status`: what runs, and which walls stand. A
 * program of its own beside the monitors that it asks.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "monitor/cli/help.h"
#include "monitor/cli/status.h"

/**
 * struct status_args - what was asked for
 * @target: path or pid; NULL = all machines
 */
struct status_args {
	const char *target;
	bool confinement;
	bool json;
	bool help;
};

/* status_format() - the word after --format. */
static int status_format(struct status_args *args, const char *word,
			 struct problem *p)
{
	if (!word || (strcmp(word, "text") != 0 && strcmp(word, "json") != 0))
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "--format: \"%.64s\" is not accepted; "
				   "accepted: text, json",
				   word ? word : "");
	args->json = !strcmp(word, "json");
	return 0;
}

/* status_flag() - one argument; *@i moves over its value. */
static int status_flag(struct status_args *args, int argc, char **argv, int *i,
		       struct problem *p)
{
	const char *arg = argv[*i];

	if (!strcmp(arg, "--help")) {
		args->help = true;
	} else if (!strcmp(arg, "--json")) {
		args->json = true;
	} else if (!strcmp(arg, "--confinement")) {
		args->confinement = true;
	} else if (!strcmp(arg, "--format")) {
		*i += 1;
		return status_format(args, *i < argc ? argv[*i] : NULL, p);
	} else if (*arg == '-' || args->target) {
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "status: %.64s: unexpected; see bulkhead "
				   "help status",
				   arg);
	} else {
		args->target = arg;
	}
	return 0;
}

/* status_args() - all arguments. */
static int status_args(struct status_args *args, int argc, char **argv,
		       struct problem *p)
{
	int ret = 0;

	for (int i = 0; i < argc && !ret && !args->help; i++)
		ret = status_flag(args, argc, argv, &i, p);
	if (ret || !args->target || strchr(args->target, '/'))
		return ret;
	if (!*args->target ||
	    strspn(args->target, "0123456789") != strlen(args->target))
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "status: \"%.64s\" is neither a pid nor the "
				   "path of a socket (with a '/')",
				   args->target);
	return 0;
}

/**
 * struct status_walk - for status_find_each
 * @wanted: the pid to look for; "" = all
 * @path: where it was found
 * @machines: list of objects
 * @skipped: list of {"socket", "why"}
 * @code: of the command
 */
struct status_walk {
	const struct status_args *args;
	char path[CONTROL_PATH_BYTES];
	json_t *machines;
	json_t *skipped;
	int code;
};

/* status_match() - for status_find_each: the socket of one pid. */
static int status_match(void *ctx, const char *path, pid_t pid)
{
	struct status_walk *walk = ctx;
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", (int)pid);
	if (strcmp(text, walk->args->target) != 0)
		return 0;
	(void)snprintf(walk->path, sizeof(walk->path), "%s", path);
	return 1;
}

/* status_add() - for status_find_each: one machine more. */
static int status_add(void *ctx, const char *path, pid_t pid)
{
	struct status_walk *walk = ctx;
	struct problem p = {0};
	json_t *machine = NULL;
	int ret = status_machine(path, walk->args->confinement, &machine, &p);

	(void)pid;
	if (!ret)
		return json_array_append_new(walk->machines, machine);
	/* What ends between readdir and connect is no failure either. */
	if (ret != -ECONNREFUSED && ret != -ENOENT && ret != -ECONNRESET)
		walk->code = (int)p.code;
	return json_array_append_new(walk->skipped,
				     json_pack("{s:s, s:s}", "socket", path,
					       "why", p.text));
}

/* status_print() - @value as JSON. */
static int status_print(const json_t *value)
{
	int ret = json_dumpf(value, stdout, JSON_INDENT(2));

	fputc('\n', stdout);
	return ret || fflush(stdout) ? EXIT_CODE_HOST : 0;
}

/* status_one() - the machine at @path. */
static int status_one(const struct status_args *args, const char *path)
{
	struct problem p = {0};
	json_t *machine = NULL;
	int code;

	if (status_machine(path, args->confinement, &machine, &p))
		return problem_print(&p);
	if (args->json)
		code = status_print(machine);
	else
		code = status_text(machine, stdout) || fflush(stdout)
			       ? EXIT_CODE_HOST
			       : 0;
	json_decref(machine);
	return code;
}

/* status_list_text() - machines on stdout, what was skipped on stderr. */
static int status_list_text(const struct status_walk *walk)
{
	const json_t *value;
	size_t i;

	json_array_foreach(walk->machines, i, value)
	{
		if (i)
			fputc('\n', stdout);
		if (status_text(value, stdout))
			return EXIT_CODE_HOST;
	}
	if (!i)
		fputs("no machine runs\n", stdout);
	json_array_foreach(walk->skipped, i, value)
	{
		fprintf(stderr, "bulkhead: skipped: %s\n",
			json_string_value(json_object_get(value, "why")));
	}
	return fflush(stdout) ? EXIT_CODE_HOST : 0;
}

/* status_all() - every machine of this user. */
static int status_all(const struct status_args *args)
{
	struct status_walk walk = {.args = args,
				   .machines = json_array(),
				   .skipped = json_array()};
	json_t *both = NULL;
	int code = EXIT_CODE_HOST;

	if (!status_find_each(status_add, &walk))
		both = json_pack("{s:O, s:O}", "machines", walk.machines,
				 "skipped", walk.skipped);
	if (both)
		code = args->json ? status_print(both)
				  : status_list_text(&walk);
	else
		fprintf(stderr, "bulkhead: out of memory\n");
	json_decref(both);
	json_decref(walk.machines);
	json_decref(walk.skipped);
	return code ? code : walk.code;
}

/* status_pid() - the machine whose monitor is args->target. */
static int status_pid(const struct status_args *args)
{
	struct status_walk walk = {.args = args};
	struct problem p = {0};

	if (status_find_each(status_match, &walk))
		return status_one(args, walk.path);
	(void)problem_set(&p, EXIT_CODE_HOST, -ENOENT,
			  "no machine of this user has pid %.16s; bulkhead "
			  "status lists them, others are found by the path of "
			  "their socket",
			  args->target);
	return problem_print(&p);
}

int verb_status(const struct verb *verb, int argc, char **argv,
		struct phases *phases)
{
	struct status_args args = {0};
	struct problem p = {0};

	(void)phases;
	if (status_args(&args, argc, argv, &p))
		return problem_print(&p);
	if (args.help) {
		help_verb(stdout, verb);
		return 0;
	}
	if (!args.target)
		return status_all(&args);
	if (strchr(args.target, '/'))
		return status_one(&args, args.target);
	return status_pid(&args);
}
