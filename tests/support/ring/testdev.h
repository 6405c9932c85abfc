/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testdev.h - a real, confined device process, with the caller in the place of
 * its monitor and of its vmm. Every call is synchronous and bounded in time.
 */
#ifndef TESTS_SUPPORT_RING_TESTDEV_H
#define TESTS_SUPPORT_RING_TESTDEV_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/chan.h"
#include "ipc/compiler.h"
#include "ipc/spawn.h"
#include "proto/backend.pb-c.h"
#include "proto/child.pb-c.h"
#include "tests/support/ring/drvq.h"
#include "tests/support/ring/guest.h"

#define TESTDEV_WAIT_MS 15000
#define TESTDEV_CONFIG_MAX 256u
#define TESTDEV_LOG_BYTES 512u

/**
 * struct testdev_config - what to start and to grant
 * @program: path of the device's binary
 * @image_fd: borrowed
 * @size: bytes of the disk
 * @read_only: as granted
 * @serial: 1..20 characters
 * @queue_cnt: queues
 * @queue_size: of each
 * @confine: as granted
 * @no_namespaces: as the monitor starts what is not confined
 * @leave_stderr: fd 2 stays ours (sanitizer reports)
 */
struct testdev_config {
	const char *program;
	int image_fd;
	uint64_t size;
	bool read_only;
	const char *serial;
	uint32_t queue_cnt;
	uint32_t queue_size;
	Bulkhead__Child__Confine confine;
	bool no_namespaces;
	bool leave_stderr;
};

/**
 * struct testdev - a device process
 * @child: process and its pidfd
 * @control: our end of child.proto
 * @backend: our end of backend.proto
 * @log: our end of the log channel
 * @guest: borrowed
 * @features: offered
 * @queue_cnt: queues it has
 * @queue_size: of queue 0
 * @virtio_id: device type
 * @config: its config space, @config_bytes of it
 * @walls_down: walls that READY reported as not standing
 * @needs_reset: NEEDS_RESET events seen
 * @exit_seen: an EXIT message came, with @exit_reason
 * @last_log: text of the last log record
 */
struct testdev {
	struct spawn_child child;
	struct chan control;
	struct chan backend;
	struct chan log;
	struct guest *guest;
	uint64_t features;
	uint32_t queue_cnt;
	uint32_t queue_size;
	uint32_t virtio_id;
	uint8_t config[TESTDEV_CONFIG_MAX];
	size_t config_bytes;
	uint32_t walls_down;
	uint32_t needs_reset;
	bool exit_seen;
	uint32_t exit_reason;
	uint32_t next_id;
	char last_log[TESTDEV_LOG_BYTES];
};

/** testdev_start() - spawn to READY, then INFO and MEMORY. 0 or -errno. */
MUST_CHECK int testdev_start(struct testdev *t, struct guest *g,
			     const struct testdev_config *cfg);
/** testdev_spawn() - only spawn and HELLO. 0 or -errno. */
MUST_CHECK int testdev_spawn(struct testdev *t, struct guest *g,
			     const struct testdev_config *cfg);
/** testdev_grant() - GRANT and READY. 0 or -errno. */
MUST_CHECK int testdev_grant(struct testdev *t,
			     const struct testdev_config *cfg);
/** testdev_grant_begin() - GRANT, without waiting for READY. 0 or -errno. */
MUST_CHECK int testdev_grant_begin(struct testdev *t,
				   const struct testdev_config *cfg);
/** testdev_probe() - INFO and MEMORY. 0 or -errno. */
MUST_CHECK int testdev_probe(struct testdev *t);
/**
 * testdev_end() - STOP, wait, free
 * Return: exit status; 128 + signal; -ETIMEDOUT (it is killed then).
 */
int testdev_end(struct testdev *t);
/** testdev_wait_exit() - as testdev_end without STOP; frees. */
int testdev_wait_exit(struct testdev *t, int ms);
/** testdev_kill() - SIGKILL and wait. */
void testdev_kill(struct testdev *t);

/*
 * backend.proto. Return: 0; the device's answer as -errno; -ECONNRESET it
 * closed the channel; -ETIMEDOUT; -EPROTO an answer that does not fit.
 */
MUST_CHECK int testdev_features(struct testdev *t, uint64_t acked);
MUST_CHECK int testdev_queue_set(struct testdev *t, uint32_t idx,
				 const struct drvq *q, uint16_t position);
MUST_CHECK int testdev_queue_set_raw(struct testdev *t,
				     const Bulkhead__Backend__QueueSet *m,
				     const int fds[2]);
MUST_CHECK int testdev_queue_start(struct testdev *t, uint32_t idx);
MUST_CHECK int testdev_queue_stop(struct testdev *t, uint32_t idx,
				  uint16_t *ret_position);
MUST_CHECK int testdev_reset(struct testdev *t);
MUST_CHECK int testdev_config_write(struct testdev *t, uint32_t offset,
				    uint8_t *data, size_t len);
/** testdev_memory() - MEMORY with the guest's table. */
MUST_CHECK int testdev_memory(struct testdev *t);
/** testdev_info() - INFO. */
MUST_CHECK int testdev_info(struct testdev *t);
/** testdev_request() - sends any request and takes its answer. */
MUST_CHECK int testdev_request(struct testdev *t, uint32_t op,
			       const ProtobufCMessage *msg, const int *fds,
			       size_t fd_cnt, struct frame *ret_answer);
/** testdev_events() - takes events and log records that came meanwhile. */
void testdev_events(struct testdev *t);

/** testdev_stat() - a counter of the device. -ENOENT there is none. */
MUST_CHECK int testdev_stat(struct testdev *t, const char *name,
			    uint64_t *ret_value);

#endif
