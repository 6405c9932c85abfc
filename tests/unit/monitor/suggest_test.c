// SPDX-License-Identifier: Apache-2.0
/*
 * suggest_test.c - edit distance and what is near enough to be named.
 */
#include <string.h>

#include "monitor/config/config_suggest.h"
#include "tests/unit/monitor/suites.h"

static void suggest_distances(void)
{
	CU_ASSERT_EQUAL(suggest_distance("", ""), 0);
	CU_ASSERT_EQUAL(suggest_distance("abc", "abc"), 0);
	CU_ASSERT_EQUAL(suggest_distance("abc", ""), 3);
	CU_ASSERT_EQUAL(suggest_distance("memroy", "memory"), 1);
	CU_ASSERT_EQUAL(suggest_distance("size_mib", "Size-MiB"), 0);
	CU_ASSERT_EQUAL(suggest_distance("kitten", "sitting"), 3);
}

static void suggest_long_words(void)
{
	char word[SUGGEST_WORD_MAX + 2];

	memset(word, 'a', sizeof(word));
	word[SUGGEST_WORD_MAX + 1] = '\0';
	CU_ASSERT_EQUAL(suggest_distance(word, "a"), SUGGEST_WORD_MAX + 1);
	word[SUGGEST_WORD_MAX] = '\0';
	CU_ASSERT_EQUAL(suggest_distance(word, word), 0);
}

static void suggest_nearest(void)
{
	struct suggest s;

	suggest_start(&s, "disk");
	suggest_offer(&s, "kernel");
	CU_ASSERT_PTR_NULL(s.best);
	suggest_offer(&s, "risks");
	suggest_offer(&s, "disks");
	suggest_offer(&s, "dusks");
	CU_ASSERT_STRING_EQUAL(s.best, "disks");
}

const struct unit_case cases_suggest[3] = {
	UNIT_CASE(suggest_distances),
	UNIT_CASE(suggest_long_words),
	UNIT_CASE(suggest_nearest),
};
