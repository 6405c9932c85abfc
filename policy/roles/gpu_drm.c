// SPDX-License-Identifier: Apache-2.0
/*
 * gpu_drm.c - requests to a DRM render node, each by its number. Not run on
 * hardware yet: refined when the GPU process is.
 *
 * The kernel's drm_ioctl looks at type and number only and copies as many bytes
 * as the request's size field says, so that direction and size differ between
 * versions of the headers; a test of more bits would be no stronger and would
 * end a process with a newer Mesa. All drivers use the same numbers from 0x40
 * on: one row stands for whatever the driver of the granted node has there.
 *
 * Absent: whatever names buffers of others (GEM_FLINK, GEM_OPEN), masters and
 * authenticates, sets modes, leases; of the drivers what measures the whole
 * device (i915 PERF_OPEN), sets priorities (amdgpu SCHED), pins our own memory
 * for the GPU (USERPTR of both), and what only masters of old had.
 */
#include "policy/roles/gpu.h"

#define DRM_TYPE ('d' << 8)
#define DRM_DRIVER_BASE 0x40

#define DRM_ROW(nr, name, reason) \
	ALLOW_IF(ioctl, T_EQ16_AS(1, DRM_TYPE | (nr), name), reason)
#define DRIVER_ROW(nr, name, reason) \
	DRM_ROW(DRM_DRIVER_BASE + (nr), name, reason)

static const struct policy_row drm_rows[] = {
	DRM_ROW(0x09, "DRM_GEM_CLOSE", "Mesa, libdrm: end of a buffer"),
	DRM_ROW(0x2d, "DRM_PRIME_HANDLE_TO_FD", "Mesa: blob to a dma-buf"),
	DRM_ROW(0x2e, "DRM_PRIME_FD_TO_HANDLE", "Mesa: blob from a dma-buf"),
	DRM_ROW(0xbf, "DRM_SYNCOBJ_CREATE", "Mesa: fences"),
	DRM_ROW(0xc0, "DRM_SYNCOBJ_DESTROY", "Mesa: fences"),
	DRM_ROW(0xc1, "DRM_SYNCOBJ_HANDLE_TO_FD", "Mesa: fence to an fd"),
	DRM_ROW(0xc2, "DRM_SYNCOBJ_FD_TO_HANDLE", "Mesa: fence from an fd"),
	DRM_ROW(0xc3, "DRM_SYNCOBJ_WAIT", "Mesa: fences"),
	DRM_ROW(0xc4, "DRM_SYNCOBJ_RESET", "Mesa: fences"),
	DRM_ROW(0xc5, "DRM_SYNCOBJ_SIGNAL", "Mesa: fences"),
	DRM_ROW(0xca, "DRM_SYNCOBJ_TIMELINE_WAIT", "Mesa: fences"),
	DRM_ROW(0xcb, "DRM_SYNCOBJ_QUERY", "Mesa: fences"),
	DRM_ROW(0xcc, "DRM_SYNCOBJ_TRANSFER", "Mesa: fences"),
	DRM_ROW(0xcd, "DRM_SYNCOBJ_TIMELINE_SIGNAL", "Mesa: fences"),
	DRM_ROW(0xcf, "DRM_SYNCOBJ_EVENTFD", "Mesa: fences of native contexts"),
};
POLICY_SET(set_gpu_drm, drm_rows);

/* Named as amdgpu, i915, xe, msm and virtgpu have them. */
static const struct policy_row driver_rows[] = {
	DRIVER_ROW(0x00, "amdgpu GEM_CREATE, xe DEVICE_QUERY, msm GET_PARAM",
		   "Mesa: buffers"),
	DRIVER_ROW(0x01, "amdgpu GEM_MMAP, xe GEM_CREATE, virtgpu MAP",
		   "Mesa: buffers"),
	DRIVER_ROW(0x02,
		   "amdgpu CTX, xe GEM_MMAP_OFFSET, msm GEM_NEW, "
		   "virtgpu EXECBUFFER",
		   "Mesa: contexts, buffers, submits"),
	DRIVER_ROW(0x03,
		   "amdgpu BO_LIST, xe VM_CREATE, msm GEM_INFO, "
		   "virtgpu GETPARAM",
		   "Mesa: submits, address spaces"),
	DRIVER_ROW(0x04,
		   "amdgpu CS, xe VM_DESTROY, msm GEM_CPU_PREP, "
		   "virtgpu RESOURCE_CREATE",
		   "Mesa: submits, waits"),
	DRIVER_ROW(0x05,
		   "amdgpu INFO, xe VM_BIND, msm GEM_CPU_FINI, "
		   "virtgpu RESOURCE_INFO",
		   "Mesa: memory use and budget, address spaces"),
	DRIVER_ROW(0x06,
		   "amdgpu GEM_METADATA, i915 GETPARAM, "
		   "xe EXEC_QUEUE_CREATE, msm GEM_SUBMIT, "
		   "virtgpu TRANSFER_FROM_HOST",
		   "Mesa: shared buffers, contexts, submits"),
	DRIVER_ROW(0x07,
		   "amdgpu GEM_WAIT_IDLE, xe EXEC_QUEUE_DESTROY, "
		   "msm WAIT_FENCE, virtgpu TRANSFER_TO_HOST",
		   "Mesa: waits, contexts"),
	DRIVER_ROW(0x08,
		   "amdgpu GEM_VA, xe EXEC_QUEUE_GET_PROPERTY, "
		   "msm GEM_MADVISE, virtgpu WAIT",
		   "Mesa: address spaces, lost contexts"),
	DRIVER_ROW(0x09, "amdgpu WAIT_CS, xe EXEC, virtgpu GET_CAPS",
		   "Mesa: waits, submits"),
	DRIVER_ROW(0x0a,
		   "xe WAIT_USER_FENCE, msm SUBMITQUEUE_NEW, "
		   "virtgpu RESOURCE_CREATE_BLOB",
		   "Mesa: waits, contexts"),
	DRIVER_ROW(0x0b, "msm SUBMITQUEUE_CLOSE, virtgpu CONTEXT_INIT",
		   "Mesa: contexts"),
	DRIVER_ROW(0x0c, "msm SUBMITQUEUE_QUERY", "Mesa: lost contexts"),
	DRIVER_ROW(0x10, "amdgpu GEM_OP", "Mesa: placement of a buffer"),
	DRIVER_ROW(0x12, "amdgpu WAIT_FENCES", "Mesa: waits"),
	DRIVER_ROW(0x13, "amdgpu VM", "Mesa: address spaces"),
	DRIVER_ROW(0x14, "amdgpu FENCE_TO_HANDLE", "Mesa: fence to an fd"),
	DRIVER_ROW(0x17, "i915 GEM_BUSY", "Mesa: waits"),
	DRIVER_ROW(0x1b, "i915 GEM_CREATE", "Mesa: buffers"),
	DRIVER_ROW(0x1e, "i915 GEM_MMAP", "Mesa: buffers, older kernels"),
	DRIVER_ROW(0x1f, "i915 GEM_SET_DOMAIN", "Mesa: buffers"),
	DRIVER_ROW(0x21, "i915 GEM_SET_TILING", "Mesa: shared buffers"),
	DRIVER_ROW(0x22, "i915 GEM_GET_TILING", "Mesa: shared buffers"),
	DRIVER_ROW(0x24, "i915 GEM_MMAP_OFFSET", "Mesa: buffers"),
	DRIVER_ROW(0x26, "i915 GEM_MADVISE", "Mesa: cache of buffers"),
	DRIVER_ROW(0x29, "i915 GEM_EXECBUFFER2", "Mesa: submits"),
	DRIVER_ROW(0x2c, "i915 GEM_WAIT", "Mesa: waits"),
	DRIVER_ROW(0x2d, "i915 GEM_CONTEXT_CREATE", "Mesa: contexts"),
	DRIVER_ROW(0x2e, "i915 GEM_CONTEXT_DESTROY", "Mesa: contexts"),
	DRIVER_ROW(0x2f, "i915 GEM_SET_CACHING", "Mesa: buffers"),
	DRIVER_ROW(0x31, "i915 REG_READ", "Mesa: the timestamp register"),
	DRIVER_ROW(0x32, "i915 GET_RESET_STATS", "Mesa: lost contexts"),
	DRIVER_ROW(0x34, "i915 GEM_CONTEXT_GETPARAM", "Mesa: contexts"),
	DRIVER_ROW(0x35, "i915 GEM_CONTEXT_SETPARAM", "Mesa: contexts"),
	DRIVER_ROW(0x39, "i915 QUERY", "Mesa: memory use and budget"),
	DRIVER_ROW(0x3a, "i915 GEM_VM_CREATE", "Mesa: address spaces"),
	DRIVER_ROW(0x3b, "i915 GEM_VM_DESTROY", "Mesa: address spaces"),
	DRIVER_ROW(0x3c, "i915 GEM_CREATE_EXT", "Mesa: buffers"),
};
POLICY_SET(set_gpu_driver, driver_rows);
