// SPDX-License-Identifier: Apache-2.0
/*
 * vmm_vcpu.c - a vCPU thread: runs the guest, answers its exits from memory,
 * wakes the main thread. It makes no thread and no fd, receives, sends and
 * closes nothing; the guest's exits are the most hostile input that the vmm
 * has.
 */
#include <linux/kvm.h>
#include <signal.h>
#include <sys/prctl.h>

#include "policy/roles/vmm.h"
#include "policy/rows.h"

static const struct policy_row rows[] = {
	VMM_KVM_WIRING_ROWS,
	VMM_KVM_VCPU_ROWS,
	ALLOW(read, "vmm/pci/msix.c: pending bits of masked vectors"),
	ALLOW(write, "ipc/loop.c wake; interrupt eventfds; violation report"),
	ALLOW(writev, "libc's message before abort"),
	ALLOW_IF(sendto, T_EQ64(4, 0), "ipc/log.c, no address"),
	ALLOW_IF(prctl, T_EQ(0, PR_GET_SECCOMP), "policy/report.c"),
};
static POLICY_SET(set_vmm_vcpu, rows);

const struct policy_table table_vmm_vcpu = {
	.name = "vmm-vcpu",
	.role = ROLE_VMM,
	.sets = {&set_vmm_vcpu, &set_memory, &set_thread, &set_signal, &set_end,
		 &set_time, &set_unasked},
};
