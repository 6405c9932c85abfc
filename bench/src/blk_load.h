/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blk_load.h - a steady load on one block queue, timed. Warm-up and measured
 * window are one uninterrupted stream of requests: nothing drains in between.
 */
#ifndef BENCH_SRC_BLK_LOAD_H
#define BENCH_SRC_BLK_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/compiler.h"
#include "tests/support/ring/blkdrv.h"
#include "tests/support/ring/testdev.h"

#define BLK_LOAD_DEPTH_MAX 256u

/**
 * struct blk_load - what to do
 * @b: attached driver with at least @depth slots of at least @size_bytes
 * @dev: the device, for its counters
 * @image_fd: borrowed, to look at what was written; offsets and lengths fit
 * O_DIRECT
 * @image_bytes: the requests stay inside
 * @size_bytes: of a request, a multiple of 4096
 * @spin: look at the ring all the time rather than sleep for the interrupt,
 * which is asked for either way
 * @seed: of the order of random offsets
 */
struct blk_load {
	struct blkdrv *b;
	struct testdev *dev;
	int image_fd;
	uint64_t image_bytes;
	uint32_t size_bytes;
	uint32_t depth;
	bool write;
	bool random;
	bool spin;
	uint64_t warmup_ns;
	uint64_t measure_ns;
	uint64_t seed;
};

/**
 * struct blk_load_result - what the measured window showed
 * @requests: that came back in it
 * @p50_ns, @p99_ns: from visible to the device until taken, nearest rank
 * @device_cpu_ns: of the whole process
 * @driver_cpu_ns: ours
 * @waited_ns: both processes were ready to run in the window, and others ran
 * @verified: requests whose every byte was compared after the window
 * @refusals: unasked calls refused and counted, from the start to the end; only
 * with @refusals_known
 */
struct blk_load_result {
	uint64_t wall_ns;
	uint64_t requests;
	uint64_t min_ns;
	uint64_t p50_ns;
	uint64_t p99_ns;
	uint64_t max_ns;
	uint64_t device_cpu_ns;
	uint64_t driver_cpu_ns;
	uint64_t waited_ns;
	uint64_t kicks;
	uint64_t calls;
	uint64_t wakes;
	uint64_t verified;
	uint64_t refusals;
	bool refusals_known;
};

/**
 * blk_load_run() - warm-up, window, comparison
 * @ret_why: static text of what went wrong
 * Return: 0; -EIO a request failed; -EILSEQ data is wrong; -ENODATA no request
 * came back in the window; other -errno.
 */
MUST_CHECK int blk_load_run(const struct blk_load *l,
			    struct blk_load_result *ret_result,
			    const char **ret_why);

#endif
