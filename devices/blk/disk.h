/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk.h - the state of a block device and how its requests are carried out.
 */
#ifndef DEVICES_BLK_DISK_H
#define DEVICES_BLK_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "devices/blk/req.h"
#include "devices/core/backend.h"

/* Slot of the image in every ring's registered files. */
#define DISK_FILE BACKEND_FILE_FIRST

enum disk_counter {
	DISK_COUNT_READS,
	DISK_COUNT_WRITES,
	DISK_COUNT_FLUSHES,
	DISK_COUNT_OTHERS,
	DISK_COUNT_READ_BYTES,
	DISK_COUNT_WRITE_BYTES,
	DISK_COUNT_REFUSED, /* answered with an error without asking the host */
	DISK_COUNT_HOST_ERRORS,
	DISK_COUNTERS
};

/**
 * struct disk - one block device
 * @geometry: size and whether it may be written
 * @serial: padded with NUL
 * @queue_cnt: queues of the grant
 * @queue_size: their largest size
 * @stable_writes: the driver did not take FLUSH, so it can never ask for
 * durability and each write must be stable when it is answered
 */
struct disk {
	struct blk_geometry geometry;
	uint8_t serial[BLK_SERIAL_BYTES];
	uint32_t queue_cnt;
	uint32_t queue_size;
	bool stable_writes;
};

/**
 * struct disk_slot - record of one chain
 * @req: what was asked for
 * @room_bytes: that the chain can take before the status byte
 * @done_bytes: of what was asked for that is done so far
 * @retries: times that the host asked to try again
 */
struct disk_slot {
	struct blk_req req;
	uint64_t room_bytes;
	uint32_t done_bytes;
	uint32_t retries;
};

/* As in struct backend_ops. */
int disk_queue_kick(void *state, struct backend_queue *q);
int disk_io_done(void *state, struct backend_queue *q, struct chain *c,
		 int32_t res);

#endif
