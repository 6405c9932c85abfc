/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chan.h - one end of a SOCK_SEQPACKET channel: sends and receives whole
 * frames with their fds. Never blocks; knows nothing of ops.
 */
#ifndef IPC_CHAN_H
#define IPC_CHAN_H

#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/fds.h"
#include "ipc/frame.h"

/**
 * struct chan - a channel end
 * @fd: owned, non-blocking, close-on-exec; -1 when closed
 * @buf: owned, FRAME_BYTES_MAX bytes, receive and send buffer
 */
struct chan {
	int fd;
	uint8_t *buf;
};

/**
 * struct frame - a received frame
 * @header: checked header
 * @payload: header.length bytes inside the channel's buffer, valid until the
 * next chan_ call on the same channel
 * @fds: owned by the frame until taken
 */
struct frame {
	struct frame_header header;
	const uint8_t *payload;
	struct fdset fds;
};

/** chan_pair() - a connected pair, both ends close-on-exec. 0 or -errno. */
MUST_CHECK int chan_pair(int ret_fds[2]);

/**
 * chan_init() - takes ownership of @fd on success and failure alike
 * Return: 0; -ENOTSOCK, -EPROTOTYPE @fd is not an AF_UNIX SOCK_SEQPACKET
 * socket; -ENOMEM.
 */
MUST_CHECK int chan_init(struct chan *c, int fd);
/** chan_fini() - closes; accepts { .fd = -1 }. */
void chan_fini(struct chan *c);

/**
 * chan_send() - packs @msg and sends it with @fds (borrowed)
 * @msg: NULL for an empty payload
 * Return: 0; -EMSGSIZE over FRAME_PAYLOAD_MAX; -EAGAIN the peer does not read;
 * -EPIPE the peer is gone; other -errno of sendmsg(2).
 */
MUST_CHECK int chan_send(struct chan *c, uint32_t op, uint32_t id,
			 const ProtobufCMessage *msg, const int *fds,
			 size_t fd_cnt);

/**
 * chan_recv() - takes one frame
 * Return: 1 a frame is in *@ret_frame; 0 the peer closed; -EAGAIN nothing
 * there; -EBADMSG, -EMSGSIZE bad header, truncated data or truncated control
 * data (all fds that came are closed); other -errno of recvmsg(2).
 */
MUST_CHECK int chan_recv(struct chan *c, struct frame *ret_frame);

#endif
