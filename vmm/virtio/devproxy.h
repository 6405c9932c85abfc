/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devproxy.h - a device process as the vmm sees it: its channel
 * (backend.proto) and the virtio-pci function that stands for it on the bus.
 * Main loop only, but for what virtio_pci.h says of vCPU threads.
 */
#ifndef VMM_VIRTIO_DEVPROXY_H
#define VMM_VIRTIO_DEVPROXY_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/loop.h"
#include "ipc/peer.h"
#include "vmm/kvm/irq.h"
#include "vmm/pci/pci_bus.h"
#include "vmm/virtio/virtio_pci.h"

#define DEVPROXY_ID_MAX 64u
#define DEVPROXY_MESSAGE_BYTES 200u

struct devproxy;

/**
 * struct devproxy_env - what all devices of a machine share; borrowed
 * @virtio: but for post and post_ctx, which are the proxy's
 * @ready: the device answered and is on the bus
 * @failed: its channel is gone or it broke the protocol; @why is for the user
 */
struct devproxy_env {
	struct loop *loop;
	struct irq *irq;
	struct pci_bus *bus;
	struct virtio_pci_env virtio;
	void (*ready)(void *ctx, struct devproxy *d);
	void (*failed)(void *ctx, struct devproxy *d, const char *why);
	void *ctx;
};

/**
 * struct devproxy - one device
 * @id: the user's name for it
 * @slot: PCI device number
 * @have_info: @vp exists and is on the bus
 * @have_memory: the device mapped guest RAM
 * @running: jobs may be sent
 * @job: what the open request is about
 */
struct devproxy {
	char id[DEVPROXY_ID_MAX + 1];
	uint32_t slot;
	const struct devproxy_env *env;
	struct peer peer;
	struct loop_work work;
	struct virtio_pci vp;
	bool have_info;
	bool have_memory;
	bool dead;
	struct virtio_job job;
};

/**
 * devproxy_new() - takes @fd, also on failure
 * @id: copied, at most DEVPROXY_ID_MAX bytes
 * Return: 0; -ENOMEM; as peer_init.
 */
MUST_CHECK int devproxy_new(const struct devproxy_env *env, const char *id,
			    uint32_t slot, int fd, struct devproxy **ret_dev);
/** devproxy_free() - accepts NULL; no vCPU runs any more. */
void devproxy_free(struct devproxy *d);

/**
 * devproxy_start() - asks what it is and tells it the memory; env->ready or
 * env->failed follows
 */
void devproxy_start(struct devproxy *d);

/** devproxy_is_ready() - may the guest run, as far as this device goes? */
static inline bool devproxy_is_ready(const struct devproxy *d)
{
	return d->have_info && d->have_memory && !d->dead;
}

#endif
