/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_schema.h - the rows from which JSON keys, flags, help and man page are
 * all made. A key that is not a row does not exist.
 */
#ifndef MONITOR_CONFIG_CONFIG_SCHEMA_H
#define MONITOR_CONFIG_CONFIG_SCHEMA_H

#include "monitor/config/config.h"

enum config_type {
	CONFIG_TYPE_STRING, /* field: char *, owned */
	CONFIG_TYPE_PATH,   /* same; relative to the file that names it */
	CONFIG_TYPE_UINT,   /* field: uint64_t */
	CONFIG_TYPE_BOOL,   /* field: bool */
	CONFIG_TYPE_ENUM,   /* field: uint32_t */
	CONFIG_TYPE_WORDS,  /* list of words; field: uint32_t, a bit each */
	CONFIG_TYPE_OBJECT, /* rows of its own, counted from the field */
	CONFIG_TYPE_DISKS,  /* list of objects in config.disks */
	CONFIG_TYPE_COUNT
};

/* What bounds a number that only the host can bound. */
enum config_host { CONFIG_HOST_MEMORY, CONFIG_HOST_CPUS };

struct config_object;

/**
 * struct config_key - one key
 * @name: kebab-case, in its object
 * @type: says what the field at @offset is
 * @offset: in struct config, in struct config_disk for a disk's rows, or in
 * what the field of the object above is
 * @min: lowest number; shortest string in bytes
 * @max: highest number, 0 = what the host has; longest string
 * @host: which of config_limits that is
 * @words: accepted words of an enumeration or list, NULL-terminated, by value
 * @object: rows of an object or of the items of a list
 * @valid: further test of a string; returns what is accepted, NULL = good
 * @flag: of the command line, with dashes; "--no-..." sets a bool false; NULL
 * = none
 * @arg: name of the flag's value in help, NULL for a bool
 * @preset: default, for help; NULL = none
 * @help: one sentence without period
 */
struct config_key {
	const char *name;
	enum config_type type;
	size_t offset;
	uint64_t min;
	uint64_t max;
	enum config_host host;
	const char *const *words;
	const struct config_object *object;
	const char *(*valid)(const char *text);
	const char *flag;
	const char *arg;
	const char *preset;
	const char *help;
};

struct config_object {
	const struct config_key *keys;
	size_t cnt;
};

/* The rows of a CONFIG.json, and of one of its disks. */
extern const struct config_object config_root;
extern const struct config_object config_disk_object;
/* A key for each role, and under it a key for each limit. */
extern const struct config_object config_quotas_object;

/**
 * struct config_origin - where a value stands, for errors
 * @file: NULL = a flag
 * @line: in @file, 1-based
 * @path: key path or flag
 */
struct config_origin {
	const char *file;
	uint32_t line;
	const char *path;
};

/** config_refuse() - "FILE:LINE: PATH: ..." Return: -EINVAL. */
int config_refuse(const struct config_origin *at, struct problem *p,
		  const char *fmt, ...) PRINTF_LIKE(3, 4);

/**
 * struct config_target - where a value goes
 * @base: struct config or struct config_disk
 */
struct config_target {
	const struct config_key *key;
	void *base;
	const struct config_limits *limits;
	const struct config_origin *at;
	struct problem *problem;
};

/* Each checks and stores. Return: 0; -EINVAL, -ENOMEM with *problem set. */
MUST_CHECK int config_put_uint(const struct config_target *t, bool negative,
			       uint64_t value);
MUST_CHECK int config_put_bool(const struct config_target *t, bool value);
MUST_CHECK int config_put_string(const struct config_target *t,
				 const char *text);
MUST_CHECK int config_put_word(const struct config_target *t, const char *text);
/** config_put_member() - adds one word to a list of words. */
MUST_CHECK int config_put_member(const struct config_target *t,
				 const char *text);
/** config_put_text() - by the key's type, from a flag's text. */
MUST_CHECK int config_put_text(const struct config_target *t, const char *text);

/** config_key_max() - highest number accepted. */
uint64_t config_key_max(const struct config_key *key,
			const struct config_limits *limits);
/** config_key_why() - where that comes from; NULL = it is fixed. */
const char *config_key_why(const struct config_key *key,
			   const struct config_limits *limits);
/** config_key_find() - row of @name; NULL if there is none. */
const struct config_key *config_key_find(const struct config_object *object,
					 const char *name);
/** config_disk_add() - next free disk; NULL with *p set if there is none. */
struct config_disk *config_disk_add(struct config *cfg,
				    const struct config_origin *at,
				    struct problem *p);

/**
 * config_schema_walk() - calls @fn for each row, parents before children
 * @fn: @path is the full key path, "disks[].path" for a disk's rows; a result
 * other than 0 ends the walk
 * Return: the last result of @fn.
 */
int config_schema_walk(int (*fn)(void *ctx, const char *path,
				 const struct config_key *key),
		       void *ctx);

#endif
