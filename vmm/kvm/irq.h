/* SPDX-License-Identifier: Apache-2.0 */
/*
 * irq.h - the VM's interrupt routes and irqfds. Has a lock of its own, the
 * innermost one; callable from every thread.
 */
#ifndef VMM_KVM_IRQ_H
#define VMM_KVM_IRQ_H

#include <linux/kvm.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/pci/msix.h"
#include "vmm/stats.h"

/**
 * struct irq - routes of a VM
 * @vm_fd: borrowed
 * @table: owned, room for @capacity entries
 * @gsi_next: next free MSI GSI
 */
struct irq {
	int vm_fd;
	struct stats *stats;
	pthread_mutex_t lock;
	struct kvm_irq_routing *table;
	uint32_t capacity;
	uint32_t gsi_next;
};

/**
 * irq_init() - IOAPIC pins only: hardware-reduced ACPI has no PIC, and one that
 * nobody programmed would inject vectors 0 to 15
 * @msi_cnt: most MSI routes ever needed
 * Return: 0; -ENOMEM; -errno of KVM_SET_GSI_ROUTING.
 */
MUST_CHECK int irq_init(struct irq *q, int vm_fd, struct stats *stats,
			uint32_t msi_cnt);
/** irq_fini() - accepts a zeroed struct. */
void irq_fini(struct irq *q);

/** irq_gsi_alloc() - @cnt consecutive MSI GSIs. Return: 0 or -ENOSPC. */
MUST_CHECK int irq_gsi_alloc(struct irq *q, uint32_t cnt, uint32_t *ret_base);

/** irq_irqfd() - makes @fd (borrowed) an irqfd of @gsi, or ends that. */
MUST_CHECK int irq_irqfd(struct irq *q, uint32_t gsi, int fd, bool assign);

/** irq_line_new() - an eventfd whose write is one edge on an IOAPIC pin. */
MUST_CHECK int irq_line_new(struct irq *q, uint32_t gsi, int *ret_fd);

/**
 * irq_line_masked() - is @gsi's IOAPIC pin masked by the guest, so that an edge
 * on it would be lost? Return: 1 or 0; -errno of KVM_GET_IRQCHIP.
 */
MUST_CHECK int irq_line_masked(const struct irq *q, uint32_t gsi);

/* For msix_init; ctx is the struct irq. */
extern const struct msix_ops irq_msix_ops;

#endif
