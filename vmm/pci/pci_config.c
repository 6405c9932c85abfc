// SPDX-License-Identifier: Apache-2.0
/*
 * pci_config.c - a PCI function's config space. Offsets, widths and values of
 * the read and write calls come from the guest and are not trusted.
 */
#include "vmm/pci/pci_config.h"

#include <errno.h>
#include <linux/pci_regs.h>
#include <string.h>

#define PCI_CONFIG_CAPS_START 0x40u

uint32_t pci_config_get(const struct pci_config *c, uint32_t offset,
			uint32_t len)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < len; i++)
		value |= (uint32_t)c->data[offset + i] << (i * 8);
	return value;
}

void pci_config_set(struct pci_config *c, uint32_t offset, uint32_t len,
		    uint32_t value)
{
	for (uint32_t i = 0; i < len; i++)
		c->data[offset + i] = (uint8_t)(value >> (i * 8));
}

void pci_config_allow(struct pci_config *c, uint32_t offset, uint32_t len,
		      uint32_t mask)
{
	for (uint32_t i = 0; i < len; i++)
		c->wmask[offset + i] |= (uint8_t)(mask >> (i * 8));
}

void pci_config_init(struct pci_config *c, const struct pci_ids *ids)
{
	memset(c, 0, sizeof(*c));
	c->cap_next = PCI_CONFIG_CAPS_START;
	pci_config_set(c, PCI_VENDOR_ID, 2, ids->vendor);
	pci_config_set(c, PCI_DEVICE_ID, 2, ids->device);
	pci_config_set(c, PCI_CLASS_REVISION, 4,
		       ids->class_code << 8 | ids->revision);
	pci_config_set(c, PCI_SUBSYSTEM_VENDOR_ID, 2, ids->subsystem_vendor);
	pci_config_set(c, PCI_SUBSYSTEM_ID, 2, ids->subsystem);
	pci_config_allow(c, PCI_COMMAND, 2,
			 PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
				 PCI_COMMAND_PARITY | PCI_COMMAND_SERR |
				 PCI_COMMAND_INTX_DISABLE);
	pci_config_allow(c, PCI_CACHE_LINE_SIZE, 1, 0xff);
	pci_config_allow(c, PCI_INTERRUPT_LINE, 1, 0xff);
}

void pci_config_bar_init(struct pci_config *c, uint32_t size, uint32_t gpa)
{
	BUG_ON(size < 16 || (size & (size - 1)) || (gpa & (size - 1)));
	pci_config_set(c, PCI_BASE_ADDRESS_0, 4, gpa);
	pci_config_allow(c, PCI_BASE_ADDRESS_0, 4, ~(size - 1));
}

int pci_config_cap_add(struct pci_config *c, uint8_t id, uint32_t bytes,
		       uint32_t *ret_offset)
{
	uint32_t at = c->cap_next;

	if (bytes < 2 || bytes > PCI_CONFIG_BYTES - at)
		return -ENOSPC;
	if (c->cap_last) {
		c->data[c->cap_last + 1] = (uint8_t)at;
	} else {
		c->data[PCI_CAPABILITY_LIST] = (uint8_t)at;
		pci_config_set(c, PCI_STATUS, 2, PCI_STATUS_CAP_LIST);
	}
	c->data[at] = id;
	c->cap_last = at;
	c->cap_next = (at + bytes + 3) & ~3u;
	*ret_offset = at;
	return 0;
}

/** pci_config_access_ok() - a width and alignment that PCI has? */
static bool pci_config_access_ok(uint32_t offset, uint32_t len)
{
	return (len == 1 || len == 2 || len == 4) && !(offset & (len - 1));
}

uint32_t pci_config_read(const struct pci_config *c, uint32_t offset,
			 uint32_t len)
{
	if (!pci_config_access_ok(offset, len))
		return UINT32_MAX;
	if (offset >= PCI_CONFIG_BYTES)
		return 0;
	return pci_config_get(c, offset, len);
}

bool pci_config_write(struct pci_config *c, uint32_t offset, uint32_t len,
		      uint32_t value)
{
	if (!pci_config_access_ok(offset, len) || offset >= PCI_CONFIG_BYTES)
		return false;
	for (uint32_t i = 0; i < len; i++) {
		uint8_t mask = c->wmask[offset + i];
		uint8_t byte = (uint8_t)(value >> (i * 8));

		c->data[offset + i] = (uint8_t)((c->data[offset + i] & ~mask) |
						(byte & mask));
	}
	return true;
}
