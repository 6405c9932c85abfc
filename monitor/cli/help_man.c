// SPDX-License-Identifier: Apache-2.0
/*
 * help_man.c - the man page's lists from the same rows as `--help`. Runs at
 * build time only (man_main.c). mdoc: mdoc(7) of mandoc 1.14.
 */
#include <inttypes.h>
#include <string.h>

#include "monitor/cli/help.h"
#include "monitor/config/config_schema.h"

/* help_man_text() - escapes what roff would take for a request or escape. */
static void help_man_text(FILE *out, const char *text, size_t len)
{
	if (len && (*text == '.' || *text == '\''))
		fputs("\\&", out);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\')
			fputs("\\e", out);
		else if (text[i] == '-')
			fputs("\\-", out);
		else
			fputc(text[i], out);
	}
}

/* help_man_word() - a text without line breaks. */
static void help_man_word(FILE *out, const char *text)
{
	help_man_text(out, text, strlen(text));
}

/* help_man_lines() - a new line for each sentence, and before 72 columns. */
static void help_man_lines(FILE *out, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t len = strcspn(text, " ");
		bool sentence = len && text[len - 1] == '.';

		if (column && column + len > 66) {
			fputc('\n', out);
			column = 0;
		}
		if (column)
			fputc(' ', out);
		help_man_text(out, text, len);
		column += len + 1;
		text += len;
		text += strspn(text, " ");
		if (sentence && *text) {
			fputc('\n', out);
			column = 0;
		}
	}
}

/* help_man_sentence() - starts with a capital letter, ends with a period. */
static void help_man_sentence(FILE *out, const char *text)
{
	char copy[512];

	(void)snprintf(copy, sizeof(copy), "%s.", text);
	if (copy[0] >= 'a' && copy[0] <= 'z')
		copy[0] = (char)(copy[0] - 'a' + 'A');
	help_man_lines(out, copy);
	fputc('\n', out);
}

/* help_man_values() - what a row accepts and its default. */
static void help_man_values(FILE *out, const struct config_key *key)
{
	if (key->words) {
		fputs("One of", out);
		for (size_t i = 0; key->words[i]; i++)
			fprintf(out, "%s\n.Cm %s", i ? " ," : "",
				key->words[i]);
		fputs(" .\n", out);
	}
	if (key->type == CONFIG_TYPE_UINT && key->max)
		fprintf(out, "From %" PRIu64 " to %" PRIu64 ".\n", key->min,
			key->max);
	else if (key->type == CONFIG_TYPE_UINT)
		fprintf(out, "From %" PRIu64 " to what the host has.\n",
			key->min);
	if (key->preset) {
		fputs("The default is ", out);
		help_man_word(out, key->preset);
		fputs(".\n", out);
	}
}

/* help_man_flag() - for config_schema_walk. */
static int help_man_flag(void *ctx, const char *path,
			 const struct config_key *key)
{
	FILE *out = ctx;

	(void)path;
	if (!key->flag)
		return 0;
	/* .Fl prints the first dash itself. */
	fputs(".It Fl ", out);
	help_man_word(out, key->flag + 1);
	if (key->arg) {
		fputs(" Ar ", out);
		help_man_word(out, key->arg);
	}
	fputc('\n', out);
	if (!strncmp(key->flag, "--no-", 5))
		fputs("Turn off:\n", out);
	help_man_sentence(out, key->help);
	if (key->type != CONFIG_TYPE_BOOL)
		help_man_values(out, key);
	return 0;
}

/* help_man_key() - for config_schema_walk. */
static int help_man_key(void *ctx, const char *path,
			const struct config_key *key)
{
	static const char *const types[CONFIG_TYPE_COUNT] = {
		[CONFIG_TYPE_STRING] = "string",
		[CONFIG_TYPE_PATH] = "path",
		[CONFIG_TYPE_UINT] = "whole number",
		[CONFIG_TYPE_BOOL] = "true or false",
		[CONFIG_TYPE_ENUM] = "string",
		[CONFIG_TYPE_WORDS] = "list of strings",
		[CONFIG_TYPE_OBJECT] = "object",
		[CONFIG_TYPE_DISKS] = "list of objects",
	};
	FILE *out = ctx;

	fputs(".It Cm ", out);
	help_man_word(out, path);
	fprintf(out, " Pq %s\n", types[key->type]);
	help_man_sentence(out, key->help);
	help_man_values(out, key);
	return 0;
}

/* help_man_verbs() - one item each. */
static void help_man_verbs(FILE *out)
{
	size_t cnt;
	const struct verb *rows = verb_rows(&cnt);

	for (size_t i = 0; i < cnt; i++) {
		fprintf(out, ".It Cm %s", rows[i].name);
		if (*rows[i].args) {
			fputs(" Ar ", out);
			help_man_word(out, rows[i].args);
		}
		fputc('\n', out);
		help_man_lines(out, rows[i].help);
		fputc('\n', out);
	}
}

/* help_man_flags() - one item each. */
static void help_man_flags(FILE *out)
{
	(void)config_schema_walk(help_man_flag, out);
	fputs(".It Fl \\-format Ar text|json\n"
	      "Only of\n.Cm check :\nhow to print the report.\n"
	      ".It Fl \\-help\nPrint what is accepted.\n",
	      out);
}

/* help_man_keys() - one item each. */
static void help_man_keys(FILE *out)
{
	(void)config_schema_walk(help_man_key, out);
}

/* help_man_exits() - one item each. */
static void help_man_exits(FILE *out)
{
	size_t cnt;
	const struct exit_row *rows = exit_rows(&cnt);

	for (size_t i = 0; i < cnt; i++) {
		fprintf(out, ".It %d\n", (int)rows[i].code);
		help_man_sentence(out, rows[i].help);
	}
}

/* Lines of the template that stand for a list. */
static const struct {
	const char *line;
	void (*write)(FILE *out);
} help_man_lists[] = {
	{"@VERBS@\n", help_man_verbs},
	{"@FLAGS@\n", help_man_flags},
	{"@KEYS@\n", help_man_keys},
	{"@EXIT@\n", help_man_exits},
};

/* help_man_line() - a line of the template. Return: 0; -1 unknown list. */
static int help_man_line(FILE *out, const char *line)
{
	if (*line != '@')
		return fputs(line, out) < 0 ? -1 : 0;
	for (size_t i = 0; i < ARRAY_SIZE(help_man_lists); i++) {
		if (!strcmp(help_man_lists[i].line, line)) {
			help_man_lists[i].write(out);
			return 0;
		}
	}
	return -1;
}

int help_man(FILE *page_template, FILE *out)
{
	char line[512];

	while (fgets(line, sizeof(line), page_template)) {
		if (help_man_line(out, line))
			return -1;
	}
	return fflush(out) || ferror(out) || ferror(page_template) ? -1 : 0;
}
