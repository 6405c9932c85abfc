// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: the console, a 16550 at 0x3f8, polled through its LSR.
 */
#include "lib.h"

#define SERIAL_PORT 0x3f8
#define LSR_DATA_READY 0x01
#define LSR_THR_EMPTY 0x20

void serial_init(void)
{
	out8(SERIAL_PORT + 1, 0);    /* no interrupts */
	out8(SERIAL_PORT + 3, 0x80); /* DLAB: 115200 */
	out8(SERIAL_PORT + 0, 1);
	out8(SERIAL_PORT + 1, 0);
	out8(SERIAL_PORT + 3, 3); /* 8n1 */
	out8(SERIAL_PORT + 2, 7); /* FIFO on and cleared */
	out8(SERIAL_PORT + 4, 3);
}

/** serial_putc - one byte; a line that never empties does not hang us. */
static void serial_putc(char c)
{
	for (int i = 0; i < 100000; i++) {
		if (in8(SERIAL_PORT + 5) & LSR_THR_EMPTY)
			break;
	}
	out8(SERIAL_PORT, (uint8_t)c);
}

void serial_puts(const char *s)
{
	for (; *s; s++)
		serial_putc(*s);
}

/** serial_getc - one byte, or -1 when none waits. */
int serial_getc(void)
{
	if (!(in8(SERIAL_PORT + 5) & LSR_DATA_READY))
		return -1;
	return in8(SERIAL_PORT);
}
