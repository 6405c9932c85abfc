// SPDX-License-Identifier: Apache-2.0
/*
 * wall_rlimits.c - what a process may use up. Soft and hard limit are equal, so
 * they cannot be raised again without CAP_SYS_RESOURCE in the first user
 * namespace.
 *
 * Not limited, and why: FSIZE, since blk writes images of any size and the
 * console may go to a file; AS, since guest memory is mapped; MEMLOCK, since
 * the kernel charges io_uring's registered buffers and older kernels the rings
 * to it, and nothing here asks for more than was there at start.
 */
#include <errno.h>
#include <sys/resource.h>

#include "policy/wall.h"

/* Limits that are the same for all roles. */
static const struct {
	__rlimit_resource_t resource;
	rlim_t value;
} rlimits_common[] = {
	{RLIMIT_CORE, 0},     /* a core file would hold guest memory */
	{RLIMIT_MSGQUEUE, 0}, /* no POSIX queue is used */
	{RLIMIT_NICE, 0},     /* no raising of priority */
	{RLIMIT_RTPRIO, 0},
};

/* rlimits_lower() - sets both limits to @value, or the hard one if lower. */
static int rlimits_lower(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit lim;

	if (getrlimit(resource, &lim) < 0)
		return -errno;
	if (value > lim.rlim_max)
		value = lim.rlim_max;
	lim.rlim_cur = value;
	lim.rlim_max = value;
	return setrlimit(resource, &lim) < 0 ? -errno : 0;
}

/**
 * wall_rlimits_build() - what a flooded compartment may use
 *
 * Should: leave room for the largest machine the configuration allows.
 * Mustn't: set NPROC without a user namespace of our own, where it counts every
 * process of the user.
 * Return: 0 or -errno.
 */
int wall_rlimits_build(enum role role, bool own_userns)
{
	const struct role_info *info = role_info(role);
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(rlimits_common); i++) {
		ret = rlimits_lower(rlimits_common[i].resource,
				    rlimits_common[i].value);
		if (ret < 0)
			return ret;
	}
	ret = rlimits_lower(RLIMIT_NOFILE, info->nofile);
	if (ret < 0 || !own_userns || info->nproc == 0)
		return ret;
	return rlimits_lower(RLIMIT_NPROC, info->nproc);
}
