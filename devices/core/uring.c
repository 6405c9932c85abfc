// SPDX-License-Identifier: Apache-2.0
/*
 * uring.c - the only user of liburing. Runs in device processes. Nothing here
 * reads guest memory; the kernel does, for the iovecs it is given.
 */
#include "devices/core/uring.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/**
 * struct uring - a ring
 * @ring: liburing's view, valid after uring_new
 */
struct uring {
	struct io_uring ring;
};

/* What each enum uring_op is for the kernel. */
static const uint8_t uring_opcodes[] = {
	[URING_OP_READV] = IORING_OP_READV,
	[URING_OP_WRITEV] = IORING_OP_WRITEV,
	[URING_OP_FSYNC] = IORING_OP_FSYNC,
};
_Static_assert(ARRAY_SIZE(uring_opcodes) == URING_OP_COUNT, "one row an op");

/*
 * Best first. DEFER_TASKRUN (6.1): completions are worked off when we look, not
 * by interrupting us. SINGLE_ISSUER (6.0): no locks for other submitters; the
 * ring then belongs to the thread that enables it.
 */
static const uint32_t uring_setups[] = {
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
	IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
	IORING_SETUP_COOP_TASKRUN,
	0,
};

/**
 * uring_register() - io_uring_register(2)
 * The shared library of liburing 2.3 does not export its functions for
 * restrictions and for enabling, though its header has them.
 */
static int uring_register(const struct uring *u, unsigned op, const void *arg,
			  unsigned cnt)
{
	long rc = syscall(SYS_io_uring_register, u->ring.ring_fd, op, arg, cnt);

	return rc < 0 ? -errno : 0;
}

/** uring_setup() - the best ring that this kernel makes. 0 or -errno. */
static int uring_setup(struct uring *u, uint32_t depth)
{
	int rc = -EINVAL;

	for (size_t i = 0; i < ARRAY_SIZE(uring_setups) && rc == -EINVAL; i++) {
		struct io_uring_params p = {
			.flags = uring_setups[i] | IORING_SETUP_R_DISABLED |
				 IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
			.cq_entries = depth * 2,
		};

		rc = io_uring_queue_init_params(depth, &u->ring, &p);
	}
	return rc;
}

/**
 * uring_workers_limit() - bounds the kernel's threads for the ring's thread
 * They count as processes of ours. When RLIMIT_NPROC refuses the first one of a
 * ring, the kernel cancels what was to be done, which would be I/O errors for
 * the guest. Return: 0, also from kernels before 5.15, which know no bound;
 * -errno.
 */
static int uring_workers_limit(struct uring *u, uint32_t workers)
{
	/* For regular files and block devices, and for all else: poll only. */
	unsigned cnt[2] = {workers, 1};
	int rc = io_uring_register_iowq_max_workers(&u->ring, cnt);

	return rc == -EINVAL ? 0 : rc;
}

/** uring_restrict() - nothing but what @ops and the core need. 0 or -errno. */
static int uring_restrict(struct uring *u, uint32_t ops)
{
	struct io_uring_restriction r[URING_OP_COUNT + 8] = {0};
	unsigned n = 0;

	/* Every operation on registered files only. */
	r[n].opcode = IORING_RESTRICTION_SQE_FLAGS_REQUIRED;
	r[n++].sqe_flags = IOSQE_FIXED_FILE;
	r[n].opcode = IORING_RESTRICTION_SQE_OP;
	r[n++].sqe_op = IORING_OP_POLL_ADD;
	r[n].opcode = IORING_RESTRICTION_SQE_OP;
	r[n++].sqe_op = IORING_OP_ASYNC_CANCEL;
	for (unsigned op = 0; op < URING_OP_COUNT; op++) {
		if (!(ops & (1u << op)))
			continue;
		r[n].opcode = IORING_RESTRICTION_SQE_OP;
		r[n++].sqe_op = uring_opcodes[op];
	}
	/* The kick eventfd of a queue is known only when the queue starts. */
	r[n].opcode = IORING_RESTRICTION_REGISTER_OP;
	r[n++].register_op = IORING_REGISTER_FILES_UPDATE;
	return uring_register(u, IORING_REGISTER_RESTRICTIONS, r, n);
}

int uring_new(const struct uring_config *cfg, struct uring **ret_u)
{
	struct uring *u = calloc(1, sizeof(*u));
	int rc;

	if (!u)
		return -ENOMEM;
	rc = uring_setup(u, cfg->depth);
	if (rc < 0) {
		free(u);
		return rc;
	}
	rc = io_uring_register_files(&u->ring, cfg->files, cfg->file_cnt);
	if (rc >= 0 && cfg->workers)
		rc = uring_workers_limit(u, cfg->workers);
	if (rc >= 0)
		rc = uring_restrict(u, cfg->ops);
	if (rc < 0) {
		uring_free(u);
		return rc;
	}
	*ret_u = u;
	return 0;
}

void uring_free(struct uring *u)
{
	if (!u)
		return;
	io_uring_queue_exit(&u->ring);
	free(u);
}

int uring_enable(struct uring *u)
{
	return uring_register(u, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

uint32_t uring_flags(const struct uring *u)
{
	return u->ring.flags;
}

int uring_file_set(struct uring *u, uint32_t slot, int fd)
{
	int rc = io_uring_register_files_update(&u->ring, slot, &fd, 1);

	return rc < 0 ? rc : 0;
}

/** uring_sqe() - a free submission entry; submits when there is none. */
static int uring_sqe(struct uring *u, struct io_uring_sqe **ret_sqe)
{
	for (int tries = 0; tries < 2; tries++) {
		int rc;

		*ret_sqe = io_uring_get_sqe(&u->ring);
		if (*ret_sqe)
			return 0;
		rc = io_uring_submit(&u->ring);
		if (rc < 0)
			return rc;
	}
	return -EBUSY;
}

/** uring_sqe_end() - what all entries have in common. */
static void uring_sqe_end(struct io_uring_sqe *sqe, uint64_t token)
{
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data64(sqe, token);
}

int uring_readv(struct uring *u, const struct uring_io *io)
{
	struct io_uring_sqe *sqe;
	int rc = uring_sqe(u, &sqe);

	if (rc < 0)
		return rc;
	io_uring_prep_readv(sqe, (int)io->file, io->iov, io->cnt, io->offset);
	uring_sqe_end(sqe, io->token);
	return 0;
}

int uring_writev(struct uring *u, const struct uring_io *io)
{
	struct io_uring_sqe *sqe;
	int rc = uring_sqe(u, &sqe);

	if (rc < 0)
		return rc;
	io_uring_prep_writev2(sqe, (int)io->file, io->iov, io->cnt, io->offset,
			      io->stable ? RWF_DSYNC : 0);
	uring_sqe_end(sqe, io->token);
	return 0;
}

int uring_fdatasync(struct uring *u, uint32_t file, uint64_t token)
{
	struct io_uring_sqe *sqe;
	int rc = uring_sqe(u, &sqe);

	if (rc < 0)
		return rc;
	io_uring_prep_fsync(sqe, (int)file, IORING_FSYNC_DATASYNC);
	uring_sqe_end(sqe, token);
	return 0;
}

int uring_poll(struct uring *u, uint32_t file, uint64_t token)
{
	struct io_uring_sqe *sqe;
	int rc = uring_sqe(u, &sqe);

	if (rc < 0)
		return rc;
	io_uring_prep_poll_multishot(sqe, (int)file, POLLIN);
	uring_sqe_end(sqe, token);
	return 0;
}

int uring_cancel(struct uring *u, uint64_t target, uint64_t token)
{
	struct io_uring_sqe *sqe;
	int rc = uring_sqe(u, &sqe);

	if (rc < 0)
		return rc;
	io_uring_prep_cancel64(sqe, target, 0);
	uring_sqe_end(sqe, token);
	return 0;
}

int uring_submit(struct uring *u, bool wait)
{
	int rc = wait ? io_uring_submit_and_wait(&u->ring, 1)
		      : io_uring_submit_and_get_events(&u->ring);

	if (rc == -EINTR || rc == -EAGAIN || rc == -EBUSY)
		return 0;
	return rc < 0 ? rc : 0;
}

bool uring_next(struct uring *u, struct uring_done *ret_done)
{
	struct io_uring_cqe *cqe;
	unsigned head;

	io_uring_for_each_cqe(&u->ring, head, cqe)
	{
		*ret_done = (struct uring_done){
			.token = cqe->user_data,
			.res = cqe->res,
			.more = cqe->flags & IORING_CQE_F_MORE,
		};
		io_uring_cqe_seen(&u->ring, cqe);
		return true;
	}
	return false;
}
