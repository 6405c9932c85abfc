// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_pci_queue.c - what a driver may do to a queue by the registers of the
 * common configuration (VIRTIO 1.2 sections 4.1.4.3 and 2.6.1), and the queue's
 * doorbell. Runs on vCPU threads; all values come from the guest.
 */
#include <errno.h>
#include <linux/virtio_config.h>

#include "vmm/virtio/virtio_parts.h"

#define LOG_MODULE "virtio"
#include "ipc/log.h"

void virtio_queue_clear(struct virtio_queue *q)
{
	q->size = q->size_max;
	q->enabled = false;
	q->resetting = false;
	q->told = VIRTIO_QUEUE_TOLD_NOTHING;
	for (int i = 0; i < VIRTIO_RING_COUNT; i++)
		q->ring[i] = 0;
}

void virtio_queue_size_write(struct virtio_pci *vp, struct virtio_queue *q,
			     uint32_t size)
{
	if (q->enabled)
		return;
	if (size == 0 || size > q->size_max || (size & (size - 1))) {
		log_guest(LOG_LEVEL_WARN,
			  "%s: queue size %u refused: a power of two, 1..%u",
			  vp->name, size, q->size_max);
		return;
	}
	q->size = size;
}

/**
 * struct virtio_ring_shape - bytes and alignment of a ring's parts
 * (VIRTIO 1.2 sections 2.7 and 2.8)
 */
struct virtio_ring_shape {
	uint64_t fixed;
	uint64_t each;
	uint64_t align;
};

static const struct virtio_ring_shape virtio_split_shape[VIRTIO_RING_COUNT] = {
	[VIRTIO_RING_DESC] = {0, 16, 16},
	[VIRTIO_RING_DRIVER] = {6, 2, 2},
	[VIRTIO_RING_DEVICE] = {6, 8, 4},
};

static const struct virtio_ring_shape virtio_packed_shape[VIRTIO_RING_COUNT] = {
	[VIRTIO_RING_DESC] = {0, 16, 16},
	[VIRTIO_RING_DRIVER] = {4, 0, 4},
	[VIRTIO_RING_DEVICE] = {4, 0, 4},
};

/** virtio_queue_rings_ok() - each part set, aligned and wholly in RAM? */
static bool virtio_queue_rings_ok(const struct virtio_pci *vp,
				  const struct virtio_queue *q)
{
	bool packed = virtio_pci_acked(vp) >> VIRTIO_F_RING_PACKED & 1;
	const struct virtio_ring_shape *shape =
		packed ? virtio_packed_shape : virtio_split_shape;

	for (int i = 0; i < VIRTIO_RING_COUNT; i++) {
		uint64_t bytes = shape[i].fixed + shape[i].each * q->size;
		uint64_t offset;

		if (q->ring[i] == 0 || (q->ring[i] & (shape[i].align - 1)) ||
		    memtable_find(vp->env.ram, q->ring[i], bytes, &offset) < 0)
			return false;
	}
	return true;
}

void virtio_queue_enable(struct virtio_pci *vp, struct virtio_queue *q)
{
	if (q->enabled || q->resetting ||
	    !(vp->status & VIRTIO_CONFIG_S_FEATURES_OK))
		return;
	if (!virtio_queue_rings_ok(vp, q)) {
		log_guest(LOG_LEVEL_WARN,
			  "%s: queue %ld not enabled: a ring address is 0, "
			  "misaligned or outside RAM",
			  vp->name, (long)(q - vp->queue));
		/* Or the driver would wait for its first request for ever. */
		virtio_pci_break(vp);
		return;
	}
	q->enabled = true;
	virtio_queue_doorbell_sync(vp, (uint32_t)(q - vp->queue));
	/* Before DRIVER_OK there is nothing to tell; after it this is a queue
	 * that was reset and comes back. */
	if (vp->status & VIRTIO_CONFIG_S_DRIVER_OK)
		vp->env.post(vp->env.post_ctx);
}

void virtio_queue_resets_end(struct virtio_pci *vp)
{
	if (!vp->broken || vp->job_busy)
		return;
	for (uint32_t i = 0; i < vp->queue_cnt; i++) {
		struct virtio_queue *q = &vp->queue[i];

		if (q->resetting && q->told != VIRTIO_QUEUE_TOLD_START)
			virtio_queue_clear(q);
	}
}

void virtio_queue_reset(struct virtio_pci *vp, struct virtio_queue *q)
{
	if (!(virtio_pci_acked(vp) >> VIRTIO_PCI_F_RING_RESET & 1) ||
	    q->resetting || !q->enabled)
		return;
	/* DRIVER_OK may have been set and the device not been told yet: then
	 * it is started first and stopped in order. */
	if (q->told == VIRTIO_QUEUE_TOLD_NOTHING && !vp->job_busy) {
		virtio_queue_clear(q);
		return;
	}
	q->resetting = true;
	virtio_queue_resets_end(vp);
	vp->env.post(vp->env.post_ctx);
}

void virtio_queue_doorbell_sync(struct virtio_pci *vp, uint32_t idx)
{
	struct virtio_queue *q = &vp->queue[idx];
	uint64_t want = 0;
	int ret;

	/* An enabled queue has one, and keeps it until the BAR moves. */
	if (vp->func.bar_gpa && (q->enabled || q->doorbell_gpa))
		want = vp->func.bar_gpa + VIRTIO_PCI_NOTIFY_OFFSET +
		       (uint64_t)idx * VIRTIO_PCI_NOTIFY_STRIDE;
	if (want == q->doorbell_gpa)
		return;
	if (q->doorbell_gpa) {
		ret = vp->env.doorbell(vp->env.doorbell_ctx, q->doorbell_gpa,
				       q->kick_fd, false);
		if (ret < 0)
			log_err("%s: queue %u: cannot end doorbell: %d",
				vp->name, idx, ret);
		q->doorbell_gpa = 0;
	}
	if (!want)
		return;
	ret = vp->env.doorbell(vp->env.doorbell_ctx, want, q->kick_fd, true);
	/* Two BARs on one address, for example. Writes that reach the vmm
	 * signal the eventfd as well, so nothing is lost but speed. */
	if (ret < 0)
		log_guest(LOG_LEVEL_WARN, "%s: queue %u: no doorbell: %d",
			  vp->name, idx, ret);
	else
		q->doorbell_gpa = want;
}
