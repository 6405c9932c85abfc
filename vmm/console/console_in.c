// SPDX-License-Identifier: Apache-2.0
/*
 * console_in.c - input for the UART, read on the main loop. The bytes are the
 * user's; the guest sees them all but for the escape keys.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "vmm/console/console.h"

#define LOG_MODULE "console"
#include "ipc/log.h"

#define CONSOLE_KEY_PREFIX 0x01 /* Ctrl-A */
#define CONSOLE_KEY_EXIT 'x'
#define CONSOLE_READ_BYTES 512u

/** console_in_store() - one byte behind the others; dropped if full */
static void console_in_store(struct console *c, uint8_t byte)
{
	struct console_in *in = &c->in;

	if (in->cnt == CONSOLE_INPUT_BYTES) {
		stats_add(c->stats, STAT_CONSOLE_IN_DROPPED, 1);
		return;
	}
	in->buf[(in->head + in->cnt) % CONSOLE_INPUT_BYTES] = byte;
	in->cnt++;
}

/** console_in_key() - looks for the escape keys */
static void console_in_key(struct console *c, uint8_t byte)
{
	struct console_in *in = &c->in;

	if (in->escape && !in->prefix && byte == CONSOLE_KEY_PREFIX) {
		in->prefix = true;
		return;
	}
	if (in->prefix) {
		in->prefix = false;
		if (byte == CONSOLE_KEY_EXIT) {
			exit_request(c->exit,
				     BULKHEAD__CHILD__EXIT_REASON__EXIT_ESCAPE,
				     0, NULL);
			return;
		}
		/* Twice means once; before any other key it was meant so. */
		if (byte != CONSOLE_KEY_PREFIX)
			console_in_store(c, CONSOLE_KEY_PREFIX);
	}
	console_in_store(c, byte);
}

/** console_in_feed() - buffer to UART, as far as it has room */
static void console_in_feed(struct console *c)
{
	struct console_in *in = &c->in;
	uint32_t fed = 0;

	/* Before the look at the room: who makes room after it will post. */
	atomic_store(&in->hungry, true);
	pthread_mutex_lock(&c->lock);
	while (in->cnt > 0 && uart_rx_room(&c->uart) > 0) {
		uart_rx_push(&c->uart, in->buf[in->head]);
		in->head = (in->head + 1) % CONSOLE_INPUT_BYTES;
		in->cnt--;
		fed++;
	}
	if (in->cnt == 0 && !in->always_ready)
		atomic_store(&in->hungry, false);
	pthread_mutex_unlock(&c->lock);
	stats_add(c->stats, STAT_CONSOLE_IN_BYTES, fed);
}

/** console_in_end() - end of input; the machine goes on */
static void console_in_end(struct console *c)
{
	loop_del(c->loop, &c->in.source);
	c->in.watched = false;
	c->in.always_ready = false;
	fd_cleanup(&c->in.fd);
}

/**
 * console_in_space() - bytes to read now
 * With escape keys all input is read, so that a guest that takes none can still
 * be left; what does not fit is dropped. Without, a full buffer stops reading.
 */
static size_t console_in_space(const struct console_in *in)
{
	size_t space = CONSOLE_INPUT_BYTES - in->cnt;

	if (in->escape || space > CONSOLE_READ_BYTES)
		return CONSOLE_READ_BYTES;
	return space;
}

/** console_in_read() - one read. Return: false if nothing came. */
static bool console_in_read(struct console *c)
{
	uint8_t buf[CONSOLE_READ_BYTES];
	size_t space = console_in_space(&c->in);
	ssize_t n;

	if (c->in.fd < 0 || space == 0)
		return false;
	n = read(c->in.fd, buf, space);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		if (n < 0)
			log_warn("input ended: errno %d", errno);
		console_in_end(c);
		return false;
	}
	for (ssize_t i = 0; i < n; i++)
		console_in_key(c, buf[i]);
	return true;
}

/** console_in_watch() - watches the fd while there is space for more */
static void console_in_watch(struct console *c)
{
	struct console_in *in = &c->in;
	bool want =
		in->fd >= 0 && !in->always_ready && console_in_space(in) > 0;

	if (want == in->watched)
		return;
	/* Taken out, not masked: a hung-up pipe is reported in any case. */
	if (!want) {
		loop_del(c->loop, &in->source);
		in->watched = false;
		return;
	}
	int ret = loop_add(c->loop, &in->source);

	in->watched = ret == 0;
	/* A regular file is always readable, and epoll says so by EPERM. */
	if (ret == -EPERM)
		in->always_ready = true;
	else if (ret < 0)
		log_warn("input cannot be watched: errno %d", -ret);
}

/** console_in_pump() - the guest has room, or the buffer has */
static void console_in_pump(void *ctx)
{
	struct console *c = ctx;

	console_in_feed(c);
	while (c->in.always_ready && c->in.cnt == 0) {
		if (!console_in_read(c))
			break;
		console_in_feed(c);
	}
	console_in_watch(c);
}

/** console_in_event() - the fd is readable, or hung up */
static void console_in_event(void *ctx, uint32_t events)
{
	struct console *c = ctx;

	(void)events;
	console_in_read(c);
	console_in_feed(c);
	console_in_watch(c);
}

void console_in_init(struct console *c, int fd, bool escape)
{
	c->in = (struct console_in){.fd = fd, .escape = escape};
	c->in.source = (struct loop_source){
		.fd = fd, .events = EPOLLIN, .fn = console_in_event, .ctx = c};
	c->in.work = (struct loop_work){.fn = console_in_pump, .ctx = c};
}

void console_in_start(struct console *c)
{
	console_in_watch(c);
	if (c->in.always_ready)
		console_in_pump(c);
}

void console_in_ready(struct console *c)
{
	/* Called on vCPU threads with console.lock held: only posts. */
	if (atomic_load(&c->in.hungry) && uart_rx_room(&c->uart) > 0)
		loop_post(c->loop, &c->in.work);
}
