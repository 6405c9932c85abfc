/* SPDX-License-Identifier: Apache-2.0 */
/*
 * req.h - a block request, parsed and checked: plain values, no pointer. Pure.
 * VIRTIO 1.2 section 5.2.6.
 */
#ifndef DEVICES_BLK_REQ_H
#define DEVICES_BLK_REQ_H

#include <stdbool.h>
#include <stdint.h>

#include "devices/core/chain.h"
#include "ipc/compiler.h"

#define BLK_SECTOR_BYTES 512u
#define BLK_SERIAL_BYTES 20u
/* Most data of one request: what one read(2) of the kernel can return. */
#define BLK_DATA_MAX 0x7ffff000u

enum blk_kind { BLK_READ, BLK_WRITE, BLK_FLUSH, BLK_GET_ID, BLK_KIND_COUNT };

/**
 * struct blk_geometry - what requests are checked against
 * @size_bytes: usable bytes of the disk, a multiple of 512
 * @read_only: writes fail, whatever the driver negotiated
 */
struct blk_geometry {
	uint64_t size_bytes;
	bool read_only;
};

/**
 * struct blk_req - a request that can be carried out
 * @kind: what to do
 * @offset_bytes: into the disk; with @data_bytes inside its size
 * @data_bytes: 0 for FLUSH; for GET_ID what the driver has room for
 */
struct blk_req {
	enum blk_kind kind;
	uint64_t offset_bytes;
	uint32_t data_bytes;
};

/**
 * blk_req_parse() - reads header and shape of a chain
 * Consumes the header and keeps the status byte: afterwards @c->out (write) or
 * @c->in (read, GET_ID) is exactly the data.
 * Return: 0 and the request; a VIRTIO_BLK_S_ status > 0 to answer with;
 * -EMSGSIZE there is no byte for a status.
 * Trust: guest.
 */
MUST_CHECK int blk_req_parse(const struct blk_geometry *g, struct chain *c,
			     struct blk_req *ret_req);

#endif
