// SPDX-License-Identifier: Apache-2.0
/*
 * config_locate.c - finds key paths in JSON text. Runs in the monitor. The text
 * may be a tenant's: every index is bounded by the length, nothing recurses.
 *
 * Theory of operation: a stack with one level for each open bracket. At a key
 * (a string in an object, before ':') and at each item of a list the path of
 * the innermost level changes; the walker then tells the visitor. Keys are
 * compared as written: one that is spelled with escapes is not found, and its
 * parent's line is given.
 */
#include "monitor/config/config_locate.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One open bracket; @prefix bytes of the path are its parent's. */
struct locate_level {
	bool list;
	bool want_key; /* in an object: the next string is a key */
	uint32_t item; /* in a list: index of the next item */
	size_t prefix;
};

struct locate_walk {
	const char *text;
	size_t len;
	size_t pos;
	uint32_t line;
	size_t depth; /* open brackets, also those beyond the stack */
	struct locate_level level[LOCATE_DEPTH_MAX];
	char path[LOCATE_PATH_BYTES];
	/* Return: false to end the walk. */
	bool (*visit)(struct locate_walk *w);
	/* For the visitors. */
	const char *want;
	size_t want_pos;
	size_t best;
	uint32_t best_line;
	char best_path[LOCATE_PATH_BYTES];
};

/* locate_top() - the innermost level; NULL outside or too deep. */
static struct locate_level *locate_top(struct locate_walk *w)
{
	if (w->depth == 0 || w->depth > LOCATE_DEPTH_MAX)
		return NULL;
	return &w->level[w->depth - 1];
}

/* locate_path_key() - the path's last part becomes this key. */
static void locate_path_key(struct locate_walk *w, struct locate_level *top,
			    const char *key, size_t key_len)
{
	size_t room = sizeof(w->path) - top->prefix;

	if (key_len > 64)
		key_len = 64;
	(void)snprintf(w->path + top->prefix, room, "%s%.*s",
		       top->prefix ? "." : "", (int)key_len, key);
}

/* locate_path_item() - the path's last part becomes the next index. */
static void locate_path_item(struct locate_walk *w, struct locate_level *top)
{
	size_t room = sizeof(w->path) - top->prefix;

	(void)snprintf(w->path + top->prefix, room, "[%u]", top->item);
	top->item++;
}

/* locate_value() - a value begins: in a list this is a path of its own. */
static bool locate_value(struct locate_walk *w)
{
	struct locate_level *top = locate_top(w);

	if (!top || !top->list)
		return true;
	locate_path_item(w, top);
	return w->visit(w);
}

/* locate_string() - at '"'; behind the closing one afterwards. */
static bool locate_string(struct locate_walk *w)
{
	struct locate_level *top = locate_top(w);
	size_t start = ++w->pos;
	bool go = true;

	while (w->pos < w->len && w->text[w->pos] != '"')
		w->pos += w->text[w->pos] == '\\' ? 2 : 1;
	if (w->pos > w->len)
		w->pos = w->len;
	if (top && !top->list && top->want_key) {
		locate_path_key(w, top, w->text + start, w->pos - start);
		top->want_key = false;
		go = w->visit(w);
	} else {
		go = locate_value(w);
	}
	w->pos++;
	return go;
}

/* locate_open() - at '{' or '['. */
static bool locate_open(struct locate_walk *w, bool list)
{
	bool go = locate_value(w);
	struct locate_level *top;

	w->pos++;
	w->depth++;
	top = locate_top(w);
	if (top) {
		top->list = list;
		top->want_key = !list;
		top->item = 0;
		top->prefix = strnlen(w->path, sizeof(w->path) - 1);
	}
	return go;
}

/* locate_close() - at '}' or ']': the path is the parent's again. */
static void locate_close(struct locate_walk *w)
{
	struct locate_level *top = locate_top(w);

	if (top)
		w->path[top->prefix] = '\0';
	if (w->depth)
		w->depth--;
	w->pos++;
}

/* locate_scalar() - a number or a word. */
static bool locate_scalar(struct locate_walk *w)
{
	bool go = locate_value(w);

	while (w->pos < w->len && !strchr(",]}: \t\r\n\"[{", w->text[w->pos]))
		w->pos++;
	return go;
}

/* locate_step() - one token. Return: false to end the walk. */
static bool locate_step(struct locate_walk *w)
{
	struct locate_level *top = locate_top(w);

	switch (w->text[w->pos]) {
	case '\n':
		w->line++;
		w->pos++;
		return true;
	case ' ':
	case '\t':
	case '\r':
	case ':':
	case '\0':
		w->pos++;
		return true;
	case ',':
		if (top && !top->list)
			top->want_key = true;
		w->pos++;
		return true;
	case '"':
		return locate_string(w);
	case '{':
	case '[':
		return locate_open(w, w->text[w->pos] == '[');
	case '}':
	case ']':
		locate_close(w);
		return true;
	default:
		return locate_scalar(w);
	}
}

/* locate_run() - walks until the end or until the visitor has enough. */
static void locate_run(struct locate_walk *w)
{
	w->line = 1;
	while (w->pos < w->len) {
		if (!locate_step(w))
			return;
	}
}

/* locate_visit_line() - is this the wanted path, or a parent of it? */
static bool locate_visit_line(struct locate_walk *w)
{
	size_t n = strnlen(w->path, sizeof(w->path));
	bool parent = !strncmp(w->want, w->path, n) &&
		      (w->want[n] == '.' || w->want[n] == '[' || !w->want[n]);

	if (parent && n > w->best) {
		w->best = n;
		w->best_line = w->line;
	}
	return !parent || w->want[n];
}

uint32_t locate_line(const char *text, size_t len, const char *path)
{
	struct locate_walk w = {.text = text,
				.len = len,
				.visit = locate_visit_line,
				.want = path,
				.best_line = 1};

	locate_run(&w);
	return w.best_line;
}

/* locate_visit_path() - keeps each path until the position is passed. */
static bool locate_visit_path(struct locate_walk *w)
{
	/* A key is visited when its closing quote is reached. */
	if (w->pos > w->want_pos)
		return false;
	memcpy(w->best_path, w->path, sizeof(w->best_path));
	return true;
}

void locate_path(const char *text, size_t len, size_t pos,
		 char ret_path[LOCATE_PATH_BYTES])
{
	struct locate_walk w = {.text = text,
				.len = len,
				.visit = locate_visit_path,
				.want_pos = pos};

	locate_run(&w);
	memcpy(ret_path, w.best_path, sizeof(w.best_path));
}
