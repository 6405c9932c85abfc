// SPDX-License-Identifier: Apache-2.0
/*
 * control_fuzz.c - any bytes on the control socket. The first byte picks the
 * side: the monitor's rows, which are admitted, decoded and checked as peer
 * does it for a whole frame, or a reply, as `bulkhead status` reads it.
 */
#include <stdlib.h>
#include <string.h>

#include "ipc/arena.h"
#include "ipc/dispatch.h"
#include "monitor/control/control.h"
#include "monitor/control/control_check.h"
#include "proto/control.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct arena arena;

/* fuzz_request() - a frame for the monitor; the last row's state is random. */
static void fuzz_request(const uint8_t *data, size_t size, uint32_t state)
{
	const struct dispatch_row *row;
	const ProtobufCMessage *msg;
	struct frame frame = {.payload = data + FRAME_HEADER_BYTES};

	if (frame_decode(data, size, &frame.header))
		return;
	row = dispatch_find(&control_table, frame.header.op);
	if (!row || dispatch_admit(&control_table, row, &frame, state, 0))
		return;
	if (dispatch_decode(row, frame.payload, frame.header.length, &arena,
			    &msg))
		return;
	/* What the handlers rely on. */
	if (msg->descriptor == &bulkhead__control__confinement__descriptor) {
		const Bulkhead__Control__Confinement *m = (const void *)msg;

		if (m->name && strlen(m->name) > CONTROL_CHECK_NAME_MAX)
			abort();
	}
}

/* fuzz_reply() - what the command believes. */
static void fuzz_reply(const uint8_t *data, size_t size)
{
	static const struct dispatch_row row = {
		.desc = &bulkhead__control__reply__descriptor,
		.check = control_check_reply};
	const ProtobufCMessage *msg;
	const Bulkhead__Control__Reply *m;

	if (dispatch_decode(&row, data, size, &arena, &msg))
		return;
	m = (const void *)msg;
	if (!m->error && !m->hello && !m->status && !m->confinement)
		abort();
	if (m->status && m->status->n_processes > CONTROL_CHECK_PROCESSES_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!arena.base && arena_init(&arena))
		abort();
	if (size == 0)
		return 0;
	arena_reset(&arena);
	if (data[0] < 2)
		fuzz_request(data + 1, size - 1, data[0]);
	else
		fuzz_reply(data + 1, size - 1);
	return 0;
}
