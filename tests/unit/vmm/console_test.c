// SPDX-License-Identifier: Apache-2.0
/*
 * console_test.c - the console over real pipes, a real loop and its real
 * thread. Guards: an output that nobody reads never blocks the guest and loses
 * only what it writes regardless; input waits for room; escape keys work even
 * for a guest that takes nothing; end of input and no fds at all are fine.
 */
#include <fcntl.h>
#include <linux/serial_reg.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "vmm/console/console.h"

#define SECOND_NS 1000000000ULL

static struct console *c;
/* Their threads may outlive a test: none is freed. */
static struct console *all[16];
static size_t all_cnt;
static struct loop *loop;
static struct exit_cause cause;
static struct stats stats;
static struct deadline stop;
static int in[2];
static int out[2];

static void on_stop(void *ctx)
{
	loop_stop(ctx, 0);
}

static void on_exit_cause(void *ctx)
{
	loop_stop(ctx, 1);
}

/* run() - the loop, at most @ms. Return: 1 if the machine is to end. */
static int run(uint64_t ms)
{
	stop = (struct deadline){.fn = on_stop, .ctx = loop};
	loop_deadline_arm(loop, &stop, ms * 1000000);
	int ret = loop_run(loop);

	loop_deadline_disarm(loop, &stop);
	return ret;
}

/* fresh() - another console */
static void fresh(void)
{
	CU_ASSERT_FATAL(all_cnt < ARRAY_SIZE(all));
	c = calloc(1, sizeof(*c));
	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	all[all_cnt++] = c;
}

static void setup(bool escape)
{
	/* As main does. */
	signal(SIGPIPE, SIG_IGN);
	memset(&stats, 0, sizeof(stats));
	CU_ASSERT_EQUAL_FATAL(pipe2(in, O_CLOEXEC), 0);
	CU_ASSERT_EQUAL_FATAL(pipe2(out, O_CLOEXEC), 0);
	CU_ASSERT_EQUAL_FATAL(loop_new(&loop), 0);
	exit_cause_init(&cause, loop, on_exit_cause, loop);
	fresh();
	console_init(c, &(struct console_config){.in_fd = in[0],
						 .out_fd = out[1],
						 .irq_fd = -1,
						 .escape = escape,
						 .loop = loop,
						 .exit = &cause,
						 .stats = &stats});
	CU_ASSERT_EQUAL(console_start(c), 0);
}

static void teardown(void)
{
	loop_del(loop, &c->in.source);
	loop_free(loop);
	if (in[1] >= 0)
		close(in[1]);
	close(out[0]);
}

static void wr(uint32_t reg, uint8_t value)
{
	console_bus_ops.write(c, reg, 1, value);
}

static uint8_t rd(uint32_t reg)
{
	return (uint8_t)console_bus_ops.read(c, reg, 1);
}

static void type(const char *keys)
{
	size_t len = strlen(keys);

	CU_ASSERT_EQUAL(write(in[1], keys, len), (ssize_t)len);
}

static void test_output(void)
{
	static const char text[] = "hello\nworld";
	char got[32] = "";
	size_t at = 0;

	setup(false);
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		wr(UART_TX, (uint8_t)text[i]);
	console_flush(c, SECOND_NS);
	while (at < sizeof(text) - 1) {
		ssize_t n = read(out[0], got + at, sizeof(got) - 1 - at);

		CU_ASSERT_TRUE_FATAL(n > 0);
		at += (size_t)n;
	}
	CU_ASSERT_STRING_EQUAL(got, text);
	CU_ASSERT_EQUAL(stats_get(&stats, STAT_CONSOLE_OUT_DROPPED), 0);
	teardown();
}

static void test_stuck_output(void)
{
	uint32_t polite = 0;
	uint64_t before;

	setup(false);
	/* The pipe takes 64 KiB, the ring 16 KiB more; then LSR says no. */
	while (polite < 200000 && (rd(UART_LSR) & UART_LSR_THRE)) {
		/* As Linux does: a whole FIFO after one look at THRE. */
		for (int i = 0; i < 16; i++)
			wr(UART_TX, 'x');
		polite += 16;
		if (polite % 4096 == 0)
			usleep(5000);
	}
	CU_ASSERT_TRUE(polite >= 65536 && polite < 200000);
	CU_ASSERT_EQUAL(stats_get(&stats, STAT_CONSOLE_OUT_DROPPED), 0);
	for (int i = 0; i < 100; i++)
		wr(UART_TX, 'y');
	/* Less than a FIFO's worth of room was left. */
	CU_ASSERT_TRUE(stats_get(&stats, STAT_CONSOLE_OUT_DROPPED) > 84);
	CU_ASSERT_TRUE(stats_get(&stats, STAT_CONSOLE_OUT_DROPPED) <= 100);
	before = loop_now_ns();
	console_flush(c, SECOND_NS / 10);
	CU_ASSERT_TRUE(loop_now_ns() - before < SECOND_NS);
	teardown();
}

/* The bounds themselves: what is in the ring when a FIFO no longer fits. */
static void test_room(void)
{
	static struct console_out o;
	static const struct {
		uint32_t cnt;
		bool room;
	} rows[] = {{0, true},
		    {CONSOLE_RING_BYTES - 16, true},
		    {CONSOLE_RING_BYTES - 15, false},
		    {CONSOLE_RING_BYTES - 1, false},
		    {CONSOLE_RING_BYTES, false}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		o.fd = 0;
		o.cnt = rows[i].cnt;
		CU_ASSERT_EQUAL(console_out_room(&o), rows[i].room);
		/* Output that goes nowhere never waits. */
		o.fd = -1;
		CU_ASSERT_TRUE(console_out_room(&o));
	}
}

/* Room again after "full": the guest gets its interrupt and may write. */
static void test_unstuck_output(void)
{
	static char sink[65536];

	setup(false);
	wr(UART_IER, UART_IER_THRI);
	for (uint32_t i = 0; i < 200000 && (rd(UART_LSR) & UART_LSR_THRE);
	     i++) {
		wr(UART_TX, 'x');
		if (i % 4096 == 0)
			usleep(5000);
	}
	(void)rd(UART_IIR);
	CU_ASSERT_EQUAL(rd(UART_IIR) & 0xf, UART_IIR_NO_INT);
	for (int i = 0; i < 200 && !(rd(UART_LSR) & UART_LSR_THRE); i++) {
		CU_ASSERT_TRUE(read(out[0], sink, sizeof(sink)) > 0);
		usleep(1000);
	}
	CU_ASSERT_TRUE(rd(UART_LSR) & UART_LSR_THRE);
	for (int i = 0; i < 200 && (rd(UART_IIR) & 0xf) != UART_IIR_THRI; i++)
		usleep(1000);
	teardown();
}

static void test_reader_gone(void)
{
	setup(false);
	close(out[0]);
	out[0] = -1;
	for (int i = 0; i < 100000; i++)
		wr(UART_TX, 'x');
	console_flush(c, SECOND_NS);
	CU_ASSERT_TRUE(rd(UART_LSR) & UART_LSR_THRE);
	teardown();
}

static void test_input(void)
{
	setup(false);
	type("abcdefghijklmnopqrstuvwxyz");
	(void)run(20);
	/* Nobody listens yet, and nothing is lost. */
	CU_ASSERT_FALSE(rd(UART_LSR) & UART_LSR_DR);
	wr(UART_FCR, UART_FCR_ENABLE_FIFO);
	wr(UART_MCR, UART_MCR_RTS);
	(void)run(20);
	for (int i = 0; i < 16; i++)
		CU_ASSERT_EQUAL(rd(UART_RX), 'a' + i);
	CU_ASSERT_FALSE(rd(UART_LSR) & UART_LSR_DR);
	(void)run(20);
	for (int i = 16; i < 26; i++)
		CU_ASSERT_EQUAL(rd(UART_RX), 'a' + i);
	CU_ASSERT_EQUAL(stats_get(&stats, STAT_CONSOLE_IN_BYTES), 26);
	/* End of input: the loop does not spin on it. */
	close(in[1]);
	in[1] = -1;
	(void)run(20);
	CU_ASSERT_EQUAL(c->in.fd, -1);
	teardown();
}

static void test_escape(void)
{
	setup(true);
	wr(UART_FCR, UART_FCR_ENABLE_FIFO);
	wr(UART_MCR, UART_MCR_RTS);
	type("a\x01\x01z\x01q");
	CU_ASSERT_EQUAL(run(20), 0);
	CU_ASSERT_EQUAL(rd(UART_RX), 'a');
	CU_ASSERT_EQUAL(rd(UART_RX), 1);
	CU_ASSERT_EQUAL(rd(UART_RX), 'z');
	CU_ASSERT_EQUAL(rd(UART_RX), 1);
	CU_ASSERT_EQUAL(rd(UART_RX), 'q');
	type("\x01");
	CU_ASSERT_EQUAL(run(20), 0);
	type("x");
	CU_ASSERT_EQUAL(run(500), 1);
	CU_ASSERT_EQUAL(cause.reason,
			BULKHEAD__CHILD__EXIT_REASON__EXIT_ESCAPE);
	teardown();
}

/* A guest that hangs takes no input; the user gets out all the same. */
static void test_escape_hung_guest(void)
{
	setup(true);
	for (int i = 0; i < 600; i++)
		type("0123456789");
	CU_ASSERT_EQUAL(run(50), 0);
	CU_ASSERT_TRUE(stats_get(&stats, STAT_CONSOLE_IN_DROPPED) > 0);
	type("\x01x");
	CU_ASSERT_EQUAL(run(500), 1);
	teardown();
}

static void test_no_escape(void)
{
	setup(false);
	wr(UART_FCR, UART_FCR_ENABLE_FIFO);
	wr(UART_MCR, UART_MCR_RTS);
	type("\x01x");
	CU_ASSERT_EQUAL(run(20), 0);
	CU_ASSERT_EQUAL(rd(UART_RX), 1);
	CU_ASSERT_EQUAL(rd(UART_RX), 'x');
	teardown();
}

/* Standard input from a file: epoll refuses it, and it is read all the same. */
static void test_file_input(void)
{
	char name[] = "/tmp/console_test.XXXXXX";
	int fd = mkstemp(name);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	unlink(name);
	CU_ASSERT_EQUAL(write(fd, "0123456789abcdefghijABCD", 24), 24);
	CU_ASSERT_EQUAL(lseek(fd, 0, SEEK_SET), 0);
	setup(false);
	loop_del(loop, &c->in.source);
	close(in[0]);
	console_in_init(c, fd, false);
	console_in_start(c);
	wr(UART_FCR, UART_FCR_ENABLE_FIFO);
	wr(UART_MCR, UART_MCR_RTS);
	(void)run(20);
	for (int i = 0; i < 16; i++)
		CU_ASSERT_EQUAL(rd(UART_RX), "0123456789abcdef"[i]);
	(void)run(20);
	CU_ASSERT_EQUAL(rd(UART_RX), 'g');
	for (int i = 0; i < 7; i++)
		(void)rd(UART_RX);
	(void)run(20);
	CU_ASSERT_EQUAL(c->in.fd, -1);
	teardown();
}

static void test_nothing(void)
{
	setup(false);
	fresh();
	console_init(c, &(struct console_config){.in_fd = -1,
						 .out_fd = -1,
						 .irq_fd = -1,
						 .loop = loop,
						 .exit = &cause,
						 .stats = &stats});
	CU_ASSERT_EQUAL(console_start(c), 0);
	for (int i = 0; i < 100000; i++)
		wr(UART_TX, 'x');
	CU_ASSERT_TRUE(rd(UART_LSR) & UART_LSR_THRE);
	console_flush(c, SECOND_NS);
	teardown();
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_output),      UNIT_CASE(test_stuck_output),
	UNIT_CASE(test_room),        UNIT_CASE(test_unstuck_output),
	UNIT_CASE(test_reader_gone), UNIT_CASE(test_input),
	UNIT_CASE(test_escape),      UNIT_CASE(test_escape_hung_guest),
	UNIT_CASE(test_no_escape),   UNIT_CASE(test_file_input),
	UNIT_CASE(test_nothing),
};
const struct unit_suite unit_suites[] = {{"console", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
