// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_fake.c - the fake world of virtio_fake.h. No KVM, no process.
 */
#include "virtio_fake.h"

#include <stdlib.h>
#include <string.h>

#include "vmm/layout.h"

static void fake_post(void *ctx)
{
	struct fake *f = ctx;

	f->posts++;
}

static int fake_doorbell(void *ctx, uint64_t gpa, int fd, bool assign)
{
	struct fake *f = ctx;

	f->doorbell_calls++;
	for (uint32_t i = 0; i < f->vp.queue_cnt; i++) {
		if (f->vp.queue[i].kick_fd != fd)
			continue;
		if (assign ? f->doorbell[i] != 0 : f->doorbell[i] != gpa)
			f->bad++;
		f->doorbell[i] = assign ? gpa : 0;
		return 0;
	}
	f->bad++;
	return -1;
}

static int fake_route(void *ctx, uint32_t gsi, uint64_t addr, uint32_t data)
{
	(void)ctx;
	(void)gsi;
	(void)addr;
	(void)data;
	return 0;
}

static int fake_irqfd(void *ctx, uint32_t gsi, int fd, bool assign)
{
	(void)ctx;
	(void)gsi;
	(void)fd;
	(void)assign;
	return 0;
}

static const struct msix_ops fake_msix_ops = {fake_route, fake_irqfd};

void fake_init(struct fake *f)
{
	struct virtio_pci_desc desc = {
		.virtio_id = 2,
		.features = FAKE_FEATURES | FAKE_BIT(VIRTIO_PCI_F_SR_IOV),
		.queue_size = {FAKE_QUEUE_SIZE, FAKE_QUEUE_SIZE, 64},
		.queue_cnt = FAKE_QUEUES,
		.config = "abcdefghijklmnopqrst",
		.config_len = 20,
		.config_writable = 8,
		.bar_gpa = FAKE_BAR,
		.gsi_base = LAYOUT_MSI_GSI_FIRST,
	};
	struct virtio_pci_env env = {
		.post = fake_post,
		.post_ctx = f,
		.doorbell = fake_doorbell,
		.doorbell_ctx = f,
		.msix_ops = &fake_msix_ops,
		.ram = &f->ram,
	};

	memset(f, 0, sizeof(*f));
	memtable_layout(FAKE_RAM, &f->ram);
	pci_bus_init(&f->bus);
	if (virtio_pci_init(&f->vp, "fake", &desc, &env) < 0 ||
	    pci_bus_attach(&f->bus, &f->vp.func, 1) < 0)
		abort();
}

void fake_fini(struct fake *f)
{
	virtio_pci_fini(&f->vp);
}

uint64_t fake_rd(struct fake *f, uint32_t offset, uint32_t len)
{
	uint64_t at = f->vp.func.bar_gpa + offset - LAYOUT_MMIO32_GPA;

	return pci_bus_mmio_ops.read(&f->bus, at, len) & bus_mask(len);
}

void fake_wr(struct fake *f, uint32_t offset, uint32_t len, uint64_t value)
{
	uint64_t at = f->vp.func.bar_gpa + offset - LAYOUT_MMIO32_GPA;

	pci_bus_mmio_ops.write(&f->bus, at, len, value & bus_mask(len));
}

uint32_t fake_cfg_rd(struct fake *f, uint32_t reg, uint32_t len)
{
	return (uint32_t)pci_bus_ecam_ops.read(&f->bus, 1u << 15 | reg, len);
}

void fake_cfg_wr(struct fake *f, uint32_t reg, uint32_t len, uint32_t value)
{
	pci_bus_ecam_ops.write(&f->bus, 1u << 15 | reg, len, value);
}

uint8_t fake_status(struct fake *f)
{
	return (uint8_t)fake_rd(f, VIRTIO_PCI_COMMON_STATUS, 1);
}

void fake_negotiate(struct fake *f, uint64_t acked)
{
	fake_wr(f, VIRTIO_PCI_COMMON_STATUS, 1, ST_ACK);
	fake_wr(f, VIRTIO_PCI_COMMON_STATUS, 1, ST_ACK | ST_DRIVER);
	fake_wr(f, VIRTIO_PCI_COMMON_GFSELECT, 4, 0);
	fake_wr(f, VIRTIO_PCI_COMMON_GF, 4, (uint32_t)acked);
	fake_wr(f, VIRTIO_PCI_COMMON_GFSELECT, 4, 1);
	fake_wr(f, VIRTIO_PCI_COMMON_GF, 4, acked >> 32);
	fake_wr(f, VIRTIO_PCI_COMMON_STATUS, 1,
		ST_ACK | ST_DRIVER | ST_FEATURES);
}

void fake_queue(struct fake *f, uint32_t idx)
{
	uint64_t at = 0x100000 + idx * 0x10000ULL;

	fake_wr(f, VIRTIO_PCI_COMMON_Q_SELECT, 2, idx);
	fake_wr(f, VIRTIO_PCI_COMMON_Q_DESCLO, 8, at);
	fake_wr(f, VIRTIO_PCI_COMMON_Q_AVAILLO, 4, at + 0x4000);
	fake_wr(f, VIRTIO_PCI_COMMON_Q_AVAILHI, 4, 0);
	fake_wr(f, VIRTIO_PCI_COMMON_Q_USEDLO, 8, at + 0x8000);
	fake_wr(f, VIRTIO_PCI_COMMON_Q_ENABLE, 2, 1);
}

bool fake_job(struct fake *f, enum virtio_job_kind kind, uint32_t error)
{
	struct virtio_job job;

	if (!virtio_pci_job_next(&f->vp, &job) || job.kind != kind)
		return false;
	return virtio_pci_job_done(&f->vp, &job, error) == 0;
}

bool fake_idle(struct fake *f)
{
	struct virtio_job job;

	return !virtio_pci_job_next(&f->vp, &job);
}

void fake_start(struct fake *f)
{
	struct virtio_job job;

	fake_negotiate(f, FAKE_FEATURES);
	fake_queue(f, 0);
	fake_wr(f, VIRTIO_PCI_COMMON_STATUS, 1,
		ST_ACK | ST_DRIVER | ST_FEATURES | ST_OK);
	while (virtio_pci_job_next(&f->vp, &job)) {
		if (virtio_pci_job_done(&f->vp, &job, 0) < 0)
			abort();
	}
}
