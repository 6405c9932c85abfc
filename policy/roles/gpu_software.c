// SPDX-License-Identifier: Apache-2.0
/*
 * gpu_software.c - the GPU device's filters for rendering in software
 * (llvmpipe), chosen for that mode only (policy_variant_choose). THE NAMED
 * EXCEPTION to "nothing becomes executable": llvmpipe compiles shaders to
 * machine code. It maps memory writable, writes, and makes it executable; never
 * both at once, and that is what the filter still holds: no mapping is both
 * (W^X), and nothing is mapped executable. It cannot hold that the pages behind
 * are not written by another mapping: memory that is shared, the guest's above
 * all, may be made executable and be written by the guest. rtasm's one mapping
 * that is both is refused, and Mesa goes on without it.
 *
 * No render node: none of DRM's requests. softpipe compiles nothing and needs
 * the "gpu" filter only.
 */
#include <errno.h>
#include <sys/mman.h>

#include "policy/roles/gpu.h"

static const struct policy_row code_rows[] = {
	ALLOW_IF(mprotect, T_CLEAR(2, PROT_WRITE),
		 "Mesa llvmpipe: a shader's machine code, W^X"),
};
static POLICY_SET(set_gpu_code, code_rows);

/* Looked up after the shared rows of memory. */
static const struct policy_row both_rows[] = {
	REFUSE(mmap, EPERM, "Mesa rtasm: writable and executable at once"),
};
static POLICY_SET(set_gpu_both, both_rows);

const struct policy_table table_gpu_software = {
	.name = "gpu-software",
	.role = ROLE_GPU,
	.sets = {&set_gpu_code, &set_gpu_buffer, &set_gpu_wait, &set_ring,
		 &set_ring_enable, &set_memory, &set_gpu_both, &set_thread,
		 &set_thread_new, &set_signal, &set_end, &set_time, &set_event,
		 &set_channel, &set_data, &set_report, &set_unasked},
};

/* The worker that renders. Its main thread is gpu-main. */
const struct policy_table table_gpu_software_queue = {
	.name = "gpu-software-queue",
	.role = ROLE_GPU,
	.sets = {&set_gpu_code, &set_gpu_buffer, &set_gpu_wait, &set_gpu_queue,
		 &set_gpu_no_thread, &set_ring, &set_queue, &set_memory,
		 &set_gpu_both, &set_thread, &set_signal, &set_end, &set_time,
		 &set_unasked},
};
