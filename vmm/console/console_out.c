// SPDX-License-Identifier: Apache-2.0
/*
 * console_out.c - output ring and its thread, the only place of the vmm that
 * may block on something outside. Guest bytes pass through as they are.
 *
 * Whole lines are written at once: the thread wakes at the first byte, and
 * gives the guest a moment to end the line before it writes, so that a boot log
 * costs a wake a line and not a byte.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "vmm/console/console.h"

#define LOG_MODULE "console"
#include "ipc/log.h"
#include "policy/confine.h"

#define CONSOLE_STACK_BYTES ((size_t)128 * 1024)
#define CONSOLE_CHUNK_BYTES 4096u
#define CONSOLE_LINE_WAIT_NS 2000000
/* A guest that saw a full ring writes again when this much is free. */
#define CONSOLE_ROOM_AGAIN (CONSOLE_RING_BYTES / 2)

void console_out_init(struct console_out *o, int fd)
{
	pthread_condattr_t attr;

	*o = (struct console_out){.fd = fd};
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&o->wake, &attr);
	pthread_cond_init(&o->drained, &attr);
	pthread_condattr_destroy(&attr);
}

bool console_out_room(const struct console_out *o)
{
	/* A driver fills the whole FIFO after one look at THRE. */
	return o->fd < 0 || o->cnt + UART_FIFO_BYTES <= CONSOLE_RING_BYTES;
}

void console_out_put(struct console *c, uint8_t byte)
{
	struct console_out *o = &c->out;

	stats_add(c->stats, STAT_CONSOLE_OUT_BYTES, 1);
	if (o->fd < 0)
		return;
	if (o->cnt == CONSOLE_RING_BYTES) {
		stats_add(c->stats, STAT_CONSOLE_OUT_DROPPED, 1);
		return;
	}
	o->ring[(o->head + o->cnt) % CONSOLE_RING_BYTES] = byte;
	o->cnt++;
	if (byte == '\n')
		o->line_ended = true;
	if (o->cnt == 1 || byte == '\n' || o->cnt == CONSOLE_CHUNK_BYTES)
		pthread_cond_signal(&o->wake);
}

/** console_after() - CLOCK_MONOTONIC in @ns */
static struct timespec console_after(uint64_t ns)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ns += (uint64_t)ts.tv_nsec;
	ts.tv_sec += (time_t)(ns / 1000000000ULL);
	ts.tv_nsec = (long)(ns % 1000000000ULL);
	return ts;
}

/** console_out_write() - all of @buf, blocking. Return: 0 or -errno. */
static int console_out_write(int fd, const uint8_t *buf, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, buf, len);

		if (n >= 0) {
			buf += n;
			len -= (size_t)n;
			continue;
		}
		/* The other side of a terminal may have made it non-blocking.
		 */
		if (errno == EAGAIN) {
			struct pollfd p = {.fd = fd, .events = POLLOUT};

			if (poll(&p, 1, -1) >= 0)
				continue;
		}
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/** console_out_wait() - until there is something to write; lock held */
static void console_out_wait(struct console *c)
{
	struct console_out *o = &c->out;
	struct timespec until;

	while (o->cnt == 0 && !o->closing)
		pthread_cond_wait(&o->wake, &c->lock);
	until = console_after(CONSOLE_LINE_WAIT_NS);
	while (!o->line_ended && !o->closing && o->cnt < CONSOLE_CHUNK_BYTES) {
		if (pthread_cond_timedwait(&o->wake, &c->lock, &until) != 0)
			break;
	}
	o->line_ended = false;
}

/** console_out_take() - up to a chunk out of the ring; lock held */
static size_t console_out_take(struct console_out *o, uint8_t *buf)
{
	uint32_t len =
		o->cnt < CONSOLE_CHUNK_BYTES ? o->cnt : CONSOLE_CHUNK_BYTES;
	uint32_t first = CONSOLE_RING_BYTES - o->head;

	if (first > len)
		first = len;
	memcpy(buf, &o->ring[o->head], first);
	memcpy(buf + first, o->ring, len - first);
	o->head = (o->head + len) % CONSOLE_RING_BYTES;
	o->cnt -= len;
	return len;
}

/** console_out_round() - waits, writes a chunk. Return: false at the end. */
static bool console_out_round(struct console *c, uint8_t *buf)
{
	struct console_out *o = &c->out;
	size_t len;
	int ret;

	console_out_wait(c);
	if (o->cnt == 0)
		return false;
	len = console_out_take(o, buf);
	o->busy = true;
	pthread_mutex_unlock(&c->lock);
	ret = console_out_write(o->fd, buf, len);
	pthread_mutex_lock(&c->lock);
	o->busy = false;
	if (ret < 0) {
		log_warn("output ended: errno %d", -ret);
		stats_add(c->stats, STAT_CONSOLE_OUT_DROPPED, len + o->cnt);
		fd_cleanup(&o->fd);
		o->cnt = 0;
	}
	if (o->full && o->cnt <= CONSOLE_ROOM_AGAIN) {
		o->full = false;
		uart_tx_ready(&c->uart);
	}
	if (o->cnt == 0)
		pthread_cond_broadcast(&o->drained);
	return o->fd >= 0;
}

/** console_out_main() - the output thread */
static void *console_out_main(void *arg)
{
	struct console *c = arg;
	uint8_t buf[CONSOLE_CHUNK_BYTES];
	int ret = confine_thread(CONFINE_THREAD_MAIN);

	if (ret < 0)
		exit_request(c->exit, BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR,
			     0, "cannot confine the console's thread: %s",
			     strerrordesc_np(-ret));
	pthread_mutex_lock(&c->lock);
	while (console_out_round(c, buf))
		;
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

int console_out_start(struct console *c)
{
	pthread_attr_t attr;
	int ret;

	if (c->out.fd < 0)
		return 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, CONSOLE_STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	ret = pthread_create(&c->out.thread, &attr, console_out_main, c);
	pthread_attr_destroy(&attr);
	c->out.started = ret == 0;
	return -ret;
}

void console_flush(struct console *c, uint64_t ns)
{
	struct console_out *o = &c->out;
	struct timespec until = console_after(ns);

	pthread_mutex_lock(&c->lock);
	o->closing = true;
	pthread_cond_signal(&o->wake);
	while (o->started && o->fd >= 0 && (o->cnt > 0 || o->busy)) {
		if (pthread_cond_timedwait(&o->drained, &c->lock, &until) != 0)
			break;
	}
	if (o->cnt > 0) {
		log_warn("output is stuck: %u bytes lost", o->cnt);
		stats_add(c->stats, STAT_CONSOLE_OUT_DROPPED, o->cnt);
	}
	pthread_mutex_unlock(&c->lock);
}
