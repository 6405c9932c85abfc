/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msix.h - MSI-X of one function: table and pending bits (PCI Local Bus 3.0
 * section 6.8.2), and which eventfd is an irqfd of which GSI right now.
 *
 * A source is something that interrupts: index 0 the config change, index n+1
 * queue n. Its eventfd is written by a device process (or by the vmm for source
 * 0). While its vector can fire, the eventfd is an irqfd and nobody in user
 * space sees the interrupt. While it cannot, the eventfd is not watched and its
 * counter is the pending bit; KVM delivers what is in it when it is made an
 * irqfd again.
 *
 * Not thread-safe: the function's lock is held.
 */
#ifndef VMM_PCI_MSIX_H
#define VMM_PCI_MSIX_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"

#define MSIX_VECTORS_MAX 65u
#define MSIX_SOURCES_MAX 65u
#define MSIX_NO_VECTOR 0xffffu
#define MSIX_ENTRY_BYTES 16u
#define MSIX_GSI_NONE UINT32_MAX

/**
 * struct msix_ops - what KVM does; faked in tests. Return 0 or -errno.
 * @route: GSI @gsi sends this message from now on
 * @irqfd: makes @fd an irqfd of @gsi, or ends that
 */
struct msix_ops {
	int (*route)(void *ctx, uint32_t gsi, uint64_t addr, uint32_t data);
	int (*irqfd)(void *ctx, uint32_t gsi, int fd, bool assign);
};

struct msix_entry {
	uint32_t addr_lo;
	uint32_t addr_hi;
	uint32_t data;
	uint32_t ctrl; /* bit 0: masked */
};

/**
 * struct msix_source - an interrupt source
 * @fd: eventfd, borrowed, non-blocking
 * @vector: MSIX_NO_VECTOR or an index of the table
 * @gsi: whose irqfd @fd is; MSIX_GSI_NONE: nobody's
 */
struct msix_source {
	int fd;
	uint16_t vector;
	uint32_t gsi;
};

/**
 * struct msix - state of a function
 * @gsi_base: vector v has GSI gsi_base + v
 * @routed: the route of each vector as KVM has it; ctrl bit 0 set: none yet
 */
struct msix {
	const struct msix_ops *ops;
	void *ctx;
	uint32_t vector_cnt;
	uint32_t source_cnt;
	uint32_t gsi_base;
	bool enabled;
	bool function_masked;
	bool bus_master;
	struct msix_entry entry[MSIX_VECTORS_MAX];
	struct msix_entry routed[MSIX_VECTORS_MAX];
	struct msix_source source[MSIX_SOURCES_MAX];
};

/** msix_init() - all vectors masked, no source has a vector or an fd. */
void msix_init(struct msix *m, const struct msix_ops *ops, void *ctx,
	       uint32_t vector_cnt, uint32_t gsi_base);
/** msix_source_add() - the next source; its index is source_cnt - 1 after. */
void msix_source_add(struct msix *m, int fd);

/**
 * msix_source_set() - gives a source another vector
 * @vector: guest's; one that the table does not have becomes NO_VECTOR, which
 * is how a driver learns that it was refused (VIRTIO 1.2 section 4.1.5.1.2)
 */
void msix_source_set(struct msix *m, uint32_t source, uint16_t vector);

/** msix_control() - message control and bus-master enable changed. */
void msix_control(struct msix *m, bool enabled, bool function_masked,
		  bool bus_master);
/** msix_reset() - virtio device reset: no vectors, nothing pending. */
void msix_reset(struct msix *m);

/** msix_table_read() - any offset and width inside the page; 0 behind it. */
uint64_t msix_table_read(const struct msix *m, uint64_t offset, uint32_t len);
/** msix_table_write() - aligned 4 or 8 bytes; anything else is dropped. */
void msix_table_write(struct msix *m, uint64_t offset, uint32_t len,
		      uint64_t value);
/** msix_pba_read() - asks the eventfds. */
uint64_t msix_pba_read(const struct msix *m, uint64_t offset, uint32_t len);

#endif
