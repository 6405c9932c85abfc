// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_pci.c - a virtio-pci function: identity, capabilities (VIRTIO 1.2
 * sections 4.1.2 and 4.1.4), and which structure of the BAR an access meets.
 * Runs on vCPU threads; offsets, widths and values come from the guest.
 */
#include "vmm/virtio/virtio_pci.h"

#include <errno.h>
#include <linux/pci_regs.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ids.h>
#include <linux/virtio_pci.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LOG_MODULE "virtio"
#include "ipc/fds.h"
#include "ipc/log.h"
#include "vmm/virtio/virtio_parts.h"

#define VIRTIO_PCI_VENDOR 0x1af4u
#define VIRTIO_PCI_DEVICE_BASE 0x1040u

/* Features that belong to transports or devices we do not have. */
#define VIRTIO_PCI_NOT_OFFERED                    \
	(1ULL << VIRTIO_PCI_F_SR_IOV |            \
	 1ULL << VIRTIO_PCI_F_NOTIFICATION_DATA | \
	 1ULL << VIRTIO_PCI_F_NOTIF_CONFIG_DATA | \
	 1ULL << VIRTIO_PCI_F_ADMIN_VQ)

/* PCI class of each device type that has one of its own. */
static const struct {
	uint32_t virtio_id;
	uint32_t class_code;
} virtio_pci_classes[] = {
	{VIRTIO_ID_NET, 0x020000},     {VIRTIO_ID_BLOCK, 0x010000},
	{VIRTIO_ID_CONSOLE, 0x078000}, {VIRTIO_ID_GPU, 0x038000},
	{VIRTIO_ID_INPUT, 0x098000},   {VIRTIO_ID_FS, 0x018000},
};

/** virtio_pci_class() - "unassigned" for a type without a row */
static uint32_t virtio_pci_class(uint32_t virtio_id)
{
	for (size_t i = 0; i < ARRAY_SIZE(virtio_pci_classes); i++) {
		if (virtio_pci_classes[i].virtio_id == virtio_id)
			return virtio_pci_classes[i].class_code;
	}
	return 0xff0000;
}

/** virtio_isr_read() - reading clears (section 4.1.4.5) */
static uint64_t virtio_isr_read(struct virtio_pci *vp)
{
	uint8_t isr = vp->isr;

	vp->isr = 0;
	return isr;
}

/** virtio_device_read() - the cached config; 0 behind its end */
static uint64_t virtio_device_read(const struct virtio_pci *vp, uint64_t offset,
				   uint32_t len)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < len && offset + i < vp->config_len; i++)
		value |= (uint64_t)vp->config[offset + i] << (i * 8);
	return value;
}

/**
 * virtio_device_write() - the cache takes it at once, the device by a job; what
 * the device makes of it comes back as CONFIG_PUSH
 */
static void virtio_device_write(struct virtio_pci *vp, uint64_t offset,
				uint32_t len, uint64_t value)
{
	struct virtio_config_write *w;

	if (offset >= vp->config_writable ||
	    len > vp->config_writable - offset || vp->reset_wanted)
		return;
	if (vp->write_cnt == VIRTIO_PCI_WRITES_MAX) {
		log_guest(LOG_LEVEL_WARN, "%s: config write dropped: %u wait",
			  vp->name, vp->write_cnt);
		return;
	}
	w = &vp->write[vp->write_cnt++];
	*w = (struct virtio_config_write){.offset = (uint32_t)offset,
					  .len = len};
	for (uint32_t i = 0; i < len; i++)
		w->data[i] = (uint8_t)(value >> (i * 8));
	memcpy(&vp->config[offset], w->data, len);
	vp->env.post(vp->env.post_ctx);
}

/** virtio_notify_write() - a kick that KVM did not catch */
static void virtio_notify_write(struct virtio_pci *vp, uint64_t offset)
{
	uint64_t idx = offset / VIRTIO_PCI_NOTIFY_STRIDE;
	uint64_t one = 1;

	if (idx >= vp->queue_cnt)
		return;
	stats_add(vp->env.stats, STAT_NOTIFY_USER, 1);
	/* Non-blocking: EAGAIN is a counter that says "kicked" already. */
	if (write(vp->queue[idx].kick_fd, &one, sizeof(one)) < 0 &&
	    errno != EAGAIN)
		log_guest(LOG_LEVEL_ERR, "%s: kick: errno %d", vp->name, errno);
}

static uint64_t virtio_pci_bar_read(struct pci_func *f, uint64_t offset,
				    uint32_t len)
{
	struct virtio_pci *vp = container_of(f, struct virtio_pci, func);
	uint64_t at = offset % VIRTIO_PCI_PAGE_BYTES;

	switch (offset - at) {
	case VIRTIO_PCI_COMMON_OFFSET:
		return virtio_pci_common_read(vp, at, len);
	case VIRTIO_PCI_ISR_OFFSET:
		return at == 0 ? virtio_isr_read(vp) : 0;
	case VIRTIO_PCI_DEVICE_OFFSET:
		return virtio_device_read(vp, at, len);
	case VIRTIO_PCI_TABLE_OFFSET:
		return msix_table_read(&vp->msix, at, len);
	case VIRTIO_PCI_PBA_OFFSET:
		return msix_pba_read(&vp->msix, at, len);
	default:
		return 0;
	}
}

static void virtio_pci_bar_write(struct pci_func *f, uint64_t offset,
				 uint32_t len, uint64_t value)
{
	struct virtio_pci *vp = container_of(f, struct virtio_pci, func);
	uint64_t at = offset % VIRTIO_PCI_PAGE_BYTES;

	switch (offset - at) {
	case VIRTIO_PCI_COMMON_OFFSET:
		virtio_pci_common_write(vp, at, len, value);
		break;
	case VIRTIO_PCI_DEVICE_OFFSET:
		virtio_device_write(vp, at, len, value);
		break;
	case VIRTIO_PCI_NOTIFY_OFFSET:
		virtio_notify_write(vp, at);
		break;
	case VIRTIO_PCI_TABLE_OFFSET:
		msix_table_write(&vp->msix, at, len, value);
		break;
	default:
		break;
	}
}

/**
 * virtio_pci_window() - the BAR access that the PCI configuration access
 * capability describes (section 4.1.4.9)
 * Return: false if the driver set it up wrongly.
 */
static bool virtio_pci_window(const struct virtio_pci *vp, uint32_t *ret_offset,
			      uint32_t *ret_len)
{
	const struct pci_config *c = &vp->func.cfg;
	uint32_t cap = vp->cap_pci_cfg;
	uint32_t offset = pci_config_get(c, cap + VIRTIO_PCI_CAP_OFFSET, 4);
	uint32_t len = pci_config_get(c, cap + VIRTIO_PCI_CAP_LENGTH, 4);

	if (pci_config_get(c, cap + VIRTIO_PCI_CAP_BAR, 1) != 0 ||
	    (len != 1 && len != 2 && len != 4) || (offset & (len - 1)) ||
	    offset > VIRTIO_PCI_BAR_BYTES - len)
		return false;
	*ret_offset = offset;
	*ret_len = len;
	return true;
}

/** virtio_pci_window_hit() - is this access the capability's data field? */
static bool virtio_pci_window_hit(const struct virtio_pci *vp, uint32_t offset,
				  uint32_t len)
{
	uint32_t data = vp->cap_pci_cfg + sizeof(struct virtio_pci_cap);

	return pci_config_overlaps(offset, len, data, 4);
}

static uint32_t virtio_pci_config_read(struct pci_func *f, uint32_t offset,
				       uint32_t len, uint32_t value)
{
	struct virtio_pci *vp = container_of(f, struct virtio_pci, func);
	uint32_t at;
	uint32_t bytes;

	if (!virtio_pci_window_hit(vp, offset, len) ||
	    !virtio_pci_window(vp, &at, &bytes))
		return value;
	return (uint32_t)virtio_pci_bar_read(f, at, bytes);
}

/** virtio_pci_msix_control() - after a write that may concern MSI-X */
static void virtio_pci_msix_control(struct virtio_pci *vp)
{
	const struct pci_config *c = &vp->func.cfg;
	uint32_t flags = pci_config_get(c, vp->cap_msix + PCI_MSIX_FLAGS, 2);
	uint32_t command = pci_config_get(c, PCI_COMMAND, 2);

	msix_control(&vp->msix, flags & PCI_MSIX_FLAGS_ENABLE,
		     flags & PCI_MSIX_FLAGS_MASKALL,
		     command & PCI_COMMAND_MASTER);
}

static void virtio_pci_config_write(struct pci_func *f, uint32_t offset,
				    uint32_t len, uint32_t value)
{
	struct virtio_pci *vp = container_of(f, struct virtio_pci, func);
	uint32_t at;
	uint32_t bytes;

	virtio_pci_msix_control(vp);
	if (virtio_pci_window_hit(vp, offset, len) &&
	    virtio_pci_window(vp, &at, &bytes))
		virtio_pci_bar_write(f, at, bytes, value & bus_mask(bytes));
}

static void virtio_pci_bar_moved(struct pci_func *f)
{
	struct virtio_pci *vp = container_of(f, struct virtio_pci, func);

	for (uint32_t i = 0; i < vp->queue_cnt; i++)
		virtio_queue_doorbell_sync(vp, i);
}

static const struct pci_func_ops virtio_pci_func_ops = {
	.config_read = virtio_pci_config_read,
	.config_write = virtio_pci_config_write,
	.bar_read = virtio_pci_bar_read,
	.bar_write = virtio_pci_bar_write,
	.bar_moved = virtio_pci_bar_moved,
};

/** struct virtio_pci_structure - a row per vendor capability */
struct virtio_pci_structure {
	uint8_t type;
	uint8_t cap_bytes;
	uint32_t offset;
	uint32_t bytes;
};

/** virtio_pci_cap_add() - one vendor capability (struct virtio_pci_cap) */
static int virtio_pci_cap_add(struct pci_config *c,
			      const struct virtio_pci_structure *s,
			      uint32_t *ret_cap)
{
	uint32_t cap = 0;
	int ret = pci_config_cap_add(c, PCI_CAP_ID_VNDR, s->cap_bytes, &cap);

	if (ret < 0)
		return ret;
	pci_config_set(c, cap + VIRTIO_PCI_CAP_LEN, 1, s->cap_bytes);
	pci_config_set(c, cap + VIRTIO_PCI_CAP_CFG_TYPE, 1, s->type);
	pci_config_set(c, cap + VIRTIO_PCI_CAP_OFFSET, 4, s->offset);
	pci_config_set(c, cap + VIRTIO_PCI_CAP_LENGTH, 4, s->bytes);
	*ret_cap = cap;
	return 0;
}

/** virtio_pci_caps_init() - MSI-X and the five structures */
static int virtio_pci_caps_init(struct virtio_pci *vp)
{
	const struct virtio_pci_structure rows[] = {
		{VIRTIO_PCI_CAP_COMMON_CFG, 16, VIRTIO_PCI_COMMON_OFFSET,
		 VIRTIO_PCI_COMMON_BYTES},
		{VIRTIO_PCI_CAP_ISR_CFG, 16, VIRTIO_PCI_ISR_OFFSET, 1},
		{VIRTIO_PCI_CAP_DEVICE_CFG, 16, VIRTIO_PCI_DEVICE_OFFSET,
		 vp->config_len},
		{VIRTIO_PCI_CAP_NOTIFY_CFG, 20, VIRTIO_PCI_NOTIFY_OFFSET,
		 vp->queue_cnt * VIRTIO_PCI_NOTIFY_STRIDE},
		{VIRTIO_PCI_CAP_PCI_CFG, 20, 0, 0},
	};
	struct pci_config *c = &vp->func.cfg;
	uint32_t cap = 0;
	int ret = pci_config_cap_add(c, PCI_CAP_ID_MSIX, PCI_CAP_MSIX_SIZEOF,
				     &vp->cap_msix);

	if (ret < 0)
		return ret;
	pci_config_set(c, vp->cap_msix + PCI_MSIX_FLAGS, 2,
		       vp->msix.vector_cnt - 1);
	pci_config_allow(c, vp->cap_msix + PCI_MSIX_FLAGS, 2,
			 PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	pci_config_set(c, vp->cap_msix + PCI_MSIX_TABLE, 4,
		       VIRTIO_PCI_TABLE_OFFSET);
	pci_config_set(c, vp->cap_msix + PCI_MSIX_PBA, 4,
		       VIRTIO_PCI_PBA_OFFSET);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		/* A device without config space has no structure for it. */
		if (rows[i].type == VIRTIO_PCI_CAP_DEVICE_CFG &&
		    rows[i].bytes == 0)
			continue;
		ret = virtio_pci_cap_add(c, &rows[i], &cap);
		if (ret < 0)
			return ret;
		if (rows[i].type == VIRTIO_PCI_CAP_NOTIFY_CFG)
			pci_config_set(c, cap + VIRTIO_PCI_NOTIFY_CAP_MULT, 4,
				       VIRTIO_PCI_NOTIFY_STRIDE);
	}
	/* The last one is the window: bar, offset, length, data. */
	vp->cap_pci_cfg = cap;
	pci_config_allow(c, cap + VIRTIO_PCI_CAP_BAR, 1, 0xff);
	pci_config_allow(c, cap + VIRTIO_PCI_CAP_OFFSET, 4, UINT32_MAX);
	pci_config_allow(c, cap + VIRTIO_PCI_CAP_LENGTH, 4, UINT32_MAX);
	pci_config_allow(c, cap + (uint32_t)sizeof(struct virtio_pci_cap), 4,
			 UINT32_MAX);
	return 0;
}

/** virtio_pci_eventfds_init() - config source first, then each queue */
static int virtio_pci_eventfds_init(struct virtio_pci *vp)
{
	vp->config_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (vp->config_fd < 0)
		return -errno;
	msix_source_add(&vp->msix, vp->config_fd);
	for (uint32_t i = 0; i < vp->queue_cnt; i++) {
		struct virtio_queue *q = &vp->queue[i];

		q->kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (q->kick_fd < 0)
			return -errno;
		q->call_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (q->call_fd < 0)
			return -errno;
		msix_source_add(&vp->msix, q->call_fd);
	}
	return 0;
}

int virtio_pci_init(struct virtio_pci *vp, const char *name,
		    const struct virtio_pci_desc *desc,
		    const struct virtio_pci_env *env)
{
	const struct pci_ids ids = {
		.vendor = VIRTIO_PCI_VENDOR,
		.device = (uint16_t)(VIRTIO_PCI_DEVICE_BASE + desc->virtio_id),
		.subsystem_vendor = VIRTIO_PCI_VENDOR,
		.subsystem =
			(uint16_t)(VIRTIO_PCI_DEVICE_BASE + desc->virtio_id),
		.class_code = virtio_pci_class(desc->virtio_id),
		.revision = 1,
	};
	int ret;

	*vp = (struct virtio_pci){.env = *env,
				  .name = name,
				  .offered = desc->features &
					     ~VIRTIO_PCI_NOT_OFFERED,
				  .queue_cnt = desc->queue_cnt,
				  .config_fd = -1,
				  .config_len = desc->config_len,
				  .config_writable = desc->config_writable};
	memcpy(vp->config, desc->config, desc->config_len);
	for (uint32_t i = 0; i < desc->queue_cnt; i++) {
		vp->queue[i] = (struct virtio_queue){
			.size_max = desc->queue_size[i],
			.kick_fd = -1,
			.call_fd = -1,
		};
		virtio_queue_clear(&vp->queue[i]);
	}
	pci_func_init(&vp->func, &ids, &virtio_pci_func_ops);
	pci_func_bar_init(&vp->func, VIRTIO_PCI_BAR_BYTES, desc->bar_gpa);
	msix_init(&vp->msix, env->msix_ops, env->msix_ctx, desc->queue_cnt + 1,
		  desc->gsi_base);
	ret = virtio_pci_caps_init(vp);
	return ret < 0 ? ret : virtio_pci_eventfds_init(vp);
}

void virtio_pci_fini(struct virtio_pci *vp)
{
	fd_cleanup(&vp->config_fd);
	for (uint32_t i = 0; i < vp->queue_cnt; i++) {
		fd_cleanup(&vp->queue[i].kick_fd);
		fd_cleanup(&vp->queue[i].call_fd);
	}
}
