// SPDX-License-Identifier: Apache-2.0
/*
 * check_test.c - bounds of what a child may say: the last accepted value and
 * the first refused one.
 */
#include <errno.h>
#include <string.h>

#include "monitor/machine/child_check.h"
#include "policy/facts.h"
#include "proto/child.pb-c.h"
#include "tests/unit/monitor/suites.h"

static char text_buf[2048];

/* text() - of @len letters; valid until the next call. */
static char *text(size_t len)
{
	memset(text_buf, 'x', len);
	text_buf[len] = '\0';
	return text_buf;
}

static void check_hello(void)
{
	Bulkhead__Child__Hello m = BULKHEAD__CHILD__HELLO__INIT;

	m.build = text(CHILD_CHECK_NAME_MAX);
	CU_ASSERT_EQUAL(child_check_hello(&m.base), 0);
	m.build = text(CHILD_CHECK_NAME_MAX + 1);
	CU_ASSERT_EQUAL(child_check_hello(&m.base), -EPROTO);
}

static void check_ready(void)
{
	Bulkhead__Child__Ready m = BULKHEAD__CHILD__READY__INIT;
	Bulkhead__Child__Wall wall = BULKHEAD__CHILD__WALL__INIT;
	Bulkhead__Facts__Facts facts = BULKHEAD__FACTS__FACTS__INIT;
	Bulkhead__Child__Phase phase = BULKHEAD__CHILD__PHASE__INIT;
	Bulkhead__Child__Wall *walls[CHILD_CHECK_WALLS_MAX + 1];
	Bulkhead__Child__Phase *phases[CHILD_CHECK_PHASES_MAX + 1];

	wall.name = phase.name = text(CHILD_CHECK_NAME_MAX);
	for (size_t i = 0; i <= CHILD_CHECK_WALLS_MAX; i++)
		walls[i] = &wall;
	for (size_t i = 0; i <= CHILD_CHECK_PHASES_MAX; i++)
		phases[i] = &phase;
	m.walls = walls;
	m.phases = phases;
	m.n_walls = CHILD_CHECK_WALLS_MAX;
	m.n_phases = CHILD_CHECK_PHASES_MAX;
	CU_ASSERT_EQUAL(child_check_ready(&m.base), 0);
	m.n_walls++;
	CU_ASSERT_EQUAL(child_check_ready(&m.base), -EPROTO);
	m.n_walls = 1;
	m.n_phases++;
	CU_ASSERT_EQUAL(child_check_ready(&m.base), -EPROTO);
	m.n_phases = 0;
	wall.name = text(CHILD_CHECK_NAME_MAX + 1);
	CU_ASSERT_EQUAL(child_check_ready(&m.base), -EPROTO);
	m.n_walls = 0;
	m.facts = &facts;
	facts.cgroup = text(FACTS_TEXT_MAX);
	CU_ASSERT_EQUAL(child_check_ready(&m.base), 0);
	facts.cgroup = text(FACTS_TEXT_MAX + 1);
	CU_ASSERT_EQUAL(child_check_ready(&m.base), -EPROTO);
}

static void check_prepared(void)
{
	Bulkhead__Child__Prepared m = BULKHEAD__CHILD__PREPARED__INIT;

	m.error = 4095;
	m.message = text(CHILD_CHECK_TEXT_MAX);
	CU_ASSERT_EQUAL(child_check_prepared(&m.base), 0);
	m.error = 4096;
	CU_ASSERT_EQUAL(child_check_prepared(&m.base), -EPROTO);
	m.error = 0;
	m.n_e820 = CHILD_CHECK_E820_MAX + 1;
	CU_ASSERT_EQUAL(child_check_prepared(&m.base), -EPROTO);
	m.n_e820 = 0;
	m.n_devices = CHILD_CHECK_DEVICES_MAX + 1;
	CU_ASSERT_EQUAL(child_check_prepared(&m.base), -EPROTO);
	m.n_devices = 0;
	m.message = text(CHILD_CHECK_TEXT_MAX + 1);
	CU_ASSERT_EQUAL(child_check_prepared(&m.base), -EPROTO);
}

static void check_exit(void)
{
	Bulkhead__Child__Exit m = BULKHEAD__CHILD__EXIT__INIT;

	m.reason = BULKHEAD__CHILD__EXIT_REASON__EXIT_DEBUG;
	CU_ASSERT_EQUAL(child_check_exit(&m.base), -EPROTO);
	m.has_code = 1;
	m.code = 255;
	CU_ASSERT_EQUAL(child_check_exit(&m.base), 0);
	m.code = 256;
	CU_ASSERT_EQUAL(child_check_exit(&m.base), -EPROTO);
	m.code = 1;
	m.reason = BULKHEAD__CHILD__EXIT_REASON__EXIT_POWEROFF;
	CU_ASSERT_EQUAL(child_check_exit(&m.base), -EPROTO);
}

static void check_log(void)
{
	Bulkhead__Child__Log m = BULKHEAD__CHILD__LOG__INIT;
	char module[] = "m";

	m.module = module;
	m.text = text(CHILD_CHECK_LOG_MAX);
	CU_ASSERT_EQUAL(child_check_log(&m.base), 0);
	m.text = text(CHILD_CHECK_LOG_MAX + 1);
	CU_ASSERT_EQUAL(child_check_log(&m.base), -EPROTO);
}

const struct unit_case cases_check[5] = {
	UNIT_CASE(check_hello),    UNIT_CASE(check_ready),
	UNIT_CASE(check_prepared), UNIT_CASE(check_exit),
	UNIT_CASE(check_log),
};
