// SPDX-License-Identifier: Apache-2.0
/*
 * kvm_probe.c - checks the host's KVM. Runs in the monitor, which makes no VM
 * and keeps no KVM fd. KVM API: Documentation/virt/kvm/api.rst of Linux 6.1.
 */
#include "monitor/host/kvm_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/kvm.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "ipc/fds.h"

#define KVM_PROBE_API_VERSION 12

/* One capability that the vmm uses, and whether it can do without. */
struct kvm_probe_cap {
	long cap;
	const char *name;
	bool required;
};

#define CAP(name, required)           \
	{                             \
		name, #name, required \
	}

static const struct kvm_probe_cap kvm_probe_caps[] = {
	CAP(KVM_CAP_USER_MEMORY, true),
	CAP(KVM_CAP_SET_TSS_ADDR, true),
	CAP(KVM_CAP_SET_IDENTITY_MAP_ADDR, true),
	CAP(KVM_CAP_IRQCHIP, true),
	CAP(KVM_CAP_IRQ_ROUTING, true),
	CAP(KVM_CAP_IRQFD, true),
	CAP(KVM_CAP_IOEVENTFD, true),
	CAP(KVM_CAP_SIGNAL_MSI, true),
	CAP(KVM_CAP_EXT_CPUID, true),
	CAP(KVM_CAP_MP_STATE, true),
	CAP(KVM_CAP_IMMEDIATE_EXIT, true),
	CAP(KVM_CAP_TSC_DEADLINE_TIMER, false),
	CAP(KVM_CAP_IOEVENTFD_ANY_LENGTH, false),
	CAP(KVM_CAP_IRQFD_RESAMPLE, false),
	CAP(KVM_CAP_X2APIC_API, false),
	CAP(KVM_CAP_READONLY_MEM, false),
	CAP(KVM_CAP_XSAVE, false),
};

/* kvm_probe_list() - names of the missing ones; Return: how many. */
static size_t kvm_probe_list(int fd, bool required, char *ret_names,
			     size_t size)
{
	size_t used = 0;
	size_t cnt = 0;

	ret_names[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(kvm_probe_caps); i++) {
		const struct kvm_probe_cap *c = &kvm_probe_caps[i];
		int n;

		if (c->required != required ||
		    ioctl(fd, KVM_CHECK_EXTENSION, c->cap) > 0)
			continue;
		cnt++;
		if (used >= size)
			continue;
		n = snprintf(ret_names + used, size - used, "%s%s",
			     used ? " " : "", c->name);
		used += n > 0 ? (size_t)n : 0;
	}
	return cnt;
}

/* kvm_probe_denied() - whose the device is, and how to get at it. */
static int kvm_probe_denied(int error, struct problem *p)
{
	struct stat st;
	const struct group *group = NULL;
	char gid[24];

	if (stat(KVM_PROBE_PATH, &st) < 0)
		return problem_set(p, EXIT_CODE_INPUT, -error, "%s: %s",
				   KVM_PROBE_PATH, strerror(error));
	(void)snprintf(gid, sizeof(gid), "%u", st.st_gid);
	group = getgrgid(st.st_gid);
	if (!(st.st_mode & S_IWGRP) || !st.st_gid)
		return problem_set(
			p, EXIT_CODE_INPUT, -error,
			"%s: %s: it belongs to group %s with mode %04o, so no "
			"group membership helps; as root: chgrp kvm %s && "
			"chmod 0660 %s, then add the user to group kvm",
			KVM_PROBE_PATH, strerror(error),
			group ? group->gr_name : gid, st.st_mode & 07777,
			KVM_PROBE_PATH, KVM_PROBE_PATH);
	return problem_set(
		p, EXIT_CODE_INPUT, -error,
		"%s: %s: it belongs to group %s; add the user to that group "
		"(usermod -aG %s USER) and log in again",
		KVM_PROBE_PATH, strerror(error), group ? group->gr_name : gid,
		group ? group->gr_name : gid);
}

/* kvm_probe_open_failed() - by cause. */
static int kvm_probe_open_failed(int error, struct problem *p)
{
	if (error == EACCES || error == EPERM)
		return kvm_probe_denied(error, p);
	if (error == ENOENT || error == ENXIO || error == ENODEV)
		return problem_set(
			p, EXIT_CODE_INPUT, -error,
			"%s: %s: load the module (modprobe kvm_intel or "
			"kvm_amd) and enable virtualization in the firmware; "
			"in a container or guest pass the device in",
			KVM_PROBE_PATH, strerror(error));
	return problem_set(p, EXIT_CODE_INPUT, -error, "%s: %s", KVM_PROBE_PATH,
			   strerror(error));
}

/* kvm_probe_check() - version, capabilities, number of vCPUs. */
static int kvm_probe_check(int fd, uint32_t cpus, struct kvm_probe *probe,
			   struct problem *p)
{
	int version = ioctl(fd, KVM_GET_API_VERSION, 0);
	char missing[KVM_PROBE_MISSING_BYTES];
	int max;

	if (version < 0)
		return problem_set(p, EXIT_CODE_INPUT, -errno,
				   "%s: is not a KVM device: %s",
				   KVM_PROBE_PATH, strerror(errno));
	if (version != KVM_PROBE_API_VERSION)
		return problem_set(p, EXIT_CODE_INPUT, -ENOTSUP,
				   "%s: KVM API version %d; accepted: %d",
				   KVM_PROBE_PATH, version,
				   KVM_PROBE_API_VERSION);
	if (kvm_probe_list(fd, true, missing, sizeof(missing)))
		return problem_set(p, EXIT_CODE_INPUT, -ENOTSUP,
				   "%s: this KVM lacks what a machine needs: "
				   "%s; a newer host kernel has it",
				   KVM_PROBE_PATH, missing);
	max = ioctl(fd, KVM_CHECK_EXTENSION, (long)KVM_CAP_MAX_VCPUS);
	probe->max_vcpus = max > 0 ? (uint32_t)max : 4;
	if (cpus > probe->max_vcpus)
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "cpus: %u is more than this host's KVM "
				   "allows; accepted: 1..%u",
				   cpus, probe->max_vcpus);
	(void)kvm_probe_list(fd, false, probe->optional_missing,
			     sizeof(probe->optional_missing));
	return 0;
}

int kvm_probe_open(uint32_t cpus, struct kvm_probe *ret_probe,
		   struct problem *p)
{
	int fd CLEANUP(fd_cleanup) =
		open(KVM_PROBE_PATH, O_RDWR | O_CLOEXEC | O_NOCTTY);
	int ret;

	if (fd < 0)
		return kvm_probe_open_failed(errno, p);
	ret = kvm_probe_check(fd, cpus, ret_probe, p);
	if (!ret)
		ret_probe->fd = fd_steal(&fd);
	return ret;
}
