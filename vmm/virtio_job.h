/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtio_job.h - a virtqueue as the transport holds it, and the one thing at a
 * time that a device process is told about it. Types only.
 */
#ifndef VMM_VIRTIO_JOB_H
#define VMM_VIRTIO_JOB_H

#include <stdbool.h>
#include <stdint.h>

/* What the device process knows of a queue. */
enum virtio_queue_told {
	VIRTIO_QUEUE_TOLD_NOTHING,
	VIRTIO_QUEUE_TOLD_SET,
	VIRTIO_QUEUE_TOLD_START
};

enum virtio_ring {
	VIRTIO_RING_DESC,
	VIRTIO_RING_DRIVER,
	VIRTIO_RING_DEVICE,
	VIRTIO_RING_COUNT
};

/**
 * struct virtio_queue - one virtqueue
 * @size_max: the device's maximum
 * @size: chosen by the driver, a power of two, 1..@size_max
 * @enabled: ring addresses were checked and are frozen
 * @resetting: queue_reset reads 1
 * @told: what the device process was told
 * @ring: guest-physical address of each part
 * @kick_fd: owned; the device process polls it
 * @call_fd: owned; the device process writes it
 * @doorbell_gpa: where @kick_fd is registered with KVM, 0: nowhere
 */
struct virtio_queue {
	uint32_t size_max;
	uint32_t size;
	bool enabled;
	bool resetting;
	enum virtio_queue_told told;
	uint64_t ring[VIRTIO_RING_COUNT];
	int kick_fd;
	int call_fd;
	uint64_t doorbell_gpa;
};

enum virtio_job_kind {
	VIRTIO_JOB_FEATURES,
	VIRTIO_JOB_QUEUE_SET,
	VIRTIO_JOB_QUEUE_START,
	VIRTIO_JOB_QUEUE_STOP,
	VIRTIO_JOB_RESET,
	VIRTIO_JOB_CONFIG_WRITE
};

/** struct virtio_config_write - a driver's write to the device's config */
struct virtio_config_write {
	uint32_t offset;
	uint32_t len; /* 1, 2, 4 or 8 */
	uint8_t data[8];
};

/**
 * struct virtio_job - one thing to tell the device process
 * @queue: index, for the queue kinds
 * @features: FEATURES
 * @size: QUEUE_SET
 * @ring: QUEUE_SET
 * @kick_fd: QUEUE_SET, borrowed
 * @call_fd: QUEUE_SET, borrowed
 * @write: CONFIG_WRITE
 */
struct virtio_job {
	enum virtio_job_kind kind;
	uint32_t queue;
	uint64_t features;
	uint32_t size;
	uint64_t ring[VIRTIO_RING_COUNT];
	int kick_fd;
	int call_fd;
	struct virtio_config_write write;
};

#endif
