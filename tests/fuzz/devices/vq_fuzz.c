// SPDX-License-Identifier: Apache-2.0
/*
 * vq_fuzz.c - a split ring over memory that is wholly the fuzzer's: the rings,
 * descriptors and data are its bytes, and it may rewrite them between calls.
 * Guards: no access outside guest memory, every popped head comes back, no
 * endless walk, no chain longer than promised.
 */
#include <stdlib.h>
#include <string.h>

#include "devices/blk/req.h"
#include "devices/core/gmem.h"
#include "devices/core/vq.h"

#define BYTES 0x4000u
#define SIZE 16u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** vq_fuzz_chain() - a popped chain holds what vq.h promises. */
static void vq_fuzz_chain(const struct gmem *m, struct chain *c)
{
	const struct blk_geometry g = {1u << 20, false};
	struct blk_req req;
	uint64_t out = 0;
	uint64_t in = 0;

	if ((uint32_t)c->out_cnt + c->in_cnt > VQ_SEGS_MAX ||
	    c->in != c->out + c->out_cnt || c->head >= SIZE)
		abort();
	for (uint32_t i = 0; i < (uint32_t)c->out_cnt + c->in_cnt; i++) {
		const uint8_t *at = c->out[i].iov_base;

		if (c->out[i].iov_len == 0 || at < m->base ||
		    at + c->out[i].iov_len > m->base + m->size)
			abort();
		*(i < c->out_cnt ? &out : &in) += c->out[i].iov_len;
	}
	if (out != c->out_bytes || in != c->in_bytes)
		abort();
	if (blk_req_parse(&g, c, &req) >= 0)
		chain_tail_put(c, 0);
}

/** vq_fuzz_run() - the rest of the input says what happens. */
static void vq_fuzz_run(struct vq *q, struct gmem *m, const uint8_t *data,
			size_t size)
{
	struct chain *out[SIZE];
	unsigned cnt = 0;

	for (size_t i = 0; i + 3 < size && i < 256; i += 4) {
		q->budget = SIZE;
		/* The guest writes somewhere. */
		m->base[((unsigned)data[i] << 8 | data[i + 1]) % BYTES] =
			data[i + 2];
		if (data[i + 3] & 1)
			vq_notify_disable(q);
		if (cnt < SIZE && vq_pop(q, &out[cnt]) > 0)
			vq_fuzz_chain(m, out[cnt++]);
		if (cnt && data[i + 3] & 2)
			vq_push(q, out[--cnt], data[i + 3]);
		if (data[i + 3] & 4)
			(void)vq_call_needed(q);
		if (vq_notify_enable(q) && q->broken)
			abort();
		if (q->busy_cnt != cnt)
			abort();
	}
	while (cnt)
		vq_push(q, out[--cnt], 0);
	if (q->busy_cnt)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static _Alignas(4096) uint8_t mem[BYTES];
	const struct memtable table = {
		.region = {{.gpa = 0, .size = BYTES / 2, .offset = 0},
			   {.gpa = 0x100000000,
			    .size = BYTES / 2,
			    .offset = BYTES / 2}},
		.cnt = 2};
	struct vq_config cfg = {
		.size = SIZE,
		.desc_gpa = 0x10,
		.driver_gpa = 0x200,
		.device_gpa = 0x300,
	};
	struct gmem m;
	struct vq q;
	size_t image;

	if (size < 4)
		return 0;
	cfg.event_idx = data[0] & 1;
	cfg.indirect = data[0] & 2;
	cfg.position = (uint16_t)(data[1] << 8 | data[2]);
	if (data[0] & 4)
		cfg.device_gpa = (uint64_t)data[3] << (data[0] >> 3);
	memset(mem, 0, sizeof(mem));
	image = size - 4 < BYTES ? size - 4 : BYTES;
	memcpy(mem, data + 4, image);
	gmem_wrap(&m, mem, sizeof(mem), &table);
	if (vq_init(&q, &m, &cfg) < 0)
		return 0;
	vq_fuzz_run(&q, &m, data, size);
	vq_fini(&q);
	return 0;
}
