/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vq.h - a virtqueue as the device sees it: takes chains, gives them back, and
 * decides about notifications. VIRTIO 1.2 section 2.7 (split rings). Callers
 * see chains only, so that the packed format (section 2.8) can come as a second
 * file behind the same functions.
 *
 * One thread uses a struct vq at a time.
 */
#ifndef DEVICES_CORE_VQ_H
#define DEVICES_CORE_VQ_H

#include <stdbool.h>
#include <stdint.h>

#include "devices/core/chain.h"
#include "ipc/compiler.h"

struct gmem;
struct vring_avail;
struct vring_used;

/* Largest queue that we serve. */
#define VQ_SIZE_MAX 1024u
/* Most buffers of one chain, direct and indirect together. */
#define VQ_SEGS_MAX 256u

/**
 * struct vq_config - what the driver and the vmm said of a queue
 * @size: power of two, 1..VQ_SIZE_MAX
 * @desc_gpa: descriptor table, 16-byte aligned
 * @driver_gpa: avail ring, 2-byte aligned
 * @device_gpa: used ring, 4-byte aligned
 * @position: next avail index to take; also where the used index stands, since
 * a queue is stopped only when all that was taken has been returned
 * @event_idx: VIRTIO_F_EVENT_IDX was negotiated
 * @indirect: VIRTIO_F_INDIRECT_DESC was negotiated
 */
struct vq_config {
	uint32_t size;
	uint64_t desc_gpa;
	uint64_t driver_gpa;
	uint64_t device_gpa;
	uint16_t position;
	bool event_idx;
	bool indirect;
};

/**
 * struct vq - a queue that runs
 * @mem: borrowed
 * @broken: why the driver must reset the device; NULL while all is well
 * @budget: chains that may still be taken in this round
 * @push_cnt: chains given back; the owner may set it back to 0
 * @bad_cnt: of these, malformed ones; likewise
 * @busy_cnt: chains popped and not pushed
 * @slots: owned, @size of them
 * @iovs: owned, VQ_SEGS_MAX of them for each slot
 * @free: owned, stack of free slots, @free_cnt deep; the slot used last is used
 * next, so a shallow load touches little memory
 */
struct vq {
	const struct gmem *mem;
	const char *broken;
	uint32_t budget;
	uint64_t push_cnt;
	uint64_t bad_cnt;

	/* private to vq_split.c */
	uint16_t size;
	uint16_t mask;
	uint16_t next_avail;
	uint16_t next_used;
	uint16_t signalled_used;
	bool signalled_valid;
	bool event_idx;
	bool indirect;
	const uint8_t *desc;
	const uint8_t *avail;
	uint8_t *used;
	struct chain *slots;
	struct iovec *iovs;
	uint16_t *free;
	uint16_t free_cnt;
	uint16_t busy_cnt;
};

/**
 * vq_init() - checks the rings and allocates all that the queue will need
 * Return: 0; -EINVAL size not a power of two in range, an address that is 0 or
 * misaligned; -EFAULT a ring not wholly inside guest memory; -ENOMEM.
 * Trust: @cfg comes from the guest.
 */
MUST_CHECK int vq_init(struct vq *q, const struct gmem *mem,
		       const struct vq_config *cfg);
/** vq_fini() - accepts a zeroed struct; chains must have been pushed. */
void vq_fini(struct vq *q);

/**
 * vq_pop() - takes the next chain
 * Each descriptor is copied once. Malformed chains are given back here with
 * length 0 and counted; the caller sees good ones only.
 * Return: 1 and the chain, to be given to vq_push exactly once; 0 nothing
 * there, no free slot, or the budget is used up (vq_has_more tells); -EPROTO
 * the ring itself makes no sense (@broken says why): the queue takes nothing
 * more until it is started anew.
 * Spec: VIRTIO 1.2 sections 2.7.5, 2.7.13.
 */
MUST_CHECK int vq_pop(struct vq *q, struct chain **ret_chain);

/**
 * vq_push() - gives a chain back
 * @len: bytes written into the chain's writable part, from its start
 */
void vq_push(struct vq *q, struct chain *c, uint32_t len);

/**
 * vq_call_needed() - must the driver be interrupted for what was pushed since
 * the last call of this function?
 * Spec: VIRTIO 1.2 section 2.7.7.2, 2.7.10.
 */
bool vq_call_needed(struct vq *q);

/** vq_notify_disable() - the driver need not kick: we are looking. */
void vq_notify_disable(struct vq *q);
/**
 * vq_notify_enable() - asks for a kick from here on
 * Return: true when chains came meanwhile and must be looked at now.
 */
MUST_CHECK bool vq_notify_enable(struct vq *q);

/** vq_has_more() - true when a chain waits and a slot is free for it. */
bool vq_has_more(const struct vq *q);
/** vq_position() - next avail index that would be taken. */
uint16_t vq_position(const struct vq *q);
/** vq_chain() - the popped chain in slot @idx; NULL if there is none. */
struct chain *vq_chain(struct vq *q, uint32_t idx, uint32_t generation);

#endif
