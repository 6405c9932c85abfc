// SPDX-License-Identifier: Apache-2.0
/*
 * channel.c - rows of the channels (ipc/chan.c, ipc/log.c): connected sockets
 * that were granted; none is made, bound or connected.
 */
#include <fcntl.h>
#include <sys/socket.h>

#include "policy/rows.h"

static const struct policy_row rows[] = {
	ALLOW(recvmsg, "ipc/chan.c chan_recv"),
	ALLOW(sendmsg, "ipc/chan.c chan_send"),
	ALLOW_IF(sendto, T_EQ64(4, 0), "ipc/log.c, no address"),
	ALLOW_IF2(getsockopt, T_EQ(1, SOL_SOCKET), T_EQ(2, SO_TYPE),
		  "ipc/chan.c chan_init of a granted fd"),
	ALLOW_IF2(getsockopt, T_EQ(1, SOL_SOCKET), T_EQ(2, SO_DOMAIN),
		  "ipc/chan.c chan_init of a granted fd"),
	ALLOW_IF(fcntl, T_EQ(1, F_GETFL), "ipc/chan.c chan_init"),
	ALLOW_IF2(fcntl, T_EQ(1, F_SETFL), T_ONLY(2, O_NONBLOCK | O_RDWR),
		  "ipc/chan.c chan_init: O_NONBLOCK and nothing else"),
	ALLOW_IF2(fcntl, T_EQ(1, F_SETFD), T_EQ(2, FD_CLOEXEC),
		  "ipc/chan.c chan_init"),
};
POLICY_SET(set_channel, rows);
