// SPDX-License-Identifier: Apache-2.0
/*
 * frame.c - the 16-byte header of every message (proto/PROTOCOL.md, "Frame").
 * Every process runs it; the sender of a datagram is not trusted.
 */
#include "ipc/frame.h"

#include <errno.h>

/* Little-endian on the wire whatever the host is. */
static void frame_le32_put(uint8_t *bytes, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
}

/* The other direction of frame_le32_put. */
static uint32_t frame_le32_get(const uint8_t *bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 4; i++)
		value |= (uint32_t)bytes[i] << (8 * i);
	return value;
}

void frame_encode(const struct frame_header *h,
		  uint8_t ret_bytes[FRAME_HEADER_BYTES])
{
	frame_le32_put(ret_bytes, FRAME_MAGIC);
	frame_le32_put(ret_bytes + 4, h->length);
	frame_le32_put(ret_bytes + 8, h->op);
	frame_le32_put(ret_bytes + 12, h->id);
}

int frame_decode(const uint8_t *bytes, size_t len, struct frame_header *ret_h)
{
	struct frame_header h;

	if (len < FRAME_HEADER_BYTES || frame_le32_get(bytes) != FRAME_MAGIC)
		return -EBADMSG;
	h.length = frame_le32_get(bytes + 4);
	h.op = frame_le32_get(bytes + 8);
	h.id = frame_le32_get(bytes + 12);
	if (h.length > FRAME_PAYLOAD_MAX)
		return -EMSGSIZE;
	if (h.length != len - FRAME_HEADER_BYTES)
		return -EBADMSG;
	*ret_h = h;
	return 0;
}
