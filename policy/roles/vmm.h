/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmm.h - rows that more than one of the vmm's filters has. Constants of
 * <linux/kvm.h>; whoever uses a macro includes it.
 */
#ifndef POLICY_ROLES_VMM_H
#define POLICY_ROLES_VMM_H

/* One KVM request; an ioctl without a row of its own kills. */
#define KVM_ROW(request, reason) ALLOW_IF(ioctl, T_EQ(1, (request)), reason)

/* What the main thread still asks of KVM when the guest runs. */
#define VMM_KVM_RUNTIME_ROWS                                                  \
	KVM_ROW(KVM_IOEVENTFD, "vmm/doorbell: a BAR moved, a queue started"), \
		KVM_ROW(KVM_IRQFD, "vmm/irq: MSI-X vector set or masked"),    \
		KVM_ROW(KVM_SET_GSI_ROUTING, "vmm/irq: MSI-X vector set"),    \
		KVM_ROW(KVM_SIGNAL_MSI, "vmm/irq: pending vector unmasked"),  \
		KVM_ROW(KVM_IRQ_LINE, "vmm/irq: level interrupts"),           \
		KVM_ROW(KVM_SET_USER_MEMORY_REGION, "vmm/guestmem")

/* What a vCPU thread asks of its own vCPU. */
#define VMM_KVM_VCPU_ROWS                                                   \
	KVM_ROW(KVM_RUN, "vmm/vcpu"),                                       \
		KVM_ROW(KVM_GET_REGS, "vmm/vcpu: diagnosis of a bad exit"), \
		KVM_ROW(KVM_SET_REGS, "vmm/vcpu: first state"),             \
		KVM_ROW(KVM_GET_SREGS, "vmm/vcpu: diagnosis, first state"), \
		KVM_ROW(KVM_SET_SREGS, "vmm/vcpu: first state"),            \
		KVM_ROW(KVM_GET_MP_STATE, "vmm/vcpu: first state"),         \
		KVM_ROW(KVM_SET_MP_STATE, "vmm/vcpu: first state"),         \
		KVM_ROW(KVM_KVMCLOCK_CTRL, "vmm/vcpu: after a stop")

/* Raw mode was set by the monitor; the vmm only moves bytes. */
#define VMM_CONSOLE_ROWS                                           \
	ALLOW_IF(ioctl, T_EQ(1, 0x541b), "vmm/console: FIONREAD"), \
		ALLOW_IF2(eventfd2, T_EQ64(0, 0),                  \
			  T_ONLY(1, EFD_CLOEXEC | EFD_NONBLOCK),   \
			  "vmm/irq, vmm/doorbell: lines and queues")

/* Signals by which the main thread makes a vCPU leave KVM_RUN. */
#define VMM_KICK_ROWS                                                      \
	ALLOW_IF(tgkill, T_EQ(2, SIGUSR1), "vmm/vcpu: kick"),              \
		ALLOW_IF(tgkill, T_EQ(2, 34), "vmm/vcpu: kick, SIGRTMIN"), \
		ALLOW_IF(tgkill, T_EQ(2, 35),                              \
			 "vmm/vcpu: kick, SIGRTMIN (musl)")

#endif
