/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: virtio-pci, modern interface only (VIRTIO 1.2 section 4.1).
 */
#ifndef GUEST_VIRTIO_H
#define GUEST_VIRTIO_H

#include "pci.h"

/* Registers of the common configuration structure, 4.1.4.3. */
#define VC_DEVICE_FEATURE_SELECT 0x00
#define VC_DEVICE_FEATURE 0x04
#define VC_DRIVER_FEATURE_SELECT 0x08
#define VC_DRIVER_FEATURE 0x0c
#define VC_MSIX_CONFIG 0x10
#define VC_NUM_QUEUES 0x12
#define VC_STATUS 0x14
#define VC_GENERATION 0x15
#define VC_QUEUE_SELECT 0x16
#define VC_QUEUE_SIZE 0x18
#define VC_QUEUE_MSIX 0x1a
#define VC_QUEUE_ENABLE 0x1c
#define VC_QUEUE_NOTIFY_OFF 0x1e
#define VC_QUEUE_DESC 0x20
#define VC_QUEUE_DRIVER 0x28
#define VC_QUEUE_DEVICE 0x30
#define VC_QUEUE_NOTIFY_DATA 0x38
#define VC_QUEUE_RESET 0x3a

#define VS_ACKNOWLEDGE 1u
#define VS_DRIVER 2u
#define VS_DRIVER_OK 4u
#define VS_FEATURES_OK 8u
#define VS_NEEDS_RESET 0x40u
#define VS_FAILED 0x80u

#define VF_INDIRECT (1ull << 28)
#define VF_EVENT_IDX (1ull << 29)
#define VF_VERSION_1 (1ull << 32)
#define VF_RING_RESET (1ull << 40)

/* cfg_type of the vendor capabilities, 4.1.4. */
enum {
	VCAP_COMMON = 1,
	VCAP_NOTIFY,
	VCAP_ISR,
	VCAP_DEVICE,
	VCAP_PCI,
	VCAP_COUNT
};

#define VIRTIO_NO_VECTOR 0xffffu
#define VIRTIO_RESET_MS 5000

struct virtio_cap {
	uint8_t pos, bar; /* pos 0: not there */
	uint32_t offset, bytes;
};

struct virtio_dev {
	struct pci_fn *fn;
	struct virtio_cap cap[VCAP_COUNT];
	uint32_t notify_mult;
	volatile uint8_t *common, *notify, *isr, *config;
	uint8_t msix_pos, msix_bar, pba_bar;
	uint16_t msix_cnt;
	uint32_t msix_off, pba_off;
	volatile uint8_t *msix_table, *msix_pba;
};

/* NULL, or what is wrong. */
const char *virtio_find(struct virtio_dev *v, struct pci_fn *fn);
/* Pointers again, after a BAR has moved. */
void virtio_remap(struct virtio_dev *v);

uint8_t virtio_status(const struct virtio_dev *v);
void virtio_status_set(struct virtio_dev *v, uint8_t status);
/* Writes 0 and waits for 0; false when it does not come in time. */
bool virtio_reset(struct virtio_dev *v);
uint64_t virtio_features(struct virtio_dev *v);
/* ACKNOWLEDGE to FEATURES_OK with exactly @features; false if refused. */
bool virtio_negotiate(struct virtio_dev *v, uint64_t features);
void virtio_w64(volatile uint8_t *reg, uint64_t value);

void msix_enable(struct virtio_dev *v, bool on, bool mask_all);
void msix_set(struct virtio_dev *v, unsigned int n, uint32_t apic_id,
	      uint8_t vec);
void msix_mask(struct virtio_dev *v, unsigned int n, bool masked);
bool msix_pending(const struct virtio_dev *v, unsigned int n);

static inline bool virtio_broken(const struct virtio_dev *v)
{
	return virtio_status(v) & VS_NEEDS_RESET;
}

#endif
