// SPDX-License-Identifier: Apache-2.0
/*
 * control_link.c - asks a monitor. Runs in the command line. The monitor may
 * hang, be another version, or be no monitor at all.
 */
#include "monitor/control/control_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/dispatch.h"
#include "ipc/fds.h"
#include "ipc/loop.h"
#include "monitor/control/control.h"

#define LINK_ANSWER_NS 5000000000ull
#define LINK_QUEUE_MS 20
#define LINK_QUEUE_TRIES 50

static const struct dispatch_row link_reply = {
	.name = "reply",
	.kind = DISPATCH_ANSWER,
	.desc = &bulkhead__control__reply__descriptor,
	.check = control_check_reply,
};

/* link_failed() - the monitor and what is wrong with it. */
static int link_failed(const struct control_link *l, int error,
		       const char *what, struct problem *p)
{
	return problem_set(p, EXIT_CODE_HOST, error, "%s: %s: %s", l->path,
			   what, strerror(-error));
}

/* link_queue() - as long as others wait to be accepted, for a second at most.
 */
static int link_queue(int node)
{
	int fd = control_socket_connect(node);

	for (int i = 0; i < LINK_QUEUE_TRIES && fd == -EAGAIN; i++) {
		(void)poll(NULL, 0, LINK_QUEUE_MS);
		fd = control_socket_connect(node);
	}
	return fd;
}

/* link_connect() - to the socket itself. Return: fd, or -errno with *p set. */
static int link_connect(const char *path, struct problem *p)
{
	CLEANUP(fd_cleanup)
	int node = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int fd;

	if (node < 0)
		return problem_set(p, EXIT_CODE_HOST, -errno,
				   "%s: no machine there: %s", path,
				   strerror(errno));
	if (fstat(node, &st) < 0 || !S_ISSOCK(st.st_mode))
		return problem_set(p, EXIT_CODE_INPUT, -ENOTSOCK,
				   "%s is no socket", path);
	fd = link_queue(node);
	if (fd == -ECONNREFUSED)
		return problem_set(p, EXIT_CODE_HOST, fd,
				   "%s: the machine is gone; its socket was "
				   "left behind",
				   path);
	if (fd == -EAGAIN)
		return problem_set(p, EXIT_CODE_HOST, fd,
				   "%s: too many wait to be accepted; the "
				   "monitor may hang",
				   path);
	if (fd < 0)
		return problem_set(p, EXIT_CODE_HOST, fd,
				   "%s: cannot connect: %s", path,
				   strerror(-fd));
	return fd;
}

/* link_wait() - until something is there. Return: 0 or -errno. */
static int link_wait(const struct control_link *l, uint64_t until_ns)
{
	struct pollfd p = {.fd = l->chan.fd, .events = POLLIN};

	for (;;) {
		uint64_t now = loop_now_ns();
		int ret;

		if (now >= until_ns)
			return -ETIMEDOUT;
		ret = poll(&p, 1, (int)((until_ns - now) / 1000000u) + 1);
		if (ret > 0)
			return 0;
		if (ret < 0 && errno != EINTR)
			return -errno;
	}
}

/* link_receive() - the next frame. Return: 0 or -errno. */
static int link_receive(struct control_link *l, struct frame *ret_frame)
{
	uint64_t until = loop_now_ns() + LINK_ANSWER_NS;
	int got;

	do {
		int ret = link_wait(l, until);

		if (ret)
			return ret;
		got = chan_recv(&l->chan, ret_frame);
	} while (got == -EAGAIN);
	if (got < 0)
		return got;
	return got ? 0 : -ECONNRESET;
}

/* link_decode() - @frame must answer request @id of @op. */
static int link_decode(struct control_link *l, struct frame *frame, uint32_t op,
		       uint32_t id, const Bulkhead__Control__Reply **ret_reply)
{
	const ProtobufCMessage *msg = NULL;
	int ret = 0;

	if (frame->header.op != op + 1 || frame->header.id != id ||
	    frame->fds.cnt > 0)
		ret = -EPROTO;
	fdset_close(&frame->fds);
	if (ret)
		return ret;
	arena_reset(&l->arena);
	ret = dispatch_decode(&link_reply, frame->payload, frame->header.length,
			      &l->arena, &msg);
	*ret_reply = (const void *)msg;
	return ret;
}

int control_link_ask(struct control_link *l, uint32_t op,
		     const ProtobufCMessage *msg,
		     const Bulkhead__Control__Reply **ret_reply,
		     struct problem *p)
{
	const Bulkhead__Control__Reply *reply = NULL;
	uint32_t id = l->next_id++;
	struct frame frame;
	int ret = chan_send(&l->chan, op, id, msg, NULL, 0);

	/* -EPIPE: it may have closed with a reason that can still be read. */
	if (ret && ret != -EPIPE)
		return link_failed(l, ret, "cannot ask", p);
	ret = link_receive(l, &frame);
	if (ret == -ETIMEDOUT)
		return link_failed(l, ret, "the monitor does not answer", p);
	if (ret == -ECONNRESET)
		return problem_set(p, EXIT_CODE_HOST, ret,
				   "%s: the monitor closed the connection: it "
				   "is ending, has %u connections already, or "
				   "does not serve user %u",
				   l->path, CONTROL_CLIENTS_MAX,
				   (unsigned)geteuid());
	if (ret)
		return link_failed(l, ret, "connection", p);
	ret = link_decode(l, &frame, op, id, &reply);
	if (ret)
		return link_failed(l, ret, "not an answer that is understood",
				   p);
	if (reply->error)
		return problem_set(p, EXIT_CODE_HOST, -EREMOTEIO, "%s: %s: %s",
				   l->path, reply->error->code,
				   reply->error->message);
	*ret_reply = reply;
	return 0;
}

/* link_hello() - versions must be the same. */
static int link_hello(struct control_link *l, struct problem *p)
{
	Bulkhead__Control__Hello hello = BULKHEAD__CONTROL__HELLO__INIT;
	const Bulkhead__Control__Reply *reply = NULL;
	char program[] = "bulkhead";
	int ret;

	hello.version = CONTROL_VERSION;
	hello.program = program;
	ret = control_link_ask(l, BULKHEAD__CONTROL__OP__OP_HELLO, &hello.base,
			       &reply, p);
	if (ret)
		return ret;
	if (!reply || !reply->hello || reply->hello->version != CONTROL_VERSION)
		return link_failed(l, -EPROTO, "HELLO", p);
	l->said_pid = reply->hello->pid;
	(void)snprintf(l->build, sizeof(l->build), "%s", reply->hello->build);
	(void)snprintf(l->name, sizeof(l->name), "%.64s",
		       reply->hello->name ? reply->hello->name : "");
	return 0;
}

/* link_peer() - who listens, by the kernel. */
static void link_peer(struct control_link *l)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);

	if (getsockopt(l->chan.fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0)
		l->peer_pid = peer.pid;
}

int control_link_open(struct control_link *l, const char *path,
		      struct problem *p)
{
	int ret;

	*l = (struct control_link){.chan = {.fd = -1}, .next_id = 1};
	(void)snprintf(l->path, sizeof(l->path), "%s", path);
	ret = link_connect(path, p);
	if (ret < 0)
		return ret;
	ret = chan_init(&l->chan, ret);
	if (!ret)
		ret = arena_init(&l->arena);
	if (ret) {
		(void)link_failed(l, ret, "connection", p);
	} else {
		link_peer(l);
		ret = link_hello(l, p);
	}
	if (ret)
		control_link_close(l);
	return ret;
}

void control_link_close(struct control_link *l)
{
	chan_fini(&l->chan);
	arena_fini(&l->arena);
}
