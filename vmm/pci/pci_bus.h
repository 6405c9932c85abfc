/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pci_bus.h - bus 0 behind ECAM: a host bridge and one single-function device
 * a slot, each with one 32-bit memory BAR inside LAYOUT_MMIO32.
 *
 * Locks: a function's lock guards its config space and all that its ops touch;
 * the bus's lock guards only the map from addresses to functions. Order:
 * function, then bus. Both are held for register work only, never across a
 * wait for a device.
 */
#ifndef VMM_PCI_PCI_BUS_H
#define VMM_PCI_PCI_BUS_H

#include <pthread.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/bus.h"
#include "vmm/pci/pci_config.h"

#define PCI_SLOTS 32u

struct pci_func;

/**
 * struct pci_func_ops - a device model; all called with the function's lock
 * @config_read: after the generic read; may replace the value
 * @config_write: after the generic masked write
 * @bar_read: @offset + @len lies inside the BAR
 * @bar_moved: func->bar_gpa changed (0: not decoded any more)
 */
struct pci_func_ops {
	uint32_t (*config_read)(struct pci_func *f, uint32_t offset,
				uint32_t len, uint32_t value);
	void (*config_write)(struct pci_func *f, uint32_t offset, uint32_t len,
			     uint32_t value);
	uint64_t (*bar_read)(struct pci_func *f, uint64_t offset, uint32_t len);
	void (*bar_write)(struct pci_func *f, uint64_t offset, uint32_t len,
			  uint64_t value);
	void (*bar_moved)(struct pci_func *f);
};

/**
 * struct pci_func - embedded in a device model
 * @ops: NULL for a function that is only config space (host bridge)
 * @bar_size: 0 without a BAR
 * @bar_gpa: where the BAR is decoded now; 0: nowhere
 */
struct pci_func {
	pthread_mutex_t lock;
	struct pci_config cfg;
	const struct pci_func_ops *ops;
	struct pci_bus *bus;
	uint32_t slot;
	uint32_t bar_size;
	uint64_t bar_gpa;
};

/**
 * struct pci_bus - bus 0
 * @func: by slot, borrowed, set before the vCPUs run
 * @map: where each slot's BAR is decoded; under @lock
 */
struct pci_bus {
	pthread_mutex_t lock;
	struct pci_func *func[PCI_SLOTS];
	uint64_t map[PCI_SLOTS];
	struct pci_func bridge;
};

/** pci_bus_init() - with the host bridge in slot 0. */
void pci_bus_init(struct pci_bus *b);
/** pci_bus_attach() - puts @f (borrowed) in @slot. -EEXIST, -EINVAL. */
MUST_CHECK int pci_bus_attach(struct pci_bus *b, struct pci_func *f,
			      uint32_t slot);

/** pci_func_init() - lock and identity; the caller adds BAR and capabilities.
 */
void pci_func_init(struct pci_func *f, const struct pci_ids *ids,
		   const struct pci_func_ops *ops);
/** pci_func_bar_init() - BAR 0 at @gpa, decoded from the start. */
void pci_func_bar_init(struct pci_func *f, uint32_t size, uint32_t gpa);

/* Bus ranges: LAYOUT_ECAM and LAYOUT_MMIO32; ctx is the struct pci_bus. */
extern const struct bus_ops pci_bus_ecam_ops;
extern const struct bus_ops pci_bus_mmio_ops;

#endif
