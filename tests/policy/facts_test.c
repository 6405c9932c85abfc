// SPDX-License-Identifier: Apache-2.0
/*
 * facts_test.c - the facts that a process of each role reports about itself,
 * value by value, and against what its owner reads in /proc from outside: a
 * report that said what was asked for instead of what is would differ.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "policy/facts.h"
#include "policy/landlock.h"
#include "tests/policy/run_probe.h"
#include "tests/policy/suites.h"

typedef Bulkhead__Facts__Facts facts_t;

/* facts_probe() - a probe of @role that stays; its facts are run->facts. */
static void facts_probe(struct probe_run *run, enum role role,
			enum confine_mode mode)
{
	const struct probe_request req = {.role = role,
					  .mode = mode,
					  .what = PROBE_STAY,
					  .thread = PROBE_NO_THREAD};

	probe_start(run, &req, 0);
	CU_ASSERT_EQUAL(run->report.ret, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(run->facts);
	CU_ASSERT_EQUAL(facts_check(run->facts), 0);
	CU_ASSERT_EQUAL(run->facts->n_incomplete, 0);
}

/* limit() - of @name; false if there is none. */
static bool limit(const facts_t *f, const char *name, uint64_t *ret_soft,
		  uint64_t *ret_hard)
{
	for (size_t i = 0; i < f->n_rlimits; i++) {
		if (strcmp(f->rlimits[i]->name, name) != 0)
			continue;
		*ret_soft = f->rlimits[i]->soft;
		*ret_hard = f->rlimits[i]->hard;
		return true;
	}
	return false;
}

static void check_limit(const facts_t *f, const char *name, uint64_t want)
{
	uint64_t soft = 1, hard = 1;

	CU_ASSERT_TRUE(limit(f, name, &soft, &hard));
	CU_ASSERT_EQUAL(soft, want);
	CU_ASSERT_EQUAL(hard, want);
}

/* One id is mapped, to ours; no capability in any set. */
static void check_ids_and_caps(const facts_t *f)
{
	unsigned in, out, cnt;

	CU_ASSERT_PTR_NOT_NULL_FATAL(f->uid_map);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->gid_map);
	CU_ASSERT_EQUAL(sscanf(f->uid_map, "%u %u %u", &in, &out, &cnt), 3);
	CU_ASSERT(cnt == 1 && out == geteuid());
	CU_ASSERT_EQUAL_FATAL(f->n_uids, 4);
	for (size_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(f->uids[i], in);
	CU_ASSERT_EQUAL(sscanf(f->gid_map, "%u %u %u", &in, &out, &cnt), 3);
	CU_ASSERT(cnt == 1 && out == getegid());
	CU_ASSERT(!strchr(f->uid_map, '\n') && !strchr(f->gid_map, '\n'));
	CU_ASSERT(f->n_gids == 4 && f->gids[1] == in);
	CU_ASSERT(f->has_cap_inheritable && f->cap_inheritable == 0);
	CU_ASSERT(f->has_cap_permitted && f->cap_permitted == 0);
	CU_ASSERT(f->has_cap_effective && f->cap_effective == 0);
	CU_ASSERT(f->has_cap_bounding && f->cap_bounding == 0);
	CU_ASSERT(f->has_cap_ambient && f->cap_ambient == 0);
}

/* Every namespace but time's is another one than ours. */
static void check_namespaces(const facts_t *f)
{
	char path[64];
	struct stat st;

	CU_ASSERT_EQUAL(f->n_namespaces, 8);
	for (size_t i = 0; i < f->n_namespaces; i++) {
		const char *name = f->namespaces[i]->name;
		bool same;

		(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
		CU_ASSERT_EQUAL(stat(path, &st), 0);
		same = st.st_ino == f->namespaces[i]->inode;
		CU_ASSERT_EQUAL(same, strcmp(name, "time") == 0);
	}
}

/* The walls that are numbers. */
static void check_walls(const facts_t *f)
{
	struct landlock_attr attr;
	int abi = landlock_abi();

	(void)landlock_attr_for(abi, &attr);
	CU_ASSERT(f->has_no_new_privs && f->no_new_privs == 1);
	CU_ASSERT(f->has_dumpable && f->dumpable == 0);
	CU_ASSERT(f->has_pdeathsig && f->pdeathsig == SIGKILL);
	CU_ASSERT(f->has_seccomp_mode && f->seccomp_mode == 2);
	CU_ASSERT(f->has_seccomp_filters && f->seccomp_filters == 1);
	CU_ASSERT_EQUAL_FATAL(f->n_threads, 1);
	CU_ASSERT_EQUAL(f->threads[0]->seccomp_mode, 2);
	CU_ASSERT_EQUAL(f->threads[0]->seccomp_filters, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->landlock);
	CU_ASSERT_EQUAL(f->landlock->abi, abi);
	CU_ASSERT_TRUE(f->landlock->enforced);
	CU_ASSERT_EQUAL(f->landlock->fs, attr.handled_access_fs);
	CU_ASSERT_EQUAL(f->landlock->net, attr.handled_access_net);
	CU_ASSERT_EQUAL(f->landlock->scoped, attr.scoped);
	CU_ASSERT(f->has_root_read && f->root_read);
	CU_ASSERT_EQUAL(f->n_root_entries, 0);
	CU_ASSERT(f->has_root_readonly && f->root_readonly);
}

static void check_limits(const facts_t *f, enum role role)
{
	static const char *const zero[] = {"CORE", "MSGQUEUE", "NICE",
					   "RTPRIO"};
	const struct role_info *info = role_info(role);
	struct rlimit files;

	CU_ASSERT_EQUAL(f->n_rlimits, 16);
	for (size_t i = 0; i < ARRAY_SIZE(zero); i++)
		check_limit(f, zero[i], 0);
	CU_ASSERT_EQUAL(getrlimit(RLIMIT_NOFILE, &files), 0);
	check_limit(f, "NOFILE",
		    info->nofile < files.rlim_max ? info->nofile
						  : files.rlim_max);
	check_limit(f, "NPROC", info->nproc);
}

/* What spawn gives, and no fd of the reader; stderr is ours in a test. */
static void check_fds(const facts_t *f)
{
	static const char *const kinds[] = {"chardev", "chardev", NULL,
					    "socket", "socket"};

	CU_ASSERT_EQUAL_FATAL(f->n_fds, ARRAY_SIZE(kinds));
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const Bulkhead__Facts__OpenFd *fd = f->fds[i];

		CU_ASSERT_EQUAL(fd->fd, i);
		if (kinds[i])
			CU_ASSERT_STRING_EQUAL(fd->kind, kinds[i]);
		CU_ASSERT_PTR_NOT_NULL(fd->target);
	}
	CU_ASSERT(f->fds[0]->dev_major == 1 && f->fds[0]->dev_minor == 3);
	CU_ASSERT(f->fds[1]->dev_major == 1 && f->fds[1]->dev_minor == 3);
}

/* The program, its libraries and the kernel's own pages. */
static void check_exec_maps(const facts_t *f)
{
	bool program = false, libc = false;

	for (size_t i = 0; i < f->n_exec_maps; i++) {
		const char *map = f->exec_maps[i];
		size_t len = strlen(map);
		bool probe = strstr(map, "policy_probe") != NULL;

		program |= probe;
		libc |= strstr(map, "/libc.so") || strstr(map, "/ld-musl");
		if (!probe && !strstr(map, ".so") &&
		    strcmp(map, "[vdso]") != 0 &&
		    strcmp(map, "[vsyscall]") != 0) {
			printf("\n%.*s is mapped executable ", (int)len, map);
			CU_FAIL("executable mapping");
		}
	}
	CU_ASSERT_TRUE(program && libc);
}

static void test_own_view(void)
{
	const enum role roles[] = ROLES_CONFINED;
	const enum confine_mode modes[] = {CONFINE_MODE_ENFORCE,
					   CONFINE_MODE_LOG};

	for (size_t i = 0; i < ARRAY_SIZE(roles) * ARRAY_SIZE(modes); i++) {
		enum role role = roles[i / ARRAY_SIZE(modes)];
		struct probe_run run;

		facts_probe(&run, role, modes[i % ARRAY_SIZE(modes)]);
		check_ids_and_caps(run.facts);
		check_namespaces(run.facts);
		check_walls(run.facts);
		check_limits(run.facts, role);
		check_fds(run.facts);
		check_exec_maps(run.facts);
		probe_end(&run);
		CU_ASSERT_EQUAL(run.status, 0);
	}
}

/* same_texts() - as lists. */
static bool same_texts(char *const *a, size_t a_cnt, char *const *b,
		       size_t b_cnt)
{
	if (a_cnt != b_cnt)
		return false;
	for (size_t i = 0; i < a_cnt; i++) {
		if (strcmp(a[i], b[i]) != 0)
			return false;
	}
	return true;
}

/* Fields that both have, but for those that depend on who looks. */
static void compare_numbers(const facts_t *own, const facts_t *out)
{
	CU_ASSERT_EQUAL(own->cap_inheritable, out->cap_inheritable);
	CU_ASSERT_EQUAL(own->cap_permitted, out->cap_permitted);
	CU_ASSERT_EQUAL(own->cap_effective, out->cap_effective);
	CU_ASSERT_EQUAL(own->cap_bounding, out->cap_bounding);
	CU_ASSERT_EQUAL(own->cap_ambient, out->cap_ambient);
	CU_ASSERT_EQUAL(own->no_new_privs, out->no_new_privs);
	CU_ASSERT_EQUAL(own->seccomp_mode, out->seccomp_mode);
	CU_ASSERT_EQUAL(own->seccomp_filters, out->seccomp_filters);
	CU_ASSERT_EQUAL(own->root_readonly, out->root_readonly);
	CU_ASSERT_EQUAL(own->n_root_entries, out->n_root_entries);
	CU_ASSERT_EQUAL_FATAL(out->n_threads, 1);
	CU_ASSERT_EQUAL(own->threads[0]->tid, out->threads[0]->tid);
	CU_ASSERT_STRING_EQUAL(own->threads[0]->name, out->threads[0]->name);
	CU_ASSERT_EQUAL(own->threads[0]->seccomp_filters,
			out->threads[0]->seccomp_filters);
}

static void compare_lists(const facts_t *own, const facts_t *out)
{
	CU_ASSERT_EQUAL_FATAL(own->n_namespaces, out->n_namespaces);
	for (size_t i = 0; i < own->n_namespaces; i++)
		CU_ASSERT_EQUAL(own->namespaces[i]->inode,
				out->namespaces[i]->inode);
	CU_ASSERT_EQUAL_FATAL(own->n_rlimits, out->n_rlimits);
	for (size_t i = 0; i < own->n_rlimits; i++)
		CU_ASSERT(own->rlimits[i]->soft == out->rlimits[i]->soft &&
			  own->rlimits[i]->hard == out->rlimits[i]->hard);
	CU_ASSERT_EQUAL_FATAL(own->n_fds, out->n_fds);
	for (size_t i = 0; i < own->n_fds; i++) {
		CU_ASSERT_EQUAL(own->fds[i]->fd, out->fds[i]->fd);
		CU_ASSERT_STRING_EQUAL(own->fds[i]->kind, out->fds[i]->kind);
		CU_ASSERT_STRING_EQUAL(own->fds[i]->target,
				       out->fds[i]->target);
		CU_ASSERT_EQUAL(own->fds[i]->dev_minor, out->fds[i]->dev_minor);
	}
	CU_ASSERT_TRUE(same_texts(own->exec_maps, own->n_exec_maps,
				  out->exec_maps, out->n_exec_maps));
}

/*
 * From outside, by the user that started it: who made its user namespace holds
 * every capability over it, and sees all although it is not dumpable. Ids and
 * the cgroup's path are told as the reader's own namespaces have them.
 */
static void test_outside_view(void)
{
	const enum role roles[] = ROLES_CONFINED;

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		struct probe_run run;
		char path[32];
		facts_t *out = NULL;

		facts_probe(&run, roles[i], CONFINE_MODE_ENFORCE);
		(void)snprintf(path, sizeof(path), "/proc/%d", run.child.pid);
		CLEANUP(fd_cleanup)
		int proc_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

		CU_ASSERT_EQUAL_FATAL(facts_read(proc_fd, &out), 0);
		CU_ASSERT_EQUAL(facts_check(out), 0);
		CU_ASSERT_EQUAL(out->n_incomplete, 0);
		CU_ASSERT_STRING_EQUAL(run.facts->uid_map, out->uid_map);
		CU_ASSERT_STRING_EQUAL(run.facts->gid_map, out->gid_map);
		CU_ASSERT_EQUAL(out->uids[1], geteuid());
		compare_numbers(run.facts, out);
		compare_lists(run.facts, out);
		CU_ASSERT_FALSE(out->has_dumpable || out->has_pdeathsig ||
				out->landlock);
		facts_free(out);
		probe_end(&run);
	}
}

/* Facts tell of walls that do not stand, too. */
static void test_off(void)
{
	struct probe_run run;

	facts_probe(&run, ROLE_BLK, CONFINE_MODE_OFF);
	CU_ASSERT(run.facts->has_seccomp_mode && run.facts->seccomp_mode == 0);
	CU_ASSERT_EQUAL(run.facts->seccomp_filters, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(run.facts->landlock);
	CU_ASSERT_FALSE(run.facts->landlock->enforced);
	CU_ASSERT(run.facts->n_root_entries > 0);
	check_fds(run.facts);
	probe_end(&run);
}

const struct unit_case cases_facts[] = {
	UNIT_CASE(test_own_view),
	UNIT_CASE(test_outside_view),
	UNIT_CASE(test_off),
};
