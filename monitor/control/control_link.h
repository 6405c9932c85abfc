/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_link.h - the asking end of a control socket, for programs without an
 * event loop: one request at a time, each with a deadline.
 */
#ifndef MONITOR_CONTROL_CONTROL_LINK_H
#define MONITOR_CONTROL_CONTROL_LINK_H

#include <sys/types.h>

#include "ipc/arena.h"
#include "ipc/chan.h"
#include "ipc/compiler.h"
#include "monitor/control/control_check.h"
#include "monitor/control/control_place.h"
#include "monitor/problem.h"
#include "proto/control.pb-c.h"

/**
 * struct control_link - a connection that said HELLO
 * @peer_pid: the monitor as the kernel tells us, in our pid namespace; 0 when
 * it is in none that we see
 * @said_pid: and as it says, in its own
 * @name: of the machine; "" = none
 */
struct control_link {
	char path[CONTROL_PATH_BYTES];
	struct chan chan;
	struct arena arena;
	uint32_t next_id;
	pid_t peer_pid;
	uint32_t said_pid;
	char build[CONTROL_CHECK_NAME_MAX + 1];
	char name[CONTROL_CHECK_NAME_MAX + 1];
};

/**
 * control_link_open() - connects and says HELLO
 * @path: of a socket; a symbolic link is not followed
 * Return: 0; -ECONNREFUSED nobody listens there any more; other -errno; *p is
 * set in each case.
 */
MUST_CHECK int control_link_open(struct control_link *l, const char *path,
				 struct problem *p);
/** control_link_close() - accepts what open has failed to open. */
void control_link_close(struct control_link *l);

/**
 * control_link_ask() - one request
 * @op: even
 * @ret_reply: checked, and no error; valid until the next call
 * Return: 0; -EREMOTEIO the monitor answered with an error; -ETIMEDOUT; other
 * -errno; *p is set in each case.
 */
MUST_CHECK int control_link_ask(struct control_link *l, uint32_t op,
				const ProtobufCMessage *msg,
				const Bulkhead__Control__Reply **ret_reply,
				struct problem *p);

#endif
