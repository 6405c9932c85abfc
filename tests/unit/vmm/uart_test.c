// SPDX-License-Identifier: Apache-2.0
/*
 * uart_test.c - 16550A registers as Linux' 8250 driver uses them: probing by
 * scratch register and loopback, transmitter and receiver interrupts, FIFO
 * limits, what a full output does to LSR, and when input is let in.
 */
#include <linux/serial_reg.h>
#include <string.h>

#include "ipc/compiler.h"
#include "tests/support/unit/unit.h"
#include "vmm/console/uart.h"

static struct {
	int irqs;
	int ready;
	bool full;
	uint8_t out[64];
	size_t out_cnt;
} world;

static void w_irq(void *ctx)
{
	(void)ctx;
	world.irqs++;
}

static void w_tx(void *ctx, uint8_t byte)
{
	(void)ctx;
	if (world.out_cnt < sizeof(world.out))
		world.out[world.out_cnt++] = byte;
}

static bool w_room(void *ctx)
{
	(void)ctx;
	return !world.full;
}

static void w_ready(void *ctx)
{
	(void)ctx;
	world.ready++;
}

static const struct uart_ops ops = {w_irq, w_tx, w_room, w_ready};

static struct uart fresh(void)
{
	struct uart u;

	memset(&world, 0, sizeof(world));
	uart_init(&u, &ops, NULL);
	return u;
}

/* A guest that listens: FIFO on, RTS up. */
static struct uart listening(void)
{
	struct uart u = fresh();

	uart_write(&u, UART_FCR, UART_FCR_ENABLE_FIFO);
	uart_write(&u, UART_MCR, UART_MCR_RTS | UART_MCR_DTR);
	return u;
}

static void test_probe(void)
{
	struct uart u = fresh();

	uart_write(&u, UART_SCR, 0x5a);
	CU_ASSERT_EQUAL(uart_read(&u, UART_SCR), 0x5a);
	uart_write(&u, UART_IER, 0xff);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IER), 0x0f);
	uart_write(&u, UART_IER, 0);
	uart_write(&u, UART_MCR, UART_MCR_LOOP | 0x0a);
	CU_ASSERT_EQUAL(uart_read(&u, UART_MSR) & 0xf0, 0x90);
	uart_write(&u, UART_MCR, 0);
	CU_ASSERT_EQUAL(uart_read(&u, UART_MSR) & 0xf0, 0xb0);
	uart_write(&u, UART_FCR, UART_FCR_ENABLE_FIFO);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) >> 6, 3);
	uart_write(&u, UART_FCR, 0);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) >> 6, 0);
}

static void test_divisor(void)
{
	struct uart u = fresh();

	uart_write(&u, UART_LCR, UART_LCR_DLAB);
	uart_write(&u, UART_DLL, 0x0c);
	uart_write(&u, UART_DLM, 0x01);
	CU_ASSERT_EQUAL(uart_read(&u, UART_DLL), 0x0c);
	CU_ASSERT_EQUAL(uart_read(&u, UART_DLM), 0x01);
	CU_ASSERT_EQUAL(world.out_cnt, 0);
	uart_write(&u, UART_LCR, UART_LCR_WLEN8);
	uart_write(&u, UART_TX, 'a');
	CU_ASSERT_EQUAL(world.out_cnt, 1);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IER), 0);
}

static void test_loopback(void)
{
	struct uart u = fresh();

	uart_write(&u, UART_MCR, UART_MCR_LOOP);
	CU_ASSERT_FALSE(uart_read(&u, UART_LSR) & UART_LSR_DR);
	uart_write(&u, UART_TX, 'x');
	CU_ASSERT_EQUAL(world.out_cnt, 0);
	CU_ASSERT_TRUE(uart_read(&u, UART_LSR) & UART_LSR_DR);
	CU_ASSERT_EQUAL(uart_read(&u, UART_RX), 'x');
	CU_ASSERT_FALSE(uart_read(&u, UART_LSR) & UART_LSR_DR);
}

/* The driver's test of its own: enabling THRI twice interrupts twice. */
static void test_thri(void)
{
	struct uart u = fresh();

	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, UART_IIR_NO_INT);
	uart_write(&u, UART_IER, UART_IER_THRI);
	CU_ASSERT_EQUAL(world.irqs, 1);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, UART_IIR_THRI);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, UART_IIR_NO_INT);
	uart_write(&u, UART_IER, 0);
	uart_write(&u, UART_IER, UART_IER_THRI);
	CU_ASSERT_EQUAL(world.irqs, 2);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, UART_IIR_THRI);
	/* Sixteen bytes of one batch are one more edge, not sixteen. */
	for (int i = 0; i < 16; i++)
		uart_write(&u, UART_TX, 'b');
	CU_ASSERT_EQUAL(world.out_cnt, 16);
	CU_ASSERT_EQUAL(world.irqs, 3);
}

static void test_output_full(void)
{
	struct uart u = fresh();

	uart_write(&u, UART_IER, UART_IER_THRI);
	(void)uart_read(&u, UART_IIR);
	world.full = true;
	uart_write(&u, UART_TX, 'c');
	CU_ASSERT_FALSE(uart_read(&u, UART_LSR) & UART_LSR_THRE);
	CU_ASSERT_FALSE(uart_read(&u, UART_LSR) & UART_LSR_TEMT);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, UART_IIR_NO_INT);
	CU_ASSERT_EQUAL(world.irqs, 1);
	world.full = false;
	uart_tx_ready(&u);
	CU_ASSERT_EQUAL(world.irqs, 2);
	CU_ASSERT_TRUE(uart_read(&u, UART_LSR) & UART_LSR_THRE);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, UART_IIR_THRI);
}

static void test_input(void)
{
	struct uart u = listening();

	uart_write(&u, UART_IER, UART_IER_RDI);
	CU_ASSERT_EQUAL(uart_rx_room(&u), 16);
	for (int i = 0; i < 16; i++)
		uart_rx_push(&u, (uint8_t)i);
	CU_ASSERT_EQUAL(uart_rx_room(&u), 0);
	/* One edge: the line stayed up. */
	CU_ASSERT_EQUAL(world.irqs, 1);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, UART_IIR_RDI);
	world.ready = 0;
	for (int i = 0; i < 16; i++)
		CU_ASSERT_EQUAL(uart_read(&u, UART_RX), i);
	CU_ASSERT_EQUAL(world.ready, 1);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, UART_IIR_NO_INT);
	CU_ASSERT_EQUAL(uart_read(&u, UART_RX), 0);
	uart_rx_push(&u, 'z');
	CU_ASSERT_EQUAL(world.irqs, 2);
}

static void test_overrun(void)
{
	struct uart u = listening();

	uart_write(&u, UART_IER, UART_IER_RLSI);
	for (int i = 0; i < 17; i++)
		uart_rx_push(&u, (uint8_t)i);
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, UART_IIR_RLSI);
	CU_ASSERT_TRUE(uart_read(&u, UART_LSR) & UART_LSR_OE);
	CU_ASSERT_FALSE(uart_read(&u, UART_LSR) & UART_LSR_OE);
	CU_ASSERT_EQUAL(uart_read(&u, UART_RX), 0);
}

/* What is typed before the guest listens is not thrown away by its probing. */
static void test_not_listening(void)
{
	struct uart u = fresh();

	CU_ASSERT_EQUAL(uart_rx_room(&u), 0);
	uart_write(&u, UART_MCR, UART_MCR_RTS);
	CU_ASSERT_EQUAL(uart_rx_room(&u), 1);
	uart_write(&u, UART_MCR, UART_MCR_RTS | UART_MCR_LOOP);
	CU_ASSERT_EQUAL(uart_rx_room(&u), 0);
	uart_write(&u, UART_MCR, 0);
	uart_write(&u, UART_IER, UART_IER_RDI);
	CU_ASSERT_EQUAL(uart_rx_room(&u), 1);
	uart_write(&u, UART_FCR, UART_FCR_ENABLE_FIFO);
	CU_ASSERT_EQUAL(uart_rx_room(&u), 16);
	CU_ASSERT_TRUE(world.ready >= 4);
}

static void test_fifo_clear(void)
{
	struct uart u = listening();

	uart_rx_push(&u, 'a');
	uart_write(&u, UART_FCR, UART_FCR_ENABLE_FIFO | UART_FCR_CLEAR_RCVR);
	CU_ASSERT_FALSE(uart_read(&u, UART_LSR) & UART_LSR_DR);
}

static void test_timeout_level(void)
{
	struct uart u = listening();

	uart_write(&u, UART_FCR, UART_FCR_ENABLE_FIFO | UART_FCR_TRIGGER_8);
	uart_write(&u, UART_IER, UART_IER_RDI);
	uart_rx_push(&u, 'a');
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, 0x0c);
	for (int i = 0; i < 7; i++)
		uart_rx_push(&u, 'a');
	CU_ASSERT_EQUAL(uart_read(&u, UART_IIR) & 0xf, UART_IIR_RDI);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_probe),       UNIT_CASE(test_divisor),
	UNIT_CASE(test_loopback),    UNIT_CASE(test_thri),
	UNIT_CASE(test_output_full), UNIT_CASE(test_input),
	UNIT_CASE(test_overrun),     UNIT_CASE(test_not_listening),
	UNIT_CASE(test_fifo_clear),  UNIT_CASE(test_timeout_level),
};
const struct unit_suite unit_suites[] = {{"uart", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
