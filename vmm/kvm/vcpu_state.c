// SPDX-License-Identifier: Apache-2.0
/*
 * vcpu_state.c - makes vCPUs and sets what a guest finds at its first
 * instruction. Runs on the main thread before any vCPU runs.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "vmm/kvm/cpuid.h"
#include "vmm/kvm/vcpu.h"

#define LOG_MODULE "vcpu"
#include "ipc/log.h"

#define VCPU_MSR_MISC_ENABLE 0x1a0u
#define VCPU_MSR_MISC_FAST_STRINGS 1u
#define VCPU_MSR_MTRR_DEF_TYPE 0x2ffu
#define VCPU_MSR_MTRR_ENABLED_WB 0x806u /* enabled, default write-back */
#define VCPU_APIC_LVT_LINT0 0x350u
#define VCPU_APIC_LVT_LINT1 0x360u
#define VCPU_APIC_MASKED 0x10000u
#define VCPU_APIC_NMI 0x400u

/* Intel SDM volume 4; both exist on every CPU that KVM supports. */
static const struct {
	uint32_t index;
	uint64_t value;
} vcpu_msrs[] = {
	{VCPU_MSR_MISC_ENABLE, VCPU_MSR_MISC_FAST_STRINGS},
	{VCPU_MSR_MTRR_DEF_TYPE, VCPU_MSR_MTRR_ENABLED_WB},
};

/** vcpu_msrs_set() - one by one: a host that lacks one has its own value */
static int vcpu_msrs_set(const struct vcpu *v)
{
	struct kvm_msrs *arg =
		calloc(1, sizeof(*arg) + sizeof(arg->entries[0]));
	int ret = arg ? 0 : -ENOMEM;

	for (size_t i = 0; i < ARRAY_SIZE(vcpu_msrs) && ret >= 0; i++) {
		arg->nmsrs = 1;
		arg->entries[0].index = vcpu_msrs[i].index;
		arg->entries[0].data = vcpu_msrs[i].value;
		ret = ioctl(v->fd, KVM_SET_MSRS, arg);
		if (ret < 0)
			ret = -errno;
		else if (ret != 1)
			log_debug("KVM does not take MSR %#x",
				  vcpu_msrs[i].index);
	}
	free(arg);
	return ret < 0 ? ret : 0;
}

/** vcpu_lapic_word() - sets a register of the APIC page */
static void vcpu_lapic_word(struct kvm_lapic_state *s, uint32_t reg,
			    uint32_t value)
{
	memcpy(&s->regs[reg], &value, sizeof(value));
}

/**
 * vcpu_lapic_set() - as firmware leaves it: NMI on LINT1 as the MADT says, and
 * LINT0 masked, for no PIC delivers there
 */
static int vcpu_lapic_set(const struct vcpu *v)
{
	struct kvm_lapic_state lapic;

	if (ioctl(v->fd, KVM_GET_LAPIC, &lapic) < 0)
		return -errno;
	vcpu_lapic_word(&lapic, VCPU_APIC_LVT_LINT0, VCPU_APIC_MASKED);
	vcpu_lapic_word(&lapic, VCPU_APIC_LVT_LINT1, VCPU_APIC_NMI);
	return ioctl(v->fd, KVM_SET_LAPIC, &lapic) < 0 ? -errno : 0;
}

/** vcpu_cpuid_set() - this vCPU's view of the machine */
static int vcpu_cpuid_set(const struct vcpu *v, const struct kvm_vm *vm,
			  uint32_t cnt)
{
	struct kvm_cpuid2 *c = calloc(
		1, sizeof(*c) + CPUID_ENTRIES_MAX * sizeof(c->entries[0]));
	int ret;

	if (!c)
		return -ENOMEM;
	ret = cpuid_build(vm->cpuid, v->index, cnt, c);
	if (ret == 0 && ioctl(v->fd, KVM_SET_CPUID2, c) < 0)
		ret = -errno;
	free(c);
	return ret;
}

/** vcpu_create() - @v->set and index are set */
static int vcpu_create(struct vcpu *v, const struct kvm_vm *vm, uint32_t cnt)
{
	void *run;
	int ret;

	v->fd = ioctl(vm->vm_fd, KVM_CREATE_VCPU, (unsigned long)v->index);
	if (v->fd < 0)
		return -errno;
	run = mmap(NULL, vm->run_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		   v->fd, 0);
	if (run == MAP_FAILED)
		return -errno;
	v->run = run;
	v->run_bytes = vm->run_bytes;
	ret = vcpu_cpuid_set(v, vm, cnt);
	if (ret == 0)
		ret = vcpu_msrs_set(v);
	return ret < 0 ? ret : vcpu_lapic_set(v);
}

int vcpu_set_create(struct vcpu_set *s, const struct kvm_vm *vm, uint32_t cnt)
{
	BUG_ON(cnt == 0 || cnt > LAYOUT_CPUS_MAX);
	for (uint32_t i = 0; i < cnt; i++) {
		int ret;

		s->vcpu[i].set = s;
		s->vcpu[i].index = i;
		ret = vcpu_create(&s->vcpu[i], vm, cnt);
		if (ret < 0)
			return ret;
		s->cnt = i + 1;
	}
	return 0;
}

int vcpu_set_boot(struct vcpu_set *s, const struct boot_plan *plan)
{
	int fd = s->vcpu[0].fd;
	struct kvm_sregs sregs;
	struct kvm_regs regs;

	if (ioctl(fd, KVM_GET_SREGS, &sregs) < 0)
		return -errno;
	boot_vcpu_state(plan, &regs, &sregs);
	if (ioctl(fd, KVM_SET_SREGS, &sregs) < 0 ||
	    ioctl(fd, KVM_SET_REGS, &regs) < 0)
		return -errno;
	return 0;
}
