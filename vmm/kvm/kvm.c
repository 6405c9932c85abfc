// SPDX-License-Identifier: Apache-2.0
/*
 * kvm.c - checks the granted /dev/kvm and makes the VM. Runs in the vmm before
 * its walls stand; no guest byte is looked at here.
 */
#include "vmm/kvm/kvm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define LOG_MODULE "kvm"
#include "ipc/fds.h"
#include "ipc/log.h"
#include "vmm/layout.h"

#define KVM_API 12

#define KVM_NEED(cap)     \
	{                 \
		cap, #cap \
	}

/* Without these no machine of ours runs. */
static const struct {
	int cap;
	const char *name;
} kvm_needs[] = {
	KVM_NEED(KVM_CAP_IRQCHIP),
	KVM_NEED(KVM_CAP_USER_MEMORY),
	KVM_NEED(KVM_CAP_SET_TSS_ADDR),
	KVM_NEED(KVM_CAP_SET_IDENTITY_MAP_ADDR),
	KVM_NEED(KVM_CAP_EXT_CPUID),
	KVM_NEED(KVM_CAP_MP_STATE),
	KVM_NEED(KVM_CAP_IRQ_ROUTING),
	KVM_NEED(KVM_CAP_IRQFD),
	KVM_NEED(KVM_CAP_IOEVENTFD),
	KVM_NEED(KVM_CAP_SIGNAL_MSI),
	KVM_NEED(KVM_CAP_IMMEDIATE_EXIT),
};

/** kvm_needs_check() - names the first capability that is missing */
static int kvm_needs_check(int kvm_fd, char *ret_message)
{
	int api = ioctl(kvm_fd, KVM_GET_API_VERSION, 0);

	if (api != KVM_API) {
		snprintf(ret_message, KVM_MESSAGE_BYTES,
			 "the KVM device answers API version %d, needed is %d",
			 api, KVM_API);
		return -ENODEV;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kvm_needs); i++) {
		if (ioctl(kvm_fd, KVM_CHECK_EXTENSION, kvm_needs[i].cap) > 0)
			continue;
		snprintf(ret_message, KVM_MESSAGE_BYTES,
			 "this host's KVM has no %s, which Bulkhead needs",
			 kvm_needs[i].name);
		return -EOPNOTSUPP;
	}
	return 0;
}

/** kvm_cpus_check() - as many vCPUs as KVM takes? */
static int kvm_cpus_check(int kvm_fd, uint32_t cpus, char *ret_message)
{
	int max = ioctl(kvm_fd, KVM_CHECK_EXTENSION, KVM_CAP_MAX_VCPUS);

	if (max <= 0 || cpus <= (uint32_t)max)
		return 0;
	snprintf(ret_message, KVM_MESSAGE_BYTES,
		 "cpus: %u, this host's KVM takes 1..%d", cpus, max);
	return -E2BIG;
}

/**
 * kvm_cpuid_read() - what KVM supports
 * @tsc_deadline: KVM_CAP_TSC_DEADLINE_TIMER
 */
static int kvm_cpuid_read(int kvm_fd, bool tsc_deadline,
			  struct kvm_cpuid2 **ret_cpuid)
{
	struct kvm_cpuid2 *c = calloc(
		1, sizeof(*c) + CPUID_ENTRIES_MAX * sizeof(c->entries[0]));

	if (!c)
		return -ENOMEM;
	c->nent = CPUID_ENTRIES_MAX;
	if (ioctl(kvm_fd, KVM_GET_SUPPORTED_CPUID, c) < 0) {
		int err = errno;

		free(c);
		return -err;
	}
	cpuid_tsc_deadline_set(c, tsc_deadline);
	*ret_cpuid = c;
	return 0;
}

/** kvm_vm_chips() - interrupt controllers, and a timer where one is missing */
static int kvm_vm_chips(int vm_fd, bool tsc_deadline)
{
	struct kvm_pit_config pit = {.flags = KVM_PIT_SPEAKER_DUMMY};
	__u64 identity = LAYOUT_KVM_IDENTITY_GPA;

	if (ioctl(vm_fd, KVM_SET_IDENTITY_MAP_ADDR, &identity) < 0 ||
	    ioctl(vm_fd, KVM_SET_TSS_ADDR, LAYOUT_KVM_TSS_GPA) < 0 ||
	    ioctl(vm_fd, KVM_CREATE_IRQCHIP, 0) < 0)
		return -errno;
	/* Without the deadline timer a guest calibrates against the PIT. */
	if (!tsc_deadline && ioctl(vm_fd, KVM_CREATE_PIT2, &pit) < 0)
		return -errno;
	return 0;
}

/** kvm_vm_build() - fills @vm; on error the caller undoes it */
static int kvm_vm_build(struct kvm_vm *vm, int kvm_fd)
{
	bool tsc_deadline = ioctl(kvm_fd, KVM_CHECK_EXTENSION,
				  KVM_CAP_TSC_DEADLINE_TIMER) > 0;
	int bytes = ioctl(kvm_fd, KVM_GET_VCPU_MMAP_SIZE, 0);
	int ret;

	if (bytes < 0)
		return -errno;
	if ((size_t)bytes < sizeof(struct kvm_run))
		return -ENODEV;
	vm->run_bytes = (size_t)bytes;
	vm->ioeventfd_any_length = ioctl(kvm_fd, KVM_CHECK_EXTENSION,
					 KVM_CAP_IOEVENTFD_ANY_LENGTH) > 0;
	ret = kvm_cpuid_read(kvm_fd, tsc_deadline, &vm->cpuid);
	if (ret < 0)
		return ret;
	/* A signal that arrives while the VM is made is no reason to fail. */
	do {
		vm->vm_fd = ioctl(kvm_fd, KVM_CREATE_VM, 0);
	} while (vm->vm_fd < 0 && errno == EINTR);
	if (vm->vm_fd < 0)
		return -errno;
	return kvm_vm_chips(vm->vm_fd, tsc_deadline);
}

int kvm_vm_new(int kvm_fd, uint32_t cpus, struct kvm_vm *ret_vm,
	       char *ret_message)
{
	int ret;

	*ret_vm = (struct kvm_vm){.vm_fd = -1};
	ret = kvm_needs_check(kvm_fd, ret_message);
	if (ret == 0)
		ret = kvm_cpus_check(kvm_fd, cpus, ret_message);
	if (ret < 0)
		return ret;
	ret = kvm_vm_build(ret_vm, kvm_fd);
	if (ret < 0) {
		snprintf(ret_message, KVM_MESSAGE_BYTES,
			 "KVM cannot make a virtual machine: %s",
			 strerrordesc_np(-ret));
		kvm_vm_done(ret_vm);
	}
	return ret;
}

void kvm_vm_done(struct kvm_vm *vm)
{
	free(vm->cpuid);
	vm->cpuid = NULL;
	fd_cleanup(&vm->vm_fd);
}

int kvm_vm_memory(struct kvm_vm *vm, const struct guestmem *mem)
{
	for (uint32_t i = 0; i < mem->table.cnt; i++) {
		const struct memtable_region *r = &mem->table.region[i];
		struct kvm_userspace_memory_region slot = {
			.slot = i,
			.guest_phys_addr = r->gpa,
			.memory_size = r->size,
			.userspace_addr = (uintptr_t)(mem->base + r->offset),
		};

		if (ioctl(vm->vm_fd, KVM_SET_USER_MEMORY_REGION, &slot) < 0)
			return -errno;
	}
	return 0;
}
