/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpuid.h - what a vCPU is told of itself: KVM's supported leaves with topology
 * and caches rewritten for this machine. Pure.
 */
#ifndef VMM_KVM_CPUID_H
#define VMM_KVM_CPUID_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"

#define CPUID_ENTRIES_MAX 256

/**
 * cpuid_tsc_deadline_set() - whether guests are told of the APIC's deadline
 * timer. KVM_GET_SUPPORTED_CPUID need not say; KVM_CAP_TSC_DEADLINE_TIMER does.
 */
void cpuid_tsc_deadline_set(struct kvm_cpuid2 *supported, bool present);

/**
 * cpuid_build() - leaves of vCPU @cpu of @cpus (one socket, one thread a core)
 * @supported: from KVM_GET_SUPPORTED_CPUID, deadline timer set
 * @ret_cpuid: room for CPUID_ENTRIES_MAX entries
 * Return: 0; -ENOSPC too many leaves.
 */
MUST_CHECK int cpuid_build(const struct kvm_cpuid2 *supported, uint32_t cpu,
			   uint32_t cpus, struct kvm_cpuid2 *ret_cpuid);

#endif
