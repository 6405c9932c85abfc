// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: PCI scan of bus 0, BARs, capabilities.
 */
#include "pci.h"

#include "cpu.h"

#define CAPS_MAX 48

struct pci_fn pci_fns[PCI_FNS_MAX];
unsigned int pci_fn_cnt;

uint64_t pci_bar_read(const struct pci_fn *fn, unsigned int n)
{
	uint32_t lo = mmio_r32(fn->cfg + PCI_BAR(n));

	if (lo & 1)
		return lo & ~3u;
	if (!fn->bar[n].wide)
		return lo & ~15u;
	return (lo & ~15u) | (uint64_t)mmio_r32(fn->cfg + PCI_BAR(n + 1)) << 32;
}

void pci_bar_write(struct pci_fn *fn, unsigned int n, uint64_t addr)
{
	mmio_w32(fn->cfg + PCI_BAR(n), (uint32_t)addr);
	if (fn->bar[n].wide)
		mmio_w32(fn->cfg + PCI_BAR(n + 1), (uint32_t)(addr >> 32));
	fn->bar[n].addr = addr;
}

/**
 * pci_bar_size - the all-ones dance, decode off meanwhile, as firmware does.
 */
void pci_bar_size(struct pci_fn *fn, unsigned int n)
{
	uint16_t command = mmio_r16(fn->cfg + PCI_COMMAND);
	uint32_t lo = mmio_r32(fn->cfg + PCI_BAR(n));
	struct pci_bar *b = &fn->bar[n];
	uint64_t addr, mask;

	b->mem = !(lo & 1);
	b->wide = b->mem && (lo & 6) == 4;
	addr = pci_bar_read(fn, n);
	pci_command(fn,
		    (uint16_t)(command & ~(PCI_COMMAND_MEM | PCI_COMMAND_IO)));
	pci_bar_write(fn, n, ~0ull);
	mask = pci_bar_read(fn, n);
	pci_bar_write(fn, n, addr);
	pci_command(fn, command);
	if (!b->wide && (uint32_t)mask)
		mask |= ~0ull << 32;
	b->bytes = mask ? 0 - mask : 0;
	if (!b->mem)
		b->bytes &= 0xffff;
}

/** pci_fn_add - one function; sizes and maps its BARs. */
static const char *pci_fn_add(volatile uint8_t *cfg, uint16_t bdf)
{
	struct pci_fn *fn = &pci_fns[pci_fn_cnt];
	bool bridge = (mmio_r8(cfg + 0x0e) & 0x7f) != 0;

	if (pci_fn_cnt == PCI_FNS_MAX)
		return "more PCI functions than the guest has room for";
	pci_fn_cnt++;
	fn->cfg = cfg;
	fn->bdf = bdf;
	fn->vendor = mmio_r16(cfg);
	fn->device = mmio_r16(cfg + 2);
	for (unsigned int n = 0; n < PCI_BARS && !bridge; n++) {
		struct pci_bar *b = &fn->bar[n];

		pci_bar_size(fn, n);
		if (b->bytes & (b->bytes - 1))
			return "a BAR's size is no power of two";
		if (b->mem && b->bytes && b->addr >> 32 &&
		    !page_map(b->addr, b->bytes, true))
			return "a BAR cannot be mapped";
		if (b->wide)
			n++;
	}
	return NULL;
}

const char *pci_scan(uint64_t ecam)
{
	for (unsigned int dev = 0; dev < 32; dev++) {
		unsigned int fns = 1;

		for (unsigned int f = 0; f < fns; f++) {
			volatile uint8_t *cfg =
				at_addr(ecam + (dev << 15 | f << 12));
			const char *bad;

			if (mmio_r16(cfg) == 0xffff)
				continue;
			if (f == 0 && mmio_r8(cfg + 0x0e) & 0x80)
				fns = 8;
			bad = pci_fn_add(cfg, (uint16_t)(dev << 3 | f));
			if (bad)
				return bad;
		}
	}
	return pci_fn_cnt ? NULL : "nothing answers on bus 0";
}

bool pci_addr_free(uint64_t addr, uint64_t bytes)
{
	for (unsigned int i = 0; i < pci_fn_cnt; i++) {
		for (unsigned int n = 0; n < PCI_BARS; n++) {
			const struct pci_bar *b = &pci_fns[i].bar[n];

			if (b->mem && b->bytes && addr < b->addr + b->bytes &&
			    b->addr < addr + bytes)
				return false;
		}
	}
	return true;
}

uint8_t pci_cap_next(const struct pci_fn *fn, uint8_t pos, uint8_t id)
{
	if (!(mmio_r16(fn->cfg + 6) & 0x10))
		return 0;
	for (int i = 0; i < CAPS_MAX; i++) {
		pos = mmio_r8(fn->cfg + (pos ? pos + 1 : 0x34)) & 0xfc;
		if (pos < 0x40)
			return 0;
		if (mmio_r8(fn->cfg + pos) == id)
			return pos;
	}
	return 0;
}
