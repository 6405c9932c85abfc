// SPDX-License-Identifier: Apache-2.0
/*
 * console.c - joins the UART's registers with the ring, the input and the
 * interrupt. Register accesses run on vCPU threads.
 */
#include "vmm/console/console.h"

#include <errno.h>
#include <unistd.h>

#define LOG_MODULE "console"
#include "ipc/log.h"

/** console_irq() - an edge on the serial GSI */
static void console_irq(void *ctx)
{
	struct console *c = ctx;
	uint64_t one = 1;

	/* An irqfd: KVM takes the count at once, it never fills up. */
	if (c->irq_fd >= 0 && write(c->irq_fd, &one, sizeof(one)) < 0)
		log_guest(LOG_LEVEL_ERR, "interrupt: errno %d", errno);
}

static void console_tx(void *ctx, uint8_t byte)
{
	console_out_put(ctx, byte);
}

static bool console_tx_room(void *ctx)
{
	struct console *c = ctx;
	bool room = console_out_room(&c->out);

	/* Whoever sees "no room" is owed an interrupt when there is some. */
	if (!room)
		c->out.full = true;
	return room;
}

static void console_rx_ready(void *ctx)
{
	console_in_ready(ctx);
}

static const struct uart_ops console_uart_ops = {
	.irq = console_irq,
	.tx = console_tx,
	.tx_room = console_tx_room,
	.rx_ready = console_rx_ready,
};

void console_init(struct console *c, const struct console_config *cfg)
{
	pthread_mutex_init(&c->lock, NULL);
	c->irq_fd = cfg->irq_fd;
	c->loop = cfg->loop;
	c->exit = cfg->exit;
	c->stats = cfg->stats;
	uart_init(&c->uart, &console_uart_ops, c);
	console_out_init(&c->out, cfg->out_fd);
	console_in_init(c, cfg->in_fd, cfg->escape);
}

int console_start(struct console *c)
{
	int ret = console_out_start(c);

	if (ret == 0)
		console_in_start(c);
	return ret;
}

static uint64_t console_bus_read(void *ctx, uint64_t offset, uint32_t len)
{
	struct console *c = ctx;
	uint8_t value;

	(void)len;
	pthread_mutex_lock(&c->lock);
	value = uart_read(&c->uart, (uint32_t)offset);
	pthread_mutex_unlock(&c->lock);
	return value;
}

static void console_bus_write(void *ctx, uint64_t offset, uint32_t len,
			      uint64_t value)
{
	struct console *c = ctx;

	(void)len;
	pthread_mutex_lock(&c->lock);
	uart_write(&c->uart, (uint32_t)offset, (uint8_t)value);
	pthread_mutex_unlock(&c->lock);
}

const struct bus_ops console_bus_ops = {
	.read = console_bus_read,
	.write = console_bus_write,
};
