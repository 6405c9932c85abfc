// SPDX-License-Identifier: Apache-2.0
/*
 * pci_bus.c - ECAM (PCI Express 3.0 section 7.2.2) and BAR decoding of bus 0.
 * Runs on vCPU threads; every address and value comes from the guest.
 *
 * Sizing: a guest writes all ones to a BAR, reads the mask back and writes the
 * address again. The all-ones write does not move what is decoded, so that
 * doorbells are not registered anew for a question. Any other write does, if
 * the result is another address; one outside the window is not decoded.
 */
#include "vmm/pci/pci_bus.h"

#include <errno.h>
#include <linux/pci_regs.h>
#include <stddef.h>

#include "vmm/layout.h"

/* A generic PCI Express host bridge, as other machines without firmware have.
 */
static const struct pci_ids pci_bridge_ids = {
	.vendor = 0x1b36,
	.device = 0x0008,
	.subsystem_vendor = 0x1af4,
	.subsystem = 0x1100,
	.class_code = 0x060000,
};

void pci_func_init(struct pci_func *f, const struct pci_ids *ids,
		   const struct pci_func_ops *ops)
{
	pthread_mutex_init(&f->lock, NULL);
	pci_config_init(&f->cfg, ids);
	f->ops = ops;
	f->bus = NULL;
	f->slot = 0;
	f->bar_size = 0;
	f->bar_gpa = 0;
}

void pci_func_bar_init(struct pci_func *f, uint32_t size, uint32_t gpa)
{
	pci_config_bar_init(&f->cfg, size, gpa);
	pci_config_set(&f->cfg, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	f->bar_size = size;
	f->bar_gpa = gpa;
}

void pci_bus_init(struct pci_bus *b)
{
	*b = (struct pci_bus){0};
	pthread_mutex_init(&b->lock, NULL);
	pci_func_init(&b->bridge, &pci_bridge_ids, NULL);
	b->bridge.bus = b;
	b->func[0] = &b->bridge;
}

int pci_bus_attach(struct pci_bus *b, struct pci_func *f, uint32_t slot)
{
	if (slot == 0 || slot >= PCI_SLOTS)
		return -EINVAL;
	if (b->func[slot])
		return -EEXIST;
	b->func[slot] = f;
	f->bus = b;
	f->slot = slot;
	b->map[slot] = f->bar_gpa;
	return 0;
}

/** pci_func_decoded() - where the BAR is by its registers; 0: nowhere. */
static uint64_t pci_func_decoded(const struct pci_func *f)
{
	uint32_t command = pci_config_get(&f->cfg, PCI_COMMAND, 2);
	uint64_t bar =
		pci_config_get(&f->cfg, PCI_BASE_ADDRESS_0, 4) & ~(uint32_t)0xf;

	if (!(command & PCI_COMMAND_MEMORY) || bar < LAYOUT_MMIO32_GPA ||
	    bar + f->bar_size > LAYOUT_MMIO32_GPA + LAYOUT_MMIO32_SIZE)
		return 0;
	return bar;
}

/** pci_func_decode_update() - after a write to COMMAND or BAR 0. */
static void pci_func_decode_update(struct pci_func *f, uint32_t offset,
				   uint32_t len)
{
	uint32_t bar = pci_config_get(&f->cfg, PCI_BASE_ADDRESS_0, 4);
	uint64_t gpa;

	if (f->bar_size == 0)
		return;
	if (pci_config_overlaps(offset, len, PCI_BASE_ADDRESS_0, 4) &&
	    bar == ~(f->bar_size - 1))
		return;
	gpa = pci_func_decoded(f);
	if (gpa == f->bar_gpa)
		return;
	f->bar_gpa = gpa;
	pthread_mutex_lock(&f->bus->lock);
	f->bus->map[f->slot] = gpa;
	pthread_mutex_unlock(&f->bus->lock);
	f->ops->bar_moved(f);
}

/** pci_ecam_func() - the function of an ECAM offset, NULL if none. */
static struct pci_func *pci_ecam_func(struct pci_bus *b, uint64_t offset)
{
	if ((offset >> 12) & 7)
		return NULL;
	return b->func[(offset >> 15) & (PCI_SLOTS - 1)];
}

static uint64_t pci_ecam_read(void *ctx, uint64_t offset, uint32_t len)
{
	struct pci_func *f = pci_ecam_func(ctx, offset);
	uint32_t reg = offset & 0xfff;
	uint32_t value;

	if (!f)
		return UINT64_MAX;
	pthread_mutex_lock(&f->lock);
	value = pci_config_read(&f->cfg, reg, len);
	if (f->ops && reg < PCI_CONFIG_BYTES)
		value = f->ops->config_read(f, reg, len, value);
	pthread_mutex_unlock(&f->lock);
	return value;
}

static void pci_ecam_write(void *ctx, uint64_t offset, uint32_t len,
			   uint64_t value)
{
	struct pci_func *f = pci_ecam_func(ctx, offset);
	uint32_t reg = offset & 0xfff;

	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	if (pci_config_write(&f->cfg, reg, len, (uint32_t)value) && f->ops) {
		if (pci_config_overlaps(reg, len, PCI_COMMAND, 2) ||
		    pci_config_overlaps(reg, len, PCI_BASE_ADDRESS_0, 4))
			pci_func_decode_update(f, reg, len);
		f->ops->config_write(f, reg, len, (uint32_t)value);
	}
	pthread_mutex_unlock(&f->lock);
}

const struct bus_ops pci_bus_ecam_ops = {
	.read = pci_ecam_read,
	.write = pci_ecam_write,
};

/**
 * pci_mmio_func() - the function whose BAR holds the access, locked
 * @gpa: of the access
 * Where BARs overlap, the lowest slot answers. The map is looked at without the
 * function's lock, so the answer is checked again under it.
 */
static struct pci_func *pci_mmio_func(struct pci_bus *b, uint64_t gpa,
				      uint32_t len)
{
	struct pci_func *f = NULL;

	pthread_mutex_lock(&b->lock);
	for (uint32_t i = 1; i < PCI_SLOTS && !f; i++) {
		if (b->map[i] && gpa >= b->map[i] &&
		    gpa - b->map[i] < b->func[i]->bar_size)
			f = b->func[i];
	}
	pthread_mutex_unlock(&b->lock);
	if (!f)
		return NULL;
	pthread_mutex_lock(&f->lock);
	if (f->bar_gpa && gpa >= f->bar_gpa &&
	    gpa - f->bar_gpa <= f->bar_size - len)
		return f;
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

static uint64_t pci_mmio_read(void *ctx, uint64_t offset, uint32_t len)
{
	uint64_t gpa = LAYOUT_MMIO32_GPA + offset;
	struct pci_func *f = pci_mmio_func(ctx, gpa, len);
	uint64_t value;

	if (!f)
		return UINT64_MAX;
	value = f->ops->bar_read(f, gpa - f->bar_gpa, len);
	pthread_mutex_unlock(&f->lock);
	return value;
}

static void pci_mmio_write(void *ctx, uint64_t offset, uint32_t len,
			   uint64_t value)
{
	uint64_t gpa = LAYOUT_MMIO32_GPA + offset;
	struct pci_func *f = pci_mmio_func(ctx, gpa, len);

	if (!f)
		return;
	f->ops->bar_write(f, gpa - f->bar_gpa, len, value);
	pthread_mutex_unlock(&f->lock);
}

const struct bus_ops pci_bus_mmio_ops = {
	.read = pci_mmio_read,
	.write = pci_mmio_write,
};
