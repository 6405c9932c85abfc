// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: virtio-pci transport: capabilities, status, features, MSI-X
 * (VIRTIO 1.2 section 4.1; MSI-X: PCI Local Bus 3.0 section 6.8.2).
 */
#include "virtio.h"

#include "cpu.h"

#define CAP_VENDOR 0x09
#define CAP_MSIX 0x11
#define MSIX_ENABLE 0x8000u
#define MSIX_MASK_ALL 0x4000u

/** read_vendor_cap - one structure, checked against its BAR. */
static const char *read_vendor_cap(struct virtio_dev *v, uint8_t pos)
{
	volatile uint8_t *c = v->fn->cfg + pos;
	uint8_t type = mmio_r8(c + 3);
	struct virtio_cap cap = {.pos = pos,
				 .bar = mmio_r8(c + 4),
				 .offset = mmio_r32(c + 8),
				 .bytes = mmio_r32(c + 12)};

	if (type == 0 || type >= VCAP_COUNT || v->cap[type].pos)
		return NULL; /* the first of a kind is the preferred one */
	if (type == VCAP_NOTIFY)
		v->notify_mult = mmio_r32(c + 16);
	v->cap[type] = cap;
	if (type == VCAP_PCI)
		return NULL;
	if (cap.bar >= PCI_BARS || !v->fn->bar[cap.bar].mem)
		return "a virtio capability names no memory BAR";
	if ((uint64_t)cap.offset + cap.bytes > v->fn->bar[cap.bar].bytes)
		return "a virtio structure ends beyond its BAR";
	return NULL;
}

/** read_msix - table and pending bits. */
static const char *read_msix(struct virtio_dev *v)
{
	volatile uint8_t *cfg = v->fn->cfg;
	uint32_t table, pba;

	v->msix_pos = pci_cap_next(v->fn, 0, CAP_MSIX);
	if (!v->msix_pos)
		return "no MSI-X capability";
	v->msix_cnt = (uint16_t)((mmio_r16(cfg + v->msix_pos + 2) & 0x7ff) + 1);
	table = mmio_r32(cfg + v->msix_pos + 4);
	pba = mmio_r32(cfg + v->msix_pos + 8);
	v->msix_bar = table & 7;
	v->msix_off = table & ~7u;
	v->pba_bar = pba & 7;
	v->pba_off = pba & ~7u;
	if (v->msix_bar >= PCI_BARS || v->pba_bar >= PCI_BARS ||
	    (uint64_t)v->msix_off + 16u * v->msix_cnt >
		    v->fn->bar[v->msix_bar].bytes ||
	    v->pba_off >= v->fn->bar[v->pba_bar].bytes)
		return "MSI-X table or pending bits lie beyond their BAR";
	return NULL;
}

/** in_bar - pointer into a BAR. */
static volatile uint8_t *in_bar(const struct virtio_dev *v, unsigned int bar,
				uint32_t offset)
{
	return at_addr(v->fn->bar[bar].addr + offset);
}

void virtio_remap(struct virtio_dev *v)
{
	const struct virtio_cap *c = v->cap;

	v->common = in_bar(v, c[VCAP_COMMON].bar, c[VCAP_COMMON].offset);
	v->notify = in_bar(v, c[VCAP_NOTIFY].bar, c[VCAP_NOTIFY].offset);
	v->isr = in_bar(v, c[VCAP_ISR].bar, c[VCAP_ISR].offset);
	v->config = in_bar(v, c[VCAP_DEVICE].bar, c[VCAP_DEVICE].offset);
	v->msix_table = in_bar(v, v->msix_bar, v->msix_off);
	v->msix_pba = in_bar(v, v->pba_bar, v->pba_off);
}

const char *virtio_find(struct virtio_dev *v, struct pci_fn *fn)
{
	const char *bad = NULL;
	uint8_t pos = 0;

	v->fn = fn;
	for (int i = 0; i < 16 && !bad; i++) {
		pos = pci_cap_next(fn, pos, CAP_VENDOR);
		if (!pos)
			break;
		bad = read_vendor_cap(v, pos);
	}
	for (unsigned int t = VCAP_COMMON; t <= VCAP_DEVICE && !bad; t++) {
		if (!v->cap[t].pos)
			bad = "a virtio capability is missing";
	}
	if (!bad)
		bad = read_msix(v);
	if (bad)
		return bad;
	pci_command(fn, PCI_COMMAND_MEM | PCI_COMMAND_MASTER);
	virtio_remap(v);
	return NULL;
}

uint8_t virtio_status(const struct virtio_dev *v)
{
	return mmio_r8(v->common + VC_STATUS);
}

void virtio_status_set(struct virtio_dev *v, uint8_t status)
{
	mmio_w8(v->common + VC_STATUS, status);
}

bool virtio_reset(struct virtio_dev *v)
{
	uint64_t end = deadline_ms(VIRTIO_RESET_MS);

	virtio_status_set(v, 0);
	while (virtio_status(v)) {
		if (deadline_over(end))
			return false;
		cpu_relax();
	}
	return true;
}

uint64_t virtio_features(struct virtio_dev *v)
{
	uint64_t f;

	mmio_w32(v->common + VC_DEVICE_FEATURE_SELECT, 0);
	f = mmio_r32(v->common + VC_DEVICE_FEATURE);
	mmio_w32(v->common + VC_DEVICE_FEATURE_SELECT, 1);
	return f | (uint64_t)mmio_r32(v->common + VC_DEVICE_FEATURE) << 32;
}

bool virtio_negotiate(struct virtio_dev *v, uint64_t features)
{
	uint8_t st = VS_ACKNOWLEDGE | VS_DRIVER;

	virtio_status_set(v, VS_ACKNOWLEDGE);
	virtio_status_set(v, st);
	mmio_w32(v->common + VC_DRIVER_FEATURE_SELECT, 0);
	mmio_w32(v->common + VC_DRIVER_FEATURE, (uint32_t)features);
	mmio_w32(v->common + VC_DRIVER_FEATURE_SELECT, 1);
	mmio_w32(v->common + VC_DRIVER_FEATURE, (uint32_t)(features >> 32));
	virtio_status_set(v, st | VS_FEATURES_OK);
	return virtio_status(v) & VS_FEATURES_OK;
}

void virtio_w64(volatile uint8_t *reg, uint64_t value)
{
	mmio_w32(reg, (uint32_t)value);
	mmio_w32(reg + 4, (uint32_t)(value >> 32));
}

void msix_enable(struct virtio_dev *v, bool on, bool mask_all)
{
	mmio_w16(v->fn->cfg + v->msix_pos + 2,
		 (uint16_t)((on ? MSIX_ENABLE : 0) |
			    (mask_all ? MSIX_MASK_ALL : 0)));
}

void msix_set(struct virtio_dev *v, unsigned int n, uint32_t apic_id,
	      uint8_t vec)
{
	volatile uint8_t *e = v->msix_table + 16u * n;

	mmio_w32(e + 12, 1);
	mmio_w32(e, 0xfee00000u | apic_id << 12);
	mmio_w32(e + 4, 0);
	mmio_w32(e + 8, vec);
	mmio_w32(e + 12, 0);
}

void msix_mask(struct virtio_dev *v, unsigned int n, bool masked)
{
	mmio_w32(v->msix_table + 16u * n + 12, masked);
}

bool msix_pending(const struct virtio_dev *v, unsigned int n)
{
	return mmio_r32(v->msix_pba + n / 32 * 4) >> n % 32 & 1;
}
