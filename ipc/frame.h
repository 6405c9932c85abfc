/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - the 16-byte header before each message, see proto/PROTOCOL.md.
 * All fields little-endian. Pure: no I/O here.
 */
#ifndef IPC_FRAME_H
#define IPC_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"

#define PROTOCOL_VERSION 1u
#define FRAME_MAGIC 0x31444b42u /* "BKD1" */
#define FRAME_HEADER_BYTES 16u
#define FRAME_PAYLOAD_MAX 65536u
#define FRAME_BYTES_MAX (FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX)

/**
 * struct frame_header - decoded header
 * @length: payload bytes, 0..FRAME_PAYLOAD_MAX
 * @op: even = request or event, odd = answer to op - 1
 * @id: request number, != 0; 0 for events; an answer repeats the request's
 */
struct frame_header {
	uint32_t length;
	uint32_t op;
	uint32_t id;
};

/** frame_encode() - writes FRAME_HEADER_BYTES at @ret_bytes. */
void frame_encode(const struct frame_header *h,
		  uint8_t ret_bytes[FRAME_HEADER_BYTES]);

/**
 * frame_decode() - reads and checks the header of a datagram
 * @bytes: the whole datagram
 * @len: its length; must be exactly header + payload
 * Return: 0; -EBADMSG short datagram, bad magic, length not equal to what
 * arrived; -EMSGSIZE length over FRAME_PAYLOAD_MAX.
 */
MUST_CHECK int frame_decode(const uint8_t *bytes, size_t len,
			    struct frame_header *ret_h);

#endif
