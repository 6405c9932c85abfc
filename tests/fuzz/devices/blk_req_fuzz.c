// SPDX-License-Identifier: Apache-2.0
/*
 * blk_req_fuzz.c - block requests cut into buffers at random. Guards: a request
 * that is accepted lies inside the disk and its data has the length that the
 * request says.
 */
#include <stdlib.h>
#include <string.h>

#include "devices/blk/req.h"

#define SEGS 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** req_fuzz_check() - what must hold for an accepted request. */
static void req_fuzz_check(const struct blk_geometry *g, const struct chain *c,
			   const struct blk_req *r)
{
	uint64_t bytes = r->kind == BLK_WRITE ? c->out_bytes : c->in_bytes;

	if (!c->tail || r->kind >= BLK_KIND_COUNT)
		abort();
	if (r->kind == BLK_WRITE && g->read_only)
		abort();
	if (r->kind != BLK_READ && r->kind != BLK_WRITE)
		return;
	if (r->data_bytes != bytes || bytes == 0 || bytes % 512 ||
	    r->offset_bytes > g->size_bytes ||
	    bytes > g->size_bytes - r->offset_bytes)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t mem[8192];
	struct blk_geometry g;
	struct iovec iov[SEGS];
	struct chain c = {.out = iov, .busy = true};
	struct blk_req r;
	size_t at = 0;

	if (size < 2 * SEGS + 4)
		return 0;
	g.size_bytes = (uint64_t)(data[0] << 8 | data[1]) * 512;
	g.read_only = data[2] & 1;
	c.out_cnt = data[2] >> 1 & 7;
	c.in_cnt = (uint16_t)(SEGS - c.out_cnt);
	c.in = iov + c.out_cnt;
	for (unsigned i = 0; i < SEGS; i++) {
		size_t len =
			((size_t)data[4 + 2 * i] << 2 | data[5 + 2 * i]) + 1;

		if (at + len > sizeof(mem))
			len = 1;
		iov[i] = (struct iovec){mem + at, len};
		at += len;
		*(i < c.out_cnt ? &c.out_bytes : &c.in_bytes) += len;
	}
	memset(mem, 0, sizeof(mem));
	size -= 2 * SEGS + 4;
	memcpy(mem, data + 2 * SEGS + 4,
	       size < sizeof(mem) ? size : sizeof(mem));
	if (blk_req_parse(&g, &c, &r) == 0)
		req_fuzz_check(&g, &c, &r);
	return 0;
}
