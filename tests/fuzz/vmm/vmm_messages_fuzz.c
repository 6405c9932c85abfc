// SPDX-License-Identifier: Apache-2.0
/*
 * vmm_messages_fuzz.c - bytes that the monitor or a device process sends to the
 * vmm, decoded and checked as dispatch does it. The first byte picks the row.
 */
#include <stddef.h>
#include <stdint.h>

#include "ipc/arena.h"
#include "ipc/dispatch.h"
#include "proto/backend.pb-c.h"
#include "proto/child.pb-c.h"
#include "vmm/control.h"
#include "vmm/virtio/devproxy_check.h"

static const struct dispatch_row rows[] = {
	{.desc = &bulkhead__child__grant__descriptor,
	 .check = control_grant_check},
	{.desc = &bulkhead__child__device__descriptor,
	 .check = control_device_check},
	{.desc = &bulkhead__backend__info_reply__descriptor,
	 .check = devproxy_info_check},
	{.desc = &bulkhead__backend__reply__descriptor,
	 .check = devproxy_reply_check},
	{.desc = &bulkhead__backend__queue_stop_reply__descriptor,
	 .check = devproxy_stop_check},
	{.desc = &bulkhead__backend__config_push__descriptor,
	 .check = devproxy_push_check},
	{.desc = &bulkhead__backend__needs_reset__descriptor,
	 .check = devproxy_needs_reset_check},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena arena;
	const ProtobufCMessage *msg = NULL;

	if (!arena.base && arena_init(&arena) < 0)
		return 0;
	if (size == 0 || size > FRAME_PAYLOAD_MAX)
		return 0;
	arena_reset(&arena);
	if (dispatch_decode(&rows[data[0] % ARRAY_SIZE(rows)], data + 1,
			    size - 1, &arena, &msg) == 0 &&
	    !msg)
		__builtin_trap();
	return 0;
}
