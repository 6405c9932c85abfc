// SPDX-License-Identifier: Apache-2.0
/*
 * rows_test.c - bounds of backend.proto as a device receives it: the last good
 * value and the first bad one.
 */
#include <errno.h>

#include "devices/core/vmm_rows.h"
#include "proto/backend.pb-c.h"
#include "tests/unit/devices/core_suites.h"

static void rows_queue_test(void)
{
	Bulkhead__Backend__QueueSet s = BULKHEAD__BACKEND__QUEUE_SET__INIT;
	Bulkhead__Backend__QueueStart a = BULKHEAD__BACKEND__QUEUE_START__INIT;
	Bulkhead__Backend__QueueStop o = BULKHEAD__BACKEND__QUEUE_STOP__INIT;

	s.index = a.index = o.index = 63;
	s.size = 32768;
	s.position = 65535;
	CU_ASSERT_EQUAL(vmm_queue_set_check(&s.base), 0);
	CU_ASSERT_EQUAL(vmm_queue_start_check(&a.base), 0);
	CU_ASSERT_EQUAL(vmm_queue_stop_check(&o.base), 0);
	s.size = 32769;
	CU_ASSERT_EQUAL(vmm_queue_set_check(&s.base), -EPROTO);
	s.size = 1;
	s.position = 65536;
	CU_ASSERT_EQUAL(vmm_queue_set_check(&s.base), -EPROTO);
	s.position = 0;
	s.index = a.index = o.index = 64;
	CU_ASSERT_EQUAL(vmm_queue_set_check(&s.base), -EPROTO);
	CU_ASSERT_EQUAL(vmm_queue_start_check(&a.base), -EPROTO);
	CU_ASSERT_EQUAL(vmm_queue_stop_check(&o.base), -EPROTO);
}

static void rows_memory_test(void)
{
	Bulkhead__Backend__MemoryTable m =
		BULKHEAD__BACKEND__MEMORY_TABLE__INIT;

	CU_ASSERT_EQUAL(vmm_memory_check(&m.base), -EPROTO);
	m.n_regions = 8;
	CU_ASSERT_EQUAL(vmm_memory_check(&m.base), 0);
	m.n_regions = 9;
	CU_ASSERT_EQUAL(vmm_memory_check(&m.base), -EPROTO);
}

static void rows_config_test(void)
{
	Bulkhead__Backend__ConfigWrite m =
		BULKHEAD__BACKEND__CONFIG_WRITE__INIT;

	m.data.len = 8;
	m.offset = 256;
	CU_ASSERT_EQUAL(vmm_config_write_check(&m.base), 0);
	m.offset = 257;
	CU_ASSERT_EQUAL(vmm_config_write_check(&m.base), -EPROTO);
	m.offset = 0;
	m.data.len = 9;
	CU_ASSERT_EQUAL(vmm_config_write_check(&m.base), -EPROTO);
	m.data.len = 0;
	CU_ASSERT_EQUAL(vmm_config_write_check(&m.base), -EPROTO);
}

const struct unit_case rows_cases[] = {
	UNIT_CASE(rows_queue_test),
	UNIT_CASE(rows_memory_test),
	UNIT_CASE(rows_config_test),
};
const size_t rows_case_cnt = sizeof(rows_cases) / sizeof(rows_cases[0]);
