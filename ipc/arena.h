/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - capped memory for decoding one message. What a peer sends can make
 * us use this much memory and no more.
 */
#ifndef IPC_ARENA_H
#define IPC_ARENA_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"

/* Room for the largest payload and its decoded form. */
#define ARENA_BYTES ((size_t)256 * 1024)

/**
 * struct arena - bump allocator over one block
 * @base: owned block of ARENA_BYTES
 * @used: bytes handed out since the last reset
 * @alloc: to hand to protobuf-c; frees are no-ops, a full arena returns NULL
 */
struct arena {
	uint8_t *base;
	size_t used;
	ProtobufCAllocator alloc;
};

/** arena_init() - Return: 0 or -ENOMEM. */
MUST_CHECK int arena_init(struct arena *a);
/** arena_fini() - accepts a zeroed struct. */
void arena_fini(struct arena *a);
/** arena_reset() - everything handed out so far is invalid from here on. */
void arena_reset(struct arena *a);

#endif
