// SPDX-License-Identifier: Apache-2.0
/*
 * queue.c - the main thread's half of a queue: makes it, hands commands to its
 * worker, frees it. Runs in every device process.
 */
#include "devices/core/queue.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "devices/core/runtime.h"
#include "ipc/fds.h"

/* A worker calls into ours, the C library and the kernel, nothing deep. */
#define QUEUE_STACK_BYTES ((size_t)128 * 1024)

static const char *const queue_counter_names[] = {
	[QUEUE_COUNT_WAKES] = "queue-wakes",
	[QUEUE_COUNT_KICKS] = "queue-kicks",
	[QUEUE_COUNT_CALLS] = "queue-calls",
	[QUEUE_COUNT_CHAINS] = "queue-chains",
	[QUEUE_COUNT_BAD] = "queue-bad-chains",
};
_Static_assert(ARRAY_SIZE(queue_counter_names) == QUEUE_COUNTERS,
	       "a name for each counter");

const char *queue_counter_name(enum queue_counter c)
{
	return queue_counter_names[c];
}

/**
 * queue_kernel_workers() - how many kernel threads a queue's ring may have
 * The kernel's own choice is four for each processor and ring, which for many
 * queues is more than the process may have: then all get an equal share of
 * three quarters, less the one that each may have for other things. The rest
 * is for our own threads and for those that are ending.
 * Return: 0 where the kernel's choice fits.
 */
static uint32_t queue_kernel_workers(const struct runtime *rt)
{
	uint64_t most = role_info(rt->ops->role)->nproc;
	uint32_t queue_cnt = rt->shape.queue_cnt;
	struct rlimit lim;
	uint64_t share;

	if (getrlimit(RLIMIT_NPROC, &lim) == 0 &&
	    (most == 0 || lim.rlim_cur < most))
		most = lim.rlim_cur;
	share = most / 4 * 3 / queue_cnt;
	if (share > 4u * (uint64_t)get_nprocs())
		return 0;
	return share > 2 ? (uint32_t)share - 1 : 1;
}

/** queue_ring_new() - the worker's ring with its files. 0 or -errno. */
static int queue_ring_new(struct queue *q)
{
	const struct backend_shape *s = &q->rt->shape;
	struct uring_config cfg = {
		.depth = s->queue_size,
		.ops = q->rt->ops->uring_ops,
		.file_cnt = BACKEND_FILE_FIRST + s->file_cnt,
		.workers = queue_kernel_workers(q->rt),
	};

	cfg.files[BACKEND_FILE_CMD] = q->cmd_fd;
	cfg.files[BACKEND_FILE_KICK] = -1;
	for (uint32_t i = 0; i < s->file_cnt; i++)
		cfg.files[BACKEND_FILE_FIRST + i] = s->files[i];
	return uring_new(&cfg, &q->pub.uring);
}

int queue_init(struct queue *q, struct runtime *rt, uint32_t idx)
{
	*q = (struct queue){.pub = {.idx = idx},
			    .rt = rt,
			    .kick_fd = -1,
			    .call_fd = -1,
			    .cmd_fd = -1};
	q->done = (struct loop_work){.fn = vmm_queue_done, .ctx = q};
	q->trouble = (struct loop_work){.fn = vmm_queue_trouble, .ctx = q};
	if (sem_init(&q->started, 0, 0) < 0)
		return -errno;
	q->cmd_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (q->cmd_fd < 0)
		return -errno;
	return queue_ring_new(q);
}

void queue_fini(struct queue *q)
{
	if (!q->rt)
		return;
	BUG_ON(q->threaded);
	queue_memory_free(q);
	queue_clear(q);
	uring_free(q->pub.uring);
	fd_cleanup(&q->cmd_fd);
	sem_destroy(&q->started);
	q->rt = NULL;
}

/** queue_thread_create() - a worker with a small stack and no signals. */
static int queue_thread_create(struct queue *q)
{
	pthread_attr_t attr;
	sigset_t all;
	sigset_t old;
	int rc = pthread_attr_init(&attr);

	if (rc)
		return -rc;
	sigfillset(&all);
	rc = pthread_attr_setstacksize(&attr, QUEUE_STACK_BYTES);
	if (!rc)
		rc = pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!rc) {
		rc = pthread_create(&q->thread, &attr, queue_worker, q);
		(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	pthread_attr_destroy(&attr);
	return -rc;
}

int queue_thread_begin(struct queue *q)
{
	int rc = queue_thread_create(q);

	if (rc < 0)
		return rc;
	q->threaded = true;
	while (sem_wait(&q->started) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return __atomic_load_n(&q->fatal, __ATOMIC_ACQUIRE);
}

void queue_thread_end(struct queue *q)
{
	if (!q->threaded)
		return;
	queue_command(q, QUEUE_CMD_END);
	pthread_join(q->thread, NULL);
	q->threaded = false;
}

void queue_command(struct queue *q, enum queue_cmd cmd)
{
	const uint64_t one = 1;

	/* Release: pairs with the worker's acquire when it sees the signal. */
	__atomic_store_n(&q->cmd, (uint32_t)cmd, __ATOMIC_RELEASE);
	/* An eventfd that counts one per command never fills. */
	if (write(q->cmd_fd, &one, sizeof(one)) != sizeof(one))
		runtime_fail(q->rt, -errno, "signal to a worker");
}

void queue_memory_free(struct queue *q)
{
	vq_fini(&q->pub.vq);
	free(q->pub.slots);
	q->pub.slots = NULL;
}

void queue_clear(struct queue *q)
{
	fd_cleanup(&q->kick_fd);
	fd_cleanup(&q->call_fd);
	q->cfg = (struct vq_config){.size = 0};
	q->state = QUEUE_EMPTY;
}
