/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - a queue and its worker thread, as the core sees them. Private to
 * devices/core.
 *
 * Theory of operation: the main thread owns a queue that does not run. To start
 * or stop it, it writes @cmd and signals @cmd_fd; the worker does it and posts
 * @done, after which the main thread looks at @result. One command is open at a
 * time. A worker that finds its ring broken posts @trouble.
 */
#ifndef DEVICES_CORE_QUEUE_H
#define DEVICES_CORE_QUEUE_H

#include <pthread.h>
#include <semaphore.h>

#include "devices/core/backend.h"
#include "ipc/loop.h"

struct runtime;

/* As the main thread sees it. */
enum queue_state {
	QUEUE_EMPTY,    /* no addresses */
	QUEUE_SET,      /* addresses and eventfds known */
	QUEUE_STARTING, /* command open */
	QUEUE_RUNNING,
	QUEUE_STOPPING, /* command open */
};

enum queue_cmd {
	QUEUE_CMD_NONE,
	QUEUE_CMD_START,
	QUEUE_CMD_STOP,
	QUEUE_CMD_END
};

/* What the worker does at present. */
enum queue_phase { QUEUE_PARKED, QUEUE_SERVING, QUEUE_DRAINING };

/* Counters of the core, summed over queues like the device's. */
enum queue_counter {
	QUEUE_COUNT_WAKES,  /* returns of io_uring_enter */
	QUEUE_COUNT_KICKS,  /* kick eventfd seen ready */
	QUEUE_COUNT_CALLS,  /* interrupts sent */
	QUEUE_COUNT_CHAINS, /* chains given back */
	QUEUE_COUNT_BAD,    /* of these, malformed ones */
	QUEUE_COUNTERS
};

/**
 * struct queue - one queue
 * @pub: what the device sees
 * @rt: borrowed
 * @state: main thread
 * @cfg: from QUEUE_SET
 * @kick_fd: owned, -1 when EMPTY
 * @call_fd: owned, -1 when EMPTY
 * @answer_id: request to answer when the open command ends; 0 for none
 * @cmd_fd: owned eventfd
 * @cmd: enum queue_cmd, written by the main thread before it signals
 * @result: of the last command, 0 or -errno
 * @done: posted when a command ended
 * @trouble: posted when @pub.vq.broken or @fatal was set
 * @fatal: the worker cannot go on: -errno
 * @phase, @kick_armed, @told, @ended: worker only
 * @counts: as enum queue_counter, written by the worker
 */
struct queue {
	struct backend_queue pub;
	struct runtime *rt;

	enum queue_state state;
	struct vq_config cfg;
	int kick_fd;
	int call_fd;
	uint32_t answer_id;

	pthread_t thread;
	bool threaded;
	sem_t started;
	int cmd_fd;
	uint32_t cmd;
	int result;
	int fatal;
	struct loop_work done;
	struct loop_work trouble;

	enum queue_phase phase;
	bool kick_armed;
	bool told;
	bool ended;
	uint64_t counts[QUEUE_COUNTERS];
};

/** queue_init() - ring and eventfd, no thread yet. 0 or -errno. */
MUST_CHECK int queue_init(struct queue *q, struct runtime *rt, uint32_t idx);
/** queue_fini() - after queue_thread_end; accepts a half-built queue. */
void queue_fini(struct queue *q);
/** queue_thread_begin() - makes the worker and waits until it serves. */
MUST_CHECK int queue_thread_begin(struct queue *q);
/** queue_thread_end() - the queue must not run. */
void queue_thread_end(struct queue *q);

/** queue_command() - hands @cmd to the worker, which will post @done. */
void queue_command(struct queue *q, enum queue_cmd cmd);
/** queue_clear() - forgets addresses and eventfds; the queue does not run. */
void queue_clear(struct queue *q);
/** queue_memory_free() - what queue_start allocated. */
void queue_memory_free(struct queue *q);
/** queue_counter_name() - for STATS. */
const char *queue_counter_name(enum queue_counter c);

/** queue_worker() - the thread. @arg: struct queue */
void *queue_worker(void *arg);

#endif
