// SPDX-License-Identifier: Apache-2.0
/*
 * grant_test.c - the walls' part of GRANT: what may be missing and who a child
 * may become. A wrong grant weakens nothing, it is refused.
 */
#include <errno.h>

#include "policy/confine_grant.h"
#include "tests/unit/policy/suites.h"

static int take(Bulkhead__Child__Grant *msg, const char *wall,
		enum confine_mode *ret_mode)
{
	char name[32];
	char *names[] = {name};
	int ret;

	snprintf(name, sizeof(name), "%s", wall ? wall : "");
	msg->n_confine_missing = wall ? 1 : 0;
	msg->confine_missing = names;
	ret = confine_grant_take(msg, ret_mode);
	msg->confine_missing = NULL;
	msg->n_confine_missing = 0;
	return ret;
}

static void test_modes(void)
{
	static const struct {
		Bulkhead__Child__Confine wire;
		enum confine_mode mode;
	} rows[] = {
		{BULKHEAD__CHILD__CONFINE__CONFINE_ENFORCE,
		 CONFINE_MODE_ENFORCE},
		{BULKHEAD__CHILD__CONFINE__CONFINE_LOG, CONFINE_MODE_LOG},
		{BULKHEAD__CHILD__CONFINE__CONFINE_OFF, CONFINE_MODE_OFF},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		Bulkhead__Child__Grant msg = BULKHEAD__CHILD__GRANT__INIT;
		enum confine_mode mode = (enum confine_mode)99;

		msg.confine = rows[i].wire;
		CU_ASSERT_EQUAL(take(&msg, NULL, &mode), 0);
		CU_ASSERT_EQUAL(mode, rows[i].mode);
	}
}

static void test_missing(void)
{
	static const char *const may[] = {"userns",   "pidns", "mntns",
					  "netns",    "ipcns", "utsns",
					  "cgroupns", "root",  "landlock"};
	static const char *const never[] = {
		"seccomp",  "caps",      "rlimits", "no-new-privs",
		"dumpable", "pdeathsig", "fds",     "cgroup",
		"",         "userns ",   "Userns"};

	for (size_t i = 0; i < ARRAY_SIZE(may); i++) {
		Bulkhead__Child__Grant msg = BULKHEAD__CHILD__GRANT__INIT;
		enum confine_mode mode;

		CU_ASSERT_EQUAL(take(&msg, may[i], &mode), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(never); i++) {
		Bulkhead__Child__Grant msg = BULKHEAD__CHILD__GRANT__INIT;
		enum confine_mode mode = CONFINE_MODE_ENFORCE;

		CU_ASSERT_EQUAL(take(&msg, never[i], &mode), -EPROTO);
		CU_ASSERT_EQUAL(mode, CONFINE_MODE_ENFORCE);
	}
}

static void test_run_as(void)
{
	static const struct {
		bool has_uid, has_gid;
		uint32_t uid, gid;
		int ret;
	} rows[] = {
		{true, true, 1, 1, 0},        {false, false, 0, 0, 0},
		{true, false, 1, 0, -EPROTO}, {false, true, 0, 1, -EPROTO},
		{true, true, 0, 1, -EPROTO},  {true, true, 1, 0, -EPROTO},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		Bulkhead__Child__Grant msg = BULKHEAD__CHILD__GRANT__INIT;
		enum confine_mode mode;

		msg.has_run_uid = rows[i].has_uid;
		msg.has_run_gid = rows[i].has_gid;
		msg.run_uid = rows[i].uid;
		msg.run_gid = rows[i].gid;
		CU_ASSERT_EQUAL(take(&msg, NULL, &mode), rows[i].ret);
	}
}

const struct unit_case cases_grant[] = {
	UNIT_CASE(test_modes),
	UNIT_CASE(test_missing),
	UNIT_CASE(test_run_as),
};
