/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts_text.h - the texts of /proc/PID as values, and cutting them up; pure
 * but for allocation, private to policy/. Nothing in a text is taken for
 * granted: a line that is not as expected sets nothing.
 */
#ifndef POLICY_FACTS_TEXT_H
#define POLICY_FACTS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/compiler.h"
#include "policy/facts.h"

/**
 * struct facts_slice - part of a text, borrowed, not terminated
 * @at: at[0..len)
 */
struct facts_slice {
	const char *at;
	size_t len;
};

#define FACTS_SLICE(text) ((struct facts_slice){(text), sizeof(text) - 1})

/** facts_line_take() - the next line, without its end; false after the last */
bool facts_line_take(struct facts_slice *text, struct facts_slice *ret_line);

/** facts_word_take() - the next word between blanks; false after the last */
bool facts_word_take(struct facts_slice *line, struct facts_slice *ret_word);

/** facts_begins() - does @s begin with @with? Then that is cut off. */
bool facts_begins(struct facts_slice *s, const char *with);

/** facts_number() - the whole of @s in @base 10 or 16; false if it is not */
bool facts_number(struct facts_slice s, unsigned base, uint64_t *ret_value);

/** facts_dup() - owned copy of at most @max bytes; NULL: out of memory */
char *facts_dup(struct facts_slice s, size_t max);

/** facts_cut() - notes that list @name holds less than there is. 0, -ENOMEM */
MUST_CHECK int facts_cut(Bulkhead__Facts__Facts *f, const char *name);

/*
 * facts_parse_*() - one file each. Return: 0 or -ENOMEM.
 */
/* status: ids, capabilities, no_new_privs, seccomp; replaces what was set */
MUST_CHECK int facts_parse_status(struct facts_slice text,
				  Bulkhead__Facts__Facts *f);
/* task/N/status: another thread for the list */
MUST_CHECK int facts_parse_thread(struct facts_slice text, uint32_t tid,
				  Bulkhead__Facts__Facts *f);
/* status: the list of threads, if there is only one, whose texts are alike */
MUST_CHECK int facts_parse_single(struct facts_slice text,
				  Bulkhead__Facts__Facts *f);
MUST_CHECK int facts_parse_limits(struct facts_slice text,
				  Bulkhead__Facts__Facts *f);
MUST_CHECK int facts_parse_maps(struct facts_slice text,
				Bulkhead__Facts__Facts *f);
MUST_CHECK int facts_parse_cgroup(struct facts_slice text,
				  Bulkhead__Facts__Facts *f);
/* uid_map, gid_map; @name for `incomplete`; *ret_map is NULL for no line */
MUST_CHECK int facts_parse_id_map(struct facts_slice text, const char *name,
				  Bulkhead__Facts__Facts *f, char **ret_map);

/**
 * facts_fd_kind() - what an fd is
 * @link: link text of /proc/PID/fd/N
 * @mode: of stat; 0 if unknown
 * @ret_kind: FACTS_NAME_MAX + 1 bytes
 */
void facts_fd_kind(struct facts_slice link, mode_t mode, char *ret_kind);

#endif
