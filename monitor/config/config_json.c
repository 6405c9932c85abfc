// SPDX-License-Identifier: Apache-2.0
/*
 * config_json.c - CONFIG.json into struct config. Runs in the monitor. The only
 * file that parses JSON. The text may be a tenant's.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "monitor/config/config_locate.h"
#include "monitor/config/config_schema.h"
#include "monitor/config/config_suggest.h"

/**
 * struct config_reader - one parse
 * @text: of the whole file, for the line of a key path
 */
struct config_reader {
	struct config *cfg;
	const struct config_limits *limits;
	const char *name;
	const char *text;
	size_t len;
	struct problem *p;
};

/* config_json_type() - what the user wrote, in words. */
static const char *config_json_type(const json_t *value)
{
	static const char *const words[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",
		[JSON_STRING] = "a string",  [JSON_INTEGER] = "a whole number",
		[JSON_REAL] = "a real",      [JSON_TRUE] = "true",
		[JSON_FALSE] = "false",      [JSON_NULL] = "null",
	};

	return words[json_typeof(value)];
}

/* What JSON each type of row takes; the first error of a wrong type. */
static const struct {
	const char *name;
	json_type json[2];
} config_json_types[CONFIG_TYPE_COUNT] = {
	[CONFIG_TYPE_STRING] = {"a string", {JSON_STRING, JSON_STRING}},
	[CONFIG_TYPE_PATH] = {"a string", {JSON_STRING, JSON_STRING}},
	[CONFIG_TYPE_UINT] = {"a whole number", {JSON_INTEGER, JSON_INTEGER}},
	[CONFIG_TYPE_BOOL] = {"true or false", {JSON_TRUE, JSON_FALSE}},
	[CONFIG_TYPE_ENUM] = {"a string", {JSON_STRING, JSON_STRING}},
	[CONFIG_TYPE_WORDS] = {"a list of strings", {JSON_ARRAY, JSON_ARRAY}},
	[CONFIG_TYPE_OBJECT] = {"an object", {JSON_OBJECT, JSON_OBJECT}},
	[CONFIG_TYPE_DISKS] = {"a list of objects", {JSON_ARRAY, JSON_ARRAY}},
};

/* config_json_at() - origin of @path in the file. */
static struct config_origin config_json_at(const struct config_reader *r,
					   const char *path)
{
	struct config_origin at = {.file = r->name,
				   .line = locate_line(r->text, r->len, path),
				   .path = path};

	return at;
}

/* The calls go round as deep as the schema is, whatever the text. */
/* NOLINTBEGIN(misc-no-recursion) */
static int config_json_object(const struct config_reader *r,
			      const struct config_object *object, void *base,
			      const json_t *json, const char *path);

/* config_json_disks() - the list of drives; @path is the list's. */
static int config_json_disks(const struct config_reader *r,
			     const struct config_key *key, const json_t *json,
			     const char *path)
{
	size_t i;
	const json_t *item;

	json_array_foreach(json, i, item)
	{
		char item_path[LOCATE_PATH_BYTES];
		struct config_origin at;
		struct config_disk *disk;
		int ret;

		ret = snprintf(item_path, sizeof(item_path), "%s[%zu]", path,
			       i);
		BUG_ON(ret < 0 || (size_t)ret >= sizeof(item_path));
		at = config_json_at(r, item_path);
		if (!json_is_object(item))
			return config_refuse(&at, r->p,
					     "expected an object, found %s",
					     config_json_type(item));
		disk = config_disk_add(r->cfg, &at, r->p);
		if (!disk)
			return -EINVAL;
		disk->line = at.line;
		ret = config_json_object(r, key->object, disk, item, item_path);
		if (ret)
			return ret;
	}
	return 0;
}

/* config_json_words() - a list of words. */
static int config_json_words(const struct config_target *t, const json_t *json)
{
	size_t i;
	const json_t *item;
	int ret = 0;

	json_array_foreach(json, i, item)
	{
		if (!json_is_string(item))
			return config_refuse(t->at, t->problem,
					     "expected a string, found %s",
					     config_json_type(item));
		ret = config_put_member(t, json_string_value(item));
		if (ret)
			break;
	}
	return ret;
}

/* config_json_uint() - sign and value apart, so that nothing wraps. */
static int config_json_uint(const struct config_target *t, const json_t *json)
{
	json_int_t v = json_integer_value(json);

	if (v < 0)
		return config_put_uint(t, true, (uint64_t)0 - (uint64_t)v);
	return config_put_uint(t, false, (uint64_t)v);
}

/* config_json_value() - one value that has a row. */
static int config_json_value(const struct config_reader *r,
			     const struct config_key *key, void *base,
			     const json_t *json, const char *path)
{
	struct config_origin at = {.file = r->name, .path = path};
	struct config_target t = {.key = key,
				  .base = base,
				  .limits = r->limits,
				  .at = &at,
				  .problem = r->p};
	json_type type = json_typeof(json);

	if (key->type == CONFIG_TYPE_OBJECT && type == JSON_OBJECT)
		return config_json_object(
			r, key->object, (char *)base + key->offset, json, path);
	if (key->type == CONFIG_TYPE_DISKS && type == JSON_ARRAY)
		return config_json_disks(r, key, json, path);
	at.line = locate_line(r->text, r->len, path);
	if (type != config_json_types[key->type].json[0] &&
	    type != config_json_types[key->type].json[1]) {
		if (key->type == CONFIG_TYPE_UINT)
			return config_refuse(
				&at, r->p,
				"expected a whole number, found %s; accepted: "
				"%llu..%llu",
				config_json_type(json),
				(unsigned long long)key->min,
				(unsigned long long)config_key_max(key,
								   r->limits));
		return config_refuse(&at, r->p, "expected %s, found %s",
				     config_json_types[key->type].name,
				     config_json_type(json));
	}
	if (type == JSON_INTEGER)
		return config_json_uint(&t, json);
	if (type == JSON_ARRAY)
		return config_json_words(&t, json);
	if (type == JSON_STRING)
		return key->type == CONFIG_TYPE_ENUM
			       ? config_put_word(&t, json_string_value(json))
			       : config_put_string(&t, json_string_value(json));
	return config_put_bool(&t, type == JSON_TRUE);
}

/* Looks through the whole schema for the exact name of a misplaced key. */
struct config_misplaced {
	const char *name;
	char path[LOCATE_PATH_BYTES];
};

/* config_misplaced_row() - for config_schema_walk. */
static int config_misplaced_row(void *ctx, const char *path,
				const struct config_key *key)
{
	struct config_misplaced *m = ctx;

	if (strcmp(key->name, m->name) != 0)
		return 0;
	(void)snprintf(m->path, sizeof(m->path), "%s", path);
	return 1;
}

/* config_json_unknown() - refuses a key that is no row, with a suggestion. */
static int config_json_unknown(const struct config_reader *r,
			       const struct config_object *object,
			       const char *name, const char *path)
{
	struct config_origin at = config_json_at(r, path);
	struct config_misplaced m = {.name = name};
	struct suggest near;

	suggest_start(&near, name);
	for (size_t i = 0; i < object->cnt; i++)
		suggest_offer(&near, object->keys[i].name);
	if (near.best)
		return config_refuse(&at, r->p,
				     "unknown key; did you mean \"%s\"?",
				     near.best);
	if (config_schema_walk(config_misplaced_row, &m))
		return config_refuse(
			&at, r->p, "unknown key; did you mean \"%s\"?", m.path);
	return config_refuse(&at, r->p, "unknown key");
}

/**
 * config_json_object() - every key of @json by its row
 * Recursion is as deep as the schema, not as the text.
 */
static int config_json_object(const struct config_reader *r,
			      const struct config_object *object, void *base,
			      const json_t *json, const char *path)
{
	/* The iterator wants a non-const object but does not change it. */
	json_t *iterated = json_incref((json_t *)(uintptr_t)json);
	const char *name;
	json_t *value;
	int ret = 0;

	json_object_foreach(iterated, name, value)
	{
		const struct config_key *key = config_key_find(object, name);
		char key_path[LOCATE_PATH_BYTES];

		(void)snprintf(key_path, sizeof(key_path), "%s%s%.64s", path,
			       *path ? "." : "", name);
		if (key)
			ret = config_json_value(r, key, base, value, key_path);
		else
			ret = config_json_unknown(r, object, name, key_path);
		if (ret)
			break;
	}
	json_decref(iterated);
	return ret;
}

/* NOLINTEND(misc-no-recursion) */

/* config_json_broken() - jansson's error with the key path it happened at. */
static int config_json_broken(const struct config_reader *r,
			      const json_error_t *e)
{
	char path[LOCATE_PATH_BYTES];
	size_t pos = e->position > 0 ? (size_t)e->position : 0;
	struct config_origin at = {.file = r->name, .path = path};

	locate_path(r->text, r->len, pos, path);
	at.line = e->line > 0 ? (uint32_t)e->line : 1;
	if (json_error_code(e) == json_error_duplicate_key)
		return config_refuse(&at, r->p, "key given twice (column %d)",
				     e->column);
	return config_refuse(&at, r->p, "%s (column %d)", e->text, e->column);
}

int config_parse(struct config *cfg, const struct config_limits *limits,
		 const char *name, const char *text, size_t len,
		 struct problem *p)
{
	struct config_reader r = {cfg, limits, name, text, len, p};
	struct config_origin top = {.file = name, .line = 1, .path = ""};
	json_error_t error;
	json_t *json;
	int ret;

	cfg->file = name;
	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		return config_json_broken(&r, &error);
	if (json_is_object(json))
		ret = config_json_object(&r, &config_root, cfg, json, "");
	else
		ret = config_refuse(&top, p, "expected an object, found %s",
				    config_json_type(json));
	json_decref(json);
	return ret;
}
