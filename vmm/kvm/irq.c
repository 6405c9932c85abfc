// SPDX-License-Identifier: Apache-2.0
/*
 * irq.c - KVM_SET_GSI_ROUTING and KVM_IRQFD of the vmm. KVM takes the whole
 * table at each change, so the table is kept and sent only when it differs.
 */
#include "vmm/kvm/irq.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "vmm/layout.h"

/** irq_table_send() - the kept table becomes KVM's. Lock held or not needed. */
static int irq_table_send(struct irq *q)
{
	stats_add(q->stats, STAT_IRQ_ROUTE_UPDATE, 1);
	if (ioctl(q->vm_fd, KVM_SET_GSI_ROUTING, q->table) < 0)
		return -errno;
	return 0;
}

int irq_init(struct irq *q, int vm_fd, struct stats *stats, uint32_t msi_cnt)
{
	*q = (struct irq){.vm_fd = vm_fd,
			  .stats = stats,
			  .capacity = LAYOUT_IOAPIC_PINS + msi_cnt,
			  .gsi_next = LAYOUT_MSI_GSI_FIRST};
	pthread_mutex_init(&q->lock, NULL);
	q->table =
		calloc(1, sizeof(*q->table) +
				  q->capacity * sizeof(q->table->entries[0]));
	if (!q->table)
		return -ENOMEM;
	for (uint32_t pin = 0; pin < LAYOUT_IOAPIC_PINS; pin++) {
		struct kvm_irq_routing_entry *e = &q->table->entries[pin];

		e->gsi = pin;
		e->type = KVM_IRQ_ROUTING_IRQCHIP;
		e->u.irqchip.irqchip = KVM_IRQCHIP_IOAPIC;
		e->u.irqchip.pin = pin;
	}
	q->table->nr = LAYOUT_IOAPIC_PINS;
	return irq_table_send(q);
}

void irq_fini(struct irq *q)
{
	free(q->table);
	q->table = NULL;
}

int irq_gsi_alloc(struct irq *q, uint32_t cnt, uint32_t *ret_base)
{
	uint32_t used = q->gsi_next - LAYOUT_MSI_GSI_FIRST;

	if (cnt > q->capacity - LAYOUT_IOAPIC_PINS - used)
		return -ENOSPC;
	*ret_base = q->gsi_next;
	q->gsi_next += cnt;
	return 0;
}

/** irq_route_find() - the MSI entry of @gsi, a new one if there is none. */
static struct kvm_irq_routing_entry *irq_route_find(struct irq *q, uint32_t gsi)
{
	struct kvm_irq_routing_entry *e;

	for (uint32_t i = LAYOUT_IOAPIC_PINS; i < q->table->nr; i++) {
		if (q->table->entries[i].gsi == gsi)
			return &q->table->entries[i];
	}
	BUG_ON(q->table->nr >= q->capacity);
	e = &q->table->entries[q->table->nr++];
	/* A message that was refused here before is not one to go back to. */
	*e = (struct kvm_irq_routing_entry){0};
	return e;
}

/** irq_route_set() - @gsi sends this MSI. For msix. */
static int irq_route_set(void *ctx, uint32_t gsi, uint64_t addr, uint32_t data)
{
	struct irq *q = ctx;
	struct kvm_irq_routing_entry old;
	struct kvm_irq_routing_entry *e;
	int ret;

	pthread_mutex_lock(&q->lock);
	e = irq_route_find(q, gsi);
	old = *e;
	*e = (struct kvm_irq_routing_entry){.gsi = gsi,
					    .type = KVM_IRQ_ROUTING_MSI};
	e->u.msi.address_lo = (uint32_t)addr;
	e->u.msi.address_hi = (uint32_t)(addr >> 32);
	e->u.msi.data = data;
	ret = irq_table_send(q);
	if (ret < 0) {
		/* One refused message must not spoil later updates. */
		if (old.type == KVM_IRQ_ROUTING_MSI)
			*e = old;
		else
			q->table->nr--;
	}
	pthread_mutex_unlock(&q->lock);
	return ret;
}

int irq_irqfd(struct irq *q, uint32_t gsi, int fd, bool assign)
{
	struct kvm_irqfd arg = {.fd = (uint32_t)fd,
				.gsi = gsi,
				.flags = assign ? 0 : KVM_IRQFD_FLAG_DEASSIGN};

	stats_add(q->stats, STAT_IRQFD_SET, 1);
	return ioctl(q->vm_fd, KVM_IRQFD, &arg) < 0 ? -errno : 0;
}

/** irq_msix_irqfd() - irq_irqfd for msix. */
static int irq_msix_irqfd(void *ctx, uint32_t gsi, int fd, bool assign)
{
	return irq_irqfd(ctx, gsi, fd, assign);
}

const struct msix_ops irq_msix_ops = {
	.route = irq_route_set,
	.irqfd = irq_msix_irqfd,
};

int irq_line_new(struct irq *q, uint32_t gsi, int *ret_fd)
{
	CLEANUP(fd_cleanup) int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int ret;

	if (fd < 0)
		return -errno;
	ret = irq_irqfd(q, gsi, fd, true);
	if (ret < 0)
		return ret;
	*ret_fd = fd_steal(&fd);
	return 0;
}

int irq_line_masked(const struct irq *q, uint32_t gsi)
{
	struct kvm_irqchip c = {.chip_id = KVM_IRQCHIP_IOAPIC};

	if (gsi >= KVM_IOAPIC_NUM_PINS)
		return -EINVAL;
	if (ioctl(q->vm_fd, KVM_GET_IRQCHIP, &c) < 0)
		return -errno;
	return c.chip.ioapic.redirtbl[gsi].fields.mask;
}
