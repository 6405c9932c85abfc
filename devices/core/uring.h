/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uring.h - one io_uring with as few rights as it can have. The kernel carries
 * out ring operations without asking seccomp, so each ring is made disabled,
 * restricted to the operations that its device needs on registered files, and
 * enabled only then.
 *
 * Theory of operation: uring_new (main thread, before the walls) makes and
 * restricts the ring; uring_enable is called once by the thread that will
 * submit, and binds the ring to it where the kernel can (SINGLE_ISSUER). From
 * then on only that thread may touch it.
 */
#ifndef DEVICES_CORE_URING_H
#define DEVICES_CORE_URING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "ipc/compiler.h"

struct uring;

/* Operations that a device may ask for; polls and their cancel are always in.
 */
enum uring_op {
	URING_OP_READV,
	URING_OP_WRITEV,
	URING_OP_FSYNC,
	URING_OP_COUNT
};

/* Most registered files of one ring. */
#define URING_FILES_MAX 8

/**
 * struct uring_config - what a ring is for
 * @depth: operations in flight, 1..4096
 * @ops: bit mask of 1u << enum uring_op
 * @files: fd of each slot, borrowed; -1 for one that uring_file_set fills
 * @file_cnt: 1..URING_FILES_MAX
 * @workers: threads that the kernel may make for it; 0 leaves that to it
 */
struct uring_config {
	uint32_t depth;
	uint32_t ops;
	int files[URING_FILES_MAX];
	uint32_t file_cnt;
	uint32_t workers;
};

/**
 * struct uring_done - a completion
 * @token: as submitted
 * @res: result or -errno
 * @more: a poll that stays armed
 */
struct uring_done {
	uint64_t token;
	int32_t res;
	bool more;
};

/**
 * struct uring_io - a read or write
 * @file: slot of the registered file
 * @iov: iov[0..cnt), must stay until completion
 * @offset: bytes
 * @stable: a write ends only when its data is on stable storage
 * @token: comes back in the completion
 */
struct uring_io {
	uint32_t file;
	const struct iovec *iov;
	uint32_t cnt;
	uint64_t offset;
	bool stable;
	uint64_t token;
};

/**
 * uring_new() - makes, fills and restricts a ring; it cannot run yet
 * Return: 0 or -errno of io_uring_setup(2) and io_uring_register(2).
 */
MUST_CHECK int uring_new(const struct uring_config *cfg, struct uring **ret_u);
/** uring_free() - accepts NULL. The kernel ends what is in flight. */
void uring_free(struct uring *u);
/** uring_enable() - by the thread that will use it. 0 or -errno. */
MUST_CHECK int uring_enable(struct uring *u);
/** uring_flags() - IORING_SETUP_ flags that the kernel took, for the log. */
uint32_t uring_flags(const struct uring *u);

/** uring_file_set() - replaces the fd of a slot; -1 empties it. 0 or -errno. */
MUST_CHECK int uring_file_set(struct uring *u, uint32_t slot, int fd);

/*
 * Each of these queues one operation; when the submission queue is full it is
 * submitted first. Return: 0; -errno of io_uring_enter(2).
 */
MUST_CHECK int uring_readv(struct uring *u, const struct uring_io *io);
MUST_CHECK int uring_writev(struct uring *u, const struct uring_io *io);
/** uring_fdatasync() - data and what is needed to read it back. */
MUST_CHECK int uring_fdatasync(struct uring *u, uint32_t file, uint64_t token);
/** uring_poll() - a completion each time that the file becomes readable. */
MUST_CHECK int uring_poll(struct uring *u, uint32_t file, uint64_t token);
/** uring_cancel() - ends the operation of @target, which completes too. */
MUST_CHECK int uring_cancel(struct uring *u, uint64_t target, uint64_t token);

/**
 * uring_submit() - submits all that is queued
 * @wait: block until at least one completion is there
 * Return: 0 (also after a signal); -errno.
 */
MUST_CHECK int uring_submit(struct uring *u, bool wait);
/** uring_next() - takes the next completion. false: there is none. */
MUST_CHECK bool uring_next(struct uring *u, struct uring_done *ret_done);

#endif
