/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtio_fake.h - a virtio-pci function with a fake KVM and a fake device
 * process behind it, as the tests and the fuzzer drive it.
 */
#ifndef TESTS_UNIT_VMM_VIRTIO_FAKE_H
#define TESTS_UNIT_VMM_VIRTIO_FAKE_H

#include <linux/virtio_config.h>
#include <linux/virtio_pci.h>
#include <stdbool.h>
#include <stdint.h>

#include "vmm/virtio/virtio_parts.h"

#define FAKE_BAR 0xc0008000u
#define FAKE_QUEUES 3u
#define FAKE_QUEUE_SIZE 256u
#define FAKE_RAM (64ULL << 20)
#define FAKE_BIT(n) (1ULL << (n))
#define FAKE_FEATURES                                                \
	(FAKE_BIT(VIRTIO_F_VERSION_1) | FAKE_BIT(9) | FAKE_BIT(28) | \
	 FAKE_BIT(29) | FAKE_BIT(VIRTIO_PCI_F_RING_RESET))

#define ST_ACK VIRTIO_CONFIG_S_ACKNOWLEDGE
#define ST_DRIVER VIRTIO_CONFIG_S_DRIVER
#define ST_OK VIRTIO_CONFIG_S_DRIVER_OK
#define ST_FEATURES VIRTIO_CONFIG_S_FEATURES_OK
#define ST_RESET VIRTIO_CONFIG_S_NEEDS_RESET

/**
 * struct fake - the world around the function
 * @doorbell: address where each queue's kick is registered, 0: nowhere
 * @doorbell_calls: registrations and their ends
 * @bad: things that no caller may do (an end of what was not there, ...)
 */
struct fake {
	struct pci_bus bus;
	struct virtio_pci vp;
	struct memtable ram;
	int posts;
	uint64_t doorbell[VIRTIO_PCI_QUEUES_MAX];
	int doorbell_calls;
	int bad;
};

/** fake_init() - one device in slot 1; abort()s if that fails. */
void fake_init(struct fake *f);
void fake_fini(struct fake *f);

uint64_t fake_rd(struct fake *f, uint32_t offset, uint32_t len);
void fake_wr(struct fake *f, uint32_t offset, uint32_t len, uint64_t value);
uint32_t fake_cfg_rd(struct fake *f, uint32_t reg, uint32_t len);
void fake_cfg_wr(struct fake *f, uint32_t reg, uint32_t len, uint32_t value);

/** fake_status() - reads device_status. */
uint8_t fake_status(struct fake *f);
/** fake_negotiate() - up to FEATURES_OK with @acked. */
void fake_negotiate(struct fake *f, uint64_t acked);
/** fake_queue() - sets addresses of queue @idx and enables it. */
void fake_queue(struct fake *f, uint32_t idx);
/** fake_job() - the next job must be of @kind; answered with @error. */
bool fake_job(struct fake *f, enum virtio_job_kind kind, uint32_t error);
/** fake_idle() - is there no job? */
bool fake_idle(struct fake *f);
/** fake_start() - negotiates, enables queue 0, DRIVER_OK, all jobs done. */
void fake_start(struct fake *f);

#endif
