/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console.h - the 16550 and what it talks to: an output fd that may block for
 * ever, written by a thread of its own, and an input fd read on the main loop.
 *
 * A vCPU never waits for either: output goes into a ring, and LSR.THRE says
 * whether the ring has room; a guest that writes regardless loses bytes, which
 * are counted. Input is read into a buffer, where the escape keys are looked
 * for even when the guest takes nothing.
 */
#ifndef VMM_CONSOLE_CONSOLE_H
#define VMM_CONSOLE_CONSOLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/loop.h"
#include "vmm/bus.h"
#include "vmm/console/uart.h"
#include "vmm/exit.h"
#include "vmm/stats.h"

#define CONSOLE_RING_BYTES 16384u
#define CONSOLE_INPUT_BYTES 4096u

/**
 * struct console_out - the ring and its thread; under console.lock
 * @fd: owned; -1: output is thrown away
 * @ring: bytes [head, head + cnt)
 * @wake: something to write, or @closing
 * @drained: the ring is empty and written
 * @full: the guest was told that there is no room
 * @closing: the thread ends when the ring is empty
 */
struct console_out {
	int fd;
	uint8_t ring[CONSOLE_RING_BYTES];
	uint32_t head;
	uint32_t cnt;
	pthread_cond_t wake;
	pthread_cond_t drained;
	pthread_t thread;
	bool started;
	bool busy;
	bool full;
	bool line_ended;
	bool closing;
};

/**
 * struct console_in - main loop only, but for @hungry
 * @fd: owned; -1: none, or it has ended
 * @buf: bytes [head, head + cnt), read and not yet given to the guest
 * @hungry: bytes wait for room; a vCPU that makes room posts @work
 * @escape: Ctrl-A x ends the machine
 * @prefix: the last byte was Ctrl-A
 */
struct console_in {
	int fd;
	uint8_t buf[CONSOLE_INPUT_BYTES];
	uint32_t head;
	uint32_t cnt;
	struct loop_source source;
	struct loop_work work;
	atomic_bool hungry;
	bool watched;
	bool always_ready;
	bool escape;
	bool prefix;
};

struct console {
	pthread_mutex_t lock;
	struct uart uart;
	int irq_fd; /* owned by the machine */
	struct console_out out;
	struct console_in in;
	struct loop *loop;
	struct exit_cause *exit;
	struct stats *stats;
};

/**
 * struct console_config - what the console is connected to
 * @in_fd: taken; -1 for none
 * @out_fd: taken; -1 for none
 * @irq_fd: borrowed, an edge on the serial GSI for each write; -1 for none
 */
struct console_config {
	int in_fd;
	int out_fd;
	int irq_fd;
	bool escape;
	struct loop *loop;
	struct exit_cause *exit;
	struct stats *stats;
};

void console_init(struct console *c, const struct console_config *cfg);
/** console_start() - output thread and input; after the walls stand. */
MUST_CHECK int console_start(struct console *c);
/** console_flush() - waits until the output is written, at most @ns. */
void console_flush(struct console *c, uint64_t ns);

/* Between the files of the console. */
void console_out_init(struct console_out *o, int fd);
MUST_CHECK int console_out_start(struct console *c);
bool console_out_room(const struct console_out *o);
void console_out_put(struct console *c, uint8_t byte);
void console_in_init(struct console *c, int fd, bool escape);
void console_in_start(struct console *c);
void console_in_ready(struct console *c);

/* LAYOUT_SERIAL_PORT; ctx is the struct console. */
extern const struct bus_ops console_bus_ops;

#endif
