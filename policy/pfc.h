/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pfc.h - libseccomp's pseudo filter code of each filter, for people; generated
 * by policygen from the tables.
 */
#ifndef POLICY_PFC_H
#define POLICY_PFC_H

#include "policy/table.h"

/* Indexed by enum policy_filter. */
extern const char *const policy_pfc[POLICY_FILTER_COUNT];

#endif
