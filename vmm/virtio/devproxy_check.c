// SPDX-License-Identifier: Apache-2.0
/*
 * devproxy_check.c - bounds of backend.proto messages that the vmm receives. A
 * device process is not trusted.
 */
#include "vmm/virtio/devproxy_check.h"

#include <errno.h>
#include <linux/virtio_config.h>
#include <string.h>

#include "proto/backend.pb-c.h"
#include "vmm/virtio/virtio_pci.h"

#define DEVPROXY_VIRTIO_ID_MAX 63u
#define DEVPROXY_ERRNO_MAX 4095u
#define DEVPROXY_REASON_MAX 200u

int devproxy_info_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__InfoReply *m = (const void *)msg;

	if (m->virtio_id == 0 || m->virtio_id > DEVPROXY_VIRTIO_ID_MAX ||
	    !(m->features >> VIRTIO_F_VERSION_1 & 1) || m->n_queue_sizes == 0 ||
	    m->n_queue_sizes > VIRTIO_PCI_QUEUES_MAX ||
	    m->config.len > VIRTIO_PCI_CONFIG_MAX ||
	    m->config_writable > m->config.len)
		return -EPROTO;
	for (size_t i = 0; i < m->n_queue_sizes; i++) {
		uint32_t size = m->queue_sizes[i];

		if (size == 0 || size > VIRTIO_PCI_QUEUE_SIZE_MAX ||
		    (size & (size - 1)))
			return -EPROTO;
	}
	return 0;
}

int devproxy_reply_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__Reply *m = (const void *)msg;

	return m->error <= DEVPROXY_ERRNO_MAX ? 0 : -EPROTO;
}

int devproxy_stop_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__QueueStopReply *m = (const void *)msg;

	if (m->error > DEVPROXY_ERRNO_MAX ||
	    (m->error == 0) != !!m->has_position || m->position > UINT16_MAX)
		return -EPROTO;
	return 0;
}

int devproxy_push_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__ConfigPush *m = (const void *)msg;

	/* That the length is INFO's is tested where INFO's is known. */
	return m->config.len <= VIRTIO_PCI_CONFIG_MAX ? 0 : -EPROTO;
}

int devproxy_needs_reset_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__NeedsReset *m = (const void *)msg;

	return strnlen(m->reason, DEVPROXY_REASON_MAX + 1) <=
			       DEVPROXY_REASON_MAX
		       ? 0
		       : -EPROTO;
}
