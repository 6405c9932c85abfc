// SPDX-License-Identifier: Apache-2.0
/*
 * blk_req_test.c - what becomes of a block request's header and shape.
 */
#include <errno.h>
#include <linux/virtio_blk.h>
#include <string.h>

#include "devices/blk/req.h"
#include "tests/support/unit/unit.h"

/**
 * struct req_case - a request and what must come of it
 * @out: readable data bytes behind the header
 * @in: writable bytes with the status
 * @header: readable header bytes
 */
struct req_case {
	uint32_t type;
	uint64_t sector;
	uint32_t header;
	uint64_t out;
	uint64_t in;
	bool read_only;
	int rc;
	enum blk_kind kind;
	uint64_t offset;
	uint32_t data;
};

#define DISK_BYTES (1024u * 512u)
#define OK 0
#define BAD VIRTIO_BLK_S_IOERR

static const struct req_case req_cases[] = {
	{VIRTIO_BLK_T_IN, 0, 16, 0, 513, false, OK, BLK_READ, 0, 512},
	{VIRTIO_BLK_T_IN, 1023, 16, 0, 513, true, OK, BLK_READ, 1023 * 512,
	 512},
	{VIRTIO_BLK_T_IN, 0, 16, 0, DISK_BYTES + 1, false, OK, BLK_READ, 0,
	 DISK_BYTES},
	{VIRTIO_BLK_T_IN, 1, 16, 0, DISK_BYTES + 1, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_IN, 1024, 16, 0, 513, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_IN, UINT64_MAX, 16, 0, 513, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_IN, UINT64_MAX / 512, 16, 0, 513, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_IN, (UINT64_MAX / 512) + 1, 16, 0, 513, false, BAD, 0, 0,
	 0},
	{VIRTIO_BLK_T_IN, 0, 16, 0, 512, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_IN, 0, 16, 0, 1, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_IN, 0, 16, 512, 513, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_IN, 0, 16, 0, (1ull << 32) + 513, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_IN, 0, 15, 0, 513, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_IN, 0, 0, 0, 513, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_IN, 0, 16, 0, 0, false, -EMSGSIZE, 0, 0, 0},
	{VIRTIO_BLK_T_OUT, 2, 16, 1024, 1, false, OK, BLK_WRITE, 1024, 1024},
	{VIRTIO_BLK_T_OUT, 2, 16, 1024, 1, true, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_OUT, 2, 16, 1023, 1, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_OUT, 2, 16, 0, 1, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_OUT, 2, 16, 1024, 2, false, BAD, 0, 0, 0},
	{VIRTIO_BLK_T_FLUSH, 77777, 16, 0, 1, true, OK, BLK_FLUSH, 0, 0},
	{VIRTIO_BLK_T_GET_ID, 0, 16, 0, 21, true, OK, BLK_GET_ID, 0, 20},
	{VIRTIO_BLK_T_GET_ID, 0, 16, 0, 6, false, OK, BLK_GET_ID, 0, 5},
	{VIRTIO_BLK_T_GET_ID, 0, 16, 0, 600, false, OK, BLK_GET_ID, 0, 20},
	{VIRTIO_BLK_T_DISCARD, 0, 16, 16, 1, false, VIRTIO_BLK_S_UNSUPP, 0, 0,
	 0},
	{0x80000000u, 0, 16, 0, 1, false, VIRTIO_BLK_S_UNSUPP, 0, 0, 0},
};

/* Lengths only count: nothing behind the header's 16 bytes is touched. */
static int req_try(const struct req_case *c, struct blk_req *ret_req)
{
	static uint8_t status;
	struct blk_geometry g = {DISK_BYTES, c->read_only};
	struct virtio_blk_outhdr h = {.type = c->type, .sector = c->sector};
	struct iovec out[2] = {{&h, c->header}, {&h, c->out}};
	struct iovec in[2] = {{&h, c->in - 1}, {&status, 1}};
	struct chain chain = {
		.out = out,
		.out_cnt = 2,
		.out_bytes = c->header + c->out,
		.in = c->in > 1 ? in : in + 1,
		.in_cnt = (uint16_t)(c->in > 1 ? 2 : c->in),
		.in_bytes = c->in,
	};

	return blk_req_parse(&g, &chain, ret_req);
}

static void req_table_test(void)
{
	for (size_t i = 0; i < sizeof(req_cases) / sizeof(req_cases[0]); i++) {
		const struct req_case *c = &req_cases[i];
		struct blk_req r;
		int rc = req_try(c, &r);

		if (rc != c->rc)
			fprintf(stderr, "row %zu: %d\n", i, rc);
		CU_ASSERT_EQUAL(rc, c->rc);
		if (rc != 0)
			continue;
		CU_ASSERT_EQUAL(r.kind, c->kind);
		CU_ASSERT_EQUAL(r.offset_bytes, c->offset);
		CU_ASSERT_EQUAL(r.data_bytes, c->data);
	}
}

static const struct unit_case blk_cases[] = {UNIT_CASE(req_table_test)};

const struct unit_suite unit_suites[] = {{"devices/blk", blk_cases, 1}};
const size_t unit_suite_cnt = 1;
