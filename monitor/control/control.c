// SPDX-License-Identifier: Apache-2.0
/*
 * control.c - connections of the control socket. Runs in the monitor, on its
 * loop, behind its walls: all was opened before. Whoever connects is the user
 * that started the machine, or root, and may still be wrong, slow or hostile: a
 * connection costs a bounded amount of memory, never blocks the loop, and is
 * dropped when it does not read its answers.
 */
#define LOG_MODULE "control"
#include "monitor/control/control.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/log.h"
#include "monitor/machine/machine.h"

#define CONTROL_HELLO_NS 5000000000ull
/* After accept(2) has failed, for want of fds say. */
#define CONTROL_AGAIN_NS 1000000000ull

/* control_client_free() - out of the table, closed, freed. */
static void control_client_free(struct control_client *client)
{
	struct control *c = client->control;

	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (c->client[i] == client)
			c->client[i] = NULL;
	}
	loop_deadline_disarm(c->loop, &client->hello);
	peer_fini(&client->peer);
	free(client);
}

/* control_client_failed() - closed, or it broke the protocol. */
static void control_client_failed(struct peer *peer, int error,
				  const char *what)
{
	if (error != -ECONNRESET)
		log_guest(LOG_LEVEL_INFO, "connection closed: %s: %s", what,
			  strerror(-error));
	control_client_free(peer->ctx);
}

/* control_client_overdue() - no HELLO. */
static void control_client_overdue(void *ctx)
{
	struct control_client *client = ctx;

	if (client->peer.state == CONTROL_STATE_NEW)
		peer_fail(&client->peer, -ETIMEDOUT, "HELLO");
}

/* control_may() - does the kernel say that @fd's other end is one of ours? */
static bool control_may(const struct control *c, int fd)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return false;
	/*
	 * In a user namespace of our own the kernel calls everybody else, root
	 * included, by one name. Only root passes a file that is 0600 and ours.
	 */
	if (peer.uid == CONTROL_UID_UNMAPPED &&
	    c->machine->walls.wall[CONFINE_WALL_USERNS].stands) {
		if (control_socket_private(c->sock))
			return true;
	} else if (peer.uid == 0 || peer.uid == c->sock->starter) {
		return true;
	}
	log_guest(LOG_LEVEL_WARN, "user %u may not connect", peer.uid);
	return false;
}

/* control_slot() - a free place in the table; NULL = all in use. */
static struct control_client **control_slot(struct control *c)
{
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (!c->client[i])
			return &c->client[i];
	}
	log_guest(LOG_LEVEL_WARN, "more than %u connections",
		  CONTROL_CLIENTS_MAX);
	return NULL;
}

/* control_admit() - @fd is owned from here on. */
static void control_admit(struct control *c, int fd)
{
	CLEANUP(fd_cleanup) int owned = fd;
	struct control_client **slot;
	struct control_client *client;

	if (!control_may(c, owned))
		return;
	slot = control_slot(c);
	client = slot ? calloc(1, sizeof(*client)) : NULL;
	if (!client)
		return;
	client->control = c;
	client->hello =
		(struct deadline){.fn = control_client_overdue, .ctx = client};
	client->peer.name = "control";
	client->peer.table = &control_table;
	client->peer.state = CONTROL_STATE_NEW;
	client->peer.ctx = client;
	client->peer.on_fail = control_client_failed;
	client->peer.refuse = control_refuse;
	if (peer_init(&client->peer, c->loop, fd_steal(&owned))) {
		free(client);
		return;
	}
	*slot = client;
	loop_deadline_arm(c->loop, &client->hello, CONTROL_HELLO_NS);
}

/* control_accept() - somebody connects: one a round, the loop has others. */
static void control_accept(void *ctx, uint32_t events)
{
	struct control *c = ctx;
	int fd = accept4(c->sock->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (fd >= 0) {
		control_admit(c, fd);
		return;
	}
	if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
		return;
	log_guest(LOG_LEVEL_WARN, "accept: %s", strerror(errno));
	loop_del(c->loop, &c->source);
	loop_deadline_arm(c->loop, &c->again, CONTROL_AGAIN_NS);
}

/* control_again() - tries to accept once more. */
static void control_again(void *ctx)
{
	struct control *c = ctx;

	if (loop_add(c->loop, &c->source))
		loop_deadline_arm(c->loop, &c->again, CONTROL_AGAIN_NS);
}

int control_start(struct control *c, struct loop *l, const struct machine *m,
		  const struct control_socket *sock)
{
	int ret;

	c->machine = m;
	c->sock = sock;
	c->pid = getpid();
	c->started_ns = loop_now_ns();
	c->again = (struct deadline){.fn = control_again, .ctx = c};
	if (sock->fd < 0)
		return 0;
	c->source = (struct loop_source){.fd = sock->fd,
					 .events = EPOLLIN,
					 .fn = control_accept,
					 .ctx = c};
	ret = loop_add(l, &c->source);
	if (!ret)
		c->loop = l;
	return ret;
}

void control_stop(struct control *c)
{
	if (!c->loop)
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		if (c->client[i])
			control_client_free(c->client[i]);
	}
	loop_deadline_disarm(c->loop, &c->again);
	loop_del(c->loop, &c->source);
	c->loop = NULL;
}
