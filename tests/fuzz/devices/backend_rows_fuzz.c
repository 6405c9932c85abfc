// SPDX-License-Identifier: Apache-2.0
/*
 * backend_rows_fuzz.c - what a vmm or monitor may send to a device, through the
 * same decoding and checks as in the device. First byte: the row; the rest is
 * the payload. Guards the bounds that the handlers rely on.
 */
#include <stdlib.h>

#include "devices/core/grant.h"
#include "devices/core/runtime.h"
#include "ipc/arena.h"
#include "ipc/dispatch.h"
#include "proto/backend.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** rows_fuzz_bounds() - a message that passed its row's check. */
static void rows_fuzz_bounds(uint32_t op, const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__QueueSet *set = (const void *)msg;
	const Bulkhead__Backend__ConfigWrite *write = (const void *)msg;
	const Bulkhead__Backend__MemoryTable *mem = (const void *)msg;

	if (op == BULKHEAD__BACKEND__OP__OP_QUEUE_SET &&
	    (set->index >= 64 || set->position > UINT16_MAX))
		abort();
	if (op == BULKHEAD__BACKEND__OP__OP_CONFIG_WRITE &&
	    (write->data.len == 0 || write->data.len > 8))
		abort();
	if (op == BULKHEAD__BACKEND__OP__OP_MEMORY) {
		struct memtable t;

		(void)!memtable_from_proto(mem->regions, mem->n_regions,
					   1u << 30, &t);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena arena;
	const struct dispatch_table *t;
	const struct dispatch_row *row;
	const ProtobufCMessage *msg;

	if (size == 0 || (!arena.base && arena_init(&arena) < 0))
		return 0;
	t = data[0] & 0x80 ? &child_table : &vmm_table;
	row = &t->rows[(data[0] & 0x7f) % t->cnt];
	arena_reset(&arena);
	if (dispatch_decode(row, data + 1, size - 1, &arena, &msg) < 0)
		return 0;
	if (t == &vmm_table)
		rows_fuzz_bounds(row->op, msg);
	return 0;
}
