/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtio_pci.h - the virtio-pci modern transport (VIRTIO 1.2 section 4.1) of
 * one device that lives in another process.
 *
 * Theory of operation: vCPU threads read and write registers; each access is
 * answered from the state below, under the function's lock, and never waits.
 * What the device process must do about it is not sent from there: the state
 * itself says what is still to be done, env->post wakes the main loop, and
 * virtio_pci_job_next turns the difference between what the driver set up and
 * what the device was told into one job at a time. virtio_pci_job_done brings
 * the result in. A reset shows as finished only then: until the device answered
 * it, device_status does not read 0 (section 4.1.4.3.1), and queue_reset reads
 * 1. So a device that is slow, stopped or dead holds up no vCPU.
 */
#ifndef VMM_VIRTIO_VIRTIO_PCI_H
#define VMM_VIRTIO_VIRTIO_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/memtable.h"
#include "vmm/pci/msix.h"
#include "vmm/pci/pci_bus.h"
#include "vmm/stats.h"
#include "vmm/virtio_job.h"

#define VIRTIO_PCI_QUEUES_MAX 64u
#define VIRTIO_PCI_QUEUE_SIZE_MAX 32768u
#define VIRTIO_PCI_CONFIG_MAX 256u
#define VIRTIO_PCI_WRITES_MAX 8u

/* BAR 0: a page for each structure. */
#define VIRTIO_PCI_COMMON_OFFSET 0x0000u
#define VIRTIO_PCI_COMMON_BYTES 0x3cu
#define VIRTIO_PCI_ISR_OFFSET 0x1000u
#define VIRTIO_PCI_DEVICE_OFFSET 0x2000u
#define VIRTIO_PCI_NOTIFY_OFFSET 0x3000u
#define VIRTIO_PCI_NOTIFY_STRIDE 4u
#define VIRTIO_PCI_TABLE_OFFSET 0x4000u
#define VIRTIO_PCI_PBA_OFFSET 0x5000u
#define VIRTIO_PCI_PAGE_BYTES 0x1000u
#define VIRTIO_PCI_BAR_BYTES 0x8000u

/* Structures that are not in linux/virtio_config.h of every base system. */
#define VIRTIO_PCI_F_SR_IOV 37
#define VIRTIO_PCI_F_NOTIFICATION_DATA 38
#define VIRTIO_PCI_F_NOTIF_CONFIG_DATA 39
#define VIRTIO_PCI_F_RING_RESET 40
#define VIRTIO_PCI_F_ADMIN_VQ 41

/**
 * struct virtio_pci_env - what the transport uses of the host; faked in tests
 * @post: asks the main loop to run virtio_pci_job_next; any thread, no wait
 * @doorbell: as doorbell_set
 * @msix_ops: as irq_msix_ops
 * @ram: guest RAM, borrowed
 * @stats: borrowed, may be NULL
 */
struct virtio_pci_env {
	void (*post)(void *ctx);
	void *post_ctx;
	int (*doorbell)(void *ctx, uint64_t gpa, int fd, bool assign);
	void *doorbell_ctx;
	const struct msix_ops *msix_ops;
	void *msix_ctx;
	const struct memtable *ram;
	struct stats *stats;
};

/**
 * struct virtio_pci_desc - what the device is, checked before it comes here
 * @virtio_id: 1..63
 * @features: offered by the device process
 * @queue_size: maximum of each queue, queue_size[0..queue_cnt)
 * @config: config_len bytes
 * @config_writable: leading bytes that the driver may write
 * @bar_gpa: where the BAR is at first
 * @gsi_base: GSI of vector 0; one per vector, queue_cnt + 1 of them
 */
struct virtio_pci_desc {
	uint32_t virtio_id;
	uint64_t features;
	uint32_t queue_size[VIRTIO_PCI_QUEUES_MAX];
	uint32_t queue_cnt;
	uint8_t config[VIRTIO_PCI_CONFIG_MAX];
	uint32_t config_len;
	uint32_t config_writable;
	uint32_t bar_gpa;
	uint32_t gsi_base;
};

/**
 * struct virtio_pci - state of one device; all under func.lock
 * @name: device id for logs, borrowed
 * @offered: features of device and transport
 * @driver_features: as the driver wrote them, by feature_select
 * @status: device_status as the driver sees it
 * @reset_wanted: the driver wrote 0 and the device has not answered yet
 * @told_features: the device process has features, so it needs a RESET
 * @job_busy: a job was handed out and its result is not in
 * @broken: the device failed or asked for a reset; no jobs but RESET
 * @failed: the channel is gone, nothing can be done any more
 */
struct virtio_pci {
	struct pci_func func;
	struct virtio_pci_env env;
	struct msix msix;
	const char *name;
	uint32_t cap_msix;
	uint32_t cap_pci_cfg;
	uint64_t offered;
	uint32_t device_feature_select;
	uint32_t driver_feature_select;
	uint32_t driver_features[4];
	uint8_t status;
	uint8_t isr;
	uint8_t config_generation;
	uint32_t queue_select;
	bool reset_wanted;
	bool told_features;
	bool job_busy;
	bool broken;
	bool failed;
	uint32_t queue_cnt;
	struct virtio_queue queue[VIRTIO_PCI_QUEUES_MAX];
	int config_fd;
	uint8_t config[VIRTIO_PCI_CONFIG_MAX];
	uint32_t config_len;
	uint32_t config_writable;
	struct virtio_config_write write[VIRTIO_PCI_WRITES_MAX];
	uint32_t write_cnt;
};

/**
 * virtio_pci_init() - makes the function and its eventfds
 * @env: copied
 * Return: 0; -errno of eventfd(2). Then virtio_pci_fini is still to be called.
 */
MUST_CHECK int virtio_pci_init(struct virtio_pci *vp, const char *name,
			       const struct virtio_pci_desc *desc,
			       const struct virtio_pci_env *env);
/** virtio_pci_fini() - closes the eventfds; no vCPU runs any more. */
void virtio_pci_fini(struct virtio_pci *vp);

/*
 * For the main loop. Each takes func.lock.
 */

/**
 * virtio_pci_job_next() - what the device process is to be told next
 * Return: true and a job, whose result must come by virtio_pci_job_done before
 * the next one is given out; false: nothing to do.
 */
MUST_CHECK bool virtio_pci_job_next(struct virtio_pci *vp,
				    struct virtio_job *ret_job);
/**
 * virtio_pci_job_done() - the device's answer
 * @error: 0 or a positive errno from the device
 * Return: 0; -EIO the device refused to stop or to reset: it has failed.
 */
MUST_CHECK int virtio_pci_job_done(struct virtio_pci *vp,
				   const struct virtio_job *job,
				   uint32_t error);
/** virtio_pci_config_push() - the device's config; @len must be config_len. */
MUST_CHECK int virtio_pci_config_push(struct virtio_pci *vp,
				      const uint8_t *config, size_t len);
/** virtio_pci_needs_reset() - the device asked for it. */
void virtio_pci_needs_reset(struct virtio_pci *vp);
/** virtio_pci_fail() - the channel to the device is gone. */
void virtio_pci_fail(struct virtio_pci *vp);

#endif
