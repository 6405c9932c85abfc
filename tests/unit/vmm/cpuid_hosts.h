/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpuid_hosts.h - what KVM reports on an Intel and on an AMD host.
 */
#ifndef TESTS_UNIT_VMM_CPUID_HOSTS_H
#define TESTS_UNIT_VMM_CPUID_HOSTS_H

#include <linux/kvm.h>
#include <stddef.h>

/* 8 cores of 2 threads; run on the thread with APIC id 11. */
extern const struct kvm_cpuid_entry2 cpuid_host_intel[];
extern const size_t cpuid_host_intel_cnt;
/* 16 cores of 2 threads, 4 nodes; run on the thread with APIC id 23. */
extern const struct kvm_cpuid_entry2 cpuid_host_amd[];
extern const size_t cpuid_host_amd_cnt;

#endif
