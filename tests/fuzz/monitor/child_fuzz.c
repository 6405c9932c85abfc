// SPDX-License-Identifier: Apache-2.0
/*
 * child_fuzz.c - any bytes as a child's message: first byte picks the type, the
 * rest is decoded and checked as dispatch does it.
 */
#include <stdlib.h>

#include "ipc/arena.h"
#include "ipc/dispatch.h"
#include "monitor/machine/child_check.h"
#include "proto/child.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct dispatch_row rows[] = {
	{.desc = &bulkhead__child__hello__descriptor,
	 .check = child_check_hello},
	{.desc = &bulkhead__child__ready__descriptor,
	 .check = child_check_ready},
	{.desc = &bulkhead__child__prepared__descriptor,
	 .check = child_check_prepared},
	{.desc = &bulkhead__child__running__descriptor,
	 .check = child_check_running},
	{.desc = &bulkhead__child__exit__descriptor, .check = child_check_exit},
	{.desc = &bulkhead__child__log__descriptor, .check = child_check_log},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena arena;
	const ProtobufCMessage *msg;

	if (!arena.base && arena_init(&arena))
		abort();
	if (size == 0)
		return 0;
	arena_reset(&arena);
	(void)!dispatch_decode(&rows[data[0] % ARRAY_SIZE(rows)], data + 1,
			       size - 1, &arena, &msg);
	return 0;
}
