/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blk_fixture.h - a disk image with known contents, a guest, and a running
 * bulkhead-blk; what every block device test starts from.
 */
#ifndef TESTS_DEVICE_BLK_FIXTURE_H
#define TESTS_DEVICE_BLK_FIXTURE_H

#include <linux/virtio_blk.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/support/ring/blkdrv.h"
#include "tests/support/ring/testdev.h"

#define FIXTURE_BIT(n) (UINT64_C(1) << (n))
#define FIXTURE_IMAGE_BYTES (8u << 20)
#define FIXTURE_GUEST_BYTES (64u << 20)
#define FIXTURE_SERIAL "disk-serial-0123"
#define FIXTURE_QUEUES_MAX 8u

/* What a driver like Linux's takes. */
#define FIXTURE_FEATURES                            \
	(FIXTURE_BIT(VIRTIO_F_VERSION_1) |          \
	 FIXTURE_BIT(VIRTIO_RING_F_INDIRECT_DESC) | \
	 FIXTURE_BIT(VIRTIO_RING_F_EVENT_IDX) |     \
	 FIXTURE_BIT(VIRTIO_BLK_F_SEG_MAX) | FIXTURE_BIT(VIRTIO_BLK_F_FLUSH))

/**
 * struct fixture_config - what differs between tests; 0 means the default
 * @queue_cnt: default 1
 * @queue_size: default 256
 * @read_only: granted and opened so
 * @direct: opened with O_DIRECT where the file system can, so that requests are
 * really in flight
 * @image_fd: use this (borrowed) instead of a file with a pattern
 * @image_bytes: size that is granted; default FIXTURE_IMAGE_BYTES
 */
struct fixture_config {
	uint32_t queue_cnt;
	uint32_t queue_size;
	bool read_only;
	bool direct;
	int image_fd;
	uint64_t image_bytes;
};

/**
 * struct fixture - all of it
 * @shadow: owned, what the image must contain
 * @image_fd: owned unless it was given
 */
struct fixture {
	struct guest guest;
	struct testdev dev;
	struct testdev_config dev_cfg;
	uint8_t *shadow;
	uint64_t image_bytes;
	int image_fd;
	bool image_given;
};

/** fixture_image() - unlinked file with a pattern; -errno. @ret_shadow: owned
 */
int fixture_image(uint64_t bytes, uint8_t **ret_shadow);
/** fixture_prepare() - image and guest, no process. 0 or -errno. */
MUST_CHECK int fixture_prepare(struct fixture *f,
			       const struct fixture_config *cfg);
/** fixture_start() - fixture_prepare and a device that was probed. */
MUST_CHECK int fixture_start(struct fixture *f,
			     const struct fixture_config *cfg);
/** fixture_free() - after the process ended. */
void fixture_free(struct fixture *f);
/** fixture_end() - ends the device. Return: its exit status. */
int fixture_end(struct fixture *f);
/** fixture_image_equal() - does the file hold what the shadow says? */
bool fixture_image_equal(const struct fixture *f);
/** fixture_blkdrv() - a driver attached to queue @idx; features are acked. */
MUST_CHECK int fixture_blkdrv(struct fixture *f, struct blkdrv *b,
			      const struct drvq_config *cfg, uint32_t slots,
			      uint32_t data_max);
/** fixture_fd_cnt() - open fds of a process; -errno. */
int fixture_fd_cnt(int pid);
/** fixture_random() - xorshift, so that a run can be repeated. */
uint64_t fixture_random(uint64_t *state);

#endif
