// SPDX-License-Identifier: Apache-2.0
/*
 * verb_policy.c - `bulkhead policy`: the tables of system calls for people and
 * programs. Starts nothing and opens nothing; its arguments are the user's.
 */
#include <stdio.h>
#include <string.h>

#include "monitor/cli/help.h"
#include "monitor/config/config_suggest.h"
#include "monitor/exit.h"
#include "policy/show.h"

static const char *const policy_formats[] = {
	[POLICY_FORMAT_TEXT] = "text",
	[POLICY_FORMAT_JSON] = "json",
	[POLICY_FORMAT_PFC] = "pfc",
};

/* policy_name() - of a filter, for policy_choose. */
static const char *policy_name(size_t i)
{
	return policy_table((enum policy_filter)i)->name;
}

/* policy_format_name() - likewise. */
static const char *policy_format_name(size_t i)
{
	return policy_formats[i];
}

/**
 * policy_choose() - the one of @cnt names that @word is
 * @what: for the message
 * Return: its index; @cnt after a message with the nearest and all of them.
 */
static size_t policy_choose(const char *what, const char *word,
			    const char *(*name)(size_t), size_t cnt)
{
	struct suggest near;

	suggest_start(&near, word);
	for (size_t i = 0; i < cnt; i++) {
		if (!strcmp(name(i), word))
			return i;
		suggest_offer(&near, name(i));
	}
	fprintf(stderr, "bulkhead: policy: no %s \"%.64s\"; ", what, word);
	if (near.best)
		fprintf(stderr, "did you mean \"%s\"? ", near.best);
	fputs("There are:", stderr);
	for (size_t i = 0; i < cnt; i++)
		fprintf(stderr, " %s", name(i));
	fputc('\n', stderr);
	return cnt;
}

/* policy_wrong() - the usage error of all sub-verbs. */
static int policy_wrong(const char *why, const char *word)
{
	fprintf(stderr, "bulkhead: policy: %s%.64s; see bulkhead help policy\n",
		why, word);
	return EXIT_CODE_INPUT;
}

/* policy_done() - exit code of what printed; -errno says that it could not. */
static int policy_done(int ret)
{
	if (ret >= 0)
		return 0;
	fprintf(stderr, "bulkhead: policy: cannot write: %s\n", strerror(-ret));
	return EXIT_CODE_HOST;
}

static int policy_verb_list(int argc, char **argv)
{
	if (argc > 0)
		return policy_wrong("unexpected: ", argv[0]);
	return policy_done(policy_list(stdout));
}

/* policy_verb_show() - ROLE and --format in any order. */
static int policy_verb_show(int argc, char **argv)
{
	size_t format = POLICY_FORMAT_TEXT;
	const char *role = NULL;
	size_t filter;

	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--format")) {
			if (++i == argc)
				return policy_wrong("--format needs a value",
						    "");
			format = policy_choose("format", argv[i],
					       policy_format_name,
					       ARRAY_SIZE(policy_formats));
			if (format == ARRAY_SIZE(policy_formats))
				return EXIT_CODE_INPUT;
		} else if (*argv[i] == '-' || role) {
			return policy_wrong("unexpected: ", argv[i]);
		} else {
			role = argv[i];
		}
	}
	if (!role)
		return policy_wrong("show needs a ROLE", "");
	filter =
		policy_choose("filter", role, policy_name, POLICY_FILTER_COUNT);
	if (filter == POLICY_FILTER_COUNT)
		return EXIT_CODE_INPUT;
	return policy_done(policy_show((enum policy_filter)filter,
				       (enum policy_format)format, stdout));
}

static int policy_verb_diff(int argc, char **argv)
{
	size_t filter[2];

	if (argc != 2)
		return policy_wrong("diff needs two ROLEs", "");
	for (size_t i = 0; i < 2; i++) {
		filter[i] = policy_choose("filter", argv[i], policy_name,
					  POLICY_FILTER_COUNT);
		if (filter[i] == POLICY_FILTER_COUNT)
			return EXIT_CODE_INPUT;
	}
	return policy_done(policy_diff((enum policy_filter)filter[0],
				       (enum policy_filter)filter[1], stdout));
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} policy_verbs[] = {
	{"list", policy_verb_list},
	{"show", policy_verb_show},
	{"diff", policy_verb_diff},
};

/* policy_verb_name() - for policy_choose. */
static const char *policy_verb_name(size_t i)
{
	return policy_verbs[i].name;
}

int verb_policy(const struct verb *verb, int argc, char **argv,
		struct phases *phases)
{
	size_t i;

	(void)phases;
	for (int a = 0; a < argc; a++) {
		if (!strcmp(argv[a], "--help")) {
			help_verb(stdout, verb);
			return 0;
		}
	}
	if (argc == 0)
		return policy_wrong("list, show or diff?", "");
	i = policy_choose("verb", argv[0], policy_verb_name,
			  ARRAY_SIZE(policy_verbs));
	if (i == ARRAY_SIZE(policy_verbs))
		return EXIT_CODE_INPUT;
	return policy_verbs[i].run(argc - 1, argv + 1);
}
