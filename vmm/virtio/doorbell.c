// SPDX-License-Identifier: Apache-2.0
/*
 * doorbell.c - KVM_IOEVENTFD for virtqueue notifications (VIRTIO 1.2 section
 * 4.1.5.2).
 */
#include "vmm/virtio/doorbell.h"

#include <errno.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>

/* A driver notifies with 16 bits unless it negotiated NOTIFICATION_DATA. */
#define DOORBELL_BYTES 2u

int doorbell_set(const struct doorbell_kvm *k, uint64_t gpa, int fd,
		 bool assign)
{
	struct kvm_ioeventfd arg = {
		.addr = gpa,
		.len = k->any_length ? 0 : DOORBELL_BYTES,
		.fd = fd,
		.flags = assign ? 0 : KVM_IOEVENTFD_FLAG_DEASSIGN,
	};

	stats_add(k->stats, STAT_DOORBELL_SET, 1);
	return ioctl(k->vm_fd, KVM_IOEVENTFD, &arg) < 0 ? -errno : 0;
}
