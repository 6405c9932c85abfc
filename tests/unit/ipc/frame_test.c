// SPDX-License-Identifier: Apache-2.0
/*
 * frame_test.c - the header's bytes as PROTOCOL.md has them, and every header
 * that is refused.
 */
#include "ipc/frame.h"

#include <errno.h>
#include <string.h>

#include "tests/support/unit/unit.h"

static uint8_t frame_bytes[FRAME_BYTES_MAX + 1];

/* A datagram with @payload bytes that claims @claimed. Return: its length. */
static size_t frame_make(uint32_t claimed, size_t payload)
{
	struct frame_header h = {.length = claimed, .op = 6, .id = 9};

	memset(frame_bytes, 0, sizeof(frame_bytes));
	frame_encode(&h, frame_bytes);
	return FRAME_HEADER_BYTES + payload;
}

static void frame_layout_is_fixed(void)
{
	static const uint8_t want[FRAME_HEADER_BYTES] = {
		'B',  'K',  'D',  '1',  0x04, 0x03, 0x02, 0x01,
		0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21,
	};
	struct frame_header h = {0x01020304, 0x11121314, 0x21222324};
	uint8_t got[FRAME_HEADER_BYTES];

	frame_encode(&h, got);
	CU_ASSERT_EQUAL(memcmp(got, want, sizeof(want)), 0);
}

static void frame_survives_the_wire(void)
{
	static const size_t sizes[] = {0, 1, 4096, FRAME_PAYLOAD_MAX};

	for (size_t i = 0; i < 4; i++) {
		struct frame_header h = {0};
		size_t len = frame_make((uint32_t)sizes[i], sizes[i]);

		CU_ASSERT_EQUAL(frame_decode(frame_bytes, len, &h), 0);
		CU_ASSERT_EQUAL(h.length, sizes[i]);
		CU_ASSERT_EQUAL(h.op, 6);
		CU_ASSERT_EQUAL(h.id, 9);
	}
}

static void frame_truncated_is_refused(void)
{
	struct frame_header h;

	frame_make(0, 0);
	for (size_t len = 0; len < FRAME_HEADER_BYTES; len++)
		CU_ASSERT_EQUAL(frame_decode(frame_bytes, len, &h), -EBADMSG);
	/* The payload is shorter, then longer, than the header says. */
	CU_ASSERT_EQUAL(frame_decode(frame_bytes, frame_make(8, 7), &h),
			-EBADMSG);
	CU_ASSERT_EQUAL(frame_decode(frame_bytes, frame_make(8, 9), &h),
			-EBADMSG);
}

static void frame_other_magic_is_refused(void)
{
	struct frame_header h;
	size_t len = frame_make(0, 0);

	for (size_t i = 0; i < 4; i++) {
		frame_bytes[i] ^= 0x20;
		CU_ASSERT_EQUAL(frame_decode(frame_bytes, len, &h), -EBADMSG);
		frame_bytes[i] ^= 0x20;
	}
}

static void frame_oversize_is_refused(void)
{
	struct frame_header h;
	size_t len = frame_make(FRAME_PAYLOAD_MAX + 1, FRAME_PAYLOAD_MAX + 1);

	CU_ASSERT_EQUAL(frame_decode(frame_bytes, len, &h), -EMSGSIZE);
	len = frame_make(UINT32_MAX, 4);
	CU_ASSERT_EQUAL(frame_decode(frame_bytes, len, &h), -EMSGSIZE);
	/* header + length would wrap to what arrived */
	len = frame_make(UINT32_MAX - FRAME_HEADER_BYTES + 1, 0);
	CU_ASSERT_EQUAL(frame_decode(frame_bytes, len, &h), -EMSGSIZE);
}

static const struct unit_case frame_cases[] = {
	UNIT_CASE(frame_layout_is_fixed),
	UNIT_CASE(frame_survives_the_wire),
	UNIT_CASE(frame_truncated_is_refused),
	UNIT_CASE(frame_other_magic_is_refused),
	UNIT_CASE(frame_oversize_is_refused),
};

const struct unit_suite unit_suites[] = {
	{"frame", frame_cases, ARRAY_SIZE(frame_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
