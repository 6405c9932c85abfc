// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_pci_status.c - device_status and feature negotiation (VIRTIO 1.2
 * sections 2.1, 2.2, 3.1.1), and how a broken device shows. The register write
 * comes from the guest; the rest is called from the main loop.
 */
#include <errno.h>
#include <linux/virtio_config.h>
#include <string.h>
#include <unistd.h>

#include "vmm/virtio/virtio_parts.h"

#define LOG_MODULE "virtio"
#include "ipc/log.h"

#define VIRTIO_STATUS_DRIVER_BITS                                  \
	(VIRTIO_CONFIG_S_ACKNOWLEDGE | VIRTIO_CONFIG_S_DRIVER |    \
	 VIRTIO_CONFIG_S_DRIVER_OK | VIRTIO_CONFIG_S_FEATURES_OK | \
	 VIRTIO_CONFIG_S_FAILED)

/* VIRTIO_PCI_ISR_CONFIG of linux/virtio_pci.h, which clashes with others. */
#define VIRTIO_ISR_CONFIG 2u

uint64_t virtio_pci_acked(const struct virtio_pci *vp)
{
	return (uint64_t)vp->driver_features[1] << 32 | vp->driver_features[0];
}

/** virtio_pci_features_ok() - may FEATURES_OK be set? */
static bool virtio_pci_features_ok(const struct virtio_pci *vp)
{
	uint64_t acked = virtio_pci_acked(vp);

	return !(acked & ~vp->offered) && (acked >> VIRTIO_F_VERSION_1 & 1) &&
	       vp->driver_features[2] == 0 && vp->driver_features[3] == 0;
}

void virtio_pci_config_irq(struct virtio_pci *vp)
{
	uint64_t one = 1;

	vp->isr |= VIRTIO_ISR_CONFIG;
	stats_add(vp->env.stats, STAT_CONFIG_IRQ, 1);
	/* Non-blocking; a full counter already says what is to be said. */
	if (write(vp->config_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		log_err("%s: config interrupt: errno %d", vp->name, errno);
}

void virtio_pci_break(struct virtio_pci *vp)
{
	vp->broken = true;
	virtio_queue_resets_end(vp);
	if (!(vp->status & VIRTIO_CONFIG_S_DRIVER_OK))
		return;
	vp->status |= VIRTIO_CONFIG_S_NEEDS_RESET;
	virtio_pci_config_irq(vp);
}

void virtio_pci_reset_finish(struct virtio_pci *vp)
{
	vp->status = 0;
	vp->isr = 0;
	vp->reset_wanted = false;
	vp->told_features = false;
	vp->broken = false;
	vp->write_cnt = 0;
	vp->device_feature_select = 0;
	vp->driver_feature_select = 0;
	vp->queue_select = 0;
	memset(vp->driver_features, 0, sizeof(vp->driver_features));
	for (uint32_t i = 0; i < vp->queue_cnt; i++)
		virtio_queue_clear(&vp->queue[i]);
	msix_reset(&vp->msix);
}

/** virtio_pci_reset_start() - the driver wrote 0. */
static void virtio_pci_reset_start(struct virtio_pci *vp)
{
	if (!vp->told_features && !vp->job_busy && !vp->failed) {
		virtio_pci_reset_finish(vp);
		return;
	}
	vp->reset_wanted = true;
	/* Status must not read 0 before the device has stopped. */
	if (vp->status == 0)
		vp->status = VIRTIO_CONFIG_S_ACKNOWLEDGE;
	vp->env.post(vp->env.post_ctx);
}

void virtio_pci_status_write(struct virtio_pci *vp, uint8_t value)
{
	uint8_t added =
		value & VIRTIO_STATUS_DRIVER_BITS & (uint8_t)~vp->status;

	if (vp->reset_wanted)
		return;
	if (value == 0) {
		virtio_pci_reset_start(vp);
		return;
	}
	if ((added & VIRTIO_CONFIG_S_FEATURES_OK) &&
	    !virtio_pci_features_ok(vp)) {
		log_guest(LOG_LEVEL_WARN,
			  "%s: features %#llx refused: offered %#llx, "
			  "VERSION_1 needed",
			  vp->name, (unsigned long long)virtio_pci_acked(vp),
			  (unsigned long long)vp->offered);
		added &= (uint8_t)~VIRTIO_CONFIG_S_FEATURES_OK;
	}
	if ((added & VIRTIO_CONFIG_S_DRIVER_OK) &&
	    !((vp->status | added) & VIRTIO_CONFIG_S_FEATURES_OK)) {
		log_guest(LOG_LEVEL_WARN, "%s: DRIVER_OK without FEATURES_OK",
			  vp->name);
		added &= (uint8_t)~VIRTIO_CONFIG_S_DRIVER_OK;
	}
	vp->status |= added;
	if (!(added & VIRTIO_CONFIG_S_DRIVER_OK))
		return;
	if (vp->broken)
		virtio_pci_break(vp);
	vp->env.post(vp->env.post_ctx);
}

void virtio_pci_needs_reset(struct virtio_pci *vp)
{
	pthread_mutex_lock(&vp->func.lock);
	/* A device that is being reset, or was, complains of the past. */
	if (vp->told_features && !vp->reset_wanted)
		virtio_pci_break(vp);
	pthread_mutex_unlock(&vp->func.lock);
}

void virtio_pci_fail(struct virtio_pci *vp)
{
	pthread_mutex_lock(&vp->func.lock);
	vp->failed = true;
	virtio_pci_break(vp);
	pthread_mutex_unlock(&vp->func.lock);
}

int virtio_pci_config_push(struct virtio_pci *vp, const uint8_t *config,
			   size_t len)
{
	if (len != vp->config_len)
		return -EPROTO;
	pthread_mutex_lock(&vp->func.lock);
	memcpy(vp->config, config, len);
	vp->config_generation++;
	if (vp->status & VIRTIO_CONFIG_S_DRIVER_OK)
		virtio_pci_config_irq(vp);
	pthread_mutex_unlock(&vp->func.lock);
	return 0;
}
