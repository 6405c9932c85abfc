// SPDX-License-Identifier: Apache-2.0
/*
 * facts_parse.c - status, limits, maps, cgroup and the id maps of /proc/PID as
 * facts. Runs in every process. Pure but for allocation: a line that is not as
 * the kernel writes it sets nothing. Formats: proc(5), Linux 6.1 to 6.18.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "policy/facts_text.h"

#define FACTS_OFFSET(field) offsetof(Bulkhead__Facts__Facts, field)
#define FACTS_NUMBER_ROW(key, base, field)                                     \
	{                                                                      \
		(key), (base), FACTS_OFFSET(has_##field), FACTS_OFFSET(field), \
			sizeof(((Bulkhead__Facts__Facts *)0)->field)           \
	}

/* Lines of status with one number: where it goes, and how wide it is there. */
static const struct {
	const char *key;
	unsigned base;
	size_t has;
	size_t value;
	size_t bytes;
} facts_status_numbers[] = {
	FACTS_NUMBER_ROW("CapInh:", 16, cap_inheritable),
	FACTS_NUMBER_ROW("CapPrm:", 16, cap_permitted),
	FACTS_NUMBER_ROW("CapEff:", 16, cap_effective),
	FACTS_NUMBER_ROW("CapBnd:", 16, cap_bounding),
	FACTS_NUMBER_ROW("CapAmb:", 16, cap_ambient),
	FACTS_NUMBER_ROW("NoNewPrivs:", 10, no_new_privs),
	FACTS_NUMBER_ROW("Seccomp:", 10, seccomp_mode),
	FACTS_NUMBER_ROW("Seccomp_filters:", 10, seccomp_filters),
};

/* facts_word_number() - the next word of @line as a number of 32 bits */
static bool facts_word_number(struct facts_slice *line, uint32_t *ret_value)
{
	struct facts_slice word;
	uint64_t value;

	if (!facts_word_take(line, &word) || !facts_number(word, 10, &value) ||
	    value > UINT32_MAX)
		return false;
	*ret_value = (uint32_t)value;
	return true;
}

/* facts_status_number() - a line of facts_status_numbers; false: it is none */
static bool facts_status_number(struct facts_slice line,
				Bulkhead__Facts__Facts *f)
{
	const protobuf_c_boolean has = 1;
	struct facts_slice word;
	size_t i = 0;
	uint64_t value;

	while (i < ARRAY_SIZE(facts_status_numbers) &&
	       !facts_begins(&line, facts_status_numbers[i].key))
		i++;
	if (i == ARRAY_SIZE(facts_status_numbers))
		return false;
	if (!facts_word_take(&line, &word) ||
	    !facts_number(word, facts_status_numbers[i].base, &value) ||
	    (facts_status_numbers[i].bytes < sizeof(value) &&
	     value > UINT32_MAX))
		return true;
	/* x86-64: the low bytes come first. */
	memcpy((char *)f + facts_status_numbers[i].value, &value,
	       facts_status_numbers[i].bytes);
	memcpy((char *)f + facts_status_numbers[i].has, &has, sizeof(has));
	return true;
}

/**
 * facts_status_ids() - a line of ids, which replaces *@ret_ids
 * @max: how many fit; more are noted under @name
 * Return: 0 or -ENOMEM.
 */
static int facts_status_ids(Bulkhead__Facts__Facts *f, struct facts_slice line,
			    const char *name, size_t max, uint32_t **ret_ids,
			    size_t *ret_cnt)
{
	uint32_t *ids = *ret_ids;
	uint32_t id;
	size_t cnt = 0;

	if (!ids)
		ids = calloc(max, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	*ret_ids = ids;
	while (cnt < max && facts_word_number(&line, &id))
		ids[cnt++] = id;
	*ret_cnt = cnt;
	return cnt == max && facts_word_number(&line, &id) ? facts_cut(f, name)
							   : 0;
}

int facts_parse_status(struct facts_slice text, Bulkhead__Facts__Facts *f)
{
	struct facts_slice line;
	int ret = 0;

	while (ret == 0 && facts_line_take(&text, &line)) {
		if (facts_status_number(line, f))
			continue;
		if (facts_begins(&line, "Uid:"))
			ret = facts_status_ids(f, line, "uids", FACTS_IDS_MAX,
					       &f->uids, &f->n_uids);
		else if (facts_begins(&line, "Gid:"))
			ret = facts_status_ids(f, line, "gids", FACTS_IDS_MAX,
					       &f->gids, &f->n_gids);
		else if (facts_begins(&line, "Groups:"))
			ret = facts_status_ids(f, line, "groups",
					       FACTS_GROUPS_MAX, &f->groups,
					       &f->n_groups);
	}
	return ret;
}

int facts_parse_thread(struct facts_slice text, uint32_t tid,
		       Bulkhead__Facts__Facts *f)
{
	struct facts_slice line, name = FACTS_SLICE("");
	Bulkhead__Facts__Thread *t;

	if (f->n_threads == FACTS_THREADS_MAX)
		return facts_cut(f, "threads");
	if (!f->threads)
		f->threads = calloc(FACTS_THREADS_MAX, sizeof(*f->threads));
	if (!f->threads)
		return -ENOMEM;
	t = malloc(sizeof(*t));
	if (!t)
		return -ENOMEM;
	bulkhead__facts__thread__init(t);
	t->tid = tid;
	f->threads[f->n_threads++] = t;
	while (facts_line_take(&text, &line)) {
		if (facts_begins(&line, "Name:\t"))
			name = line;
		else if (facts_begins(&line, "Seccomp:"))
			(void)facts_word_number(&line, &t->seccomp_mode);
		else if (facts_begins(&line, "Seccomp_filters:"))
			(void)facts_word_number(&line, &t->seccomp_filters);
	}
	t->name = facts_dup(name, FACTS_NAME_MAX);
	return t->name ? 0 : -ENOMEM;
}

int facts_parse_single(struct facts_slice text, Bulkhead__Facts__Facts *f)
{
	const struct facts_slice whole = text;
	struct facts_slice line;
	uint32_t pid = 0, cnt = 0;

	while (facts_line_take(&text, &line)) {
		if (facts_begins(&line, "Pid:"))
			(void)facts_word_number(&line, &pid);
		else if (facts_begins(&line, "Threads:"))
			(void)facts_word_number(&line, &cnt);
	}
	return pid > 0 && cnt == 1 ? facts_parse_thread(whole, pid, f) : 0;
}

/* Beginnings of the lines of limits, in the kernel's order. */
static const struct {
	const char *label;
	const char *name;
} facts_limits[] = {
	{"Max cpu time ", "CPU"},
	{"Max file size ", "FSIZE"},
	{"Max data size ", "DATA"},
	{"Max stack size ", "STACK"},
	{"Max core file size ", "CORE"},
	{"Max resident set ", "RSS"},
	{"Max processes ", "NPROC"},
	{"Max open files ", "NOFILE"},
	{"Max locked memory ", "MEMLOCK"},
	{"Max address space ", "AS"},
	{"Max file locks ", "LOCKS"},
	{"Max pending signals ", "SIGPENDING"},
	{"Max msgqueue size ", "MSGQUEUE"},
	{"Max nice priority ", "NICE"},
	{"Max realtime priority ", "RTPRIO"},
	{"Max realtime timeout ", "RTTIME"},
};
_Static_assert(ARRAY_SIZE(facts_limits) <= FACTS_RLIMITS_MAX, "they fit");

/* facts_limit_value() - the next word: a number or "unlimited" */
static bool facts_limit_value(struct facts_slice *line, uint64_t *ret_value)
{
	struct facts_slice word;

	if (!facts_word_take(line, &word))
		return false;
	if (facts_number(word, 10, ret_value))
		return true;
	*ret_value = UINT64_MAX;
	return facts_begins(&word, "unlimited") && word.len == 0;
}

/* facts_limit_add() - @line is what follows the label. 0 or -ENOMEM. */
static int facts_limit_add(Bulkhead__Facts__Facts *f, const char *name,
			   struct facts_slice line)
{
	Bulkhead__Facts__Rlimit *r;
	uint64_t soft, hard;

	if (!facts_limit_value(&line, &soft) ||
	    !facts_limit_value(&line, &hard) ||
	    f->n_rlimits == FACTS_RLIMITS_MAX)
		return 0;
	if (!f->rlimits)
		f->rlimits = calloc(FACTS_RLIMITS_MAX, sizeof(*f->rlimits));
	if (!f->rlimits)
		return -ENOMEM;
	r = malloc(sizeof(*r));
	if (!r)
		return -ENOMEM;
	bulkhead__facts__rlimit__init(r);
	f->rlimits[f->n_rlimits++] = r;
	r->soft = soft;
	r->hard = hard;
	r->name = strdup(name);
	return r->name ? 0 : -ENOMEM;
}

int facts_parse_limits(struct facts_slice text, Bulkhead__Facts__Facts *f)
{
	struct facts_slice line;
	int ret = 0;

	while (ret == 0 && facts_line_take(&text, &line)) {
		size_t i = 0;

		while (i < ARRAY_SIZE(facts_limits) &&
		       !facts_begins(&line, facts_limits[i].label))
			i++;
		if (i < ARRAY_SIZE(facts_limits))
			ret = facts_limit_add(f, facts_limits[i].name, line);
	}
	return ret;
}

/**
 * facts_map_file() - what a line of maps maps executable
 * Return: false for an area that is not executable, or another text.
 */
static bool facts_map_file(struct facts_slice line,
			   struct facts_slice *ret_what)
{
	struct facts_slice word, perms;

	/* address perms offset device inode, then blanks and the path */
	if (!facts_word_take(&line, &word) || !facts_word_take(&line, &perms) ||
	    perms.len != 4 || perms.at[2] != 'x')
		return false;
	for (int i = 0; i < 3; i++) {
		if (!facts_word_take(&line, &word))
			return false;
	}
	while (line.len > 0 && *line.at == ' ') {
		line.at++;
		line.len--;
	}
	*ret_what = line.len > 0 ? line : FACTS_SLICE("anonymous");
	return true;
}

/* facts_map_known() - a file may have more than one executable area. */
static bool facts_map_known(const Bulkhead__Facts__Facts *f, const char *what)
{
	for (size_t i = 0; i < f->n_exec_maps; i++) {
		if (strcmp(f->exec_maps[i], what) == 0)
			return true;
	}
	return false;
}

/* facts_map_add() - *@used counts bytes of all texts. 0 or -ENOMEM. */
static int facts_map_add(Bulkhead__Facts__Facts *f, struct facts_slice what,
			 size_t *used)
{
	char *copy = facts_dup(what, FACTS_TEXT_MAX);
	size_t len;

	if (!copy)
		return -ENOMEM;
	len = strlen(copy);
	if (facts_map_known(f, copy)) {
		free(copy);
		return 0;
	}
	if (f->n_exec_maps == FACTS_MAPS_MAX ||
	    *used + len > FACTS_MAPS_BYTES) {
		free(copy);
		return facts_cut(f, "exec_maps");
	}
	f->exec_maps[f->n_exec_maps++] = copy;
	*used += len;
	return 0;
}

int facts_parse_maps(struct facts_slice text, Bulkhead__Facts__Facts *f)
{
	struct facts_slice line, what;
	size_t used = 0;
	int ret = 0;

	BUG_ON(f->n_exec_maps != 0);
	f->exec_maps = calloc(FACTS_MAPS_MAX, sizeof(*f->exec_maps));
	if (!f->exec_maps)
		return -ENOMEM;
	while (ret == 0 && facts_line_take(&text, &line)) {
		if (facts_map_file(line, &what))
			ret = facts_map_add(f, what, &used);
	}
	return ret;
}

int facts_parse_cgroup(struct facts_slice text, Bulkhead__Facts__Facts *f)
{
	struct facts_slice line;

	while (facts_line_take(&text, &line)) {
		if (!facts_begins(&line, "0::"))
			continue;
		f->cgroup = facts_dup(line, FACTS_TEXT_MAX);
		return f->cgroup ? 0 : -ENOMEM;
	}
	return 0;
}

/**
 * facts_map_line() - appends a line of an id map, one space between fields
 * @used: bytes of @map so far; as before if there is no room
 * Return: false if there is no room.
 */
static bool facts_map_line(char *map, size_t *used, struct facts_slice line)
{
	struct facts_slice word;
	size_t len = *used;
	char blank = '\n';

	while (facts_word_take(&line, &word)) {
		if (len + 1 + word.len > FACTS_MAP_MAX)
			return false;
		if (len > 0)
			map[len++] = blank;
		memcpy(map + len, word.at, word.len);
		len += word.len;
		blank = ' ';
	}
	*used = len;
	return true;
}

int facts_parse_id_map(struct facts_slice text, const char *name,
		       Bulkhead__Facts__Facts *f, char **ret_map)
{
	struct facts_slice line;
	char map[FACTS_MAP_MAX + 1];
	size_t used = 0;
	bool room = true;

	while (room && facts_line_take(&text, &line))
		room = facts_map_line(map, &used, line);
	if (used == 0)
		return 0;
	*ret_map = facts_dup((struct facts_slice){map, used}, FACTS_MAP_MAX);
	if (!*ret_map)
		return -ENOMEM;
	return room ? 0 : facts_cut(f, name);
}

void facts_fd_kind(struct facts_slice link, mode_t mode, char *ret_kind)
{
	static const struct {
		mode_t type;
		const char *kind;
	} types[] = {
		{S_IFREG, "file"},     {S_IFDIR, "directory"},
		{S_IFBLK, "blockdev"}, {S_IFCHR, "chardev"},
		{S_IFIFO, "pipe"},     {S_IFSOCK, "socket"},
	};
	struct facts_slice kind = FACTS_SLICE("unknown");
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if ((mode & S_IFMT) == types[i].type)
			kind = (struct facts_slice){types[i].kind,
						    strlen(types[i].kind)};
	}
	if (facts_begins(&link, "anon_inode:")) {
		(void)facts_begins(&link, "[");
		kind = link;
	} else if (facts_begins(&link, "/memfd:") && S_ISREG(mode)) {
		kind = FACTS_SLICE("memfd");
	} else if (link.len > 0 && *link.at != '/' &&
		   memmem(link.at, link.len, ":[", 2)) {
		kind = link;
	}
	/* "kvm-vcpu:0", "socket:[7]", "eventfd]" */
	while (len < kind.len && len < FACTS_NAME_MAX && kind.at[len] != ':' &&
	       kind.at[len] != ']') {
		ret_kind[len] = kind.at[len];
		len++;
	}
	ret_kind[len] = '\0';
}
