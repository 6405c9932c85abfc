// SPDX-License-Identifier: Apache-2.0
/*
 * help.c - `bulkhead help` and `--help`. Runs in the monitor.
 */
#include "monitor/cli/help.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/config/config_schema.h"

#define HELP_COLUMNS 78

/* help_wrap() - @text in lines of HELP_COLUMNS, each @indent deep. */
static void help_wrap(FILE *out, int indent, const char *text)
{
	while (*text) {
		size_t room = (size_t)(HELP_COLUMNS - indent);
		size_t len = strlen(text);
		size_t cut = len;

		if (len > room) {
			cut = room;
			while (cut > 0 && text[cut] != ' ')
				cut--;
			if (cut == 0)
				cut = room;
		}
		fprintf(out, "%*s%.*s\n", indent, "", (int)cut, text);
		text += cut;
		text += strspn(text, " ");
	}
}

/* help_key_notes() - range, words and default, in one line. */
static void help_key_notes(const struct config_key *key, char *ret_text,
			   size_t size)
{
	const char *separator = key->type == CONFIG_TYPE_WORDS ? ", " : "|";
	size_t used = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; key->words && key->words[i] && used < size; i++)
		used += (size_t)snprintf(ret_text + used, size - used, "%s%s",
					 i ? separator : "", key->words[i]);
	if (key->type == CONFIG_TYPE_UINT && key->max)
		used += (size_t)snprintf(ret_text, size,
					 "%" PRIu64 "..%" PRIu64, key->min,
					 key->max);
	else if (key->type == CONFIG_TYPE_UINT)
		used += (size_t)snprintf(ret_text, size,
					 "%" PRIu64 "..host limit", key->min);
	if (key->type == CONFIG_TYPE_BOOL)
		used += (size_t)snprintf(ret_text, size, "true|false");
	if (key->preset && used < size)
		(void)snprintf(ret_text + used, size - used, "%sdefault %s",
			       used ? "; " : "", key->preset);
}

/* help_flag_row() - for config_schema_walk: flags only. */
static int help_flag_row(void *ctx, const char *path,
			 const struct config_key *key)
{
	FILE *out = ctx;
	char notes[192];

	(void)path;
	if (!key->flag)
		return 0;
	help_key_notes(key, notes, sizeof(notes));
	fprintf(out, "  %s%s%s\n", key->flag, key->arg ? " " : "",
		key->arg ? key->arg : "");
	if (!strncmp(key->flag, "--no-", 5))
		help_wrap(out, 8, "turn off:");
	help_wrap(out, 8, key->help);
	if (*notes && key->type != CONFIG_TYPE_BOOL)
		help_wrap(out, 8, notes);
	return 0;
}

/* help_key_row() - for config_schema_walk: every key. */
static int help_key_row(void *ctx, const char *path,
			const struct config_key *key)
{
	FILE *out = ctx;
	char notes[192];

	if (key->type == CONFIG_TYPE_OBJECT)
		return 0;
	help_key_notes(key, notes, sizeof(notes));
	if (strlen(path) + strlen(notes) > HELP_COLUMNS) {
		fprintf(out, "  %s\n", path);
		help_wrap(out, 8, notes);
		return 0;
	}
	fprintf(out, "  %s%s%s%s\n", path, *notes ? "  (" : "", notes,
		*notes ? ")" : "");
	return 0;
}

/* help_exits() - the table of exit codes. */
static void help_exits(FILE *out)
{
	size_t cnt;
	const struct exit_row *rows = exit_rows(&cnt);

	fprintf(out, "\nExit codes:\n");
	for (size_t i = 0; i < cnt; i++)
		fprintf(out, "  %2d  %s\n", (int)rows[i].code, rows[i].help);
	fprintf(out, "  with --debug-exit, the byte that the guest wrote\n");
}

void help_all(FILE *out)
{
	size_t cnt;
	const struct verb *rows = verb_rows(&cnt);

	fprintf(out, "Usage: bulkhead VERB [ARGUMENTS]\n\n"
		     "A virtual machine whose every part is a process of its "
		     "own behind a wall.\n\nVerbs:\n");
	for (size_t i = 0; i < cnt; i++)
		fprintf(out, "  %-8s %s\n", rows[i].name, rows[i].summary);
	fprintf(out, "\n'bulkhead help VERB' or 'bulkhead VERB --help' says "
		     "more.\n");
	help_exits(out);
}

void help_verb(FILE *out, const struct verb *verb)
{
	fprintf(out, "Usage: bulkhead %s%s%s\n\n", verb->name,
		*verb->args ? " " : "", verb->args);
	help_wrap(out, 0, verb->help);
	if (!verb->takes_config)
		return;
	fprintf(out, "\nFlags:\n");
	(void)config_schema_walk(help_flag_row, out);
	if (verb->takes_format)
		fprintf(out, "  --format text|json\n"
			     "        how to print the report\n");
	fprintf(out, "  --help\n        this text\n\n"
		     "Keys of CONFIG.json (relative paths start at the file's "
		     "directory):\n");
	(void)config_schema_walk(help_key_row, out);
	help_exits(out);
}
