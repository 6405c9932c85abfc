// SPDX-License-Identifier: Apache-2.0
/*
 * show.c - prints tables. Runs in the monitor's command line, before and
 * without any machine; all input is our own constant data. The pseudo filter
 * code was written at build time, so that the monitor needs no libseccomp.
 */
#include "policy/show.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "policy/pfc.h"

static const char *const show_actions[] = {
	[POLICY_ALLOW] = "allow",
	[POLICY_REFUSE] = "refuse",
	[POLICY_REFUSE_QUIET] = "refuse-quiet",
};
_Static_assert(ARRAY_SIZE(show_actions) == POLICY_ACTION_COUNT,
	       "a name for each action");

/* How each test reads, with the argument's number and the value. */
static const struct {
	const char *before;
	const char *after;
} show_tests[] = {
	[POLICY_ANY] = {"", ""},
	[POLICY_EQ16] = {" == ", " (16 bit)"},
	[POLICY_EQ32] = {" == ", ""},
	[POLICY_EQ64] = {" == ", " (64 bit)"},
	[POLICY_CLEAR] = {" has none of ", ""},
	[POLICY_ONLY32] = {" has only ", ""},
};
_Static_assert(ARRAY_SIZE(show_tests) == POLICY_OP_COUNT,
	       "a text for each test");

#define SHOW_CONDITION_MAX 320

/**
 * show_value() - what an argument is compared with
 * @named: as the table's source has it, where that says more than the number;
 * what other macros have expanded starts with a bracket
 */
static void show_value(const struct policy_test *t, bool named, char ret[128])
{
	if (named && t->text && isalpha((unsigned char)t->text[0]))
		(void)snprintf(ret, 128, "%s", t->text);
	else
		(void)snprintf(ret, 128, "%#llx", (unsigned long long)t->value);
}

/* show_condition() - all tests of a row in one line; "" without any. */
static void show_condition(const struct policy_row *row, bool named,
			   char ret_text[SHOW_CONDITION_MAX])
{
	size_t len = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; i < POLICY_TESTS_MAX; i++) {
		const struct policy_test *t = &row->test[i];
		char value[128];

		if (t->op == POLICY_ANY)
			break;
		show_value(t, named, value);
		len += (size_t)snprintf(ret_text + len,
					SHOW_CONDITION_MAX - len,
					"%sarg%u%s%s%s", i ? " && " : "",
					t->arg, show_tests[t->op].before, value,
					show_tests[t->op].after);
		if (len >= SHOW_CONDITION_MAX)
			return;
	}
}

/* show_row_text() - what is answered and when, then why. */
static void show_row_text(const struct policy_row *row, FILE *out)
{
	char condition[SHOW_CONDITION_MAX];

	show_condition(row, true, condition);
	fprintf(out, "  %-12s %s", show_actions[row->action], row->name);
	if (row->error)
		fprintf(out, " with %s", strerrorname_np(row->error));
	if (condition[0])
		fprintf(out, " if %s", condition);
	fprintf(out, "\n               # %s\n", row->why);
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

	show_condition(row, false, condition);
	fprintf(out,
		"    {\"call\": \"%s\", \"number\": %d, \"action\": \"%s\", ",
		row->name, row->number, show_actions[row->action]);
	if (error)
		fprintf(out, "\"error\": \"%s\", ", error);
	fputs("\"if\": ", out);
	show_string_json(condition, out);
	show_condition(row, true, condition);
	fputs(", \"named\": ", out);
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

/* show_place() - in which thread of which process a filter is loaded. */
static const char *show_place(enum policy_filter filter)
{
	if (filter == POLICY_FILTER_GPU_SOFTWARE)
		return "process, instead of gpu, that renders in software";
	if (filter < POLICY_FILTER_VMM_MAIN)
		return "process";
	if (strstr(policy_table(filter)->name, "-main"))
		return "main thread, when all threads are made";
	return strstr(policy_table(filter)->name, "-vcpu") ? "vCPU thread"
							   : "queue worker";
}

int policy_list(FILE *out)
{
	for (unsigned f = 0; f < POLICY_FILTER_COUNT; f++) {
		const struct policy_table *t =
			policy_table((enum policy_filter)f);
		size_t cnt[POLICY_ACTION_COUNT] = {0};

		for (size_t s = 0; s < POLICY_SETS_MAX && t->sets[s]; s++) {
			for (size_t i = 0; i < t->sets[s]->cnt; i++)
				cnt[t->sets[s]->rows[i].action]++;
		}
		fprintf(out, "%-18s  %2zu rows allow, %2zu refuse; %s: %s\n",
			t->name, cnt[POLICY_ALLOW],
			cnt[POLICY_REFUSE] + cnt[POLICY_REFUSE_QUIET],
			role_info(t->role)->name,
			show_place((enum policy_filter)f));
	}
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

int policy_show(enum policy_filter filter, enum policy_format format, FILE *out)
{
	const struct policy_table *t = policy_table(filter);

	switch (format) {
	case POLICY_FORMAT_TEXT:
		show_text(t, out);
		break;
	case POLICY_FORMAT_JSON:
		show_json(t, out);
		break;
	case POLICY_FORMAT_PFC:
		fputs(policy_pfc[filter], out);
		break;
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
			show_condition(row, true, condition);
			fprintf(out, "%c %s %s%s%s # %s\n", mark,
				show_actions[row->action], row->name,
				condition[0] ? " if " : "", condition,
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
