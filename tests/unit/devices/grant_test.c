// SPDX-License-Identifier: Apache-2.0
/*
 * grant_test.c - GRANT against a device's fd rows: missing, doubled, foreign.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "devices/core/grant.h"
#include "tests/unit/devices/core_suites.h"

static const struct backend_fd grant_rows[] = {
	{BULKHEAD__CHILD__FD_KIND__FD_IMAGE, true},
	{BULKHEAD__CHILD__FD_KIND__FD_CONSOLE_IN, false},
};
static const struct backend_ops grant_ops = {.fds = grant_rows, .fd_cnt = 2};

#define MEM BULKHEAD__CHILD__FD_KIND__FD_MEMORY
#define BACK BULKHEAD__CHILD__FD_KIND__FD_BACKEND
#define IMAGE BULKHEAD__CHILD__FD_KIND__FD_IMAGE
#define CON BULKHEAD__CHILD__FD_KIND__FD_CONSOLE_IN
#define KVM BULKHEAD__CHILD__FD_KIND__FD_KVM

/** struct grant_msg - a good message, to be spoiled. */
struct grant_msg {
	Bulkhead__Child__Grant m;
	Bulkhead__Child__Memory mem;
	Bulkhead__Memory__Region region;
	Bulkhead__Memory__Region *regions[1];
	char id[GRANT_ID_MAX + 2];
};

static void grant_msg_init(struct grant_msg *g)
{
	bulkhead__child__grant__init(&g->m);
	bulkhead__child__memory__init(&g->mem);
	bulkhead__memory__region__init(&g->region);
	strcpy(g->id, "disk0");
	g->region.size = 8192;
	g->regions[0] = &g->region;
	g->mem.size = 8192;
	g->mem.n_regions = 1;
	g->mem.regions = g->regions;
	g->m.id = g->id;
	g->m.memory = &g->mem;
	g->m.confine = BULKHEAD__CHILD__CONFINE__CONFINE_LOG;
}

/** grant_try() - takes a grant with these kinds and as many fds. */
static int grant_try(Bulkhead__Child__FdKind *kinds, size_t cnt, size_t fds)
{
	struct grant_msg msg;
	struct grant g;
	struct fdset set = {.cnt = fds};
	int rc;

	for (size_t i = 0; i < fds; i++)
		set.fd[i] = dup(0);
	grant_msg_init(&msg);
	msg.m.n_fds = cnt;
	msg.m.fds = kinds;
	grant_init(&g);
	rc = grant_check(&msg.m.base);
	if (!rc)
		rc = grant_take(&g, &grant_ops, &msg.m, &set);
	if (!rc) {
		CU_ASSERT_EQUAL(g.confine, CONFINE_MODE_LOG);
		CU_ASSERT_STRING_EQUAL(g.id, "disk0");
		CU_ASSERT(g.memory_fd >= 0 && g.backend_fd >= 0);
		CU_ASSERT(g.fds[0] >= 0);
	}
	grant_fini(&g);
	CU_ASSERT_EQUAL(g.fds[0], -1);
	fdset_close(&set);
	return rc;
}

#define TRY(n, ...)                                                  \
	grant_try((Bulkhead__Child__FdKind[]){__VA_ARGS__},          \
		  sizeof((Bulkhead__Child__FdKind[]){__VA_ARGS__}) / \
			  sizeof(Bulkhead__Child__FdKind),           \
		  n)

static void grant_fds_test(void)
{
	CU_ASSERT_EQUAL(TRY(3, MEM, BACK, IMAGE), 0);
	CU_ASSERT_EQUAL(TRY(4, IMAGE, CON, BACK, MEM), 0);
	CU_ASSERT_EQUAL(TRY(2, MEM, BACK), -EPROTO);
	CU_ASSERT_EQUAL(TRY(2, MEM, IMAGE), -EPROTO);
	CU_ASSERT_EQUAL(TRY(2, BACK, IMAGE), -EPROTO);
	CU_ASSERT_EQUAL(TRY(4, MEM, MEM, BACK, IMAGE), -EPROTO);
	CU_ASSERT_EQUAL(TRY(4, MEM, BACK, IMAGE, IMAGE), -EPROTO);
	CU_ASSERT_EQUAL(TRY(4, MEM, BACK, IMAGE, KVM), -EPROTO);
	CU_ASSERT_EQUAL(TRY(2, MEM, BACK, IMAGE), -EPROTO);
	CU_ASSERT_EQUAL(TRY(4, MEM, BACK, IMAGE), -EPROTO);
}

static void grant_check_test(void)
{
	struct grant_msg g;
	Bulkhead__Child__VmmGrant vmm = BULKHEAD__CHILD__VMM_GRANT__INIT;

	grant_msg_init(&g);
	CU_ASSERT_EQUAL(grant_check(&g.m.base), 0);
	g.m.vmm = &vmm;
	CU_ASSERT_EQUAL(grant_check(&g.m.base), -EPROTO);
	g.m.vmm = NULL;
	g.id[0] = 0;
	CU_ASSERT_EQUAL(grant_check(&g.m.base), -EPROTO);
	memset(g.id, 'a', GRANT_ID_MAX);
	g.id[GRANT_ID_MAX] = 0;
	CU_ASSERT_EQUAL(grant_check(&g.m.base), 0);
	g.id[GRANT_ID_MAX] = 'a';
	g.id[GRANT_ID_MAX + 1] = 0;
	CU_ASSERT_EQUAL(grant_check(&g.m.base), -EPROTO);
	strcpy(g.id, "a\nb");
	CU_ASSERT_EQUAL(grant_check(&g.m.base), -EPROTO);
	grant_msg_init(&g);
	g.mem.n_regions = 0;
	CU_ASSERT_EQUAL(grant_check(&g.m.base), -EPROTO);
	g.mem.n_regions = MEMTABLE_REGIONS_MAX + 1;
	CU_ASSERT_EQUAL(grant_check(&g.m.base), -EPROTO);
}

const struct unit_case grant_cases[] = {
	UNIT_CASE(grant_fds_test),
	UNIT_CASE(grant_check_test),
};
const size_t grant_case_cnt = sizeof(grant_cases) / sizeof(grant_cases[0]);
