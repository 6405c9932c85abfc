/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.h - what a device is to the runtime: one const table. A device's main
 * is `return backend_main(argc, argv, &foo_ops)`.
 *
 * Theory of operation
 * - The main thread runs the event loop: the monitor's channel (child.proto)
 *   and the vmm's (backend.proto). It never touches a ring that runs.
 * - Each queue has a worker thread with an io_uring of its own, in which the
 *   queue's kick eventfd is armed; what the guest asks for is read, checked,
 *   submitted and completed by that thread alone, without a lock. Workers are
 *   made once, after the walls stood (they inherit them) and before READY.
 * - Start and stop of a queue are handed to its worker; while a queue is
 *   stopped, its worker sleeps and the main thread owns its memory.
 *
 * The core checks queue indexes, states, sizes and config bounds, so no device
 * repeats or forgets one. Functions marked "worker" run on the worker thread of
 * the queue they are given, and must not block; all others on the main thread.
 */
#ifndef DEVICES_CORE_BACKEND_H
#define DEVICES_CORE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devices/core/uring.h"
#include "devices/core/vq.h"
#include "ipc/compiler.h"
#include "policy/role.h"
#include "proto/child.pb-c.h"

#define BACKEND_QUEUES_MAX 16u
#define BACKEND_CONFIG_MAX 256u
#define BACKEND_FDS_MAX 4u
#define BACKEND_COUNTERS_MAX 24u

/* Slots of every ring's registered files; a device's own come after. */
enum backend_file { BACKEND_FILE_CMD, BACKEND_FILE_KICK, BACKEND_FILE_FIRST };

/**
 * struct backend_queue - a queue as its device sees it
 * @idx: queue number
 * @vq: valid from queue_start to queue_stop
 * @uring: where the device's operations go
 * @slots: vq size times ops->slot_bytes, zeroed at each start; index with
 * chain.idx
 * @counters: one per ops->counters row; add with backend_count
 */
struct backend_queue {
	uint32_t idx;
	struct vq vq;
	struct uring *uring;
	void *slots;
	uint64_t counters[BACKEND_COUNTERS_MAX];
};

/** backend_count() - worker: adds to a counter that the main thread reads. */
static inline void backend_count(struct backend_queue *q, unsigned row,
				 uint64_t n)
{
	/* One writer: a plain add is enough, in two untorn halves. */
	uint64_t v = __atomic_load_n(&q->counters[row], __ATOMIC_RELAXED);

	__atomic_store_n(&q->counters[row], v + n, __ATOMIC_RELAXED);
}

/**
 * backend_token() - worker: the token for an operation on behalf of @c
 * The core gives a completion to ops->io_done only while that very chain is
 * still out.
 */
uint64_t backend_token(const struct chain *c);

/**
 * struct backend_shape - what a device turns out to be, filled by init
 * @features: offered, bits 0..63
 * @queue_cnt: 1..BACKEND_QUEUES_MAX
 * @queue_size: largest size of each queue, a power of two
 * @files: fds for the rings' slots BACKEND_FILE_FIRST and up, borrowed
 * @file_cnt: entries in @files
 */
struct backend_shape {
	uint64_t features;
	uint32_t queue_cnt;
	uint32_t queue_size;
	int files[URING_FILES_MAX - BACKEND_FILE_FIRST];
	uint32_t file_cnt;
};

/**
 * struct backend_fd - an fd that GRANT brings beside memory and channel
 * @kind: FdKind on the wire
 * @required: GRANT without it is refused
 */
struct backend_fd {
	Bulkhead__Child__FdKind kind;
	bool required;
};

/**
 * struct backend_ops - a device
 * @name: for the log, static
 * @role: also on the wire
 * @virtio_id: VIRTIO 1.2 section 5
 * @config_bytes: size of its config space, <= BACKEND_CONFIG_MAX
 * @config_writable: leading bytes of it that the driver may write
 * @state_bytes: of the device's own state, allocated zeroed by the core
 * @slot_bytes: of its record for one chain
 * @uring_ops: bit mask of 1u << enum uring_op
 * @fds: fd rows, @fd_cnt of them; init gets the fds in this order
 * @counters: names of its counters, @counter_cnt of them
 *
 * No function is optional, except config_write where config_writable is 0.
 */
struct backend_ops {
	const char *name;
	enum role role;
	uint32_t virtio_id;
	size_t config_bytes;
	uint32_t config_writable;
	size_t state_bytes;
	size_t slot_bytes;
	uint32_t uring_ops;
	const struct backend_fd *fds;
	size_t fd_cnt;
	const char *const *counters;
	size_t counter_cnt;

	/**
	 * @grant: copies the device's own part of GRANT into its state. Pure.
	 * Return: 0; -EPROTO the part is missing or a value out of range.
	 */
	int (*grant)(void *state, const Bulkhead__Child__Grant *grant);
	/**
	 * @init: opens libraries and looks at its fds; before the walls, no
	 * guest byte was read. May block.
	 * @fds: fds[0..fd_cnt), owned by the core for the process's life; -1
	 * where an optional one did not come
	 * Return: 0 or -errno, which ends the process.
	 */
	int (*init)(void *state, const int *fds,
		    struct backend_shape *ret_shape);
	/** @features_set: no queue runs. @acked: a subset of the offered. */
	void (*features_set)(void *state, uint64_t acked);
	/** @config_read: the whole config space, config_bytes of it. */
	void (*config_read)(const void *state, uint8_t *ret_config);
	/**
	 * @config_write: @offset + @len <= config_writable
	 * Return: 0 or -errno, which goes to the vmm.
	 */
	int (*config_write)(void *state, uint32_t offset, const uint8_t *data,
			    uint32_t len);
	/** @queue_start: worker. q->vq and q->slots are ready. 0 or -errno. */
	int (*queue_start)(void *state, struct backend_queue *q);
	/**
	 * @queue_stop: worker. Starts to drain: from here on queue_kick is not
	 * called; the queue has stopped when every chain was pushed.
	 */
	void (*queue_stop)(void *state, struct backend_queue *q);
	/**
	 * @queue_kick: worker. Pops until vq_pop says no. Return: 0; -EPROTO
	 * from vq_pop, which makes the core tell the guest NEEDS_RESET; other
	 * -errno ends the process.
	 */
	int (*queue_kick)(void *state, struct backend_queue *q);
	/**
	 * @io_done: worker. An operation on behalf of @c has ended.
	 * @res: its result or -errno
	 * Return: 0; -errno of the ring ends the process.
	 */
	int (*io_done)(void *state, struct backend_queue *q, struct chain *c,
		       int32_t res);
	/** @reset: all queues have stopped; forget what was negotiated. */
	void (*reset)(void *state);
	/** @fini: all workers have ended. */
	void (*fini)(void *state);
};

/**
 * backend_main() - the whole life of a device process
 * Return: exit status: 0 ended as told, 1 an error (said on the log channel).
 */
int backend_main(int argc, char **argv, const struct backend_ops *ops);

#endif
