// SPDX-License-Identifier: Apache-2.0
/*
 * facts_check_test.c - bounds of a Facts message: the last accepted value and
 * the first refused one; and the largest message that a reader makes, which
 * must go through one frame and one arena with the rest of READY.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/arena.h"
#include "ipc/frame.h"
#include "policy/facts.h"
#include "proto/child.pb-c.h"
#include "tests/unit/policy/suites.h"

static char text_buf[FACTS_PACKED_MAX];

/* text() - of @len letters; valid until the next call. */
static char *text(size_t len)
{
	memset(text_buf, 'x', len);
	text_buf[len] = '\0';
	return text_buf;
}

#define CHECK_TEXT(field, max)                             \
	do {                                               \
		(field) = text(max);                       \
		CU_ASSERT_EQUAL(facts_check(&f), 0);       \
		(field) = text((max) + 1);                 \
		CU_ASSERT_EQUAL(facts_check(&f), -EPROTO); \
		(field) = none;                            \
	} while (0)
#define CHECK_COUNT(field, max)                            \
	do {                                               \
		(field) = (max);                           \
		CU_ASSERT_EQUAL(facts_check(&f), 0);       \
		(field) = (max) + 1;                       \
		CU_ASSERT_EQUAL(facts_check(&f), -EPROTO); \
		(field) = 1;                               \
	} while (0)

/* Lists of one value many times; as long as the longest, and one more. */
#define MANY (FACTS_FDS_MAX + 1)

static void test_bounds(void)
{
	Bulkhead__Facts__Facts f = BULKHEAD__FACTS__FACTS__INIT;
	Bulkhead__Facts__OpenFd fd = BULKHEAD__FACTS__OPEN_FD__INIT;
	Bulkhead__Facts__Thread thread = BULKHEAD__FACTS__THREAD__INIT;
	Bulkhead__Facts__Rlimit limit = BULKHEAD__FACTS__RLIMIT__INIT;
	Bulkhead__Facts__Namespace ns = BULKHEAD__FACTS__NAMESPACE__INIT;
	static Bulkhead__Facts__OpenFd *fds[MANY];
	static Bulkhead__Facts__Thread *threads[MANY];
	static Bulkhead__Facts__Rlimit *limits[MANY];
	static Bulkhead__Facts__Namespace *spaces[MANY];
	static char *texts[MANY];
	static uint32_t ids[MANY];
	char none[] = "";

	for (size_t i = 0; i < MANY; i++) {
		fds[i] = &fd;
		threads[i] = &thread;
		limits[i] = &limit;
		spaces[i] = &ns;
		texts[i] = none;
	}
	fd.kind = thread.name = limit.name = ns.name = none;
	f.fds = fds;
	f.threads = threads;
	f.rlimits = limits;
	f.namespaces = spaces;
	f.root_entries = f.exec_maps = f.incomplete = texts;
	f.uids = f.gids = f.groups = ids;
	CU_ASSERT_EQUAL(facts_check(&f), 0);
	CHECK_COUNT(f.n_uids, FACTS_IDS_MAX);
	CHECK_COUNT(f.n_gids, FACTS_IDS_MAX);
	CHECK_COUNT(f.n_groups, FACTS_GROUPS_MAX);
	CHECK_COUNT(f.n_namespaces, FACTS_NAMESPACES_MAX);
	CHECK_COUNT(f.n_threads, FACTS_THREADS_MAX);
	CHECK_COUNT(f.n_rlimits, FACTS_RLIMITS_MAX);
	CHECK_COUNT(f.n_root_entries, FACTS_ROOT_MAX);
	CHECK_COUNT(f.n_fds, FACTS_FDS_MAX);
	CHECK_COUNT(f.n_exec_maps, FACTS_MAPS_MAX);
	CHECK_COUNT(f.n_incomplete, FACTS_INCOMPLETE_MAX);
	CHECK_TEXT(f.uid_map, FACTS_MAP_MAX);
	CHECK_TEXT(f.gid_map, FACTS_MAP_MAX);
	CHECK_TEXT(f.cgroup, FACTS_TEXT_MAX);
	CHECK_TEXT(fd.kind, FACTS_NAME_MAX);
	CHECK_TEXT(fd.target, FACTS_TEXT_MAX);
	CHECK_TEXT(thread.name, FACTS_NAME_MAX);
	CHECK_TEXT(limit.name, FACTS_NAME_MAX);
	CHECK_TEXT(ns.name, FACTS_NAME_MAX);
	fd.has_dev_major = 1;
	CU_ASSERT_EQUAL(facts_check(&f), -EPROTO);
	fd.has_dev_minor = 1;
	CU_ASSERT_EQUAL(facts_check(&f), 0);
	/* Each text may be there, but not all of them at once. */
	fd.target = text(FACTS_TEXT_MAX);
	f.n_fds = FACTS_FDS_MAX;
	CU_ASSERT_EQUAL(facts_check(&f), -EPROTO);
	fd.target = NULL;
	f.n_fds = 0;
	texts[1] = text(FACTS_TEXT_MAX + 1);
	f.n_exec_maps = 2;
	CU_ASSERT_EQUAL(facts_check(&f), -EPROTO);
}

/* The largest that a reader makes: every list full, every budget used up. */
static struct {
	Bulkhead__Facts__Facts facts;
	Bulkhead__Facts__OpenFd fd[FACTS_FDS_MAX];
	Bulkhead__Facts__OpenFd *fds[FACTS_FDS_MAX];
	Bulkhead__Facts__Thread thread, *threads[FACTS_THREADS_MAX];
	Bulkhead__Facts__Rlimit limit, *limits[FACTS_RLIMITS_MAX];
	Bulkhead__Facts__Namespace space, *spaces[FACTS_NAMESPACES_MAX];
	Bulkhead__Facts__Landlock landlock;
	Bulkhead__Child__Wall wall, *walls[16];
	uint32_t ids[FACTS_GROUPS_MAX];
	char *maps[FACTS_MAPS_MAX];
	char *entries[FACTS_ROOT_MAX];
	char *cut[FACTS_INCOMPLETE_MAX];
	char name[FACTS_NAME_MAX + 1];
	char entry[FACTS_ENTRY_MAX + 1];
	char id_map[FACTS_MAP_MAX + 1];
	char path[FACTS_TEXT_MAX + 1];
	char kind[32];
	char detail[96];
	char target[FACTS_TARGETS_BYTES / FACTS_FDS_MAX + 1];
	char map[FACTS_MAPS_BYTES / FACTS_MAPS_MAX + 1];
} largest;

#define FILL(list, with)                                      \
	do {                                                  \
		for (size_t i = 0; i < ARRAY_SIZE(list); i++) \
			(list)[i] = (with);                   \
	} while (0)
#define FILL_TEXT(buf) memset((buf), 'x', sizeof(buf) - 1)

/* largest_fds() - each with the longest kind that the kernel has. */
static void largest_fds(void)
{
	strcpy(largest.kind, "landlock-ruleset");
	for (size_t i = 0; i < FACTS_FDS_MAX; i++) {
		Bulkhead__Facts__OpenFd *fd = &largest.fd[i];

		bulkhead__facts__open_fd__init(fd);
		fd->fd = (uint32_t)(1000000 + i);
		fd->kind = largest.kind;
		fd->target = largest.target;
		fd->has_dev_major = fd->has_dev_minor = 1;
		fd->dev_major = 511;
		fd->dev_minor = 1048575;
		largest.fds[i] = fd;
	}
}

/* largest_values() - everything that is in a list. */
static void largest_values(void)
{
	FILL_TEXT(largest.name);
	FILL_TEXT(largest.entry);
	FILL_TEXT(largest.id_map);
	FILL_TEXT(largest.path);
	FILL_TEXT(largest.detail);
	FILL_TEXT(largest.target);
	FILL_TEXT(largest.map);
	bulkhead__facts__thread__init(&largest.thread);
	bulkhead__facts__rlimit__init(&largest.limit);
	bulkhead__facts__namespace__init(&largest.space);
	bulkhead__facts__landlock__init(&largest.landlock);
	bulkhead__child__wall__init(&largest.wall);
	largest.thread.tid = 4194304;
	largest.thread.seccomp_mode = largest.thread.seccomp_filters = 32767;
	largest.thread.name = largest.limit.name = largest.name;
	largest.space.name = largest.wall.name = largest.name;
	largest.limit.soft = largest.limit.hard = UINT64_MAX;
	largest.space.inode = UINT64_MAX;
	largest.landlock.fs = largest.landlock.net = UINT64_MAX;
	largest.landlock.scoped = UINT64_MAX;
	largest.wall.detail = largest.detail;
	FILL(largest.threads, &largest.thread);
	FILL(largest.limits, &largest.limit);
	FILL(largest.spaces, &largest.space);
	FILL(largest.walls, &largest.wall);
	FILL(largest.ids, UINT32_MAX);
	FILL(largest.maps, largest.map);
	FILL(largest.entries, largest.entry);
	FILL(largest.cut, largest.name);
	largest_fds();
}

static void largest_make(void)
{
	Bulkhead__Facts__Facts *f = &largest.facts;

	largest_values();
	bulkhead__facts__facts__init(f);
	f->n_uids = f->n_gids = FACTS_IDS_MAX;
	f->n_groups = FACTS_GROUPS_MAX;
	f->uids = f->gids = f->groups = largest.ids;
	f->uid_map = f->gid_map = largest.id_map;
	f->cgroup = largest.path;
	f->n_namespaces = FACTS_NAMESPACES_MAX;
	f->namespaces = largest.spaces;
	f->n_threads = FACTS_THREADS_MAX;
	f->threads = largest.threads;
	f->n_rlimits = FACTS_RLIMITS_MAX;
	f->rlimits = largest.limits;
	f->n_root_entries = FACTS_ROOT_MAX;
	f->root_entries = largest.entries;
	f->n_fds = FACTS_FDS_MAX;
	f->fds = largest.fds;
	f->n_exec_maps = FACTS_MAPS_MAX;
	f->exec_maps = largest.maps;
	f->n_incomplete = FACTS_INCOMPLETE_MAX;
	f->incomplete = largest.cut;
	f->landlock = &largest.landlock;
}

static void test_largest_fits(void)
{
	static uint8_t packed[FRAME_PAYLOAD_MAX];
	Bulkhead__Child__Ready ready = BULKHEAD__CHILD__READY__INIT;
	Bulkhead__Child__Ready *back;
	struct arena arena = {.base = NULL};
	size_t len;

	largest_make();
	CU_ASSERT_EQUAL(facts_check(&largest.facts), 0);
	ready.n_walls = ARRAY_SIZE(largest.walls);
	ready.walls = largest.walls;
	ready.facts = &largest.facts;
	CU_ASSERT_FATAL(bulkhead__child__ready__get_packed_size(&ready) <=
			sizeof(packed));
	len = bulkhead__child__ready__pack(&ready, packed);
	CU_ASSERT_EQUAL_FATAL(arena_init(&arena), 0);
	back = bulkhead__child__ready__unpack(&arena.alloc, len, packed);
	CU_ASSERT_PTR_NOT_NULL_FATAL(back);
	CU_ASSERT_EQUAL(facts_check(back->facts), 0);
	CU_ASSERT_EQUAL(back->facts->n_fds, FACTS_FDS_MAX);
	printf("\n    %zu bytes packed, %zu of the arena ", len, arena.used);
	arena_fini(&arena);
}

const struct unit_case cases_facts_check[] = {
	UNIT_CASE(test_bounds),
	UNIT_CASE(test_largest_fits),
};
