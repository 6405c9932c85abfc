/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempts.h - attempts of escapes.c that are no plain call; each returns 0..
 * or -errno.
 */
#ifndef TESTS_POLICY_ATTEMPTS_H
#define TESTS_POLICY_ATTEMPTS_H

#include "tests/policy/escapes.h"

long escape_bind(void);
long escape_connect(void);
long escape_int80(void);
long escape_sendmsg(void);
long escape_userns_mount(void);
long escape_vm_readv(void);
long escape_vm_readv_sibling(void);
long escape_vm_writev(void);

#endif
