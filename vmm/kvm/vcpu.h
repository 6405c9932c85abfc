/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vcpu.h - the vCPUs: their first state, and one thread each, which runs the
 * guest and answers its exits.
 */
#ifndef VMM_KVM_VCPU_H
#define VMM_KVM_VCPU_H

#include <linux/kvm.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/boot/boot.h"
#include "vmm/bus.h"
#include "vmm/exit.h"
#include "vmm/kvm/kvm.h"
#include "vmm/layout.h"
#include "vmm/stats.h"

struct vcpu_set;

/**
 * struct vcpu - one vCPU
 * @fd: owned
 * @run: mapped, owned; shared with KVM
 * @run_bytes: size of the mapping
 * @started: @thread exists
 * @out: the thread will not enter the guest any more; under set->lock
 */
struct vcpu {
	struct vcpu_set *set;
	uint32_t index;
	int fd;
	struct kvm_run *run;
	size_t run_bytes;
	pthread_t thread;
	bool started;
	bool out;
};

enum vcpu_gate { VCPU_GATE_SHUT, VCPU_GATE_OPEN };

/**
 * struct vcpu_set - all vCPUs of the machine
 * @pio: ports, borrowed
 * @mmio: addresses, borrowed
 * @lock: guards @gate and vcpu.out
 * @stop: read before each KVM_RUN
 */
struct vcpu_set {
	struct vcpu vcpu[LAYOUT_CPUS_MAX];
	uint32_t cnt;
	const struct bus *pio;
	const struct bus *mmio;
	struct exit_cause *exit;
	struct stats *stats;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum vcpu_gate gate;
	atomic_bool stop;
};

/** vcpu_signal_init() - handler of the kick; before the walls stand. */
MUST_CHECK int vcpu_signal_init(void);

/** vcpu_set_init() - an empty set; pio, mmio, exit and stats are borrowed. */
void vcpu_set_init(struct vcpu_set *s);

/**
 * vcpu_set_create() - makes @cnt vCPUs in their state after power-on: CPUID,
 * MSRs and local APIC, no registers
 * Return: 0; -errno of KVM's ioctls or of mmap(2).
 */
MUST_CHECK int vcpu_set_create(struct vcpu_set *s, const struct kvm_vm *vm,
			       uint32_t cnt);
/**
 * vcpu_set_boot() - registers of the boot CPU only; the others wait for INIT
 * and SIPI. 0 or -errno.
 */
MUST_CHECK int vcpu_set_boot(struct vcpu_set *s, const struct boot_plan *plan);
/** vcpu_set_start() - all threads, which wait. After the walls. 0 or -errno. */
MUST_CHECK int vcpu_set_start(struct vcpu_set *s);
/** vcpu_set_run() - lets them go. */
void vcpu_set_run(struct vcpu_set *s);
/** vcpu_set_stop() - returns when no thread is in the guest any more. */
void vcpu_set_stop(struct vcpu_set *s);

/* Between vcpu.c and vcpu_exit.c. */
/** vcpu_exit_handle() - answers the exit that is in v->run. */
void vcpu_exit_handle(struct vcpu *v);

#endif
