/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - serves the control socket while a machine lives.
 *
 *   control_place.c   where the socket lies
 *   control_socket.c  makes and removes it
 *   control.c         connections: who may, how many, how long
 *   control_rows.c    one row an op: what may be asked, and the answers
 *   control_status.c  the machine's state as messages
 *   control_check.c   bounds of what may be asked and answered
 *   control_link.c    the other end, for the command line
 */
#ifndef MONITOR_CONTROL_CONTROL_H
#define MONITOR_CONTROL_CONTROL_H

#include <stdint.h>
#include <sys/types.h>

#include "ipc/compiler.h"
#include "ipc/loop.h"
#include "ipc/peer.h"
#include "monitor/control/control_socket.h"

/* Of control.proto; the other channels have PROTOCOL_VERSION. */
#define CONTROL_VERSION 1u

struct machine;
struct control;

/* What a connection may ask depends on whether it said HELLO. */
enum control_state { CONTROL_STATE_NEW, CONTROL_STATE_OPEN };

/**
 * struct control_client - one connection
 * @hello: it must have said HELLO by then
 */
struct control_client {
	struct control *control;
	struct peer peer;
	struct deadline hello;
};

/**
 * struct control - zero-initialised, then control_start
 * @machine: borrowed
 * @sock: borrowed
 * @pid: of this process
 * @started_ns: CLOCK_MONOTONIC
 */
struct control {
	const struct machine *machine;
	const struct control_socket *sock;
	pid_t pid;
	uint64_t started_ns;

	/* private to control.c */
	struct loop *loop;
	struct loop_source source;
	struct deadline again; /* after accept failed */
	struct control_client *client[CONTROL_CLIENTS_MAX];
};

/**
 * control_start() - accepts from now on; nothing where there is no socket
 * Return: 0 or -errno.
 */
MUST_CHECK int control_start(struct control *c, struct loop *l,
			     const struct machine *m,
			     const struct control_socket *sock);
/** control_stop() - closes all connections; accepts a zeroed struct. */
void control_stop(struct control *c);

/* Between the files of this folder. */
extern const struct dispatch_table control_table;
/** control_refuse() - peer.refuse: an error instead of a closed connection. */
int control_refuse(struct peer *peer, const struct dispatch_row *row,
		   const struct frame_header *header, int error);

#endif
