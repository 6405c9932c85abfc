/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine_grant.h - what a GRANT says of a child's walls: one reader for every
 * kind of child.
 */
#ifndef POLICY_CONFINE_GRANT_H
#define POLICY_CONFINE_GRANT_H

#include "policy/confine.h"
#include "proto/child.pb-c.h"

/**
 * confine_grant_take() - mode, walls that may be missing, user to become
 * Before confine_enter().
 * Return: 0; -EPROTO a wall that there is not or that is never missing, or only
 * one of run_uid and run_gid, or root in one of them.
 */
MUST_CHECK int confine_grant_take(const Bulkhead__Child__Grant *msg,
				  enum confine_mode *ret_mode);

#endif
