/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: PCI by ECAM, bus 0 (PCI Local Bus 3.0, PCI Express 4.0 7.2.2).
 */
#ifndef GUEST_PCI_H
#define GUEST_PCI_H

#include "lib.h"

#define PCI_FNS_MAX 32
#define PCI_BARS 6
#define PCI_COMMAND 0x04
#define PCI_COMMAND_IO 1u
#define PCI_COMMAND_MEM 2u
#define PCI_COMMAND_MASTER 4u
#define PCI_BAR(n) (0x10u + 4 * (n))

struct pci_bar {
	uint64_t addr, bytes; /* bytes 0: none */
	bool mem, wide;
};

struct pci_fn {
	volatile uint8_t *cfg; /* 4 KiB of configuration space */
	uint16_t vendor, device, bdf;
	struct pci_bar bar[PCI_BARS];
};

extern struct pci_fn pci_fns[PCI_FNS_MAX];
extern unsigned int pci_fn_cnt;

/* Scans bus 0, sizes all BARs; NULL, or what is wrong. */
const char *pci_scan(uint64_t ecam);
void pci_bar_size(struct pci_fn *fn, unsigned int n);
void pci_bar_write(struct pci_fn *fn, unsigned int n, uint64_t addr);
uint64_t pci_bar_read(const struct pci_fn *fn, unsigned int n);
/* Is [addr, addr + bytes) clear of every memory BAR? */
bool pci_addr_free(uint64_t addr, uint64_t bytes);
/* Next capability with this id after @pos (0: first); 0 when none. */
uint8_t pci_cap_next(const struct pci_fn *fn, uint8_t pos, uint8_t id);

static inline void pci_command(struct pci_fn *fn, uint16_t value)
{
	mmio_w16(fn->cfg + PCI_COMMAND, value);
}

#endif
