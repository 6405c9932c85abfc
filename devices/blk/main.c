// SPDX-License-Identifier: Apache-2.0
/*
 * main.c - bulkhead-blk, the virtio block device as a process of its own. What
 * it holds: guest memory, the image, ring eventfds, its two channels. VIRTIO
 * 1.2 section 5.2.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/virtio_blk.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ids.h>
#include <linux/virtio_ring.h>
#include <string.h>
#include <sys/stat.h>

#include "devices/blk/disk.h"
#include "devices/core/backend.h"

#define LOG_MODULE "blk"
#include "ipc/log.h"

/* Through secure erase; what later versions append is for zoned disks. */
#define BLK_CONFIG_BYTES 60u
_Static_assert(sizeof(struct virtio_blk_config) >= BLK_CONFIG_BYTES,
	       "config layout");
/* Header and status take a buffer each. */
#define BLK_OTHER_SEGS 2u
#define BLK_QUEUE_SIZE_MIN 4u

#define BIT(n) (UINT64_C(1) << (n))

/** blk_grant() - copies BlkGrant. 0 or -EPROTO. */
static int blk_grant(void *state, const Bulkhead__Child__Grant *grant)
{
	const Bulkhead__Child__BlkGrant *m = grant->blk;
	struct disk *d = state;

	if (!m || m->serial.len == 0 || m->serial.len > BLK_SERIAL_BYTES)
		return -EPROTO;
	if (m->queue_cnt == 0 || m->queue_cnt > BACKEND_QUEUES_MAX)
		return -EPROTO;
	/* A smaller queue has no room for header, data and status. */
	if (m->queue_size < BLK_QUEUE_SIZE_MIN || m->queue_size > VQ_SIZE_MAX ||
	    (m->queue_size & (m->queue_size - 1)))
		return -EPROTO;
	if (m->size == 0 || m->size % BLK_SECTOR_BYTES || m->size > INT64_MAX)
		return -EPROTO;
	*d = (struct disk){
		.geometry = {.size_bytes = m->size, .read_only = m->read_only},
		.queue_cnt = m->queue_cnt,
		.queue_size = m->queue_size,
		.stable_writes = true,
	};
	memcpy(d->serial, m->serial.data, m->serial.len);
	return 0;
}

/** blk_image_check() - a file or block device, open as it will be used. */
static int blk_image_check(const struct disk *d, int fd)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);
	int access = flags & O_ACCMODE;

	if (flags < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
		log_err("image is neither a regular file nor a block device");
		return -EINVAL;
	}
	if (access == O_WRONLY || (flags & O_APPEND) ||
	    (!d->geometry.read_only && access != O_RDWR)) {
		log_err("image is not open for what is granted: flags=%#x",
			(unsigned)flags);
		return -EINVAL;
	}
	return 0;
}

/** blk_init() - looks at the image; says what the device offers. */
static int blk_init(void *state, const int *fds,
		    struct backend_shape *ret_shape)
{
	const struct disk *d = state;
	int rc = blk_image_check(d, fds[0]);

	if (rc < 0)
		return rc;
	*ret_shape = (struct backend_shape){
		.features = BIT(VIRTIO_F_VERSION_1) |
			    BIT(VIRTIO_RING_F_INDIRECT_DESC) |
			    BIT(VIRTIO_RING_F_EVENT_IDX) |
			    BIT(VIRTIO_BLK_F_SEG_MAX) |
			    BIT(VIRTIO_BLK_F_BLK_SIZE) |
			    BIT(VIRTIO_BLK_F_FLUSH),
		.queue_cnt = d->queue_cnt,
		.queue_size = d->queue_size,
		.files = {fds[0]},
		.file_cnt = 1,
	};
	if (d->geometry.read_only)
		ret_shape->features |= BIT(VIRTIO_BLK_F_RO);
	if (d->queue_cnt > 1)
		ret_shape->features |= BIT(VIRTIO_BLK_F_MQ);
	return 0;
}

/** blk_features_set() - see struct disk, @stable_writes. */
static void blk_features_set(void *state, uint64_t acked)
{
	struct disk *d = state;

	d->stable_writes = !(acked & BIT(VIRTIO_BLK_F_FLUSH));
}

/** blk_config_read() - VIRTIO 1.2 section 5.2.4. */
static void blk_config_read(const void *state, uint8_t *ret_config)
{
	const struct disk *d = state;
	uint32_t segs =
		d->queue_size < VQ_SEGS_MAX ? d->queue_size : VQ_SEGS_MAX;
	struct virtio_blk_config c = {
		.capacity = htole64(d->geometry.size_bytes / BLK_SECTOR_BYTES),
		.seg_max = htole32(segs - BLK_OTHER_SEGS),
		.blk_size = htole32(BLK_SECTOR_BYTES),
		.num_queues = htole16((uint16_t)d->queue_cnt),
	};

	memcpy(ret_config, &c, BLK_CONFIG_BYTES);
}

/** blk_queue_start() - the core has made all that a queue needs. */
static int blk_queue_start(void *state, struct backend_queue *q)
{
	(void)state;
	(void)q;
	return 0;
}

/** blk_queue_stop() - what is in flight ends by itself. */
static void blk_queue_stop(void *state, struct backend_queue *q)
{
	(void)state;
	(void)q;
}

/** blk_reset() - nothing is negotiated. */
static void blk_reset(void *state)
{
	blk_features_set(state, 0);
}

/** blk_fini() - the core owns the image's fd. */
static void blk_fini(void *state)
{
	(void)state;
}

static const struct backend_fd blk_fds[] = {
	{.kind = BULKHEAD__CHILD__FD_KIND__FD_IMAGE, .required = true},
};

static const char *const blk_counters[] = {
	[DISK_COUNT_READS] = "blk-reads",
	[DISK_COUNT_WRITES] = "blk-writes",
	[DISK_COUNT_FLUSHES] = "blk-flushes",
	[DISK_COUNT_OTHERS] = "blk-others",
	[DISK_COUNT_READ_BYTES] = "blk-read-bytes",
	[DISK_COUNT_WRITE_BYTES] = "blk-write-bytes",
	[DISK_COUNT_REFUSED] = "blk-refused",
	[DISK_COUNT_HOST_ERRORS] = "blk-host-errors",
};
_Static_assert(ARRAY_SIZE(blk_counters) == DISK_COUNTERS, "all named");
_Static_assert(DISK_COUNTERS <= BACKEND_COUNTERS_MAX, "all fit");

static const struct backend_ops blk_ops = {
	.name = "blk",
	.role = ROLE_BLK,
	.virtio_id = VIRTIO_ID_BLOCK,
	.config_bytes = BLK_CONFIG_BYTES,
	.config_writable = 0,
	.state_bytes = sizeof(struct disk),
	.slot_bytes = sizeof(struct disk_slot),
	.uring_ops = 1u << URING_OP_READV | 1u << URING_OP_WRITEV |
		     1u << URING_OP_FSYNC,
	.fds = blk_fds,
	.fd_cnt = ARRAY_SIZE(blk_fds),
	.counters = blk_counters,
	.counter_cnt = ARRAY_SIZE(blk_counters),
	.grant = blk_grant,
	.init = blk_init,
	.features_set = blk_features_set,
	.config_read = blk_config_read,
	.config_write = NULL,
	.queue_start = blk_queue_start,
	.queue_stop = blk_queue_stop,
	.queue_kick = disk_queue_kick,
	.io_done = disk_io_done,
	.reset = blk_reset,
	.fini = blk_fini,
};

int main(int argc, char **argv)
{
	return backend_main(argc, argv, &blk_ops);
}
