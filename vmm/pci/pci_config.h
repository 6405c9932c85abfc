/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pci_config.h - the 256 bytes of a type 0 PCI function: what is in them and
 * which bits a guest may write. Pure. PCI Local Bus 3.0 section 6.1.
 */
#ifndef VMM_PCI_PCI_CONFIG_H
#define VMM_PCI_PCI_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"

#define PCI_CONFIG_BYTES 256u

/**
 * struct pci_config - config space
 * @data: as the guest reads it
 * @wmask: bits that the guest may change
 * @cap_last: offset of the last capability, 0 for none; kept because the
 * chain's layout cannot be worked out from its contents
 * @cap_next: where the next capability goes
 */
struct pci_config {
	uint8_t data[PCI_CONFIG_BYTES];
	uint8_t wmask[PCI_CONFIG_BYTES];
	uint32_t cap_last;
	uint32_t cap_next;
};

/**
 * struct pci_ids - fixed identity
 * @class_code: base class, subclass, interface: 24 bits
 */
struct pci_ids {
	uint16_t vendor;
	uint16_t device;
	uint16_t subsystem_vendor;
	uint16_t subsystem;
	uint32_t class_code;
	uint8_t revision;
};

/** pci_config_init() - header of a function with no BAR and no INTx pin. */
void pci_config_init(struct pci_config *c, const struct pci_ids *ids);

/**
 * pci_config_bar_init() - BAR 0: 32-bit, not prefetchable memory
 * @size: power of two, 16 bytes to 1 GiB
 * @gpa: first address, size-aligned
 */
void pci_config_bar_init(struct pci_config *c, uint32_t size, uint32_t gpa);

/**
 * pci_config_cap_add() - appends a capability; its body is 0 and read-only
 * @bytes: with the two header bytes
 * Return: 0 and the offset; -ENOSPC.
 */
MUST_CHECK int pci_config_cap_add(struct pci_config *c, uint8_t id,
				  uint32_t bytes, uint32_t *ret_offset);

/** pci_config_get() - the vmm's own read; offset + len within the space. */
uint32_t pci_config_get(const struct pci_config *c, uint32_t offset,
			uint32_t len);
/** pci_config_set() - the vmm's own write, ignores the mask. */
void pci_config_set(struct pci_config *c, uint32_t offset, uint32_t len,
		    uint32_t value);
/** pci_config_allow() - lets the guest write these bits. */
void pci_config_allow(struct pci_config *c, uint32_t offset, uint32_t len,
		      uint32_t mask);

/**
 * pci_config_read() - a guest's read: all ones for a width other than 1, 2, 4
 * or a misaligned one, 0 behind the 256 bytes
 */
uint32_t pci_config_read(const struct pci_config *c, uint32_t offset,
			 uint32_t len);
/**
 * pci_config_write() - a guest's write through the mask
 * Return: true if it was a well-formed access to the first 256 bytes.
 */
bool pci_config_write(struct pci_config *c, uint32_t offset, uint32_t len,
		      uint32_t value);

/** pci_config_overlaps() - does the access touch [field, field + size)? */
static inline bool pci_config_overlaps(uint32_t offset, uint32_t len,
				       uint32_t field, uint32_t size)
{
	return offset < field + size && field < offset + len;
}

#endif
