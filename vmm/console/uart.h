/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uart.h - registers of a 16550A. Pure: bytes and interrupts go through ops.
 * The caller serialises. (National Semiconductor PC16550D data sheet.)
 */
#ifndef VMM_CONSOLE_UART_H
#define VMM_CONSOLE_UART_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"

#define UART_FIFO_BYTES 16u

/**
 * struct uart_ops - the outside
 * @irq: one edge
 * @tx: a byte to send
 * @tx_room: would tx keep a byte now? Shown as LSR.THRE
 * @rx_ready: there may be more room for input than before
 */
struct uart_ops {
	void (*irq)(void *ctx);
	void (*tx)(void *ctx, uint8_t byte);
	bool (*tx_room)(void *ctx);
	void (*rx_ready)(void *ctx);
};

struct uart {
	const struct uart_ops *ops;
	void *ctx;
	uint8_t ier;
	uint8_t fcr;
	uint8_t lcr;
	uint8_t mcr;
	uint8_t scr;
	uint8_t dll;
	uint8_t dlm;
	uint8_t msr_delta;
	bool overrun;
	bool thre_pending;
	bool line; /* the interrupt line as last seen */
	uint8_t rx[UART_FIFO_BYTES];
	uint32_t rx_head;
	uint32_t rx_cnt;
};

void uart_init(struct uart *u, const struct uart_ops *ops, void *ctx);
/** uart_read() - @reg 0..7 */
uint8_t uart_read(struct uart *u, uint32_t reg);
void uart_write(struct uart *u, uint32_t reg, uint8_t value);

/**
 * uart_rx_room() - bytes that the guest would take now
 * A guest that neither raised RTS nor enabled the receive interrupt is not
 * listening yet; what is typed early waits outside instead of being flushed by
 * its probing. The same while it tests itself in loopback mode.
 */
uint32_t uart_rx_room(const struct uart *u);
/** uart_rx_push() - a byte from outside; @u must have room. */
void uart_rx_push(struct uart *u, uint8_t byte);
/** uart_tx_ready() - ops->tx_room became true. */
void uart_tx_ready(struct uart *u);

#endif
