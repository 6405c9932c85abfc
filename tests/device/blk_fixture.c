// SPDX-License-Identifier: Apache-2.0
/*
 * blk_fixture.c - see blk_fixture.h.
 */
#include "tests/device/blk_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/fds.h"

/* The sanitizers' run-time makes calls that no filter allows. */
#ifdef BULKHEAD_SANITIZED
#define FIXTURE_CONFINE BULKHEAD__CHILD__CONFINE__CONFINE_OFF
#else
#define FIXTURE_CONFINE BULKHEAD__CHILD__CONFINE__CONFINE_ENFORCE
#endif

uint64_t fixture_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

int fixture_image(uint64_t bytes, uint8_t **ret_shadow)
{
	CLEANUP(fd_cleanup)
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	uint64_t seed = 88172645463325252u;
	uint8_t *shadow;

	if (fd < 0)
		return -errno;
	shadow = malloc(bytes);
	if (!shadow)
		return -ENOMEM;
	for (uint64_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		uint64_t v = fixture_random(&seed);

		memcpy(shadow + i, &v, sizeof(v));
	}
	if (pwrite(fd, shadow, bytes, 0) != (ssize_t)bytes) {
		free(shadow);
		return -EIO;
	}
	*ret_shadow = shadow;
	return fd_steal(&fd);
}

/** fixture_reopen() - the image as the monitor would open it. 0 or -errno. */
static int fixture_reopen(struct fixture *f, const struct fixture_config *cfg)
{
	int flags = cfg->read_only ? O_RDONLY : O_RDWR;
	char path[64];
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->image_fd);
	if (cfg->direct)
		fd = open(path, flags | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	fd_cleanup(&f->image_fd);
	f->image_fd = fd;
	return 0;
}

int fixture_prepare(struct fixture *f, const struct fixture_config *cfg)
{
	int rc;

	*f = (struct fixture){
		.image_bytes = cfg->image_bytes ? cfg->image_bytes
						: FIXTURE_IMAGE_BYTES,
		.image_fd = cfg->image_fd,
		.image_given = cfg->image_fd > 0,
		.guest = {.fd = -1},
		.dev = {.child = {.pid = -1, .pidfd = -1}},
	};
	if (!f->image_given) {
		f->image_fd = fixture_image(f->image_bytes, &f->shadow);
		if (f->image_fd < 0)
			return f->image_fd;
		rc = fixture_reopen(f, cfg);
		if (rc < 0)
			return rc;
	}
	f->dev_cfg = (struct testdev_config){
		.program = BULKHEAD_BLK_PATH,
		.image_fd = f->image_fd,
		.size = f->image_bytes,
		.read_only = cfg->read_only,
		.serial = FIXTURE_SERIAL,
		.queue_cnt = cfg->queue_cnt ? cfg->queue_cnt : 1,
		.queue_size = cfg->queue_size ? cfg->queue_size : 256,
		.confine = FIXTURE_CONFINE,
		.leave_stderr = true,
	};
	return guest_init(&f->guest, FIXTURE_GUEST_BYTES, NULL);
}

int fixture_start(struct fixture *f, const struct fixture_config *cfg)
{
	int rc = fixture_prepare(f, cfg);

	if (!rc)
		rc = testdev_start(&f->dev, &f->guest, &f->dev_cfg);
	if (rc < 0) {
		fprintf(stderr, "fixture: %s\n", strerror(-rc));
		fixture_free(f);
	}
	return rc;
}

void fixture_free(struct fixture *f)
{
	guest_fini(&f->guest);
	free(f->shadow);
	f->shadow = NULL;
	if (!f->image_given && f->image_fd > 0)
		fd_cleanup(&f->image_fd);
}

int fixture_end(struct fixture *f)
{
	int rc = testdev_end(&f->dev);

	fixture_free(f);
	return rc;
}

bool fixture_image_equal(const struct fixture *f)
{
	/* Aligned for an image that was opened with O_DIRECT. */
	uint8_t *now = aligned_alloc(4096, f->image_bytes);
	bool equal;

	if (!now)
		return false;
	equal = pread(f->image_fd, now, f->image_bytes, 0) ==
			(ssize_t)f->image_bytes &&
		memcmp(now, f->shadow, f->image_bytes) == 0;
	free(now);
	return equal;
}

int fixture_blkdrv(struct fixture *f, struct blkdrv *b,
		   const struct drvq_config *cfg, uint32_t slots,
		   uint32_t data_max)
{
	uint64_t acked = FIXTURE_FEATURES;
	int rc;

	if (!cfg->event_idx)
		acked &= ~FIXTURE_BIT(VIRTIO_RING_F_EVENT_IDX);
	if (!cfg->indirect)
		acked &= ~FIXTURE_BIT(VIRTIO_RING_F_INDIRECT_DESC);
	rc = testdev_features(&f->dev, acked);
	if (!rc)
		rc = blkdrv_init(b, &f->guest, cfg, slots, data_max);
	if (rc < 0)
		return rc;
	rc = blkdrv_attach(b, &f->dev, 0);
	if (rc < 0)
		blkdrv_fini(b);
	return rc;
}

int fixture_fd_cnt(int pid)
{
	char path[64];
	DIR *d;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	if (!d)
		return -errno;
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}
