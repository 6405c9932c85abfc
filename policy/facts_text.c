// SPDX-License-Identifier: Apache-2.0
/*
 * facts_text.c - cuts the texts of /proc/PID into lines, words and numbers.
 * Runs in every process; a text may hold anything, NUL bytes included.
 */
#include "policy/facts_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool facts_line_take(struct facts_slice *text, struct facts_slice *ret_line)
{
	const char *end;
	size_t len;

	if (text->len == 0)
		return false;
	end = memchr(text->at, '\n', text->len);
	len = end ? (size_t)(end - text->at) : text->len;
	*ret_line = (struct facts_slice){text->at, len};
	text->at += len + (end ? 1 : 0);
	text->len -= len + (end ? 1 : 0);
	return true;
}

/* facts_is_blank() - what stands between the words of a line. */
static bool facts_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool facts_word_take(struct facts_slice *line, struct facts_slice *ret_word)
{
	size_t len = 0;

	while (line->len > 0 && facts_is_blank(*line->at)) {
		line->at++;
		line->len--;
	}
	while (len < line->len && !facts_is_blank(line->at[len]))
		len++;
	*ret_word = (struct facts_slice){line->at, len};
	line->at += len;
	line->len -= len;
	return len > 0;
}

bool facts_begins(struct facts_slice *s, const char *with)
{
	size_t len = strlen(with);

	if (s->len < len || memcmp(s->at, with, len) != 0)
		return false;
	s->at += len;
	s->len -= len;
	return true;
}

/* facts_digit() - value of a digit; 16 for none. */
static unsigned facts_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return 16;
}

bool facts_number(struct facts_slice s, unsigned base, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (s.len == 0)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		unsigned digit = facts_digit(s.at[i]);

		if (digit >= base ||
		    __builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return false;
	}
	*ret_value = value;
	return true;
}

char *facts_dup(struct facts_slice s, size_t max)
{
	return strndup(s.at, s.len < max ? s.len : max);
}

int facts_cut(Bulkhead__Facts__Facts *f, const char *name)
{
	char *copy;

	for (size_t i = 0; i < f->n_incomplete; i++) {
		if (strcmp(f->incomplete[i], name) == 0)
			return 0;
	}
	if (!f->incomplete)
		f->incomplete =
			calloc(FACTS_INCOMPLETE_MAX, sizeof(*f->incomplete));
	if (!f->incomplete)
		return -ENOMEM;
	BUG_ON(f->n_incomplete == FACTS_INCOMPLETE_MAX);
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	f->incomplete[f->n_incomplete++] = copy;
	return 0;
}
