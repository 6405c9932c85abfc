// SPDX-License-Identifier: Apache-2.0
/*
 * confine_grant.c - the walls' part of GRANT. Runs in every child before its
 * walls stand; the monitor is trusted by design, but a wrong grant ends the
 * child rather than weaken it.
 */
#include "policy/confine_grant.h"

#include <errno.h>

/* Walls that a host may be unable to build; the others always stand. */
#define GRANT_MAY_MISS                                           \
	(1u << CONFINE_WALL_USERNS | 1u << CONFINE_WALL_PIDNS |  \
	 1u << CONFINE_WALL_MNTNS | 1u << CONFINE_WALL_NETNS |   \
	 1u << CONFINE_WALL_IPCNS | 1u << CONFINE_WALL_UTSNS |   \
	 1u << CONFINE_WALL_CGROUPNS | 1u << CONFINE_WALL_ROOT | \
	 1u << CONFINE_WALL_LANDLOCK)

/* grant_mode() - the wire's value; others were refused by dispatch. */
static enum confine_mode grant_mode(Bulkhead__Child__Confine c)
{
	if (c == BULKHEAD__CHILD__CONFINE__CONFINE_OFF)
		return CONFINE_MODE_OFF;
	if (c == BULKHEAD__CHILD__CONFINE__CONFINE_LOG)
		return CONFINE_MODE_LOG;
	return CONFINE_MODE_ENFORCE;
}

int confine_grant_take(const Bulkhead__Child__Grant *msg,
		       enum confine_mode *ret_mode)
{
	uint32_t missing = 0;

	for (size_t i = 0; i < msg->n_confine_missing; i++) {
		enum confine_wall_id id =
			confine_wall_by_name(msg->confine_missing[i]);

		if (id == CONFINE_WALL_COUNT || !(GRANT_MAY_MISS >> id & 1))
			return -EPROTO;
		missing |= 1u << id;
	}
	if (!!msg->has_run_uid != !!msg->has_run_gid)
		return -EPROTO;
	if (msg->has_run_uid && (msg->run_uid == 0 || msg->run_gid == 0))
		return -EPROTO;
	confine_allow_missing(missing);
	if (msg->has_run_uid)
		confine_run_as(msg->run_uid, msg->run_gid);
	*ret_mode = grant_mode(msg->confine);
	return 0;
}
