// SPDX-License-Identifier: Apache-2.0
/*
 * uart_fuzz.c - a guest does anything to the UART while input comes in. The
 * FIFO stays in its bounds and an interrupt is only sent when IIR has a reason.
 */
#include <linux/serial_reg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "vmm/console/uart.h"

static struct uart u;
static bool full;

static void w_irq(void *ctx)
{
	(void)ctx;
	if (!u.line)
		abort();
}

static void w_tx(void *ctx, uint8_t byte)
{
	(void)ctx;
	full = byte & 1;
}

static bool w_room(void *ctx)
{
	(void)ctx;
	return !full;
}

static void w_ready(void *ctx)
{
	(void)ctx;
}

static const struct uart_ops ops = {w_irq, w_tx, w_room, w_ready};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uart_init(&u, &ops, NULL);
	full = false;
	for (size_t i = 0; i + 1 < size; i += 2) {
		switch (data[i] >> 4 & 3) {
		case 0:
			(void)uart_read(&u, data[i] & 7);
			break;
		case 1:
			uart_write(&u, data[i] & 7, data[i + 1]);
			break;
		case 2:
			if (uart_rx_room(&u) > 0)
				uart_rx_push(&u, data[i + 1]);
			break;
		default:
			full = false;
			uart_tx_ready(&u);
			break;
		}
		if (u.rx_cnt > UART_FIFO_BYTES || u.rx_head >= UART_FIFO_BYTES)
			abort();
	}
	return 0;
}
