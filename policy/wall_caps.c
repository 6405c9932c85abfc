// SPDX-License-Identifier: Apache-2.0
/*
 * wall_caps.c - no capability in any set. The only user of libcap.
 */
#include <errno.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "policy/wall.h"

/* caps_clear() - empties the three sets that need no capability to empty. */
static int caps_clear(void)
{
	cap_t none = cap_init();
	int ret = 0;

	if (!none)
		return -ENOMEM;
	if (cap_set_proc(none) < 0)
		ret = -errno;
	if (cap_free(none) < 0 && ret == 0)
		ret = -EINVAL;
	return ret;
}

/**
 * wall_caps_build() - permitted, effective, inheritable, ambient and bounding
 * sets empty, securebits locked so that uid 0 means nothing
 *
 * Should: come after the last privileged call (the root) and before Landlock
 * and seccomp, which need only no_new_privs.
 * Mustn't: keep the bounding set where CAP_SETPCAP is there to drop it; without
 * it no_new_privs alone stands against exec, and the report says so.
 * Return: 0 or -errno.
 */
int wall_caps_build(void)
{
	if (cap_set_mode(CAP_MODE_NOPRIV) == 0)
		return 0;
	if (errno != EPERM)
		return -errno;
	return caps_clear();
}

bool wall_caps_admin(void)
{
	cap_t have = cap_get_proc();
	cap_flag_value_t set = CAP_CLEAR;

	if (!have)
		return false;
	(void)cap_get_flag(have, CAP_SYS_ADMIN, CAP_EFFECTIVE, &set);
	(void)cap_free(have);
	return set == CAP_SET;
}

/* caps_count() - capabilities in any of the three sets; -1 if unreadable. */
static int caps_count(void)
{
	cap_t have = cap_get_proc();
	cap_flag_value_t set;
	int cnt = 0;

	if (!have)
		return -1;
	for (cap_value_t cap = 0; cap < cap_max_bits(); cap++) {
		for (int flag = CAP_EFFECTIVE; flag <= CAP_INHERITABLE;
		     flag++) {
			if (cap_get_flag(have, cap, (cap_flag_t)flag, &set) < 0)
				continue;
			cnt += set == CAP_SET;
		}
	}
	(void)cap_free(have);
	return cnt;
}

void report_caps(struct confine_report *r, bool keep_kill)
{
	int held = caps_count();
	int bounding = 0, ambient = 0;
	int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);

	for (cap_value_t cap = 0; cap < cap_max_bits(); cap++) {
		bounding += cap_get_bound(cap) > 0;
		ambient += cap_get_ambient(cap) > 0;
	}
	/* A capability that is kept counts as permitted and as effective. */
	/* Without CAP_SETPCAP the bounding set stays, and no_new_privs holds.
	 */
	wall_set(r, CONFINE_WALL_CAPS,
		 held == (keep_kill ? 2 : 0) && ambient == 0,
		 "held %d%s ambient %d bounding %d securebits %#x", held,
		 keep_kill ? " (kill)" : "", ambient, bounding, (unsigned)bits);
}
