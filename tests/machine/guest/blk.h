/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: virtio-blk driver (VIRTIO 1.2 section 5.2).
 */
#ifndef GUEST_BLK_H
#define GUEST_BLK_H

#include "virtio.h"
#include "vq.h"

#define BLK_QUEUES_MAX 8
#define BLK_SEGS_MAX 32

#define BF_SEG_MAX (1ull << 2)
#define BF_RO (1ull << 5)
#define BF_BLK_SIZE (1ull << 6)
#define BF_FLUSH (1ull << 9)
#define BF_MQ (1ull << 12)

enum { BT_IN = 0, BT_OUT = 1, BT_FLUSH = 4, BT_GET_ID = 8 };
enum { BS_OK = 0, BS_IOERR = 1, BS_UNSUPP = 2, BS_NONE = 0x77 };
#define BLK_ID_BYTES 20
#define BLK_LOST (-1) /* no answer in time, or a broken used element */
#define BLK_WAIT_MS 5000

/* What a request needs to lie in guest memory, one per head. */
struct blk_slot {
	uint32_t type, reserved;
	uint64_t sector;
	uint8_t status, pad[15];
	struct vq_desc table[BLK_SEGS_MAX + 2];
};

struct blk_io {
	uint32_t type;
	uint64_t sector;
	void *data;
	uint32_t bytes;
	unsigned int segs; /* 0 = 1 */
	bool indirect;
};

struct blk_opts {
	uint64_t without;   /* features not to take */
	uint16_t queue_cnt; /* 0: as many as there are, up to cpu_cnt */
	uint16_t size;      /* 0: the device's, at most VQ_SIZE_MAX */
	bool irq;           /* MSI-X, queue n on vector n + 1 */
};

struct blk {
	struct virtio_dev v;
	uint64_t offered, features;
	uint64_t sectors;
	uint16_t queues_offered, queue_cnt;
	bool irq;
	struct vq q[BLK_QUEUES_MAX];
};

/* Message vector: device configuration, then one a queue. */
#define BLK_VEC_CONFIG (VEC_FIRST + 15)
#define BLK_VEC_QUEUE(n) ((uint8_t)(VEC_FIRST + (n)))

/* Resets and sets the device up; NULL, or what is wrong. */
const char *blk_start(struct blk *b, const struct blk_opts *o);
/* Puts one queue's registers in place; the device has FEATURES_OK. */
const char *blk_queue_start(struct blk *b, uint16_t n, uint16_t size);
struct blk_slot *blk_slot(const struct vq *q, unsigned int head);
/* Queues one request and rings; its head, or -1 when the ring is full. */
int blk_submit(struct vq *q, const struct blk_io *io);
/* Waits for the next used element; its head or BLK_LOST. */
int blk_next(struct vq *q, uint32_t *ret_len, uint64_t timeout_ms);
/* One request from start to end: its status or BLK_LOST. */
int blk_do(struct vq *q, const struct blk_io *io);

#endif
