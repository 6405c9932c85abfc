// SPDX-License-Identifier: Apache-2.0
/*
 * initrd.c - places the initrd. Runs in the confined vmm; its size and the
 * kernel's wishes are a tenant's and not trusted. Pure.
 * Spec: Linux/x86 boot protocol 2.15, initrd_addr_max and init_size.
 */
#include "vmm/boot/initrd.h"

#include <errno.h>
#include <inttypes.h>

#include "vmm/boot/message.h"
#include "vmm/layout.h"

#define INITRD_PAGE 4096ULL

/**
 * initrd_room() - bytes from @start, rounded up to a page, to @end
 */
static uint64_t initrd_room(uint64_t start, uint64_t end)
{
	if (__builtin_add_overflow(start, INITRD_PAGE - 1, &start))
		return 0;
	start &= ~(INITRD_PAGE - 1);
	return start < end ? end - start : 0;
}

int initrd_place(const struct boot_kernel *k, uint64_t bytes, uint64_t low_end,
		 uint64_t *ret_gpa, char *ret_message)
{
	uint64_t end = low_end;
	uint64_t above;
	uint64_t below;

	if (k->initrd_limit < end)
		end = k->initrd_limit + 1;
	above = initrd_room(k->end, end);
	below = initrd_room(LAYOUT_HIMEM_GPA, k->start < end ? k->start : end);
	if (bytes <= above)
		*ret_gpa = (end - bytes) & ~(INITRD_PAGE - 1);
	else if (bytes <= below)
		*ret_gpa = ((k->start < end ? k->start : end) - bytes) &
			   ~(INITRD_PAGE - 1);
	else
		return boot_refuse(
			ret_message, -ENOSPC,
			"initrd has %" PRIu64 " bytes, but at most %" PRIu64
			" fit between the kernel (0x%" PRIx64 " to 0x%" PRIx64
			") and the end of its range (0x%" PRIx64 ")",
			bytes, above > below ? above : below, k->start, k->end,
			end);
	return 0;
}
