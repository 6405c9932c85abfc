/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kvm_probe.h - may we use /dev/kvm, and does it have what a machine needs?
 */
#ifndef MONITOR_HOST_KVM_PROBE_H
#define MONITOR_HOST_KVM_PROBE_H

#include <stdint.h>

#include "ipc/compiler.h"
#include "monitor/problem.h"

#define KVM_PROBE_PATH "/dev/kvm"
#define KVM_PROBE_MISSING_BYTES 256

/**
 * struct kvm_probe - what was found
 * @fd: owned; granted to the vmm and closed here
 * @max_vcpus: of one VM
 * @optional_missing: names of what a machine can do without, separated by
 * spaces; "" = nothing is missing
 */
struct kvm_probe {
	int fd;
	uint32_t max_vcpus;
	char optional_missing[KVM_PROBE_MISSING_BYTES];
};

/**
 * kvm_probe_open() - opens /dev/kvm and checks it
 * @cpus: vCPUs that the machine will have
 * Return: 0; -errno with *p set: not there, no permission (names the group and
 * the fix), another API version, required capabilities missing (names them).
 */
MUST_CHECK int kvm_probe_open(uint32_t cpus, struct kvm_probe *ret_probe,
			      struct problem *p);

#endif
