// SPDX-License-Identifier: Apache-2.0
/*
 * vmm.c - the vmm's process filter: from READY on, thus with the parsing of a
 * tenant's kernel, the making of vCPU threads and the first registers. VM,
 * memory slots, vCPUs and their CPUID exist before. The threads get less when
 * they run (vmm_main.c, vmm_vcpu.c).
 */
#include <linux/kvm.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "policy/roles/vmm.h"
#include "policy/rows.h"

static const struct policy_row rows[] = {
	VMM_KVM_WIRING_ROWS,
	VMM_KVM_VCPU_ROWS,
	VMM_KICK_ROWS,
	VMM_BUTTON_ROWS,
	KVM_ROW(KVM_GET_SREGS, "vmm/kvm/vcpu_state.c: entry of the kernel"),
	KVM_ROW(KVM_SET_SREGS, "vmm/kvm/vcpu_state.c: entry of the kernel"),
	KVM_ROW(KVM_SET_REGS, "vmm/kvm/vcpu_state.c: entry of the kernel"),
	ALLOW(pread64, "vmm/boot/image.c, vmm/guestmem.c: kernel and initrd"),
	ALLOW(sendfile, "vmm/guestmem.c: kernel and initrd to guest memory"),
	ALLOW_IF(lseek, T_EQ(2, SEEK_SET), "vmm/guestmem.c: before sendfile"),
	ALLOW_IF(madvise, T_EQ(2, MADV_REMOVE), "vmm/guestmem.c: zeroes"),
	ALLOW_IF2(eventfd2, T_EQ(0, 0), T_ONLY(1, EFD_CLOEXEC | EFD_NONBLOCK),
		  "vmm/virtio/virtio_pci.c, vmm/kvm/irq.c while preparing"),
};
static POLICY_SET(set_vmm, rows);

const struct policy_table table_vmm = {
	.name = "vmm",
	.role = ROLE_VMM,
	.sets = {&set_vmm, &set_memory, &set_thread, &set_thread_new,
		 &set_signal, &set_end, &set_time, &set_event, &set_channel,
		 &set_data, &set_report, &set_unasked},
};
