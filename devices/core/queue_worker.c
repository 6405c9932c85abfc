// SPDX-License-Identifier: Apache-2.0
/*
 * queue_worker.c - the thread that serves one queue. Runs in every device
 * process. The guest is not trusted: it can make this thread busy, but each
 * round is bounded by the queue's size, so that commands get their turn.
 *
 * Theory of operation
 * - The thread sleeps in io_uring_enter only. Three things wake it: its command
 *   eventfd, the queue's kick eventfd, and completions of the device.
 * - Both eventfds are polled in the ring, multishot: a completion per signal,
 *   no read and no new submission. The counters of the eventfds are left as
 *   they are; a poll that is armed while one is not 0 fires at once, so a kick
 *   from before the start is not lost.
 * - A round: take completions; if chains wait, take them (kicks disabled
 *   meanwhile); ask for kicks and look once more; one interrupt for all that
 *   was given back.
 * - Draining ends when no chain is out and the kick poll has been cancelled.
 */
#include <errno.h>
#include <unistd.h>

#include "devices/core/queue.h"
#include "devices/core/runtime.h"
#include "policy/confine.h"

#define LOG_MODULE "queue"
#include "ipc/log.h"

/* Kind of a token, in its top byte; below are slot and generation. */
enum token_kind { TOKEN_CMD = 1, TOKEN_KICK, TOKEN_CANCEL, TOKEN_CHAIN };

#define TOKEN(kind) ((uint64_t)(kind) << 56)

uint64_t backend_token(const struct chain *c)
{
	return TOKEN(TOKEN_CHAIN) | (uint64_t)c->idx << 32 | c->generation;
}

/** queue_count() - adds to one of the core's counters. */
static void queue_count(struct queue *q, enum queue_counter c, uint64_t n)
{
	uint64_t v = __atomic_load_n(&q->counts[c], __ATOMIC_RELAXED);

	__atomic_store_n(&q->counts[c], v + n, __ATOMIC_RELAXED);
}

/** queue_fatal() - the worker cannot go on; the main thread ends us. */
static void queue_fatal(struct queue *q, int error)
{
	if (q->ended)
		return;
	q->ended = true;
	__atomic_store_n(&q->fatal, error, __ATOMIC_RELEASE);
	loop_post(q->rt->loop, &q->trouble);
}

/** queue_finish() - a command has ended. */
static void queue_finish(struct queue *q, int result)
{
	q->result = result;
	loop_post(q->rt->loop, &q->done);
}

/** queue_kick_arm() - polls the kick eventfd from here on. 0 or -errno. */
static int queue_kick_arm(struct queue *q)
{
	int rc = uring_poll(q->pub.uring, BACKEND_FILE_KICK, TOKEN(TOKEN_KICK));

	q->kick_armed = rc == 0;
	return rc;
}

/** queue_begin() - START: the ring's memory is ready. */
static void queue_begin(struct queue *q)
{
	int rc = uring_file_set(q->pub.uring, BACKEND_FILE_KICK, q->kick_fd);

	q->told = false;
	if (!rc)
		rc = q->rt->ops->queue_start(q->rt->state, &q->pub);
	if (!rc)
		rc = queue_kick_arm(q);
	if (!rc) {
		q->phase = QUEUE_SERVING;
		/*
		 * What the ring says of kicks is an earlier owner's wish, or
		 * nothing at all; this round looks for chains anyway.
		 */
		(void)!vq_notify_enable(&q->pub.vq);
	}
	queue_finish(q, rc);
}

/** queue_drain() - STOP: takes nothing new from here on. */
static void queue_drain(struct queue *q)
{
	int rc = 0;

	q->phase = QUEUE_DRAINING;
	q->rt->ops->queue_stop(q->rt->state, &q->pub);
	if (q->kick_armed)
		rc = uring_cancel(q->pub.uring, TOKEN(TOKEN_KICK),
				  TOKEN(TOKEN_CANCEL));
	if (rc < 0)
		queue_fatal(q, rc);
}

/** queue_drain_step() - has everything ended? */
static void queue_drain_step(struct queue *q)
{
	int rc;

	if (q->pub.vq.busy_cnt || q->kick_armed)
		return;
	rc = uring_file_set(q->pub.uring, BACKEND_FILE_KICK, -1);
	q->phase = QUEUE_PARKED;
	if (rc < 0)
		queue_fatal(q, rc);
	else
		queue_finish(q, 0);
}

/** queue_obey() - does what the main thread wrote, once. */
static void queue_obey(struct queue *q)
{
	uint32_t cmd =
		__atomic_exchange_n(&q->cmd, QUEUE_CMD_NONE, __ATOMIC_ACQ_REL);

	if (cmd == QUEUE_CMD_START)
		queue_begin(q);
	else if (cmd == QUEUE_CMD_STOP)
		queue_drain(q);
	else if (cmd == QUEUE_CMD_END)
		q->ended = true;
}

/** queue_kick_done() - the kick poll fired or ended. */
static void queue_kick_done(struct queue *q, const struct uring_done *d)
{
	int rc = 0;

	if (d->res >= 0)
		queue_count(q, QUEUE_COUNT_KICKS, 1);
	if (d->more)
		return;
	q->kick_armed = false;
	if (q->phase != QUEUE_SERVING)
		return;
	/* The kernel ends a multishot poll when completions overflow. */
	rc = d->res < 0 ? d->res : queue_kick_arm(q);
	if (rc < 0)
		queue_fatal(q, rc);
}

/** queue_chain_done() - an operation of the device has ended. */
static void queue_chain_done(struct queue *q, const struct uring_done *d)
{
	struct chain *c =
		vq_chain(&q->pub.vq, (uint32_t)(d->token >> 32) & 0xffffffu,
			 (uint32_t)d->token);
	int rc;

	if (!c)
		return;
	rc = q->rt->ops->io_done(q->rt->state, &q->pub, c, d->res);
	if (rc < 0)
		queue_fatal(q, rc);
}

/** queue_event() - one completion. */
static void queue_event(struct queue *q, const struct uring_done *d)
{
	switch ((enum token_kind)(d->token >> 56)) {
	case TOKEN_CMD:
		if (!d->more && uring_poll(q->pub.uring, BACKEND_FILE_CMD,
					   TOKEN(TOKEN_CMD)) < 0)
			queue_fatal(q, -EIO);
		queue_obey(q);
		break;
	case TOKEN_KICK:
		queue_kick_done(q, d);
		break;
	case TOKEN_CHAIN:
		queue_chain_done(q, d);
		break;
	case TOKEN_CANCEL:
		/*
		 * -ENOENT: the poll had ended by itself, which was seen.
		 * -EALREADY: a kick is being worked on, and then it ends.
		 */
		if (d->res < 0 && d->res != -ENOENT && d->res != -EALREADY)
			queue_fatal(q, d->res);
		break;
	}
}

/** queue_take() - one round of new chains. Return: more are waiting. */
static bool queue_take(struct queue *q)
{
	struct vq *vq = &q->pub.vq;
	int rc;

	if (q->phase != QUEUE_SERVING || !vq_has_more(vq))
		return false;
	vq_notify_disable(vq);
	vq->budget = vq->size;
	rc = q->rt->ops->queue_kick(q->rt->state, &q->pub);
	if (rc < 0 && !vq->broken) {
		queue_fatal(q, rc);
		return false;
	}
	if (vq->broken && !q->told) {
		q->told = true;
		loop_post(q->rt->loop, &q->trouble);
	}
	return vq_notify_enable(vq);
}

/** queue_call() - one interrupt for all that was given back, if wanted. */
static void queue_call(struct queue *q)
{
	const uint64_t one = 1;
	struct vq *vq = &q->pub.vq;

	if (vq->push_cnt == 0)
		return;
	queue_count(q, QUEUE_COUNT_CHAINS, vq->push_cnt);
	queue_count(q, QUEUE_COUNT_BAD, vq->bad_cnt);
	vq->push_cnt = 0;
	vq->bad_cnt = 0;
	if (!vq_call_needed(vq))
		return;
	queue_count(q, QUEUE_COUNT_CALLS, 1);
	/* A full counter (EAGAIN) means that the signal is there already. */
	if (write(q->call_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		log_guest(LOG_LEVEL_WARN, "interrupt failed: queue=%u errno=%d",
			  q->pub.idx, errno);
}

/** queue_round() - completions, new chains, interrupt. Return: go on at once.
 */
static bool queue_round(struct queue *q)
{
	struct uring_done d;
	bool more;

	while (!q->ended && uring_next(q->pub.uring, &d))
		queue_event(q, &d);
	if (q->ended || q->phase == QUEUE_PARKED)
		return false;
	more = queue_take(q);
	queue_call(q);
	if (q->phase == QUEUE_DRAINING)
		queue_drain_step(q);
	return more;
}

void *queue_worker(void *arg)
{
	struct queue *q = arg;
	int rc = uring_enable(q->pub.uring);
	bool more = false;

	if (!rc)
		rc = confine_thread(CONFINE_THREAD_QUEUE);
	if (!rc)
		rc = uring_poll(q->pub.uring, BACKEND_FILE_CMD,
				TOKEN(TOKEN_CMD));
	if (rc < 0)
		queue_fatal(q, rc);
	sem_post(&q->started);
	while (!q->ended) {
		rc = uring_submit(q->pub.uring, !more);
		if (rc < 0) {
			queue_fatal(q, rc);
			break;
		}
		queue_count(q, QUEUE_COUNT_WAKES, 1);
		more = queue_round(q);
	}
	return NULL;
}
