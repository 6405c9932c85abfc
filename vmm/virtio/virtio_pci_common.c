// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_pci_common.c - the common configuration structure (VIRTIO 1.2 section
 * 4.1.4.3) as a table of registers. Runs on vCPU threads; offsets, widths and
 * values come from the guest.
 *
 * Reads may have any width. Writes must have the register's width, as the
 * specification demands of the driver; 64-bit registers also take halves.
 * Registers of a queue that queue_select does not have read 0.
 */
#include <linux/virtio_config.h>
#include <linux/virtio_pci.h>
#include <stddef.h>

#include "vmm/virtio/virtio_parts.h"

#define LOG_MODULE "virtio"
#include "ipc/log.h"

/* queue_reset, which is not in linux/virtio_pci.h of every base system. */
#define VIRTIO_PCI_COMMON_RESET 58

/** struct virtio_reg - one register; @write NULL: read-only */
struct virtio_reg {
	uint8_t offset;
	uint8_t bytes;
	bool per_queue;
	uint64_t (*read)(struct virtio_pci *vp, struct virtio_queue *q);
	void (*write)(struct virtio_pci *vp, struct virtio_queue *q,
		      uint64_t value);
};

/** virtio_vector() - vector of an interrupt source */
static uint64_t virtio_vector(const struct virtio_pci *vp, uint32_t source)
{
	return vp->msix.source[source].vector;
}

/** virtio_source() - interrupt source of a queue */
static uint32_t virtio_source(const struct virtio_pci *vp,
			      const struct virtio_queue *q)
{
	return (uint32_t)(q - vp->queue) + 1;
}

/* What each register reads. @q is NULL for registers that are not a queue's. */
#define VIRTIO_READ(name, expr)                                      \
	static uint64_t virtio_##name##_read(struct virtio_pci *vp,  \
					     struct virtio_queue *q) \
	{                                                            \
		(void)vp;                                            \
		(void)q;                                             \
		return (expr);                                       \
	}

VIRTIO_READ(dfselect, vp->device_feature_select)
VIRTIO_READ(gfselect, vp->driver_feature_select)
VIRTIO_READ(cfg_vector, virtio_vector(vp, 0))
VIRTIO_READ(queue_cnt, vp->queue_cnt)
VIRTIO_READ(status, vp->status)
VIRTIO_READ(generation, vp->config_generation)
VIRTIO_READ(queue_select, vp->queue_select)
VIRTIO_READ(queue_size, q->size)
VIRTIO_READ(queue_vector, virtio_vector(vp, virtio_source(vp, q)))
VIRTIO_READ(queue_enable, q->enabled)
VIRTIO_READ(queue_notify, (uint64_t)(q - vp->queue))
VIRTIO_READ(queue_desc, q->ring[VIRTIO_RING_DESC])
VIRTIO_READ(queue_driver, q->ring[VIRTIO_RING_DRIVER])
VIRTIO_READ(queue_device, q->ring[VIRTIO_RING_DEVICE])
VIRTIO_READ(queue_reset, q->resetting)

/** virtio_df_read() - 32 of the offered bits; none from bit 64 on */
static uint64_t virtio_df_read(struct virtio_pci *vp, struct virtio_queue *q)
{
	(void)q;
	if (vp->device_feature_select > 1)
		return 0;
	return (uint32_t)(vp->offered >> (vp->device_feature_select * 32));
}

/** virtio_gf_read() - what the driver wrote */
static uint64_t virtio_gf_read(struct virtio_pci *vp, struct virtio_queue *q)
{
	(void)q;
	if (vp->driver_feature_select >= ARRAY_SIZE(vp->driver_features))
		return 0;
	return vp->driver_features[vp->driver_feature_select];
}

static void virtio_dfselect_write(struct virtio_pci *vp, struct virtio_queue *q,
				  uint64_t value)
{
	(void)q;
	vp->device_feature_select = (uint32_t)value;
}

static void virtio_gfselect_write(struct virtio_pci *vp, struct virtio_queue *q,
				  uint64_t value)
{
	(void)q;
	vp->driver_feature_select = (uint32_t)value;
}

/** virtio_gf_write() - frozen once FEATURES_OK was accepted */
static void virtio_gf_write(struct virtio_pci *vp, struct virtio_queue *q,
			    uint64_t value)
{
	(void)q;
	if (vp->status & VIRTIO_CONFIG_S_FEATURES_OK ||
	    vp->driver_feature_select >= ARRAY_SIZE(vp->driver_features))
		return;
	vp->driver_features[vp->driver_feature_select] = (uint32_t)value;
}

static void virtio_cfg_vector_write(struct virtio_pci *vp,
				    struct virtio_queue *q, uint64_t value)
{
	(void)q;
	msix_source_set(&vp->msix, 0, (uint16_t)value);
}

static void virtio_status_reg_write(struct virtio_pci *vp,
				    struct virtio_queue *q, uint64_t value)
{
	(void)q;
	virtio_pci_status_write(vp, (uint8_t)value);
}

static void virtio_queue_select_write(struct virtio_pci *vp,
				      struct virtio_queue *q, uint64_t value)
{
	(void)q;
	vp->queue_select = (uint32_t)value;
}

static void virtio_queue_size_reg_write(struct virtio_pci *vp,
					struct virtio_queue *q, uint64_t value)
{
	virtio_queue_size_write(vp, q, (uint32_t)value);
}

static void virtio_queue_vector_write(struct virtio_pci *vp,
				      struct virtio_queue *q, uint64_t value)
{
	msix_source_set(&vp->msix, virtio_source(vp, q), (uint16_t)value);
}

static void virtio_queue_enable_write(struct virtio_pci *vp,
				      struct virtio_queue *q, uint64_t value)
{
	if (value == 1)
		virtio_queue_enable(vp, q);
}

static void virtio_queue_reset_write(struct virtio_pci *vp,
				     struct virtio_queue *q, uint64_t value)
{
	if (value == 1)
		virtio_queue_reset(vp, q);
}

/** virtio_ring_write() - addresses are frozen while the queue is enabled */
static void virtio_ring_write(struct virtio_queue *q, enum virtio_ring part,
			      uint64_t value)
{
	if (!q->enabled)
		q->ring[part] = value;
}

static void virtio_queue_desc_write(struct virtio_pci *vp,
				    struct virtio_queue *q, uint64_t value)
{
	(void)vp;
	virtio_ring_write(q, VIRTIO_RING_DESC, value);
}

static void virtio_queue_driver_write(struct virtio_pci *vp,
				      struct virtio_queue *q, uint64_t value)
{
	(void)vp;
	virtio_ring_write(q, VIRTIO_RING_DRIVER, value);
}

static void virtio_queue_device_write(struct virtio_pci *vp,
				      struct virtio_queue *q, uint64_t value)
{
	(void)vp;
	virtio_ring_write(q, VIRTIO_RING_DEVICE, value);
}

/* Ascending and without gaps but for queue_notify_data, which reads 0. */
static const struct virtio_reg virtio_regs[] = {
	{VIRTIO_PCI_COMMON_DFSELECT, 4, false, virtio_dfselect_read,
	 virtio_dfselect_write},
	{VIRTIO_PCI_COMMON_DF, 4, false, virtio_df_read, NULL},
	{VIRTIO_PCI_COMMON_GFSELECT, 4, false, virtio_gfselect_read,
	 virtio_gfselect_write},
	{VIRTIO_PCI_COMMON_GF, 4, false, virtio_gf_read, virtio_gf_write},
	{VIRTIO_PCI_COMMON_MSIX, 2, false, virtio_cfg_vector_read,
	 virtio_cfg_vector_write},
	{VIRTIO_PCI_COMMON_NUMQ, 2, false, virtio_queue_cnt_read, NULL},
	{VIRTIO_PCI_COMMON_STATUS, 1, false, virtio_status_read,
	 virtio_status_reg_write},
	{VIRTIO_PCI_COMMON_CFGGENERATION, 1, false, virtio_generation_read,
	 NULL},
	{VIRTIO_PCI_COMMON_Q_SELECT, 2, false, virtio_queue_select_read,
	 virtio_queue_select_write},
	{VIRTIO_PCI_COMMON_Q_SIZE, 2, true, virtio_queue_size_read,
	 virtio_queue_size_reg_write},
	{VIRTIO_PCI_COMMON_Q_MSIX, 2, true, virtio_queue_vector_read,
	 virtio_queue_vector_write},
	{VIRTIO_PCI_COMMON_Q_ENABLE, 2, true, virtio_queue_enable_read,
	 virtio_queue_enable_write},
	{VIRTIO_PCI_COMMON_Q_NOFF, 2, true, virtio_queue_notify_read, NULL},
	{VIRTIO_PCI_COMMON_Q_DESCLO, 8, true, virtio_queue_desc_read,
	 virtio_queue_desc_write},
	{VIRTIO_PCI_COMMON_Q_AVAILLO, 8, true, virtio_queue_driver_read,
	 virtio_queue_driver_write},
	{VIRTIO_PCI_COMMON_Q_USEDLO, 8, true, virtio_queue_device_read,
	 virtio_queue_device_write},
	{VIRTIO_PCI_COMMON_RESET, 2, true, virtio_queue_reset_read,
	 virtio_queue_reset_write},
};

/** virtio_reg_find() - the register that holds byte @at, or NULL. */
static const struct virtio_reg *virtio_reg_find(uint64_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(virtio_regs); i++) {
		const struct virtio_reg *r = &virtio_regs[i];

		if (at >= r->offset && at - r->offset < r->bytes)
			return r;
	}
	return NULL;
}

/** virtio_reg_value() - all bits of a register */
static uint64_t virtio_reg_value(struct virtio_pci *vp,
				 const struct virtio_reg *r)
{
	if (!r->per_queue)
		return r->read(vp, NULL);
	if (vp->queue_select >= vp->queue_cnt)
		return 0;
	return r->read(vp, &vp->queue[vp->queue_select]);
}

uint64_t virtio_pci_common_read(struct virtio_pci *vp, uint64_t offset,
				uint32_t len)
{
	uint64_t value = 0;
	uint32_t i = 0;

	while (i < len) {
		const struct virtio_reg *r = virtio_reg_find(offset + i);
		uint64_t part;
		uint32_t skip;

		if (!r) {
			i++;
			continue;
		}
		skip = (uint32_t)(offset + i - r->offset);
		part = virtio_reg_value(vp, r) >> (skip * 8);
		value |= part << (i * 8);
		i += r->bytes - skip;
	}
	return value & bus_mask(len);
}

/** virtio_reg_merge() - a half of a 64-bit register and the other, old half */
static uint64_t virtio_reg_merge(uint64_t old, uint32_t skip, uint64_t value)
{
	if (skip == 0)
		return (old & ~0xffffffffULL) | value;
	return (old & 0xffffffffULL) | value << 32;
}

void virtio_pci_common_write(struct virtio_pci *vp, uint64_t offset,
			     uint32_t len, uint64_t value)
{
	const struct virtio_reg *r = virtio_reg_find(offset);
	struct virtio_queue *q = NULL;
	uint32_t skip;

	if (!r || !r->write)
		return;
	/* Until a reset is through, everything but looking is refused. */
	if (vp->reset_wanted)
		return;
	if (r->per_queue) {
		if (vp->queue_select >= vp->queue_cnt)
			return;
		q = &vp->queue[vp->queue_select];
	}
	skip = (uint32_t)(offset - r->offset);
	if (r->bytes == 8 && len == 4 && skip % 4 == 0)
		value = virtio_reg_merge(r->read(vp, q), skip, value);
	else if (skip != 0 || len != r->bytes)
		return;
	r->write(vp, q, value);
}
