// SPDX-License-Identifier: Apache-2.0
/*
 * drm_test.c - the numbers of the GPU device's rows are those of libdrm's
 * headers: a row that names a driver's request has its type and number. xe and
 * a few requests of others are in newer headers only.
 */
#include <stdio.h>
#include <string.h>

#include "policy/rows.h"
#include "tests/unit/policy/rows.h"
#include "tests/unit/policy/suites.h"

#if __has_include(<libdrm/amdgpu_drm.h>)
#include <libdrm/amdgpu_drm.h>
#include <libdrm/i915_drm.h>
#include <libdrm/msm_drm.h>
#include <libdrm/virtgpu_drm.h>

#define CORE(n)                                   \
	{                                         \
		DRM_IOCTL_##n & 0xffff, "DRM_" #n \
	}
#define AMD(n)                                              \
	{                                                   \
		DRM_IOCTL_AMDGPU_##n & 0xffff, "amdgpu " #n \
	}
#define I915(n)                                         \
	{                                               \
		DRM_IOCTL_I915_##n & 0xffff, "i915 " #n \
	}
#define MSM(n)                                        \
	{                                             \
		DRM_IOCTL_MSM_##n & 0xffff, "msm " #n \
	}
#define VIRT(n)                                               \
	{                                                     \
		DRM_IOCTL_VIRTGPU_##n & 0xffff, "virtgpu " #n \
	}

static const struct {
	unsigned request;
	const char *name;
} requests[] = {
	CORE(GEM_CLOSE),
	CORE(PRIME_HANDLE_TO_FD),
	CORE(PRIME_FD_TO_HANDLE),
	CORE(SYNCOBJ_CREATE),
	CORE(SYNCOBJ_DESTROY),
	CORE(SYNCOBJ_HANDLE_TO_FD),
	CORE(SYNCOBJ_FD_TO_HANDLE),
	CORE(SYNCOBJ_WAIT),
	CORE(SYNCOBJ_RESET),
	CORE(SYNCOBJ_SIGNAL),
	CORE(SYNCOBJ_TIMELINE_WAIT),
	CORE(SYNCOBJ_QUERY),
	CORE(SYNCOBJ_TRANSFER),
	CORE(SYNCOBJ_TIMELINE_SIGNAL),
	AMD(GEM_CREATE),
	AMD(GEM_MMAP),
	AMD(CTX),
	AMD(BO_LIST),
	AMD(CS),
	AMD(INFO),
	AMD(GEM_METADATA),
	AMD(GEM_WAIT_IDLE),
	AMD(GEM_VA),
	AMD(WAIT_CS),
	AMD(GEM_OP),
	AMD(WAIT_FENCES),
	AMD(VM),
	AMD(FENCE_TO_HANDLE),
	I915(GETPARAM),
	I915(GEM_BUSY),
	I915(GEM_CREATE),
	I915(GEM_MMAP),
	I915(GEM_SET_DOMAIN),
	I915(GEM_SET_TILING),
	I915(GEM_GET_TILING),
	I915(GEM_MMAP_OFFSET),
	I915(GEM_MADVISE),
	I915(GEM_EXECBUFFER2),
	I915(GEM_WAIT),
	I915(GEM_CONTEXT_CREATE),
	I915(GEM_CONTEXT_DESTROY),
	I915(GEM_SET_CACHING),
	I915(REG_READ),
	I915(GET_RESET_STATS),
	I915(GEM_CONTEXT_GETPARAM),
	I915(GEM_CONTEXT_SETPARAM),
	I915(QUERY),
	I915(GEM_VM_CREATE),
	I915(GEM_VM_DESTROY),
	I915(GEM_CREATE_EXT),
	MSM(GET_PARAM),
	MSM(GEM_NEW),
	MSM(GEM_INFO),
	MSM(GEM_CPU_PREP),
	MSM(GEM_CPU_FINI),
	MSM(GEM_SUBMIT),
	MSM(WAIT_FENCE),
	MSM(GEM_MADVISE),
	MSM(SUBMITQUEUE_NEW),
	MSM(SUBMITQUEUE_CLOSE),
	VIRT(MAP),
	VIRT(EXECBUFFER),
	VIRT(GETPARAM),
	VIRT(RESOURCE_CREATE),
	VIRT(RESOURCE_INFO),
	VIRT(TRANSFER_FROM_HOST),
	VIRT(TRANSFER_TO_HOST),
	VIRT(WAIT),
	VIRT(GET_CAPS),
};

/* Requests that nobody has, whichever the driver. */
static const unsigned absent[] = {
	DRM_IOCTL_GEM_FLINK,  DRM_IOCTL_GEM_OPEN,       DRM_IOCTL_SET_MASTER,
	DRM_IOCTL_AUTH_MAGIC, DRM_IOCTL_MODE_SETCRTC,   DRM_IOCTL_MODE_GETFB2,
	DRM_IOCTL_MODE_ADDFB, DRM_IOCTL_I915_PERF_OPEN, DRM_IOCTL_AMDGPU_SCHED,
};

/* named() - does @text list @name, between commas? */
static bool named(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = strstr(text, name); at;
	     at = strstr(at + 1, name)) {
		if (at[len] == '\0' || at[len] == ',')
			return true;
	}
	return false;
}

static void test_numbers(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		size_t cnt = 0;

		FOR_EACH_ROW(&table_gpu, r)
		{
			if (!r->test[0].text ||
			    !named(r->test[0].text, requests[i].name))
				continue;
			cnt++;
			CU_ASSERT_EQUAL(r->test[0].value, requests[i].request);
		}
		if (cnt != 1)
			printf("\n%s: %zu rows ", requests[i].name, cnt);
		CU_ASSERT_EQUAL(cnt, 1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++) {
		const uint64_t args[6] = {0, absent[i]};

		CU_ASSERT_PTR_NULL(policy_match(&table_gpu, SYS_ioctl, args));
	}
}
#else
static void test_numbers(void)
{
	printf("libdrm's headers are not there: nothing was compared ");
}
#endif

const struct unit_case cases_drm[] = {
	UNIT_CASE(test_numbers),
};
