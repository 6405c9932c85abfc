// SPDX-License-Identifier: Apache-2.0
/*
 * memory.c - rows for memory, every role: malloc, thread stacks, guest memory
 * windows. Nothing becomes executable.
 */
#include <errno.h>
#include <sys/mman.h>

#include "policy/rows.h"

static const struct policy_row rows[] = {
	ALLOW_IF(mmap, T_CLEAR(2, PROT_EXEC),
		 "malloc arenas and large blocks, thread stacks"),
	ALLOW(munmap, "free of large blocks, end of a thread's stack"),
	ALLOW_IF(mprotect, T_CLEAR(2, PROT_EXEC),
		 "growth of malloc arenas, guard page of a thread's stack"),
	ALLOW_IF(mremap, T_CLEAR(3, MREMAP_FIXED), "realloc of large blocks"),
	ALLOW(brk, "malloc's main arena"),
	ALLOW_IF(madvise, T_EQ(2, MADV_DONTNEED),
		 "trim of malloc arenas, stack of an ended thread"),
	ALLOW_IF(madvise, T_EQ(2, MADV_HUGEPAGE),
		 "guest memory, guestmem/gmem"),
	ALLOW_IF(madvise, T_EQ(2, MADV_DONTDUMP),
		 "guest memory, guestmem/gmem"),
	REFUSE_IF(madvise, T_EQ(2, 102), EINVAL,
		  "MADV_GUARD_INSTALL, tried by glibc 2.42 for stack guards"),
};
POLICY_SET(set_memory, rows);
