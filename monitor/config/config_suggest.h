/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_suggest.h - the word that a typo was meant to be. Pure.
 */
#ifndef MONITOR_CONFIG_CONFIG_SUGGEST_H
#define MONITOR_CONFIG_CONFIG_SUGGEST_H

#include <stddef.h>

/* Longer words are not compared. */
#define SUGGEST_WORD_MAX 40

/**
 * struct suggest - the best candidate so far
 * @word: what the user wrote, borrowed
 * @best: borrowed; NULL = nothing near
 * @distance: edits between them
 */
struct suggest {
	const char *word;
	const char *best;
	size_t distance;
};

/** suggest_start() - looks for words near @word. */
void suggest_start(struct suggest *s, const char *word);
/** suggest_offer() - is @candidate nearer than what was offered before? */
void suggest_offer(struct suggest *s, const char *candidate);

/**
 * suggest_distance() - insertions, deletions, replacements and swaps of
 * neighbours; '_' equals '-', letter case is ignored
 * Return: the distance; SUGGEST_WORD_MAX + 1 if a word is too long.
 */
size_t suggest_distance(const char *a, const char *b);

#endif
