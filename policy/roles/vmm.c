// SPDX-License-Identifier: Apache-2.0
/*
 * vmm.c - the vmm's process filter: from READY on, thus with the parsing of a
 * tenant's kernel, the making of vCPU threads and their first registers. The
 * threads get less when they run (vmm_main.c, vmm_vcpu.c).
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "policy/roles/vmm.h"
#include "policy/table.h"

static const struct policy_row rows[] = {
	VMM_KVM_RUNTIME_ROWS,
	VMM_KVM_VCPU_ROWS,
	VMM_CONSOLE_ROWS,
	VMM_KICK_ROWS,
	KVM_ROW(KVM_CREATE_VCPU, "vmm/vcpu: one per vCPU thread"),
	KVM_ROW(KVM_CHECK_EXTENSION, "vmm/kvm: features while preparing"),
	KVM_ROW(KVM_GET_VCPU_MMAP_SIZE, "vmm/vcpu: run area"),
	KVM_ROW(KVM_GET_SUPPORTED_CPUID, "vmm/cpuid"),
	KVM_ROW(KVM_GET_MSR_INDEX_LIST, "vmm/vcpu: first state"),
	KVM_ROW(KVM_SET_CPUID2, "vmm/cpuid"),
	KVM_ROW(KVM_SET_MSRS, "vmm/vcpu: first state"),
	KVM_ROW(KVM_SET_FPU, "vmm/vcpu: first state"),
	KVM_ROW(KVM_GET_LAPIC, "vmm/vcpu: LVT of the first state"),
	KVM_ROW(KVM_SET_LAPIC, "vmm/vcpu: LVT of the first state"),
	KVM_ROW(KVM_SET_SIGNAL_MASK, "vmm/vcpu: kick"),
	ALLOW(pread64, "vmm/boot: kernel and initrd"),
	ALLOW(preadv, "vmm/boot: kernel and initrd"),
	ALLOW(lseek, "vmm/boot: size of kernel and initrd"),
};
static POLICY_SET(set_vmm, rows);

const struct policy_table table_vmm = {
	.name = "vmm",
	.role = ROLE_VMM,
	.sets = {&set_vmm, &set_memory, &set_thread, &set_thread_new,
		 &set_signal, &set_end, &set_time, &set_event, &set_channel,
		 &set_data, &set_report, &set_unasked},
};
