// SPDX-License-Identifier: Apache-2.0
/*
 * locate_test.c - lines of key paths, also in text that is no JSON at all.
 */
#include <stdio.h>
#include <string.h>

#include "monitor/config/config_locate.h"
#include "tests/unit/monitor/suites.h"

static const char text[] = "{\n"                     /* 1 */
			   " \"a\": {\"b\": [1,\n"   /* 2 */
			   "  {\"c\": \"x\\\"}\",\n" /* 3 */
			   "   \"d\": 2}, [\n"       /* 4 */
			   "  3]]},\n"               /* 5 */
			   " \"ab\": true, \"b\"\n"  /* 6 */
			   ": null}";                /* 7 */

static void locate_lines(void)
{
	static const struct {
		const char *path;
		uint32_t line;
	} rows[] = {
		{"a", 2},        {"a.b", 2},       {"a.b[0]", 2},
		{"a.b[1]", 3},   {"a.b[1].c", 3},  {"a.b[1].d", 4},
		{"a.b[2]", 4},   {"a.b[2][0]", 5}, {"ab", 6},
		{"b", 6},        {"a.b[1].x", 3},  {"zz", 1},
		{"a.b[9].x", 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CU_ASSERT_EQUAL(locate_line(text, strlen(text), rows[i].path),
				rows[i].line);
}

static void locate_paths(void)
{
	char path[LOCATE_PATH_BYTES];
	const char *d = strstr(text, "2}");

	locate_path(text, strlen(text), (size_t)(d - text), path);
	CU_ASSERT_STRING_EQUAL(path, "a.b[1].d");
	locate_path(text, strlen(text), 0, path);
	CU_ASSERT_STRING_EQUAL(path, "");
	locate_path(text, strlen(text), strlen(text), path);
	CU_ASSERT_STRING_EQUAL(path, "b");
}

static void locate_nonsense(void)
{
	static const char *const texts[] = {
		"",       "]]]]}}}}", "\"",
		"\"\\",   "{\"a",     "[[[[[[[[[[[[",
		"{\"a\"", "{,,,::",   "{{{{{\"a\""};
	char path[LOCATE_PATH_BYTES];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t len = strlen(texts[i]);

		CU_ASSERT(locate_line(texts[i], len, "a.b") >= 1);
		locate_path(texts[i], len, len, path);
		CU_ASSERT(strlen(path) < sizeof(path));
	}
}

static void locate_deep(void)
{
	char deep[4096];
	char path[LOCATE_PATH_BYTES];

	/* Nested keys, longer together than the path has room for. */
	for (size_t i = 0; i < 50; i++)
		(void)snprintf(deep + i * 40, 41, "%s",
			       "{\"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\":");
	locate_path(deep, 2000, 2000, path);
	CU_ASSERT(strlen(path) > 100);
	CU_ASSERT(strlen(path) < sizeof(path));
	memset(deep, '[', sizeof(deep));
	CU_ASSERT_EQUAL(locate_line(deep, sizeof(deep), "[0]"), 1);
}

const struct unit_case cases_locate[4] = {
	UNIT_CASE(locate_lines),
	UNIT_CASE(locate_paths),
	UNIT_CASE(locate_nonsense),
	UNIT_CASE(locate_deep),
};
