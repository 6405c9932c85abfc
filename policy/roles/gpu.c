// SPDX-License-Identifier: Apache-2.0
/*
 * gpu.c - the GPU device's filters on a render node, and in 2D mode, where it
 * has none. The process is built by a later issue, which refines these rows
 * with running code and hardware; here is what its design needs after READY and
 * no more. Who is not trusted: the guest, whose commands a large library
 * parses, and thus that library.
 *
 * One worker renders: all calls of virglrenderer belong to the thread that
 * called its init. The main thread has the channels and no render node's
 * requests. Threads of Mesa exist before the walls or not at all: what asks for
 * one more gets EAGAIN and goes on without. Nothing becomes executable; drivers
 * compile shaders for the GPU, not for the CPU. Rendering in software does the
 * latter and has filters of its own (gpu_software.c).
 *
 * Left out: memfd_create and sendmsg in the worker, by which virglrenderer
 * would speak to a render server; that process and its rows come together.
 */
#include <errno.h>

#include "policy/roles/gpu.h"

static const struct policy_row queue_rows[] = {
	ALLOW(read, "Mesa, virglrenderer: eventfds of fences"),
	ALLOW(close, "virglrenderer: fds of blobs and fences"),
	ALLOW(fstat, "Mesa: which device a dma-buf belongs to"),
	ALLOW(poll, "Mesa: fences as fds"),
};
POLICY_SET(set_gpu_queue, queue_rows);

static const struct policy_row no_thread_rows[] = {
	/* By the kernel itself: pthread_create blocks signals around it. */
	REFUSE_QUIET(clone, EAGAIN, "Mesa: another thread of a pool"),
	REFUSE_QUIET(clone3, ENOSYS, "pthread_create tries it first"),
};
POLICY_SET(set_gpu_no_thread, no_thread_rows);

const struct policy_table table_gpu = {
	.name = "gpu",
	.role = ROLE_GPU,
	.sets = {&set_gpu_drm, &set_gpu_driver, &set_gpu_buffer, &set_gpu_wait,
		 &set_ring, &set_ring_enable, &set_memory, &set_thread,
		 &set_thread_new, &set_signal, &set_end, &set_time, &set_event,
		 &set_channel, &set_data, &set_report, &set_unasked},
};

/* The main thread when all workers exist: channels, no render node. */
const struct policy_table table_gpu_main = {
	.name = "gpu-main",
	.role = ROLE_GPU,
	.sets = {&set_memory, &set_thread, &set_signal, &set_end, &set_time,
		 &set_event, &set_channel, &set_data, &set_report,
		 &set_unasked},
};

/* The worker that renders. */
const struct policy_table table_gpu_queue = {
	.name = "gpu-queue",
	.role = ROLE_GPU,
	.sets = {&set_gpu_drm, &set_gpu_driver, &set_gpu_buffer, &set_gpu_wait,
		 &set_gpu_queue, &set_gpu_no_thread, &set_ring, &set_queue,
		 &set_memory, &set_thread, &set_signal, &set_end, &set_time,
		 &set_unasked},
};
