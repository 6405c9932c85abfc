// SPDX-License-Identifier: Apache-2.0
/*
 * violation_test.c - the report of a refused call: its words, its frame as
 * protobuf-c reads it, and that no address gets out.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "ipc/frame.h"
#include "policy/violation.h"
#include "proto/child.pb-c.h"
#include "tests/unit/policy/suites.h"

static void test_enforce_text(void)
{
	const uint64_t args[6] = {(uint64_t)-100, 0x7ffe12345678, 0x80000, 0, 1,
				  UINT64_MAX};
	const struct violation v = {.filter = "vmm-vcpu",
				    .number = SYS_openat,
				    .args = args,
				    .mode = CONFINE_MODE_ENFORCE};
	char text[VIOLATION_TEXT_MAX];

	CU_ASSERT_EQUAL(violation_format(&v, text), strlen(text));
	CU_ASSERT_STRING_EQUAL(
		text, "seccomp refused openat(257) filter=vmm-vcpu "
		      "args=0xffffff9c,ptr,0x80000,0x0,0x1,0xffffffff; "
		      "the process ends");
}

static void test_log_text_has_row(void)
{
	const uint64_t args[6] = {3, 0xae80, 7};
	struct violation v = {.filter = "vmm",
			      .number = SYS_ioctl,
			      .args = args,
			      .mode = CONFINE_MODE_LOG};
	char text[VIOLATION_TEXT_MAX];

	(void)violation_format(&v, text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "seccomp would refuse ioctl(16)"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "row: ALLOW_IF(ioctl, T_EQ(1, 0xae80), "));
	v.number = SYS_lseek;
	(void)violation_format(&v, text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "row: ALLOW(lseek, "));
}

static void test_unknown_number(void)
{
	const uint64_t args[6] = {0};
	const struct violation v = {.filter = "blk",
				    .number = -1,
				    .args = args,
				    .mode = CONFINE_MODE_ENFORCE};
	char text[VIOLATION_TEXT_MAX];

	(void)violation_format(&v, text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "?(4294967295)"));
}

static void test_frame_is_log(void)
{
	static const char text[] = "seccomp refused openat(257)";
	uint8_t bytes[512];
	struct frame_header h;
	Bulkhead__Child__Log *log;
	size_t len = violation_frame(text, strlen(text),
				     UINT64_C(1791234567123456789), bytes,
				     sizeof(bytes));

	CU_ASSERT_EQUAL(frame_decode(bytes, len, &h), 0);
	CU_ASSERT_EQUAL(h.op, BULKHEAD__CHILD__OP__OP_LOG);
	CU_ASSERT_EQUAL(h.id, 0);
	log = bulkhead__child__log__unpack(NULL, h.length,
					   bytes + FRAME_HEADER_BYTES);
	CU_ASSERT_PTR_NOT_NULL_FATAL(log);
	CU_ASSERT_EQUAL(log->level, BULKHEAD__CHILD__LOG_LEVEL__LOG_ERR);
	CU_ASSERT_EQUAL(log->realtime_ns, UINT64_C(1791234567123456789));
	CU_ASSERT_STRING_EQUAL(log->module, "policy");
	CU_ASSERT_STRING_EQUAL(log->text, text);
	CU_ASSERT_EQUAL(log->base.n_unknown_fields, 0);
	bulkhead__child__log__free_unpacked(log, NULL);
}

static void test_frame_long_text(void)
{
	char text[VIOLATION_TEXT_MAX];
	uint8_t bytes[VIOLATION_TEXT_MAX + 128];
	struct frame_header h;
	size_t len;

	memset(text, 'x', sizeof(text));
	len = violation_frame(text, sizeof(text), UINT64_MAX, bytes,
			      sizeof(bytes));
	CU_ASSERT(len > sizeof(text));
	CU_ASSERT(len <= sizeof(bytes));
	CU_ASSERT_EQUAL(frame_decode(bytes, len, &h), 0);
	/* No room: nothing is written. */
	CU_ASSERT_EQUAL(violation_frame(text, sizeof(text), 1, bytes, 300), 0);
}

static void test_stub_is_a_syscall(void)
{
	const uint64_t args[6] = {(uint64_t)-1};

	CU_ASSERT_EQUAL(violation_stub(SYS_close, args), -EBADF);
	CU_ASSERT_NOT_EQUAL(violation_stub_ip(), 0);
}

const struct unit_case cases_violation[] = {
	UNIT_CASE(test_enforce_text),    UNIT_CASE(test_log_text_has_row),
	UNIT_CASE(test_unknown_number),  UNIT_CASE(test_frame_is_log),
	UNIT_CASE(test_frame_long_text), UNIT_CASE(test_stub_is_a_syscall),
};
