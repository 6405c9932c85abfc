/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kvm.h - the VM: what KVM must be able to do, and what is set up once.
 * (Linux Documentation/virt/kvm/api.rst)
 */
#ifndef VMM_KVM_KVM_H
#define VMM_KVM_KVM_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/guestmem.h"
#include "vmm/kvm/cpuid.h"

#define KVM_MESSAGE_BYTES 200u

/**
 * struct kvm_vm - one VM
 * @vm_fd: owned
 * @run_bytes: size of each vCPU's run area
 * @cpuid: owned; KVM_GET_SUPPORTED_CPUID, room for CPUID_ENTRIES_MAX
 * @ioeventfd_any_length: KVM_CAP_IOEVENTFD_ANY_LENGTH
 */
struct kvm_vm {
	int vm_fd;
	size_t run_bytes;
	struct kvm_cpuid2 *cpuid;
	bool ioeventfd_any_length;
};

/**
 * kvm_vm_new() - checks @kvm_fd (borrowed) and makes a VM with an in-kernel
 * interrupt controller
 * @cpus: vCPUs that will be made
 * @ret_message: KVM_MESSAGE_BYTES; on error one sentence for the user
 * Return: 0; -ENODEV not a KVM, another API version; -EOPNOTSUPP a capability
 * is missing; -E2BIG too many vCPUs; other -errno of KVM's ioctls.
 */
MUST_CHECK int kvm_vm_new(int kvm_fd, uint32_t cpus, struct kvm_vm *ret_vm,
			  char *ret_message);
/** kvm_vm_done() - accepts { .vm_fd = -1 }. */
void kvm_vm_done(struct kvm_vm *vm);

/** kvm_vm_memory() - a memory slot for each region. 0 or -errno. */
MUST_CHECK int kvm_vm_memory(struct kvm_vm *vm, const struct guestmem *mem);

#endif
