// SPDX-License-Identifier: Apache-2.0
/*
 * fake_child.c - plays vmm or blk towards the monitor and misbehaves on order,
 * so that every way to die is tried without a guest. The order is the kernel
 * command line (vmm) or the serial (blk): "STEP=ACTION STEP=ACTION...", for a
 * serial with ',' instead of the space.
 *   steps: grant ready after prepare run running button stop device
 *   actions: exitN killN trap hang garbage early twice poweroff reset panic
 * debugN escape error stopped failed refuseN ignore, and the frames of
 * fake_frames.c. Built several times: as itself; with FAKE_MUTE as one that
 * never says HELLO; with FAKE_WALLS as one that goes behind its role's real
 * walls first, as a child that was taken over there.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ipc/chan.h"
#include "ipc/spawn.h"
#include "proto/child.pb-c.h"
#include "tests/machine/cli/fake_frames.h"

#ifdef FAKE_WALLS
#include "policy/confine_grant.h"
#endif

#ifndef FAKE_ROLE
#define FAKE_ROLE BULKHEAD__CHILD__ROLE__ROLE_VMM
#endif

#define FAKE_LETTERS "abcdefghijklmnopqrstuvwxyz"

static struct chan fake_chan;
static char fake_orders[4096];

/* fake_say() - one frame to the monitor; it may be gone. */
static void fake_say(uint32_t op, uint32_t id, const void *msg)
{
	if (chan_send(&fake_chan, op, id, msg, NULL, 0))
		_exit(70);
}

/* fake_exit_say() - EXIT, then an orderly end. */
static void fake_exit_say(Bulkhead__Child__ExitReason reason, int code)
{
	Bulkhead__Child__Exit e = BULKHEAD__CHILD__EXIT__INIT;
	char said[] = "fake\x1b[31m message";

	e.reason = reason;
	e.has_code = reason == BULKHEAD__CHILD__EXIT_REASON__EXIT_DEBUG;
	e.code = (uint32_t)code;
	if (reason == BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR ||
	    reason == BULKHEAD__CHILD__EXIT_REASON__EXIT_DEVICE)
		e.message = said;
	fake_say(BULKHEAD__CHILD__OP__OP_EXIT, 0, &e);
	_exit(0);
}

static const struct {
	const char *name;
	Bulkhead__Child__ExitReason reason;
} fake_reasons[] = {
	{"poweroff", BULKHEAD__CHILD__EXIT_REASON__EXIT_POWEROFF},
	{"reset", BULKHEAD__CHILD__EXIT_REASON__EXIT_RESET},
	{"panic", BULKHEAD__CHILD__EXIT_REASON__EXIT_PANIC},
	{"debug", BULKHEAD__CHILD__EXIT_REASON__EXIT_DEBUG},
	{"escape", BULKHEAD__CHILD__EXIT_REASON__EXIT_ESCAPE},
	{"stopped", BULKHEAD__CHILD__EXIT_REASON__EXIT_STOPPED},
	{"failed", BULKHEAD__CHILD__EXIT_REASON__EXIT_DEVICE},
	{"error", BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR},
};

/* fake_hang() - for ever, but not without the monitor. */
static void fake_hang(void)
{
	/* Not pause(), for which no filter has a row. */
	for (;;)
		(void)poll(NULL, 0, -1);
}

/* fake_act() - does one action. Return: true if the step is to be left out. */
static bool fake_act(const char *action, int number)
{
	Bulkhead__Child__Running early = BULKHEAD__CHILD__RUNNING__INIT;

	if (!strcmp(action, "exit"))
		_exit(number);
	if (!strcmp(action, "kill"))
		raise(number);
	/* As init of its namespace it can kill itself only by a fault. */
	if (!strcmp(action, "trap"))
		__builtin_trap();
	if (!strcmp(action, "hang"))
		fake_hang();
	if (!strcmp(action, "garbage") && write(CHILD_FD_CONTROL, "x", 1) == 1)
		fake_hang();
	if (fake_frame_send(action))
		fake_hang();
	if (!strcmp(action, "early")) {
		fake_say(BULKHEAD__CHILD__OP__OP_RUNNING, 0, &early);
		fake_hang();
	}
	for (size_t i = 0; i < ARRAY_SIZE(fake_reasons); i++) {
		if (!strcmp(fake_reasons[i].name, action))
			fake_exit_say(fake_reasons[i].reason, number);
	}
	return !strcmp(action, "ignore");
}

/* fake_order() - the order for @step: its action and number. */
static bool fake_order(const char *step, char action[16], int *ret_number)
{
	const char *at = fake_orders;
	size_t step_len = strlen(step);

	*ret_number = 0;
	while (*at) {
		size_t len = strcspn(at, " ,");

		if (len > step_len && !strncmp(at, step, step_len) &&
		    at[step_len] == '=') {
			const char *word = at + step_len + 1;
			size_t letters = strspn(word, FAKE_LETTERS);

			(void)snprintf(action, 16, "%.*s", (int)letters, word);
			*ret_number = (int)strtol(word + letters, NULL, 10);
			return true;
		}
		at += len;
		at += strspn(at, " ,");
	}
	return false;
}

/* fake_step() - at @step. Return: true if it is to be left out. */
static bool fake_step(const char *step)
{
	char action[16];
	int number;

	return fake_order(step, action, &number) && fake_act(action, number);
}

/* fake_flood() - more log records than anybody wants. */
static void fake_flood(void)
{
	struct chan log;

	if (chan_init(&log, CHILD_FD_LOG))
		return;
	for (int i = 0; i < 2000; i++) {
		Bulkhead__Child__Log l = BULKHEAD__CHILD__LOG__INIT;
		char module[] = "fake";
		char text[] = "flood \x1b[2J";

		l.level = BULKHEAD__CHILD__LOG_LEVEL__LOG_ERR;
		l.module = module;
		l.text = text;
		if (chan_send(&log, BULKHEAD__CHILD__OP__OP_LOG, 0, &l.base,
			      NULL, 0))
			usleep(1000);
	}
}

/* fake_ready() - READY with one wall that does not stand. */
static void fake_ready(void)
{
	Bulkhead__Child__Ready ready = BULKHEAD__CHILD__READY__INIT;

	if (!fake_step("ready"))
		fake_say(BULKHEAD__CHILD__OP__OP_READY, 0, &ready);
	(void)fake_step("after");
}

/* fake_walls() - all walls of the role, or an end that nobody mistakes. */
static void fake_walls(const Bulkhead__Child__Grant *g)
{
#ifdef FAKE_WALLS
	struct confine_report report;
	enum confine_mode mode;

	if (confine_grant_take(g, &mode) || mode != CONFINE_MODE_ENFORCE ||
	    confine_enter((enum role)FAKE_ROLE, mode, &report))
		_exit(75);
#else
	(void)g;
#endif
}

/* fake_grant() - orders come with it. */
static void fake_grant(const struct frame *f)
{
	Bulkhead__Child__Grant *g = bulkhead__child__grant__unpack(
		NULL, f->header.length, f->payload);
	const ProtobufCBinaryData *orders;

	if (!g)
		_exit(71);
	orders = g->vmm ? &g->vmm->cmdline : &g->blk->serial;
	(void)snprintf(fake_orders, sizeof(fake_orders), "%.*s",
		       (int)orders->len, (const char *)orders->data);
	fake_walls(g);
	if (strstr(fake_orders, "flood"))
		fake_flood();
	(void)fake_step("grant");
	if (!g->vmm || g->vmm->device_cnt == 0)
		fake_ready();
	else
		snprintf(fake_orders + strlen(fake_orders),
			 sizeof(fake_orders) - strlen(fake_orders), " cnt=%u",
			 g->vmm->device_cnt);
	bulkhead__child__grant__free_unpacked(g, NULL);
}

/* fake_device() - READY after the last one. */
static void fake_device(void)
{
	static uint32_t cnt;
	const char *want = strstr(fake_orders, " cnt=");

	if (want && ++cnt == strtoul(want + 5, NULL, 10))
		fake_ready();
}

/* fake_prepare() - PREPARED, or the errno that was ordered. */
static void fake_prepare(const struct frame *f)
{
	Bulkhead__Child__Prepared p = BULKHEAD__CHILD__PREPARED__INIT;
	char action[16] = "";
	char message[] = "fake refusal";
	int number = 0;

	if (fake_order("prepare", action, &number) &&
	    !strcmp(action, "refuse")) {
		p.error = (uint32_t)number;
		p.message = message;
	} else if (fake_step("prepare")) {
		return;
	}
	fake_say(BULKHEAD__CHILD__OP__OP_PREPARED, f->header.id, &p);
	if (!strcmp(action, "twice"))
		fake_say(BULKHEAD__CHILD__OP__OP_PREPARED, f->header.id, &p);
}

/* fake_run() - RUNNING, and what happens then. */
static void fake_run(void)
{
	Bulkhead__Child__Running running = BULKHEAD__CHILD__RUNNING__INIT;

	if (fake_step("run"))
		return;
	fake_say(BULKHEAD__CHILD__OP__OP_RUNNING, 0, &running);
	(void)fake_step("running");
}

/* fake_frame() - what the monitor sent. */
static void fake_frame(struct frame *f)
{
	switch (f->header.op) {
	case BULKHEAD__CHILD__OP__OP_GRANT:
		fake_grant(f);
		break;
	case BULKHEAD__CHILD__OP__OP_DEVICE:
		fake_device();
		break;
	case BULKHEAD__CHILD__OP__OP_PREPARE:
		fake_prepare(f);
		break;
	case BULKHEAD__CHILD__OP__OP_RUN:
		fake_run();
		break;
	case BULKHEAD__CHILD__OP__OP_POWER_BUTTON:
		(void)fake_step("button");
		break;
	case BULKHEAD__CHILD__OP__OP_STOP:
		if (!fake_step("stop"))
			fake_exit_say(
				BULKHEAD__CHILD__EXIT_REASON__EXIT_STOPPED, 0);
		break;
	default:
		_exit(72);
	}
}

/* fake_hello() - unless this is the mute one. */
static void fake_hello(void)
{
	Bulkhead__Child__Hello hello = BULKHEAD__CHILD__HELLO__INIT;
	char build[] = "fake";

#ifdef FAKE_MUTE
	fake_hang();
#endif
	hello.version = PROTOCOL_VERSION;
#ifdef FAKE_OLD
	hello.version = PROTOCOL_VERSION + 1;
#endif
	hello.role = FAKE_ROLE;
	hello.build = build;
	fake_say(BULKHEAD__CHILD__OP__OP_HELLO, 0, &hello);
}

int main(void)
{
#ifdef FAKE_WALLS
	if (confine_early((enum role)FAKE_ROLE))
		return 76;
#endif
	if (chan_init(&fake_chan, CHILD_FD_CONTROL))
		return 73;
	fake_hello();
	for (;;) {
		struct pollfd p = {.fd = CHILD_FD_CONTROL, .events = POLLIN};
		struct frame f;
		int got;

		(void)poll(&p, 1, -1);
		got = chan_recv(&fake_chan, &f);
		if (got == -EAGAIN)
			continue;
		if (got <= 0)
			return 74;
		/* Its fds stay open, as a real child's would. */
		fake_frame(&f);
	}
}
