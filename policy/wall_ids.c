// SPDX-License-Identifier: Apache-2.0
/*
 * wall_ids.c - a process that root started stops being root. The monitor does
 * it before it starts children; a child only where no user namespace maps one
 * user to it. The system calls themselves: libc's functions tell all threads
 * and there is just one.
 */
#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policy/lower.h"
#include "policy/wall.h"

#define CAP_MASK(cap) (UINT64_C(1) << (cap))

/* What starting children takes, until the monitor's own walls stand. */
#define IDS_START_CAPS                                                         \
	(CAP_MASK(CAP_SETUID) | CAP_MASK(CAP_SETGID) | /* id maps */           \
	 CAP_MASK(CAP_SYS_ADMIN) |    /* where others may make no namespace */ \
	 CAP_MASK(CAP_DAC_OVERRIDE) | /* CLONE_INTO_CGROUP */                  \
	 CAP_MASK(CAP_KILL))

/* ids_caps() - permitted and effective become those of @keep that are held. */
static int ids_caps(uint64_t keep)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (syscall(SYS_capget, &head, data) < 0)
		return -errno;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= (uint32_t)(keep >> (32 * i));
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, data) < 0 ? -errno : 0;
}

/* ids_bounding() - empties the bounding set; the last capability is not known:
 * newer kernels have more than we do. */
static int ids_bounding(void)
{
	for (unsigned long cap = 0; cap < 64; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		return errno == EINVAL ? 0 : -errno;
	}
	return 0;
}

/* ids_become() - that user and group, in no other group, with @keep. */
static int ids_become(uid_t uid, gid_t gid, uint64_t keep)
{
	int ret = ids_bounding();

	if (ret < 0)
		return ret;
	if (syscall(SYS_setgroups, 0, NULL) < 0 ||
	    syscall(SYS_setresgid, gid, gid, gid) < 0 ||
	    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_setresuid, uid, uid, uid) < 0)
		return -errno;
	if (prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0)
		return -errno;
	return ids_caps(keep);
}

int lower_enter(uid_t uid, gid_t gid)
{
	int ret = ids_become(uid, gid, IDS_START_CAPS);

	if (ret < 0)
		return ret;
	/* Else the id maps of our children could not be written. */
	return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 ? -errno : 0;
}

int wall_ids_build(uid_t uid, gid_t gid)
{
	return ids_become(uid, gid, UINT64_MAX);
}

int wall_ids_keep_kill(void)
{
	return ids_caps(CAP_MASK(CAP_KILL));
}
