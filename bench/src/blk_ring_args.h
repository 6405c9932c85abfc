/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blk_ring_args.h - the command line of blk_ring; private to it.
 */
#ifndef BENCH_SRC_BLK_RING_ARGS_H
#define BENCH_SRC_BLK_RING_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "proto/child.pb-c.h"

/**
 * struct ring_args - the command line
 * @program: of the device; NULL only with @fill_mib
 * @fill_mib: make an image of that size and measure nothing; 0 measure
 * @cpu: of driver and device; -1 anywhere
 * @sleep: for interrupts, rather than look at the ring all the time
 * @realtime: before all ordinary processes
 */
struct ring_args {
	const char *program;
	const char *image;
	Bulkhead__Child__Confine confine;
	bool write;
	bool random;
	bool direct;
	bool sleep;
	bool realtime;
	uint64_t depth;
	uint64_t size;
	double seconds;
	double warmup;
	uint64_t seed;
	int cpu[2];
	uint64_t fill_mib;
};

/** ring_parse() - Return: 0; 2, and what is wrong was said. */
MUST_CHECK int ring_parse(int argc, char **argv, struct ring_args *ret_args);

#endif
