/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blkdrv.h - a virtio block driver over drvq: builds requests, keeps one record
 * per request in flight. VIRTIO 1.2 section 5.2.6.
 */
#ifndef TESTS_SUPPORT_RING_BLKDRV_H
#define TESTS_SUPPORT_RING_BLKDRV_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/support/ring/drvq.h"
#include "tests/support/ring/testdev.h"

#define BLKDRV_SEGS_MAX 64u

/**
 * struct blkdrv_slot - room for one request
 * @header_gpa: 16 bytes
 * @status_gpa: 1 byte
 * @data_gpa: data_max bytes
 * @tag: of the caller
 * @busy: in flight
 */
struct blkdrv_slot {
	uint64_t header_gpa;
	uint64_t status_gpa;
	uint64_t data_gpa;
	uint64_t tag;
	uint32_t data_bytes;
	uint32_t type;
	bool busy;
};

/**
 * struct blkdrv - a driver for one queue
 * @q: its ring
 * @slots: owned, @slot_cnt of them
 * @slot_of: owned, slot of the request whose chain starts at a descriptor
 * @data_max: data bytes of a slot
 */
struct blkdrv {
	struct drvq q;
	struct blkdrv_slot *slots;
	uint32_t slot_cnt;
	uint32_t *slot_of;
	uint32_t data_max;
};

/**
 * struct blkdrv_request - what to ask for
 * @type: VIRTIO_BLK_T_
 * @sector: as on the wire
 * @data_bytes: length of the data, <= data_max
 * @segs: pieces that the data is cut into, 1..BLKDRV_SEGS_MAX
 */
struct blkdrv_request {
	uint32_t type;
	uint64_t sector;
	uint32_t data_bytes;
	uint32_t segs;
};

/** struct blkdrv_done - a request that came back. */
struct blkdrv_done {
	uint32_t slot;
	uint8_t status;
	uint32_t len;
};

/** blkdrv_init() - @slot_cnt requests of up to @data_max. 0 or -errno. */
MUST_CHECK int blkdrv_init(struct blkdrv *b, struct guest *g,
			   const struct drvq_config *cfg, uint32_t slot_cnt,
			   uint32_t data_max);
void blkdrv_fini(struct blkdrv *b);
/** blkdrv_restart() - after a device reset. */
void blkdrv_restart(struct blkdrv *b);

/** blkdrv_slot_free() - a slot that is not in flight; -ENOSPC. */
MUST_CHECK int blkdrv_slot_free(const struct blkdrv *b);
/** blkdrv_data() - our pointer to a slot's data. */
void *blkdrv_data(const struct blkdrv *b, uint32_t slot);
/** blkdrv_add() - enters a request; drvq_publish makes it visible. */
MUST_CHECK int blkdrv_add(struct blkdrv *b, uint32_t slot,
			  const struct blkdrv_request *r);
/**
 * blkdrv_take() - takes a request that came back
 * @call: sleep on the call eventfd instead of looking
 * @ms: how long; 0 looks once
 */
MUST_CHECK int blkdrv_take(struct blkdrv *b, bool call, int ms,
			   struct blkdrv_done *ret_done);
/** blkdrv_sync() - one request in slot 0. Return: status or -errno. */
MUST_CHECK int blkdrv_sync(struct blkdrv *b, const struct blkdrv_request *r);

/** blkdrv_attach() - features are acked; sets and starts queue @idx. */
MUST_CHECK int blkdrv_attach(struct blkdrv *b, struct testdev *t, uint32_t idx);

#endif
