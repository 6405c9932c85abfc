/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blk_pattern.h - images whose every byte follows from its place, so that what
 * a disk gave back can be checked without a second copy.
 */
#ifndef BENCH_SRC_BLK_PATTERN_H
#define BENCH_SRC_BLK_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"

#define BLK_PATTERN_BLOCK 4096u

/* Which of the two patterns; a write changes the one for the other. */
enum blk_pattern_salt { BLK_PATTERN_FILLED = 0, BLK_PATTERN_WRITTEN = 1 };

/**
 * blk_pattern_put() - the contents of [@offset, @offset + @bytes) of an image
 * @offset, @bytes: multiples of 8
 */
void blk_pattern_put(void *data, uint64_t offset, size_t bytes,
		     enum blk_pattern_salt salt);

/** blk_pattern_is() - does @data hold just that? */
bool blk_pattern_is(const void *data, uint64_t offset, size_t bytes,
		    enum blk_pattern_salt salt);

/** blk_pattern_fits() - does each block of it hold one of the two? */
bool blk_pattern_fits(const void *data, uint64_t offset, size_t bytes);

/** blk_pattern_starts() - its first 8 bytes only, in either pattern. */
bool blk_pattern_starts(const void *data, uint64_t offset);

/** blk_pattern_fill() - makes a file of @bytes at @path. 0 or -errno. */
MUST_CHECK int blk_pattern_fill(const char *path, uint64_t bytes);

#endif
