/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.h - a table of rows as a libseccomp filter. Used at build time only
 * (policygen); no process of a machine links it.
 */
#ifndef POLICY_COMPILE_H
#define POLICY_COMPILE_H

#include "policy/table.h"

/**
 * policy_compile_bpf() - writes the filter of @t to @fd as struct sock_filter[]
 * Return: 0; -errno of libseccomp; *ret_row is the row it did not take, or NULL
 */
MUST_CHECK int policy_compile_bpf(const struct policy_table *t, int fd,
				  const struct policy_row **ret_row);

/** policy_compile_pfc() - the same as libseccomp's pseudo filter code. */
MUST_CHECK int policy_compile_pfc(const struct policy_table *t, int fd,
				  const struct policy_row **ret_row);

/** policy_name_resolve() - number of a call by libseccomp; < 0: not known. */
int policy_name_resolve(const char *name);

/** policy_number_resolve() - name of a call, to be freed; NULL: not known. */
char *policy_number_resolve(int number);

#endif
