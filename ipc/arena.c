// SPDX-License-Identifier: Apache-2.0
/*
 * arena.c - the capped allocator behind message decoding. Every process runs
 * it; the sizes asked for follow from what a peer sent.
 */
#include "ipc/arena.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>

/* Next @size bytes of the block, or NULL when the cap would be passed. */
static void *arena_take(void *ctx, size_t size)
{
	struct arena *a = ctx;
	const size_t mask = alignof(max_align_t) - 1;
	size_t start = (a->used + mask) & ~mask;

	if (start > ARENA_BYTES || size > ARENA_BYTES - start)
		return NULL;
	a->used = start + size;
	return a->base + start;
}

/* Memory comes back all at once, with arena_reset. */
static void arena_give(void *ctx, void *ptr)
{
	(void)ctx;
	(void)ptr;
}

int arena_init(struct arena *a)
{
	/* Over malloc's mmap threshold: pages that no message needs are never
	 * touched, and a used arena does not fragment the heap. */
	a->base = malloc(ARENA_BYTES);
	if (!a->base)
		return -ENOMEM;
	a->used = 0;
	a->alloc = (ProtobufCAllocator){
		.alloc = arena_take,
		.free = arena_give,
		.allocator_data = a,
	};
	return 0;
}

void arena_fini(struct arena *a)
{
	free(a->base);
	a->base = NULL;
	a->used = 0;
}

void arena_reset(struct arena *a)
{
	a->used = 0;
}
