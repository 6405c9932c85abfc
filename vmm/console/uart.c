// SPDX-License-Identifier: Apache-2.0
/*
 * uart.c - 16550A registers. Register numbers and values come from the guest.
 *
 * The interrupt is an edge, sent when the line goes from inactive to active. A
 * guest that handles one must look until IIR says that nothing is pending, as
 * ISA drivers do.
 */
#include "vmm/console/uart.h"

#include <linux/serial_reg.h>

#define UART_LSR_IDLE (UART_LSR_THRE | UART_LSR_TEMT)
#define UART_MSR_PRESENT (UART_MSR_DCD | UART_MSR_DSR | UART_MSR_CTS)
#define UART_IIR_FIFO_ON 0xc0u
#define UART_IIR_TIMEOUT 0x0cu
#define UART_IER_BITS 0x0fu
#define UART_MCR_BITS 0x1fu

void uart_init(struct uart *u, const struct uart_ops *ops, void *ctx)
{
	*u = (struct uart){.ops = ops, .ctx = ctx};
	u->dll = 1; /* 115200 */
}

/** uart_loop() - loopback mode? */
static bool uart_loop(const struct uart *u)
{
	return u->mcr & UART_MCR_LOOP;
}

/** uart_capacity() - bytes of the receiver in its mode */
static uint32_t uart_capacity(const struct uart *u)
{
	return u->fcr & UART_FCR_ENABLE_FIFO ? UART_FIFO_BYTES : 1;
}

/** uart_trigger() - bytes from which "data available" is said */
static uint32_t uart_trigger(const struct uart *u)
{
	static const uint8_t levels[] = {1, 4, 8, 14};

	return u->fcr & UART_FCR_ENABLE_FIFO ? levels[u->fcr >> 6] : 1;
}

/** uart_iir() - the pending source of the highest priority */
static uint8_t uart_iir(const struct uart *u)
{
	if ((u->ier & UART_IER_RLSI) && u->overrun)
		return UART_IIR_RLSI;
	if ((u->ier & UART_IER_RDI) && u->rx_cnt)
		return u->rx_cnt >= uart_trigger(u) ? UART_IIR_RDI
						    : UART_IIR_TIMEOUT;
	if ((u->ier & UART_IER_THRI) && u->thre_pending)
		return UART_IIR_THRI;
	if ((u->ier & UART_IER_MSI) && u->msr_delta)
		return UART_IIR_MSI;
	return UART_IIR_NO_INT;
}

/** uart_line_update() - after any change: an edge if the line rises */
static void uart_line_update(struct uart *u)
{
	bool line = uart_iir(u) != UART_IIR_NO_INT;
	bool rises = line && !u->line;

	u->line = line;
	if (rises)
		u->ops->irq(u->ctx);
}

/** uart_msr_lines() - modem lines: fixed, or MCR's in loopback */
static uint8_t uart_msr_lines(const struct uart *u)
{
	uint8_t msr = 0;

	if (!uart_loop(u))
		return UART_MSR_PRESENT;
	if (u->mcr & UART_MCR_RTS)
		msr |= UART_MSR_CTS;
	if (u->mcr & UART_MCR_DTR)
		msr |= UART_MSR_DSR;
	if (u->mcr & UART_MCR_OUT1)
		msr |= UART_MSR_RI;
	if (u->mcr & UART_MCR_OUT2)
		msr |= UART_MSR_DCD;
	return msr;
}

/** uart_rx_store() - into the FIFO, or an overrun */
static void uart_rx_store(struct uart *u, uint8_t byte)
{
	if (u->rx_cnt >= uart_capacity(u)) {
		u->overrun = true;
		return;
	}
	u->rx[(u->rx_head + u->rx_cnt) % UART_FIFO_BYTES] = byte;
	u->rx_cnt++;
}

/** uart_rx_take() - RBR read */
static uint8_t uart_rx_take(struct uart *u)
{
	uint8_t byte;

	if (u->rx_cnt == 0)
		return 0;
	byte = u->rx[u->rx_head];
	u->rx_head = (u->rx_head + 1) % UART_FIFO_BYTES;
	u->rx_cnt--;
	if (u->rx_cnt == 0)
		u->ops->rx_ready(u->ctx);
	return byte;
}

/** uart_iir_read() - reading clears the transmitter's source if it is shown */
static uint8_t uart_iir_read(struct uart *u)
{
	uint8_t iir = uart_iir(u);

	if (iir == UART_IIR_THRI)
		u->thre_pending = false;
	if (u->fcr & UART_FCR_ENABLE_FIFO)
		iir |= UART_IIR_FIFO_ON;
	return iir;
}

/** uart_lsr_read() - reading clears the overrun */
static uint8_t uart_lsr_read(struct uart *u)
{
	uint8_t lsr = u->rx_cnt ? UART_LSR_DR : 0;

	if (uart_loop(u) || u->ops->tx_room(u->ctx))
		lsr |= UART_LSR_IDLE;
	if (u->overrun)
		lsr |= UART_LSR_OE;
	u->overrun = false;
	return lsr;
}

/** uart_msr_read() - reading clears the deltas */
static uint8_t uart_msr_read(struct uart *u)
{
	uint8_t msr = uart_msr_lines(u) | u->msr_delta;

	u->msr_delta = 0;
	return msr;
}

/** uart_reg_read() - value and side effects but for the line */
static uint8_t uart_reg_read(struct uart *u, uint32_t reg)
{
	bool dlab = u->lcr & UART_LCR_DLAB;

	switch (reg) {
	case UART_RX:
		return dlab ? u->dll : uart_rx_take(u);
	case UART_IER:
		return dlab ? u->dlm : u->ier;
	case UART_IIR:
		return uart_iir_read(u);
	case UART_LCR:
		return u->lcr;
	case UART_MCR:
		return u->mcr;
	case UART_LSR:
		return uart_lsr_read(u);
	case UART_MSR:
		return uart_msr_read(u);
	case UART_SCR:
		return u->scr;
	default:
		return 0xff;
	}
}

uint8_t uart_read(struct uart *u, uint32_t reg)
{
	uint8_t value = uart_reg_read(u, reg);

	uart_line_update(u);
	return value;
}

/** uart_thr_write() - a byte to send */
static void uart_thr_write(struct uart *u, uint8_t value)
{
	if (uart_loop(u)) {
		uart_rx_store(u, value);
		u->thre_pending = true;
		return;
	}
	u->ops->tx(u->ctx, value);
	u->thre_pending = u->ops->tx_room(u->ctx);
}

/** uart_ier_write() - enabling THRI with an idle transmitter interrupts */
static void uart_ier_write(struct uart *u, uint8_t value)
{
	bool thri = (value & UART_IER_THRI) && !(u->ier & UART_IER_THRI);

	u->ier = value & UART_IER_BITS;
	if (thri && (uart_loop(u) || u->ops->tx_room(u->ctx)))
		u->thre_pending = true;
	u->ops->rx_ready(u->ctx);
}

static void uart_fcr_write(struct uart *u, uint8_t value)
{
	/* Turning FIFOs on or off empties them. */
	if (((u->fcr ^ value) & UART_FCR_ENABLE_FIFO) ||
	    (value & UART_FCR_CLEAR_RCVR)) {
		u->rx_cnt = 0;
		u->rx_head = 0;
	}
	u->fcr = value & (UART_FCR_ENABLE_FIFO | UART_FCR_TRIGGER_MASK);
	u->ops->rx_ready(u->ctx);
}

static void uart_mcr_write(struct uart *u, uint8_t value)
{
	uint8_t old = uart_msr_lines(u);
	uint8_t changed;

	u->mcr = value & UART_MCR_BITS;
	changed = old ^ uart_msr_lines(u);
	/* Bits 4..7 have their deltas in 0..3; RI only at its falling edge. */
	if ((changed & UART_MSR_RI) && !(old & UART_MSR_RI))
		changed &= (uint8_t)~UART_MSR_RI;
	u->msr_delta |= changed >> 4;
	u->ops->rx_ready(u->ctx);
}

void uart_write(struct uart *u, uint32_t reg, uint8_t value)
{
	bool dlab = u->lcr & UART_LCR_DLAB;

	switch (reg) {
	case UART_TX:
		if (dlab)
			u->dll = value;
		else
			uart_thr_write(u, value);
		break;
	case UART_IER:
		if (dlab)
			u->dlm = value;
		else
			uart_ier_write(u, value);
		break;
	case UART_FCR:
		uart_fcr_write(u, value);
		break;
	case UART_LCR:
		u->lcr = value;
		break;
	case UART_MCR:
		uart_mcr_write(u, value);
		break;
	case UART_SCR:
		u->scr = value;
		break;
	default:
		break;
	}
	uart_line_update(u);
}

uint32_t uart_rx_room(const struct uart *u)
{
	bool listens = (u->mcr & UART_MCR_RTS) || (u->ier & UART_IER_RDI);

	if (!listens || uart_loop(u))
		return 0;
	return uart_capacity(u) - u->rx_cnt;
}

void uart_rx_push(struct uart *u, uint8_t byte)
{
	uart_rx_store(u, byte);
	uart_line_update(u);
}

void uart_tx_ready(struct uart *u)
{
	u->thre_pending = true;
	uart_line_update(u);
}
