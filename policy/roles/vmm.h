/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmm.h - rows that more than one of the vmm's filters has. Constants of
 * <linux/kvm.h> and <signal.h>; whoever uses a macro includes them.
 */
#ifndef POLICY_ROLES_VMM_H
#define POLICY_ROLES_VMM_H

/* One KVM request; an ioctl without a row of its own kills. */
#define KVM_ROW(request, reason) \
	ALLOW_IF(ioctl, T_EQ_AS(1, (request), #request), reason)

/* What the guest's register writes change in KVM, by whichever thread. */
#define VMM_KVM_WIRING_ROWS                                           \
	KVM_ROW(KVM_IOEVENTFD,                                        \
		"vmm/virtio/doorbell.c: BAR moved, queue started"),   \
		KVM_ROW(KVM_IRQFD,                                    \
			"vmm/kvm/irq.c: MSI-X vector set or masked"), \
		KVM_ROW(KVM_SET_GSI_ROUTING,                          \
			"vmm/kvm/irq.c: MSI-X vector set")

/* What a vCPU thread asks of its own vCPU. */
#define VMM_KVM_VCPU_ROWS                   \
	KVM_ROW(KVM_RUN, "vmm/kvm/vcpu.c"), \
		KVM_ROW(KVM_GET_REGS,       \
			"vmm/kvm/vcpu_exit.c: where a bad exit happened")

/* What the main thread asks of the guest's interrupt controller. */
#define VMM_BUTTON_ROWS \
	KVM_ROW(KVM_GET_IRQCHIP, "vmm/kvm/irq.c: power button's pin masked?")

/* How the main thread makes a vCPU leave KVM_RUN. */
#define VMM_KICK_ROWS \
	ALLOW_IF(tgkill, T_EQ(2, SIGUSR1), "vmm/kvm/vcpu.c: VCPU_KICK_SIGNAL")

#endif
