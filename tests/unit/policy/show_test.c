// SPDX-License-Identifier: Apache-2.0
/*
 * show_test.c - what `bulkhead policy show` and `diff` print: every row with
 * its reason, in text and in JSON, and libseccomp's pseudo code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/show.h"
#include "tests/unit/policy/rows.h"
#include "tests/unit/policy/suites.h"

/* shown() - all output as a string, to be freed. */
static char *shown(enum policy_filter f, enum policy_format format)
{
	FILE *out = tmpfile();
	char *text = calloc(1, 1u << 20);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_EQUAL(policy_show(f, format, out), 0);
	rewind(out);
	CU_ASSERT(fread(text, 1, (1u << 20) - 1, out) > 0);
	fclose(out);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t cnt = 0;

	for (text = strstr(text, what); text; text = strstr(text + 1, what))
		cnt++;
	return cnt;
}

static void test_text(void)
{
	FOR_EACH_TABLE(t)
	{
		char *text = shown((enum policy_filter)f_, POLICY_FORMAT_TEXT);

		FOR_EACH_ROW(t, r)
		{
			CU_ASSERT_PTR_NOT_NULL(strstr(text, r->name));
			CU_ASSERT_PTR_NOT_NULL(strstr(text, r->why));
		}
		free(text);
	}
}

static void test_json(void)
{
	FOR_EACH_TABLE(t)
	{
		char *text = shown((enum policy_filter)f_, POLICY_FORMAT_JSON);
		size_t rows = 0;

		FOR_EACH_ROW(t, r)
		{
			rows += r->name != NULL;
		}
		CU_ASSERT_EQUAL(count(text, "{\"call\": "), rows);
		CU_ASSERT_EQUAL(count(text, "{"), rows + 1);
		CU_ASSERT_EQUAL(count(text, "}"), rows + 1);
		CU_ASSERT_EQUAL(count(text, "},\n"), rows - 1);
		free(text);
	}
}

static void test_pfc(void)
{
	FOR_EACH_TABLE(t)
	{
		char *text = shown((enum policy_filter)f_, POLICY_FORMAT_PFC);

		/* Calls that are answered by the handler are not in it. */
		FOR_EACH_ROW(t, r)
		{
			char quoted[64];

			snprintf(quoted, sizeof(quoted), "\"%s\"", r->name);
			if (r->action == POLICY_ALLOW)
				CU_ASSERT_PTR_NOT_NULL(strstr(text, quoted));
		}
		CU_ASSERT_PTR_NULL(strstr(text, "\"openat\""));
		CU_ASSERT_PTR_NOT_NULL(strstr(text, "action TRAP"));
		free(text);
	}
}

/* Values have their names for people and their numbers for programs. */
static void test_names(void)
{
	char *text = shown(POLICY_FILTER_NET, POLICY_FORMAT_TEXT);
	char *json = shown(POLICY_FILTER_NET, POLICY_FORMAT_JSON);

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "arg1 == TUNSETOFFLOAD"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "arg2 has none of PROT_EXEC"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "ENOSYS"));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"arg1 == 0x400454d0 &&"));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"arg1 == TUNSETOFFLOAD &&"));
	free(text);
	free(json);
	text = shown(POLICY_FILTER_VMM, POLICY_FORMAT_TEXT);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "arg1 == KVM_RUN"));
	free(text);
}

static void test_list(void)
{
	FILE *out = tmpfile();
	char line[256];

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(policy_list(out), 0);
	rewind(out);
	FOR_EACH_TABLE(t)
	{
		CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof(line), out));
		CU_ASSERT_EQUAL(strncmp(line, t->name, strlen(t->name)), 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(line, role_info(t->role)->name));
	}
	CU_ASSERT_PTR_NULL(fgets(line, sizeof(line), out));
	fclose(out);
}

static void test_diff(void)
{
	FILE *out = tmpfile();
	char line[512];
	bool run = false;

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(policy_diff(POLICY_FILTER_VMM, POLICY_FILTER_VMM, out),
			0);
	/* A queue worker has nothing that its process has not. */
	CU_ASSERT(policy_diff(POLICY_FILTER_BLK, POLICY_FILTER_BLK_QUEUE, out) >
		  0);
	rewind(out);
	while (fgets(line, sizeof(line), out)) {
		CU_ASSERT_EQUAL(line[0], '-');
		run = run || strstr(line, "clone");
	}
	CU_ASSERT(run);
	fclose(out);
}

const struct unit_case cases_show[] = {
	UNIT_CASE(test_text),  UNIT_CASE(test_json), UNIT_CASE(test_pfc),
	UNIT_CASE(test_names), UNIT_CASE(test_list), UNIT_CASE(test_diff),
};
