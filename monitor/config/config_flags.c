// SPDX-License-Identifier: Apache-2.0
/*
 * config_flags.c - the command line of `run` and `check`: the same rows as the
 * JSON keys. Runs in the monitor.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "monitor/config/config_schema.h"
#include "monitor/config/config_suggest.h"

/* More than there are rows with a flag. */
#define FLAGS_MAX 64u
/* All limits of a role with their longest values. */
#define FLAGS_QUOTA_BYTES 512u

/**
 * struct flags - one pass over argv
 * @seen: bit per row that was given, by its order among those with a flag
 * @seen_quota: bit per limit that was given, by role and row
 */
struct flags {
	struct config *cfg;
	const struct config_limits *limits;
	int argc;
	char **argv;
	int next;
	uint64_t seen;
	uint32_t seen_quota[ROLE_COUNT];
	struct config_args *args;
	struct problem *p;
};

/* struct flags_find - a search for a flag's row; @near: for a suggestion. */
struct flags_find {
	const char *name;
	const struct config_key *key;
	uint32_t idx;
	struct suggest near;
};

/* flags_find_row() - for config_schema_walk. */
static int flags_find_row(void *ctx, const char *path,
			  const struct config_key *key)
{
	struct flags_find *f = ctx;

	(void)path;
	if (key->flag && !strcmp(key->flag, f->name)) {
		f->key = key;
		return 1;
	}
	if (key->flag) {
		suggest_offer(&f->near, key->flag);
		f->idx++;
	}
	return 0;
}

/* flags_refuse() - an error at a flag. */
static int flags_refuse(struct flags *f, const char *flag, const char *text)
{
	struct config_origin at = {.path = flag};

	return config_refuse(&at, f->p, "%s", text);
}

/*
 * flags_part() - the next "KEY=VALUE" of a --disk value, split at single
 * commas; ",," is one comma of the value
 * @rest: in: where to go on; out: behind the part, NULL at the end
 */
static char *flags_part(char **rest)
{
	char *part = *rest;
	char *to = part;
	char *from = part;

	while (*from && !(from[0] == ',' && from[1] != ',')) {
		if (*from == ',')
			from++;
		*to++ = *from++;
	}
	*rest = *from ? from + 1 : NULL;
	*to = '\0';
	return part;
}

/* flags_name_unknown() - refuses a name that is no row of @object. */
static int flags_name_unknown(struct flags *f, const char *flag,
			      const char *what, const char *name,
			      const struct config_object *object)
{
	struct config_origin at = {.path = flag};
	struct suggest near;

	suggest_start(&near, name);
	for (size_t i = 0; i < object->cnt; i++)
		suggest_offer(&near, object->keys[i].name);
	return config_refuse(&at, f->p, "unknown %s \"%.64s\"%s%s%s", what,
			     name, near.best ? "; did you mean \"" : "",
			     near.best ? near.best : "",
			     near.best ? "\"?" : "");
}

/**
 * flags_pair() - one KEY=VALUE
 * @flag: in front of the pair, for errors
 * @object: rows of the keys
 * @base: where they are stored
 * @part: consumed
 * @seen: bit per row that was given
 */
static int flags_pair(struct flags *f, const char *flag,
		      const struct config_object *object, void *base,
		      char *part, uint32_t *seen)
{
	char *equal = strchr(part, '=');
	struct config_origin at = {.path = flag};
	struct config_target t = {NULL, base, f->limits, &at, f->p};
	const char *separator = strchr(flag, ' ') ? ":" : " ";
	char path[64];
	size_t idx;

	if (!equal)
		return config_refuse(&at, f->p, "\"%.64s\" is not KEY=VALUE",
				     part);
	*equal = '\0';
	t.key = config_key_find(object, part);
	if (!t.key)
		return flags_name_unknown(f, flag, "key", part, object);
	(void)snprintf(path, sizeof(path), "%s%s%s", flag, separator,
		       t.key->name);
	at.path = path;
	idx = (size_t)(t.key - object->keys);
	if (*seen & (1u << idx))
		return config_refuse(&at, f->p, "key given twice");
	*seen |= 1u << idx;
	return config_put_text(&t, equal + 1);
}

/* flags_disk() - --disk path=...,readonly=on */
static int flags_disk(struct flags *f, const char *value)
{
	struct config_origin at = {.path = "--disk"};
	struct config_disk *disk = config_disk_add(f->cfg, &at, f->p);
	char *copy;
	char *rest;
	uint32_t seen = 0;
	int ret = 0;

	if (!disk)
		return -EINVAL;
	copy = strdup(value);
	if (!copy)
		return problem_set(f->p, EXIT_CODE_HOST, -ENOMEM,
				   "out of memory");
	rest = copy;
	while (rest && !ret)
		ret = flags_pair(f, "--disk", &config_disk_object, disk,
				 flags_part(&rest), &seen);
	free(copy);
	return ret;
}

/* flags_quota_pairs() - KEY=VALUE,... of the role in row @idx. */
static int flags_quota_pairs(struct flags *f, size_t idx, char *rest)
{
	const struct config_key *role = &config_quotas_object.keys[idx];
	char *base = (char *)f->cfg + role->offset;
	char flag[32];
	int ret = 0;

	(void)snprintf(flag, sizeof(flag), "--limit %s", role->name);
	while (rest && !ret)
		ret = flags_pair(f, flag, role->object, base, flags_part(&rest),
				 &f->seen_quota[idx]);
	return ret;
}

/* flags_quota() - --limit vmm:cpu-percent=50,pids=100 */
static int flags_quota(struct flags *f, const char *value)
{
	char copy[FLAGS_QUOTA_BYTES];
	char *colon = strchr(value, ':');
	const struct config_key *role;

	if (strlen(value) >= sizeof(copy))
		return flags_refuse(f, "--limit", "too long");
	(void)snprintf(copy, sizeof(copy), "%s", value);
	if (!colon)
		return flags_refuse(f, "--limit",
				    "expected ROLE:KEY=VALUE,... such as "
				    "vmm:cpu-percent=50");
	colon = copy + (colon - value);
	*colon = '\0';
	role = config_key_find(&config_quotas_object, copy);
	if (!role)
		return flags_name_unknown(f, "--limit", "role", copy,
					  &config_quotas_object);
	return flags_quota_pairs(f, (size_t)(role - config_quotas_object.keys),
				 colon + 1);
}

/* flags_console() - --console stdio|none|file=PATH */
static int flags_console(struct flags *f, const struct config_key *key,
			 const char *value)
{
	struct config_origin at = {.path = "--console"};
	const struct config_key *mode = &key->object->keys[0];
	const struct config_key *path = &key->object->keys[1];
	struct config_target t = {mode, f->cfg, f->limits, &at, f->p};
	int ret;

	if (strncmp(value, "file=", 5) != 0) {
		if (!strcmp(value, "file"))
			return config_refuse(
				&at, f->p, "a file needs its path: file=PATH");
		free(f->cfg->console_path);
		f->cfg->console_path = NULL;
		return config_put_word(&t, value);
	}
	ret = config_put_word(&t, "file");
	t.key = path;
	return ret ? ret : config_put_string(&t, value + 5);
}

/* flags_bool() - a flag without value. */
static int flags_bool(struct flags *f, const struct config_key *key)
{
	struct config_origin at = {.path = key->flag};
	struct config_target t = {key, f->cfg, f->limits, &at, f->p};

	return config_put_bool(&t, strncmp(key->flag, "--no-", 5) != 0);
}

/* flags_value() - a flag with its value, by the row's type. */
static int flags_value(struct flags *f, const struct config_key *key,
		       const char *value)
{
	struct config_origin at = {.path = key->flag};
	struct config_target t = {key, f->cfg, f->limits, &at, f->p};

	if (key->type == CONFIG_TYPE_DISKS)
		return flags_disk(f, value);
	if (key->object == &config_quotas_object)
		return flags_quota(f, value);
	if (key->type == CONFIG_TYPE_OBJECT)
		return flags_console(f, key, value);
	return config_put_text(&t, value);
}

/* flags_unknown() - refuses a flag that is no row. */
static int flags_unknown(struct flags *f, struct flags_find *find)
{
	struct config_origin at = {.path = find->name};

	suggest_offer(&find->near, "--help");
	if (f->args->allow_format)
		suggest_offer(&find->near, "--format");
	return config_refuse(&at, f->p, "unknown flag%s%s%s",
			     find->near.best ? "; did you mean " : "",
			     find->near.best ? find->near.best : "",
			     find->near.best ? "?" : "; see --help");
}

/* flags_format() - --format text|json */
static int flags_format(struct flags *f, const char *value)
{
	if (strcmp(value, "text") != 0 && strcmp(value, "json") != 0)
		return flags_refuse(f, "--format", "accepted: text, json");
	f->args->format_json = !strcmp(value, "json");
	return 0;
}

/* flags_take() - the value: behind '=' or the next argument; NULL if none. */
static const char *flags_take(struct flags *f, const char *inline_value)
{
	if (inline_value)
		return inline_value;
	return f->next < f->argc ? f->argv[f->next++] : NULL;
}

/* flags_known() - a flag that has row @find->key. */
static int flags_known(struct flags *f, const struct flags_find *find,
		       const char *inline_value)
{
	const struct config_key *key = find->key;
	const char *value;
	bool repeats = key->type == CONFIG_TYPE_DISKS ||
		       key->object == &config_quotas_object;

	BUG_ON(find->idx >= FLAGS_MAX);
	if (!repeats && (f->seen >> find->idx) & 1)
		return flags_refuse(f, key->flag, "given twice");
	f->seen |= 1ull << find->idx;
	if (key->type == CONFIG_TYPE_BOOL && inline_value)
		return flags_refuse(f, key->flag, "takes no value");
	if (key->type == CONFIG_TYPE_BOOL)
		return flags_bool(f, key);
	value = flags_take(f, inline_value);
	if (!value)
		return flags_refuse(f, key->flag, "needs a value; see --help");
	return flags_value(f, key, value);
}

/* flags_one() - the flag @arg, "--name" or "--name=value". */
static int flags_one(struct flags *f, const char *arg)
{
	char name[64];
	size_t len = strcspn(arg, "=");
	const char *inline_value = arg[len] ? arg + len + 1 : NULL;
	struct flags_find find = {.name = name};
	const char *value;

	(void)snprintf(name, sizeof(name), "%.*s",
		       (int)(len < sizeof(name) ? len : sizeof(name) - 1), arg);
	if (f->args->allow_format && !strcmp(name, "--format")) {
		value = flags_take(f, inline_value);
		return flags_format(f, value ? value : "");
	}
	suggest_start(&find.near, name);
	if (!config_schema_walk(flags_find_row, &find))
		return flags_unknown(f, &find);
	return flags_known(f, &find, inline_value);
}

/* flags_file() - the one CONFIG.json, before all flags. */
static int flags_file(struct flags *f)
{
	const char *file = NULL;

	if (f->argc > 0 && f->argv[0][0] != '-') {
		file = f->argv[0];
		f->next = 1;
	}
	return file ? config_load(f->cfg, f->limits, file, f->p) : 0;
}

int config_flags(struct config *cfg, const struct config_limits *limits,
		 int argc, char **argv, struct config_args *args,
		 struct problem *p)
{
	struct flags f = {.cfg = cfg,
			  .limits = limits,
			  .argc = argc,
			  .argv = argv,
			  .args = args,
			  .p = p};
	int ret;

	args->help = false;
	args->format_json = false;
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			args->help = true;
			return 0;
		}
	}
	ret = flags_file(&f);
	while (!ret && f.next < argc) {
		const char *arg = argv[f.next++];

		if (!strncmp(arg, "--", 2) && arg[2])
			ret = flags_one(&f, arg);
		else
			ret = flags_refuse(&f, arg,
					   "unexpected; CONFIG.json comes "
					   "first, then flags");
	}
	return ret;
}
