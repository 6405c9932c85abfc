// SPDX-License-Identifier: Apache-2.0
/*
 * config_value.c - checks one value against its row and stores it. Runs in the
 * monitor; used for JSON and for flags.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "monitor/config/config_schema.h"
#include "monitor/config/config_suggest.h"

int config_refuse(const struct config_origin *at, struct problem *p,
		  const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	if (at->file && at->line)
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL, "%s:%u: %s%s%s",
				   at->file, at->line, at->path,
				   *at->path ? ": " : "", text);
	return problem_set(p, EXIT_CODE_INPUT, -EINVAL, "%s%s%s", at->path,
			   *at->path ? ": " : "", text);
}

uint64_t config_key_max(const struct config_key *key,
			const struct config_limits *limits)
{
	if (key->max)
		return key->max;
	return key->host == CONFIG_HOST_CPUS ? limits->cpu_max_percent
					     : limits->memory_max_mib;
}

const char *config_key_why(const struct config_key *key,
			   const struct config_limits *limits)
{
	if (key->max)
		return NULL;
	return key->host == CONFIG_HOST_CPUS ? limits->cpu_why
					     : limits->memory_why;
}

int config_put_uint(const struct config_target *t, bool negative,
		    uint64_t value)
{
	const struct config_key *key = t->key;
	uint64_t max = config_key_max(key, t->limits);
	const char *why = config_key_why(key, t->limits);

	if (negative || value < key->min || value > max)
		return config_refuse(t->at, t->problem,
				     "%s%" PRIu64 " is out of range; accepted: "
				     "%" PRIu64 "..%" PRIu64 "%s%s%s",
				     negative ? "-" : "", value, key->min, max,
				     why ? " (" : "", why ? why : "",
				     why ? ")" : "");
	memcpy((char *)t->base + key->offset, &value, sizeof(value));
	return 0;
}

int config_put_bool(const struct config_target *t, bool value)
{
	memcpy((char *)t->base + t->key->offset, &value, sizeof(value));
	return 0;
}

/* config_path_join() - relative to the directory of the file that says it. */
static char *config_path_join(const struct config_target *t, const char *text)
{
	const char *file = t->at->file;
	const char *slash = file ? strrchr(file, '/') : NULL;
	char *joined;

	if (t->key->type != CONFIG_TYPE_PATH || text[0] == '/' || !slash)
		return strdup(text);
	if (asprintf(&joined, "%.*s/%s", (int)(slash - file), file, text) < 0)
		return NULL;
	return joined;
}

int config_put_string(const struct config_target *t, const char *text)
{
	const struct config_key *key = t->key;
	size_t len = strlen(text);
	const char *accepted = key->valid ? key->valid(text) : NULL;
	char *old;
	char *copy;

	if (len < key->min || len > key->max)
		return config_refuse(t->at, t->problem,
				     "%zu bytes long; accepted: %" PRIu64
				     "..%" PRIu64 " bytes",
				     len, key->min, key->max);
	if (accepted)
		return config_refuse(t->at, t->problem,
				     "\"%s\" is not accepted; accepted: %s",
				     text, accepted);
	copy = config_path_join(t, text);
	if (!copy)
		return problem_set(t->problem, EXIT_CODE_HOST, -ENOMEM,
				   "out of memory");
	memcpy(&old, (char *)t->base + key->offset, sizeof(old));
	free(old);
	memcpy((char *)t->base + key->offset, &copy, sizeof(copy));
	return 0;
}

/* config_words_join() - "a, b, c" for an error. */
static void config_words_join(const char *const *words, char *ret_text,
			      size_t size)
{
	size_t used = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; words[i] && used < size; i++) {
		int n = snprintf(ret_text + used, size - used, "%s%s",
				 i ? ", " : "", words[i]);

		if (n < 0)
			return;
		used += (size_t)n;
	}
}

/* config_word_find() - index of @text in the row's words. */
static int config_word_find(const struct config_target *t, const char *text,
			    uint32_t *ret_idx)
{
	const char *const *words = t->key->words;
	struct suggest near;
	char accepted[192];

	suggest_start(&near, text);
	for (uint32_t i = 0; words[i]; i++) {
		if (!strcmp(words[i], text)) {
			*ret_idx = i;
			return 0;
		}
		suggest_offer(&near, words[i]);
	}
	config_words_join(words, accepted, sizeof(accepted));
	return config_refuse(t->at, t->problem,
			     "\"%.64s\" is not accepted; accepted: %s%s%s%s",
			     text, accepted,
			     near.best ? "; did you mean \"" : "",
			     near.best ? near.best : "",
			     near.best ? "\"?" : "");
}

int config_put_word(const struct config_target *t, const char *text)
{
	uint32_t idx = 0;
	int ret = config_word_find(t, text, &idx);

	if (!ret)
		memcpy((char *)t->base + t->key->offset, &idx, sizeof(idx));
	return ret;
}

int config_put_member(const struct config_target *t, const char *text)
{
	char *field = (char *)t->base + t->key->offset;
	uint32_t idx = 0;
	uint32_t set;
	int ret = config_word_find(t, text, &idx);

	if (ret)
		return ret;
	memcpy(&set, field, sizeof(set));
	set |= 1u << idx;
	memcpy(field, &set, sizeof(set));
	return 0;
}

/* config_text_words() - "a,b,c". */
static int config_text_words(const struct config_target *t, const char *text)
{
	char word[32];
	int ret = 0;

	while (!ret) {
		size_t len = strcspn(text, ",");

		(void)snprintf(word, sizeof(word), "%.*s", (int)len, text);
		ret = config_put_member(t, word);
		if (!text[len])
			break;
		text += len + 1;
	}
	return ret;
}

/* config_text_uint() - decimal digits only, with an optional '-'. */
static int config_text_uint(const struct config_target *t, const char *text)
{
	bool negative = text[0] == '-';
	const char *digits = text + (negative ? 1 : 0);
	size_t len = strspn(digits, "0123456789");
	uint64_t value = 0;

	if (len == 0 || digits[len] != '\0')
		return config_refuse(t->at, t->problem,
				     "\"%.64s\" is not a whole number; "
				     "accepted: %" PRIu64 "..%" PRIu64,
				     text, t->key->min,
				     config_key_max(t->key, t->limits));
	for (size_t i = 0; i < len; i++) {
		uint64_t digit = (uint64_t)(digits[i] - '0');

		/* A value that does not fit is out of range in any case. */
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, digit, &value)) {
			value = UINT64_MAX;
			break;
		}
	}
	return config_put_uint(t, negative, value);
}

/* config_text_bool() - on|off as in --disk readonly=on. */
static int config_text_bool(const struct config_target *t, const char *text)
{
	if (!strcmp(text, "on") || !strcmp(text, "true"))
		return config_put_bool(t, true);
	if (!strcmp(text, "off") || !strcmp(text, "false"))
		return config_put_bool(t, false);
	return config_refuse(t->at, t->problem,
			     "\"%.64s\" is not accepted; accepted: on, off",
			     text);
}

int config_put_text(const struct config_target *t, const char *text)
{
	static int (*const by_type[CONFIG_TYPE_COUNT])(
		const struct config_target *t, const char *text) = {
		[CONFIG_TYPE_STRING] = config_put_string,
		[CONFIG_TYPE_PATH] = config_put_string,
		[CONFIG_TYPE_UINT] = config_text_uint,
		[CONFIG_TYPE_BOOL] = config_text_bool,
		[CONFIG_TYPE_ENUM] = config_put_word,
		[CONFIG_TYPE_WORDS] = config_text_words,
	};

	BUG_ON(!by_type[t->key->type]);
	return by_type[t->key->type](t, text);
}
