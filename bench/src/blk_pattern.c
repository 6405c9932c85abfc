// SPDX-License-Identifier: Apache-2.0
/*
 * blk_pattern.c - images with known contents; see blk_pattern.h. Runs in
 * measuring programs.
 */
#include "bench/src/blk_pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/fds.h"

#define PATTERN_CHUNK (1u << 20)

/* pattern_word() - the eight bytes at @offset. */
static uint64_t pattern_word(uint64_t offset, enum blk_pattern_salt salt)
{
	uint64_t v = (offset + 1) * UINT64_C(0x9e3779b97f4a7c15);

	return v ^ (v >> 29) ^ ((uint64_t)salt << 63);
}

void blk_pattern_put(void *data, uint64_t offset, size_t bytes,
		     enum blk_pattern_salt salt)
{
	uint8_t *to = data;

	for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		uint64_t v = pattern_word(offset + i, salt);

		memcpy(to + i, &v, sizeof(v));
	}
}

bool blk_pattern_is(const void *data, uint64_t offset, size_t bytes,
		    enum blk_pattern_salt salt)
{
	const uint8_t *from = data;

	for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		uint64_t v = pattern_word(offset + i, salt);

		if (memcmp(from + i, &v, sizeof(v)) != 0)
			return false;
	}
	return true;
}

bool blk_pattern_fits(const void *data, uint64_t offset, size_t bytes)
{
	const uint8_t *from = data;

	for (size_t i = 0; i < bytes; i += BLK_PATTERN_BLOCK) {
		if (!blk_pattern_is(from + i, offset + i, BLK_PATTERN_BLOCK,
				    BLK_PATTERN_FILLED) &&
		    !blk_pattern_is(from + i, offset + i, BLK_PATTERN_BLOCK,
				    BLK_PATTERN_WRITTEN))
			return false;
	}
	return true;
}

bool blk_pattern_starts(const void *data, uint64_t offset)
{
	return blk_pattern_is(data, offset, sizeof(uint64_t),
			      BLK_PATTERN_FILLED) ||
	       blk_pattern_is(data, offset, sizeof(uint64_t),
			      BLK_PATTERN_WRITTEN);
}

/* pattern_chunks() - writes the whole file. 0 or -errno. */
static int pattern_chunks(int fd, uint8_t *chunk, uint64_t bytes)
{
	for (uint64_t at = 0; at < bytes; at += PATTERN_CHUNK) {
		size_t len = bytes - at < PATTERN_CHUNK ? (size_t)(bytes - at)
							: PATTERN_CHUNK;
		ssize_t done;

		blk_pattern_put(chunk, at, len, BLK_PATTERN_FILLED);
		done = pwrite(fd, chunk, len, (off_t)at);
		if (done < 0)
			return -errno;
		if ((size_t)done != len)
			return -ENOSPC;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int blk_pattern_fill(const char *path, uint64_t bytes)
{
	CLEANUP(fd_cleanup)
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint8_t *chunk;
	int rc;

	if (fd < 0)
		return -errno;
	chunk = malloc(PATTERN_CHUNK);
	if (!chunk)
		return -ENOMEM;
	rc = pattern_chunks(fd, chunk, bytes);
	free(chunk);
	return rc;
}
