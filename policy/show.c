// SPDX-License-Identifier: Apache-2.0
/*
 * show.c - prints tables. Runs in the monitor's command line, before and
 * without any machine; all input is our own constant data.
 */
#include "policy/show.h"

#include <errno.h>
#include <string.h>

#include "policy/compile.h"

static const char *const show_actions[] = {
	[POLICY_ALLOW] = "allow",
	[POLICY_REFUSE] = "refuse",
	[POLICY_REFUSE_QUIET] = "refuse-quiet",
};
_Static_assert(ARRAY_SIZE(show_actions) == POLICY_ACTION_COUNT,
	       "a name for each action");

/* How each test reads, with the argument's number and the value. */
static const char *const show_tests[] = {
	[POLICY_ANY] = "",
	[POLICY_EQ32] = "arg%u == %#llx",
	[POLICY_EQ64] = "arg%u == %#llx (64 bit)",
	[POLICY_CLEAR] = "(arg%u & %#llx) == 0",
	[POLICY_ONLY32] = "(arg%u & ~%#llx) == 0",
};
_Static_assert(ARRAY_SIZE(show_tests) == POLICY_OP_COUNT,
	       "a text for each test");

#define SHOW_CONDITION_MAX 160

/* show_condition() - all tests of a row in one line; "" without any. */
static void show_condition(const struct policy_row *row,
			   char ret_text[SHOW_CONDITION_MAX])
{
	size_t len = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; i < POLICY_TESTS_MAX; i++) {
		const struct policy_test *t = &row->test[i];
		char one[64];

		if (t->op == POLICY_ANY)
			break;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		(void)snprintf(one, sizeof(one), show_tests[t->op], t->arg,
			       (unsigned long long)t->value);
#pragma GCC diagnostic pop
		len += (size_t)snprintf(ret_text + len,
					SHOW_CONDITION_MAX - len, "%s%s",
					i ? " && " : "", one);
		if (len >= SHOW_CONDITION_MAX)
			return;
	}
}

/* show_row_text() - one line. */
static void show_row_text(const struct policy_row *row, FILE *out)
{
	char condition[SHOW_CONDITION_MAX];
	const char *error = row->error ? strerrorname_np(row->error) : NULL;

	show_condition(row, condition);
	fprintf(out, "  %-13s %-18s %s%s%s\n    # %s\n",
		show_actions[row->action], row->name, error ? error : "",
		error && condition[0] ? " if " : "", condition, row->why);
}

/* show_string_json() - a quoted JSON string; rows are ASCII. */
static void show_string_json(const char *s, FILE *out)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

/* show_row_json() - one object. */
static void show_row_json(const struct policy_row *row, const char *set,
			  FILE *out)
{
	char condition[SHOW_CONDITION_MAX];
	const char *error = row->error ? strerrorname_np(row->error) : NULL;

	show_condition(row, condition);
	fprintf(out,
		"    {\"call\": \"%s\", \"number\": %d, \"action\": \"%s\", ",
		row->name, row->number, show_actions[row->action]);
	if (error)
		fprintf(out, "\"error\": \"%s\", ", error);
	fputs("\"if\": ", out);
	show_string_json(condition, out);
	fputs(", \"set\": ", out);
	show_string_json(set, out);
	fputs(", \"why\": ", out);
	show_string_json(row->why, out);
	fputc('}', out);
}

static void show_text(const struct policy_table *t, FILE *out)
{
	fprintf(out, "filter %s (any other call ends the process)\n", t->name);
	for (size_t s = 0; s < POLICY_SETS_MAX && t->sets[s]; s++) {
		fprintf(out, "%s:\n", t->sets[s]->name);
		for (size_t i = 0; i < t->sets[s]->cnt; i++)
			show_row_text(&t->sets[s]->rows[i], out);
	}
}

static void show_json(const struct policy_table *t, FILE *out)
{
	const char *comma = "";

	fprintf(out,
		"{\n  \"filter\": \"%s\",\n  \"default\": \"kill\",\n"
		"  \"rows\": [",
		t->name);
	for (size_t s = 0; s < POLICY_SETS_MAX && t->sets[s]; s++) {
		for (size_t i = 0; i < t->sets[s]->cnt; i++) {
			fprintf(out, "%s\n", comma);
			show_row_json(&t->sets[s]->rows[i], t->sets[s]->name,
				      out);
			comma = ",";
		}
	}
	fputs("\n  ]\n}\n", out);
}

int policy_show(enum policy_filter filter, enum policy_format format, FILE *out)
{
	const struct policy_table *t = policy_table(filter);
	const struct policy_row *row;

	switch (format) {
	case POLICY_FORMAT_TEXT:
		show_text(t, out);
		break;
	case POLICY_FORMAT_JSON:
		show_json(t, out);
		break;
	case POLICY_FORMAT_PFC:
		if (fflush(out) != 0)
			return -errno;
		return policy_compile_pfc(t, fileno(out), &row);
	}
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

/* show_row_same() - do two rows decide the same call in the same way? */
static bool show_row_same(const struct policy_row *a,
			  const struct policy_row *b)
{
	if (a->number != b->number || a->action != b->action ||
	    a->error != b->error)
		return false;
	for (size_t i = 0; i < POLICY_TESTS_MAX; i++) {
		if (a->test[i].op != b->test[i].op ||
		    a->test[i].arg != b->test[i].arg ||
		    a->test[i].value != b->test[i].value)
			return false;
	}
	return true;
}

static bool show_row_in(const struct policy_row *row,
			const struct policy_table *t)
{
	for (size_t s = 0; s < POLICY_SETS_MAX && t->sets[s]; s++) {
		for (size_t i = 0; i < t->sets[s]->cnt; i++) {
			if (show_row_same(row, &t->sets[s]->rows[i]))
				return true;
		}
	}
	return false;
}

/* show_only() - rows of @t that @other lacks, each after @mark. */
static int show_only(const struct policy_table *t,
		     const struct policy_table *other, char mark, FILE *out)
{
	char condition[SHOW_CONDITION_MAX];
	int cnt = 0;

	for (size_t s = 0; s < POLICY_SETS_MAX && t->sets[s]; s++) {
		for (size_t i = 0; i < t->sets[s]->cnt; i++) {
			const struct policy_row *row = &t->sets[s]->rows[i];

			if (show_row_in(row, other))
				continue;
			show_condition(row, condition);
			fprintf(out, "%c %s %s %s # %s\n", mark,
				show_actions[row->action], row->name, condition,
				row->why);
			cnt++;
		}
	}
	return cnt;
}

int policy_diff(enum policy_filter a, enum policy_filter b, FILE *out)
{
	int cnt = show_only(policy_table(a), policy_table(b), '-', out);

	cnt += show_only(policy_table(b), policy_table(a), '+', out);
	return fflush(out) == 0 && !ferror(out) ? cnt : -EIO;
}
