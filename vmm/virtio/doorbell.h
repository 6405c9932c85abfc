/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doorbell.h - a guest address whose write signals an eventfd inside KVM, with
 * no exit to the vmm. Callable from every thread.
 */
#ifndef VMM_VIRTIO_DOORBELL_H
#define VMM_VIRTIO_DOORBELL_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/stats.h"

/**
 * struct doorbell_kvm - where doorbells are registered
 * @vm_fd: borrowed
 * @any_length: KVM_CAP_IOEVENTFD_ANY_LENGTH: length 0 takes every width, and
 * KVM need not decode the instruction
 */
struct doorbell_kvm {
	int vm_fd;
	bool any_length;
	struct stats *stats;
};

/**
 * doorbell_set() - registers @fd (borrowed) for writes to @gpa, or ends that
 * Return: 0; -EEXIST another eventfd has this address; -errno of KVM_IOEVENTFD.
 */
MUST_CHECK int doorbell_set(const struct doorbell_kvm *k, uint64_t gpa, int fd,
			    bool assign);

#endif
