// SPDX-License-Identifier: Apache-2.0
/*
 * disk.c - carries out block requests. Runs in bulkhead-blk on the queues'
 * workers. The guest is not trusted; the image's contents are not looked at.
 *
 * Theory of operation: a chain becomes a blk_req, which becomes one operation
 * of the ring on the guest's own pages. What the host did only in part is
 * continued behind what is done. End of file inside the disk's size means that
 * somebody cut the image under us: the request fails, since to make up zeroes
 * would be to lose data without a word.
 */
#include "devices/blk/disk.h"

#include <errno.h>
#include <linux/virtio_blk.h>

#define LOG_MODULE "disk"
#include "ipc/log.h"

/* A file that answers EAGAIN or EINTR more often in a row has failed. */
#define DISK_RETRIES_MAX 16u

/** disk_slot() - the record of a chain. */
static struct disk_slot *disk_slot(struct backend_queue *q,
				   const struct chain *c)
{
	return (struct disk_slot *)q->slots + c->idx;
}

/**
 * disk_written_bytes() - length of what is filled from the chain's start
 * VIRTIO 1.2 section 2.7.8.2: never more than that; the status byte counts only
 * when there is no gap before it.
 */
static uint32_t disk_written_bytes(const struct disk_slot *s)
{
	bool fills = s->req.kind == BLK_READ || s->req.kind == BLK_GET_ID;
	uint32_t filled = fills ? s->done_bytes : 0;

	return filled == s->room_bytes ? filled + 1 : filled;
}

/** disk_answer() - gives the chain back with @status. */
static void disk_answer(struct backend_queue *q, struct chain *c,
			uint8_t status)
{
	const struct disk_slot *s = disk_slot(q, c);

	chain_tail_put(c, status);
	vq_push(&q->vq, c, disk_written_bytes(s));
}

/** disk_submit() - hands the rest of a read or write to the kernel. */
static int disk_submit(const struct disk *d, struct backend_queue *q,
		       struct chain *c)
{
	const struct disk_slot *s = disk_slot(q, c);
	bool write = s->req.kind == BLK_WRITE;
	struct uring_io io = {
		.file = DISK_FILE,
		.iov = write ? c->out : c->in,
		.cnt = write ? c->out_cnt : c->in_cnt,
		.offset = s->req.offset_bytes + s->done_bytes,
		.stable = d->stable_writes,
		.token = backend_token(c),
	};

	return write ? uring_writev(q->uring, &io) : uring_readv(q->uring, &io);
}

/** disk_get_id() - answers at once. */
static void disk_get_id(const struct disk *d, struct backend_queue *q,
			struct chain *c)
{
	struct disk_slot *s = disk_slot(q, c);

	BUG_ON(chain_put(c, d->serial, s->req.data_bytes) < 0);
	s->done_bytes = s->req.data_bytes;
	disk_answer(q, c, VIRTIO_BLK_S_OK);
}

/** disk_begin() - starts a checked request. 0 or -errno of the ring. */
static int disk_begin(const struct disk *d, struct backend_queue *q,
		      struct chain *c)
{
	const struct disk_slot *s = disk_slot(q, c);

	switch (s->req.kind) {
	case BLK_READ:
		backend_count(q, DISK_COUNT_READS, 1);
		backend_count(q, DISK_COUNT_READ_BYTES, s->req.data_bytes);
		return disk_submit(d, q, c);
	case BLK_WRITE:
		backend_count(q, DISK_COUNT_WRITES, 1);
		backend_count(q, DISK_COUNT_WRITE_BYTES, s->req.data_bytes);
		return disk_submit(d, q, c);
	case BLK_FLUSH:
		backend_count(q, DISK_COUNT_FLUSHES, 1);
		/* Nothing was ever written: nothing to make stable. */
		if (!d->geometry.read_only)
			return uring_fdatasync(q->uring, DISK_FILE,
					       backend_token(c));
		disk_answer(q, c, VIRTIO_BLK_S_OK);
		return 0;
	case BLK_GET_ID:
		backend_count(q, DISK_COUNT_OTHERS, 1);
		disk_get_id(d, q, c);
		return 0;
	case BLK_KIND_COUNT:
		break;
	}
	BUG_ON(true);
	return 0;
}

/** disk_take() - one chain from the guest. 0 or -errno of the ring. */
static int disk_take(const struct disk *d, struct backend_queue *q,
		     struct chain *c)
{
	struct disk_slot *s = disk_slot(q, c);
	int rc;

	*s = (struct disk_slot){.done_bytes = 0};
	rc = blk_req_parse(&d->geometry, c, &s->req);
	s->room_bytes = c->in_bytes;
	if (rc == 0)
		return disk_begin(d, q, c);
	backend_count(q, DISK_COUNT_REFUSED, 1);
	if (rc > 0)
		disk_answer(q, c, (uint8_t)rc);
	else
		vq_push(&q->vq, c, 0);
	return 0;
}

int disk_queue_kick(void *state, struct backend_queue *q)
{
	struct chain *c;
	int rc;

	while ((rc = vq_pop(&q->vq, &c)) > 0) {
		rc = disk_take(state, q, c);
		if (rc < 0)
			return rc;
	}
	return rc;
}

/** disk_host_error() - one line for many, and a status for the guest. */
static void disk_host_error(struct backend_queue *q, struct chain *c,
			    int32_t res)
{
	static const char *const names[BLK_KIND_COUNT] = {
		[BLK_READ] = "read",
		[BLK_WRITE] = "write",
		[BLK_FLUSH] = "flush",
		[BLK_GET_ID] = "id",
	};
	const struct disk_slot *s = disk_slot(q, c);

	backend_count(q, DISK_COUNT_HOST_ERRORS, 1);
	log_guest(LOG_LEVEL_WARN,
		  "image: op=%s offset=%llu bytes=%u done=%u errno=%d%s",
		  names[s->req.kind], (unsigned long long)s->req.offset_bytes,
		  s->req.data_bytes, s->done_bytes, res < 0 ? -res : 0,
		  res < 0 ? "" : " (end of file: the image was cut)");
	disk_answer(q, c, VIRTIO_BLK_S_IOERR);
}

int disk_io_done(void *state, struct backend_queue *q, struct chain *c,
		 int32_t res)
{
	struct disk_slot *s = disk_slot(q, c);
	bool write = s->req.kind == BLK_WRITE;

	if ((res == -EINTR || res == -EAGAIN) && s->req.kind != BLK_FLUSH &&
	    s->retries++ < DISK_RETRIES_MAX)
		return disk_submit(state, q, c);
	if (res < 0 || (res == 0 && s->req.kind != BLK_FLUSH)) {
		disk_host_error(q, c, res);
		return 0;
	}
	s->retries = 0;
	s->done_bytes += (uint32_t)res;
	if (s->done_bytes < s->req.data_bytes) {
		chain_iov_skip(write ? &c->out : &c->in,
			       write ? &c->out_cnt : &c->in_cnt, (uint64_t)res);
		return disk_submit(state, q, c);
	}
	disk_answer(q, c, VIRTIO_BLK_S_OK);
	return 0;
}
