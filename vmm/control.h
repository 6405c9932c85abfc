/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - the vmm's end of child.proto: what the monitor asks and what it
 * is told. The monitor is trusted with the machine, not with our memory: its
 * messages are checked like everybody's.
 */
#ifndef VMM_CONTROL_H
#define VMM_CONTROL_H

#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/loop.h"
#include "ipc/peer.h"
#include "policy/confine.h"
#include "vmm/machine.h"

enum control_state {
	CONTROL_STATE_NEW,      /* HELLO sent, GRANT is next */
	CONTROL_STATE_GRANTED,  /* DEVICE frames are next */
	CONTROL_STATE_READY,    /* PREPARE is next */
	CONTROL_STATE_PREPARED, /* RUN is next */
	CONTROL_STATE_RUNNING
};

/**
 * struct control - the channel and the machine behind it
 * @mode: how to confine, of GRANT
 * @prepare_id: the open PREPARE request
 */
struct control {
	struct peer peer;
	struct loop *loop;
	struct machine machine;
	enum confine_mode mode;
	uint32_t prepare_id;
};

/** control_start() - on @fd, which it takes; says HELLO. 0 or -errno. */
MUST_CHECK int control_start(struct control *c, struct loop *loop, int fd);

/*
 * control_check.c: pure tests of messages; each returns 0 or -EPROTO.
 */
MUST_CHECK int control_grant_check(const ProtobufCMessage *msg);
MUST_CHECK int control_device_check(const ProtobufCMessage *msg);

/*
 * control_report.c: what the monitor is told. 0 or -errno of peer_event.
 */
MUST_CHECK int control_send_ready(struct control *c,
				  const struct confine_report *report);
MUST_CHECK int control_send_prepared(struct control *c);
MUST_CHECK int control_send_running(struct control *c);
MUST_CHECK int control_send_exit(struct control *c,
				 Bulkhead__Child__ExitReason reason,
				 uint32_t code, const char *message);
MUST_CHECK int control_send_stats(struct control *c, uint32_t id);

#endif
