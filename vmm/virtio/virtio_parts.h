/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtio_parts.h - between the files of the virtio-pci transport, for nobody
 * else. func.lock is held in all of them.
 */
#ifndef VMM_VIRTIO_VIRTIO_PARTS_H
#define VMM_VIRTIO_VIRTIO_PARTS_H

#include "vmm/virtio/virtio_pci.h"

/* Common configuration structure: any offset and width inside its page. */
uint64_t virtio_pci_common_read(struct virtio_pci *vp, uint64_t offset,
				uint32_t len);
void virtio_pci_common_write(struct virtio_pci *vp, uint64_t offset,
			     uint32_t len, uint64_t value);

/** virtio_pci_status_write() - the driver wrote device_status. */
void virtio_pci_status_write(struct virtio_pci *vp, uint8_t value);
/** virtio_pci_acked() - what the driver wrote, bits 0..63. */
uint64_t virtio_pci_acked(const struct virtio_pci *vp);
/** virtio_pci_reset_finish() - the device has stopped, or never ran. */
void virtio_pci_reset_finish(struct virtio_pci *vp);
/** virtio_pci_break() - DEVICE_NEEDS_RESET, once the driver is there. */
void virtio_pci_break(struct virtio_pci *vp);
/** virtio_pci_config_irq() - the config-change interrupt. */
void virtio_pci_config_irq(struct virtio_pci *vp);

/* Registers of one queue; @q is one of @vp's. Bad values change nothing. */
void virtio_queue_size_write(struct virtio_pci *vp, struct virtio_queue *q,
			     uint32_t size);
void virtio_queue_enable(struct virtio_pci *vp, struct virtio_queue *q);
void virtio_queue_reset(struct virtio_pci *vp, struct virtio_queue *q);
/**
 * virtio_queue_resets_end() - a broken device starts no queue any more: resets
 * of those that it does not run are done
 */
void virtio_queue_resets_end(struct virtio_pci *vp);
/** virtio_queue_clear() - as after a reset; the eventfds stay. */
void virtio_queue_clear(struct virtio_queue *q);
/** virtio_queue_doorbell_sync() - registers it where the BAR is now. */
void virtio_queue_doorbell_sync(struct virtio_pci *vp, uint32_t idx);

#endif
