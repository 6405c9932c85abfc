/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drvq.h - a split virtqueue from the driver's side, VIRTIO 1.2 section 2.7.
 * Written against the specification, not against devices/core/vq: the two
 * check each other. Raw access to the rings is there for hostile tests.
 */
#ifndef TESTS_SUPPORT_RING_DRVQ_H
#define TESTS_SUPPORT_RING_DRVQ_H

#include <linux/virtio_ring.h>
#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "tests/support/ring/guest.h"

/* Buffers of one indirect chain at most. */
#define DRVQ_INDIRECT_MAX 256u

/**
 * struct drvq_seg - one buffer of a chain
 * @write: the device writes it
 */
struct drvq_seg {
	uint64_t gpa;
	uint32_t len;
	bool write;
};

/**
 * struct drvq_config - how a queue is used
 * @size: entries, a power of two
 * @event_idx: VIRTIO_F_EVENT_IDX was negotiated
 * @indirect: put chains of more than one buffer into indirect tables
 */
struct drvq_config {
	uint16_t size;
	bool event_idx;
	bool indirect;
};

/**
 * struct drvq - a queue
 * @kick_fd: owned; the device polls it
 * @call_fd: owned; the device writes it
 * @avail_idx: next avail index to publish
 * @used_idx: next used index to look at
 * @published: avail index as the device sees it
 * @free_head: first free descriptor
 * @free_cnt: free descriptors
 * @next: our copy of the chain links, the device cannot change it
 * @in_use: a head that was given to the device
 * @kick_cnt: notifications sent
 * @call_cnt: interrupts taken
 * @error: the device gave back something that it did not have
 */
struct drvq {
	struct guest *g;
	struct drvq_config cfg;
	uint64_t desc_gpa;
	uint64_t avail_gpa;
	uint64_t used_gpa;
	uint64_t indirect_gpa;
	struct vring_desc *desc;
	struct vring_avail *avail;
	struct vring_used *used;
	int kick_fd;
	int call_fd;
	uint16_t avail_idx;
	uint16_t used_idx;
	uint16_t published;
	uint16_t free_head;
	uint16_t free_cnt;
	uint16_t *next;
	bool *in_use;
	uint64_t kick_cnt;
	uint64_t call_cnt;
	bool error;
};

/** drvq_init() - rings in guest memory and eventfds. 0 or -errno. */
MUST_CHECK int drvq_init(struct drvq *q, struct guest *g,
			 const struct drvq_config *cfg);
void drvq_fini(struct drvq *q);
/** drvq_restart() - as after a device reset: everything is free. */
void drvq_restart(struct drvq *q);

/**
 * drvq_add() - builds a chain and enters it, not yet visible to the device
 * Return: its head; -ENOSPC.
 */
MUST_CHECK int drvq_add(struct drvq *q, const struct drvq_seg *segs,
			uint32_t cnt);
/** drvq_add_raw() - enters @head as it stands in the table. */
void drvq_add_raw(struct drvq *q, uint16_t head);
/** drvq_publish() - what was added becomes visible; kicks if asked for. */
void drvq_publish(struct drvq *q);
/** drvq_kick() - unconditionally. */
void drvq_kick(struct drvq *q);
/**
 * drvq_take() - takes one returned chain and frees its descriptors
 * Return: its head; -EAGAIN nothing came; -EPROTO not ours (@error is set).
 */
MUST_CHECK int drvq_take(struct drvq *q, uint32_t *ret_len);
/** drvq_wait() - drvq_take with busy looking, for at most @ms. */
MUST_CHECK int drvq_wait(struct drvq *q, uint32_t *ret_len, int ms);
/** drvq_wait_call() - sleeps on the call eventfd. -ETIMEDOUT after @ms. */
MUST_CHECK int drvq_wait_call(struct drvq *q, uint32_t *ret_len, int ms);
/** drvq_calls_on() - an interrupt for the next chain that is returned. */
void drvq_calls_on(struct drvq *q);
/** drvq_calls_off() - the device need not interrupt. */
void drvq_calls_off(struct drvq *q);

#endif
