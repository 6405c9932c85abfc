// SPDX-License-Identifier: Apache-2.0
/*
 * config_suggest.c - near-miss suggestions. Runs in the monitor.
 */
#include "monitor/config/config_suggest.h"

#include <string.h>

/* suggest_letter() - spellings that people mix up are one letter. */
static int suggest_letter(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 'a';
	return c == '_' ? '-' : c;
}

/* suggest_min() - the smaller one. */
static size_t suggest_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t suggest_distance(const char *a, const char *b)
{
	/* row[i % 3][j]: edits from a[0..i) to b[0..j). */
	size_t row[3][SUGGEST_WORD_MAX + 1] = {{0}};
	size_t la = strnlen(a, SUGGEST_WORD_MAX + 1);
	size_t lb = strnlen(b, SUGGEST_WORD_MAX + 1);

	if (la > SUGGEST_WORD_MAX || lb > SUGGEST_WORD_MAX)
		return SUGGEST_WORD_MAX + 1;
	for (size_t j = 0; j <= lb; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *now = row[i % 3];
		const size_t *up = row[(i - 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			int x = suggest_letter(a[i - 1]);
			int y = suggest_letter(b[j - 1]);
			size_t best = up[j - 1] + (x != y);

			best = suggest_min(best, up[j] + 1);
			best = suggest_min(best, now[j - 1] + 1);
			if (i > 1 && j > 1 && x == suggest_letter(b[j - 2]) &&
			    y == suggest_letter(a[i - 2]))
				best = suggest_min(best,
						   row[(i - 2) % 3][j - 2] + 1);
			now[j] = best;
		}
	}
	return row[la % 3][lb];
}

void suggest_start(struct suggest *s, const char *word)
{
	s->word = word;
	s->best = NULL;
	/* One edit in three letters, and at least one. */
	s->distance = strnlen(word, SUGGEST_WORD_MAX) / 3 + 2;
}

void suggest_offer(struct suggest *s, const char *candidate)
{
	size_t distance = suggest_distance(s->word, candidate);

	if (distance >= s->distance)
		return;
	s->distance = distance;
	s->best = candidate;
}
