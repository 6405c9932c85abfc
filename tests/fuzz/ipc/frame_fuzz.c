// SPDX-License-Identifier: Apache-2.0
/*
 * frame_fuzz.c - any datagram against the header and every message type of both
 * protocols. Whatever is accepted must survive being packed and decoded again,
 * byte for byte. Input: one byte picks the protocol, the rest is the datagram;
 * a header that is refused is looked at once more with its length put right, so
 * that changes of the payload's size reach the decoder.
 */
#include <stdlib.h>
#include <string.h>

#include "ipc/dispatch.h"
#include "ipc/frame.h"
#include "proto/backend.pb-c.h"
#include "proto/child.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROW(number, type)                                               \
	{                                                               \
		.op = (number), .desc = &bulkhead__##type##__descriptor \
	}

static const struct dispatch_row child_rows[] = {
	ROW(2, child__hello),         ROW(4, child__grant),
	ROW(6, child__device),        ROW(8, child__ready),
	ROW(10, child__prepare),      ROW(11, child__prepared),
	ROW(12, child__run),          ROW(14, child__running),
	ROW(16, child__power_button), ROW(18, child__stop),
	ROW(20, child__exit),         ROW(22, child__stats),
	ROW(23, child__stats_reply),  ROW(24, child__log),
};

static const struct dispatch_row backend_rows[] = {
	ROW(2, backend__info),          ROW(3, backend__info_reply),
	ROW(4, backend__memory_table),  ROW(5, backend__reply),
	ROW(6, backend__features),      ROW(7, backend__reply),
	ROW(8, backend__queue_set),     ROW(9, backend__reply),
	ROW(10, backend__queue_start),  ROW(11, backend__reply),
	ROW(12, backend__queue_stop),   ROW(13, backend__queue_stop_reply),
	ROW(14, backend__reset),        ROW(15, backend__reply),
	ROW(16, backend__config_write), ROW(17, backend__reply),
	ROW(18, backend__config_push),  ROW(20, backend__needs_reset),
};

static const struct dispatch_table tables[] = {
	{"child", child_rows, ARRAY_SIZE(child_rows)},
	{"backend", backend_rows, ARRAY_SIZE(backend_rows)},
};

/* Decodes with an arena of its own; aborts where memory is at its end. */
static struct arena *fuzz_arena(unsigned which)
{
	static struct arena arenas[2];

	if (!arenas[which].base && arena_init(&arenas[which]))
		abort();
	arena_reset(&arenas[which]);
	return &arenas[which];
}

/* Accepted once, accepted again, with the same bytes. */
static void fuzz_again(const struct dispatch_row *row,
		       const ProtobufCMessage *msg)
{
	static uint8_t once[4 * FRAME_PAYLOAD_MAX];
	static uint8_t twice[4 * FRAME_PAYLOAD_MAX];
	const ProtobufCMessage *again = NULL;
	size_t len = protobuf_c_message_get_packed_size(msg);

	/* Varints that were not minimal may only shrink. */
	BUG_ON(len > sizeof(once));
	BUG_ON(protobuf_c_message_pack(msg, once) != len);

	int err = dispatch_decode(row, once, len, fuzz_arena(1), &again);

	BUG_ON(err || protobuf_c_message_pack(again, twice) != len);
	BUG_ON(memcmp(once, twice, len) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t bytes[FRAME_BYTES_MAX];
	const struct dispatch_row *row;
	const ProtobufCMessage *msg = NULL;
	struct frame_header h;
	int err;

	if (size < 1 + FRAME_HEADER_BYTES || size > 1 + sizeof(bytes))
		return 0;
	err = frame_decode(data + 1, size - 1, &h);
	if (err) {
		memcpy(bytes, data + 1, size - 1);
		h.length = (uint32_t)(size - 1 - FRAME_HEADER_BYTES);
		h.op = data[1 + 8];
		h.id = 0;
		frame_encode(&h, bytes);
		BUG_ON(frame_decode(bytes, size - 1, &h));
	}
	row = dispatch_find(&tables[data[0] % 2], h.op);
	if (!row)
		return 0;
	err = dispatch_decode(row, data + 1 + FRAME_HEADER_BYTES, h.length,
			      fuzz_arena(0), &msg);
	if (!err)
		fuzz_again(row, msg);
	return 0;
}
