// SPDX-License-Identifier: Apache-2.0
/*
 * req.c - parses block requests. Runs in bulkhead-blk on a queue's worker. The
 * guest is not trusted. VIRTIO 1.2 section 5.2.6.
 */
#include "devices/blk/req.h"

#include <endian.h>
#include <errno.h>
#include <linux/virtio_blk.h>

#define BLK_HEADER_BYTES 16u
_Static_assert(sizeof(struct virtio_blk_outhdr) == BLK_HEADER_BYTES,
	       "header layout");

/**
 * blk_range_check() - is [sector, sector + data) inside the disk?
 * Return: 0 or VIRTIO_BLK_S_IOERR.
 */
static int blk_range_check(const struct blk_geometry *g, uint64_t sector,
			   uint64_t data_bytes, struct blk_req *ret_req)
{
	uint64_t offset;
	uint64_t end;

	if (data_bytes == 0 || data_bytes % BLK_SECTOR_BYTES ||
	    data_bytes > BLK_DATA_MAX)
		return VIRTIO_BLK_S_IOERR;
	if (__builtin_mul_overflow(sector, BLK_SECTOR_BYTES, &offset) ||
	    __builtin_add_overflow(offset, data_bytes, &end))
		return VIRTIO_BLK_S_IOERR;
	if (end > g->size_bytes)
		return VIRTIO_BLK_S_IOERR;
	ret_req->offset_bytes = offset;
	ret_req->data_bytes = (uint32_t)data_bytes;
	return 0;
}

/** blk_read_check() - IN: data goes to the driver only. */
static int blk_read_check(const struct blk_geometry *g, const struct chain *c,
			  uint64_t sector, struct blk_req *ret_req)
{
	if (c->out_bytes)
		return VIRTIO_BLK_S_IOERR;
	return blk_range_check(g, sector, c->in_bytes, ret_req);
}

/** blk_write_check() - OUT: data comes from the driver only. */
static int blk_write_check(const struct blk_geometry *g, const struct chain *c,
			   uint64_t sector, struct blk_req *ret_req)
{
	if (g->read_only || c->in_bytes)
		return VIRTIO_BLK_S_IOERR;
	return blk_range_check(g, sector, c->out_bytes, ret_req);
}

/** blk_flush_check() - FLUSH has neither sector nor data; both are ignored. */
static int blk_flush_check(const struct blk_geometry *g, const struct chain *c,
			   uint64_t sector, struct blk_req *ret_req)
{
	(void)g;
	(void)c;
	(void)sector;
	(void)ret_req;
	return 0;
}

/** blk_get_id_check() - up to 20 bytes go to the driver. */
static int blk_get_id_check(const struct blk_geometry *g, const struct chain *c,
			    uint64_t sector, struct blk_req *ret_req)
{
	(void)g;
	(void)sector;
	ret_req->data_bytes = c->in_bytes < BLK_SERIAL_BYTES
				      ? (uint32_t)c->in_bytes
				      : BLK_SERIAL_BYTES;
	return 0;
}

/* Request types of the driver, one row each. */
static const struct blk_type {
	uint32_t type;
	enum blk_kind kind;
	int (*check)(const struct blk_geometry *g, const struct chain *c,
		     uint64_t sector, struct blk_req *ret_req);
} blk_types[] = {
	{VIRTIO_BLK_T_IN, BLK_READ, blk_read_check},
	{VIRTIO_BLK_T_OUT, BLK_WRITE, blk_write_check},
	{VIRTIO_BLK_T_FLUSH, BLK_FLUSH, blk_flush_check},
	{VIRTIO_BLK_T_GET_ID, BLK_GET_ID, blk_get_id_check},
};
_Static_assert(ARRAY_SIZE(blk_types) == BLK_KIND_COUNT, "one row a kind");

int blk_req_parse(const struct blk_geometry *g, struct chain *c,
		  struct blk_req *ret_req)
{
	struct virtio_blk_outhdr h;
	uint32_t type;

	*ret_req = (struct blk_req){.kind = BLK_KIND_COUNT};
	if (chain_tail_cut(c) < 0)
		return -EMSGSIZE;
	if (chain_get(c, &h, sizeof(h)) < 0)
		return VIRTIO_BLK_S_IOERR;
	type = le32toh(h.type);
	for (size_t i = 0; i < ARRAY_SIZE(blk_types); i++) {
		if (blk_types[i].type != type)
			continue;
		ret_req->kind = blk_types[i].kind;
		return blk_types[i].check(g, c, le64toh(h.sector), ret_req);
	}
	return VIRTIO_BLK_S_UNSUPP;
}
