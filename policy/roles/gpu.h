/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu.h - sets that more than one of the GPU device's filters has.
 */
#ifndef POLICY_ROLES_GPU_H
#define POLICY_ROLES_GPU_H

#include "policy/rows.h"

/* gpu_drm.c: requests to a render node, of the core and of its driver. */
extern const struct policy_set set_gpu_drm;
extern const struct policy_set set_gpu_driver;

/* gpu_buffer.c: buffers and fences as fds, and what renderers do meanwhile. */
extern const struct policy_set set_gpu_buffer;
extern const struct policy_set set_gpu_wait;

/* gpu.c: the worker that renders, beside its ring and its interrupt. */
extern const struct policy_set set_gpu_queue;
/* gpu.c: no thread any more, but no death for asking either. */
extern const struct policy_set set_gpu_no_thread;

#endif
