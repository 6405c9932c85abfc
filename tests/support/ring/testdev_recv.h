/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testdev_recv.h - shared by the two halves of testdev; private to this folder.
 */
#ifndef TESTS_SUPPORT_RING_TESTDEV_RECV_H
#define TESTS_SUPPORT_RING_TESTDEV_RECV_H

#include "tests/support/ring/testdev.h"

/** struct testdev_regions - a memory table as messages. */
struct testdev_regions {
	Bulkhead__Memory__Region region[MEMTABLE_REGIONS_MAX];
	Bulkhead__Memory__Region *ptr[MEMTABLE_REGIONS_MAX];
};

/** testdev_regions_fill() - @table as messages. */
void testdev_regions_fill(struct testdev_regions *r,
			  const struct memtable *table);

/** testdev_log_drain() - takes all log records; shows them if asked to. */
void testdev_log_drain(struct testdev *t);

/** testdev_recv() - one frame within @ms; log records go on. 0 or -errno. */
MUST_CHECK int testdev_recv(struct testdev *t, struct chan *c, int ms,
			    struct frame *ret);

#endif
