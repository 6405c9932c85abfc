/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf_run.h - runs a seccomp filter on one call, as the kernel would.
 */
#ifndef TESTS_UNIT_POLICY_BPF_RUN_H
#define TESTS_UNIT_POLICY_BPF_RUN_H

#include <linux/seccomp.h>
#include <stdint.h>

#include "policy/filters.h"

/* Not a return value of any filter: a bad instruction or a jump outside. */
#define BPF_RUN_BAD 0xdeadbeefu

/** bpf_run() - Return: SECCOMP_RET_..., or BPF_RUN_BAD. */
uint32_t bpf_run(const struct policy_bpf *bpf, const struct seccomp_data *data);

#endif
