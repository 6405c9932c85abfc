// SPDX-License-Identifier: Apache-2.0
/*
 * ending.c - how a machine ends, and with which exit code. Runs in the monitor.
 *
 * Theory of operation
 *   1. Somebody ends. The vmm says why with EXIT; a child that dies without a
 *      word takes others with it, because their channels close. So after the
 *      first sign there is a short time (VERDICT_NS) in which the rest may
 *      show, then the verdict: a vmm that died without EXIT is the cause; else
 *      what its EXIT says; else the device that is dead. A dying vmm closes
 *      its channels, in no certain order, before KVM and its memory are taken
 *      down: so if its channel to us or to a device is closed, it is waited
 *      for (REAP_NS).
 *   2. All children are asked to end (STOP) if the machine ended in order, and
 *      killed at once if not, so that all are gone within 100 ms.
 *   3. When the last one is reaped, the loop stops.
 */
#define LOG_MODULE "ending"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ipc/log.h"
#include "monitor/machine/machine.h"

#define MS_NS 1000000ull
#define ENDING_VERDICT_NS (30 * MS_NS)
/* A vmm whose channel has closed: its memory may be large. */
#define ENDING_REAP_NS (5000 * MS_NS)
/* After its EXIT the vmm has this long to end; its console may be slow. */
#define ENDING_EXIT_NS (1000 * MS_NS)
/* After STOP, the vmm. */
#define ENDING_STOP_NS (1000 * MS_NS)
/* After STOP, the devices, when the vmm is gone. */
#define ENDING_KILL_NS (50 * MS_NS)
/* After SIGKILL: uninterruptible sleep can be long. */
#define ENDING_GIVE_UP_NS (5000 * MS_NS)

/* What an EXIT of the vmm means for the exit code. */
static const struct ending_row {
	Bulkhead__Child__ExitReason reason;
	int code;
	const char *why;
} ending_rows[] = {
	{BULKHEAD__CHILD__EXIT_REASON__EXIT_POWEROFF, EXIT_CODE_POWEROFF,
	 "guest powered off"},
	{BULKHEAD__CHILD__EXIT_REASON__EXIT_RESET, EXIT_CODE_RESET,
	 "guest asked for a reset"},
	{BULKHEAD__CHILD__EXIT_REASON__EXIT_PANIC, EXIT_CODE_PANIC,
	 "guest reported a panic"},
	{BULKHEAD__CHILD__EXIT_REASON__EXIT_DEBUG, -1,
	 "guest wrote its exit code to the debug-exit port"},
	{BULKHEAD__CHILD__EXIT_REASON__EXIT_ESCAPE, EXIT_CODE_OPERATOR,
	 "ended by the console's escape keys"},
	{BULKHEAD__CHILD__EXIT_REASON__EXIT_STOPPED, EXIT_CODE_OPERATOR,
	 "ended by the operator"},
	{BULKHEAD__CHILD__EXIT_REASON__EXIT_DEVICE, EXIT_CODE_DEVICE,
	 "device failed"},
	{BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR, EXIT_CODE_VMM, "vmm failed"},
	{BULKHEAD__CHILD__EXIT_REASON__EXIT_PEER, EXIT_CODE_VMM,
	 "vmm lost a channel"},
};

/* ending_vmm() - the vmm, started or not. */
static struct child *ending_vmm(struct machine *m)
{
	return &m->children[0];
}

/* ending_all_gone() - is nobody left? */
static bool ending_all_gone(const struct machine *m)
{
	for (uint32_t i = 0; i < m->child_cnt; i++) {
		if (!m->children[i].gone)
			return false;
	}
	return true;
}

/* ending_dead_device() - the first device that has ended; NULL if none has. */
static struct child *ending_dead_device(struct machine *m)
{
	for (uint32_t i = 1; i < m->child_cnt; i++) {
		if (m->children[i].exited)
			return &m->children[i];
	}
	return NULL;
}

/* ending_kill_all() - SIGKILL to whoever is left. */
static void ending_kill_all(void *ctx)
{
	struct machine *m = ctx;

	for (uint32_t i = 0; i < m->child_cnt; i++)
		child_kill(&m->children[i]);
	loop_deadline_arm(m->loop, &m->give_up, ENDING_GIVE_UP_NS);
}

/* ending_give_up() - somebody cannot even be killed now. */
static void ending_give_up(void *ctx)
{
	struct machine *m = ctx;

	for (uint32_t i = 0; i < m->child_cnt; i++) {
		if (!m->children[i].gone)
			log_err("%s[%d] does not end after SIGKILL",
				m->children[i].name, m->children[i].proc.pid);
	}
	loop_stop(m->loop, 0);
}

/* ending_stop_child() - asks; whoever does not take it is killed later. */
static void ending_stop_child(struct child *c)
{
	Bulkhead__Child__Stop stop = BULKHEAD__CHILD__STOP__INIT;

	if (child_alive(c) &&
	    child_send(c, BULKHEAD__CHILD__OP__OP_STOP, &stop.base, NULL, 0))
		child_kill(c);
}

/* ending_stop_next() - the vmm first: it would miss its devices. */
static void ending_stop_next(struct machine *m)
{
	if (!m->gently || m->stop_others)
		return;
	if (child_alive(ending_vmm(m))) {
		if (!m->stop_vmm)
			ending_stop_child(ending_vmm(m));
		m->stop_vmm = true;
		return;
	}
	m->stop_others = true;
	for (uint32_t i = 1; i < m->child_cnt; i++)
		ending_stop_child(&m->children[i]);
}

void machine_end(struct machine *m, bool gently, int code, const char *fmt, ...)
{
	va_list ap;

	if (m->ending)
		return;
	m->ending = true;
	m->code = code;
	va_start(ap, fmt);
	if (vsnprintf(m->why, sizeof(m->why), fmt, ap) < 0)
		m->why[0] = '\0';
	va_end(ap);
	if (!m->loop)
		return;
	loop_deadline_disarm(m->loop, &m->grace);
	loop_deadline_disarm(m->loop, &m->stop);
	loop_deadline_disarm(m->loop, &m->verdict);
	m->gently = gently;
	ending_stop_next(m);
	if (gently)
		loop_deadline_arm(m->loop, &m->kill, ENDING_KILL_NS);
	else
		ending_kill_all(m);
	if (ending_all_gone(m))
		loop_stop(m->loop, 0);
}

/* ending_by_device() - @device died, or the vmm says that one failed. */
static void ending_by_device(struct machine *m, const char *said)
{
	const struct child *device = ending_dead_device(m);
	char text[MACHINE_WHY_BYTES / 2];

	if (!device) {
		machine_end(m, false, EXIT_CODE_DEVICE, "device failed: %s",
			    said);
		return;
	}
	child_end_describe(device, text, sizeof(text));
	if (!m->running && device->exit &&
	    device->exit->reason == BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR)
		machine_end(m, false, EXIT_CODE_HOST,
			    "device \"%s\" could not start: %s", device->id,
			    text);
	else
		machine_end(m, false, EXIT_CODE_DEVICE,
			    "device \"%s\" died: %s", device->id, text);
}

/* ending_by_exit() - the vmm's EXIT decides. */
static void ending_by_exit(struct machine *m, const Bulkhead__Child__Exit *e)
{
	const char *said = e->message ? e->message : "";
	const struct ending_row *row = &ending_rows[0];

	/* Values outside the enumeration were refused by dispatch. */
	for (size_t i = 0; i < ARRAY_SIZE(ending_rows); i++) {
		if (ending_rows[i].reason == e->reason)
			row = &ending_rows[i];
	}
	if (row->code == EXIT_CODE_DEVICE)
		ending_by_device(m, said);
	else if (row->code != EXIT_CODE_VMM && !m->running)
		machine_end(m, false, EXIT_CODE_VMM,
			    "vmm process ended before the guest ran");
	else if (row->code == EXIT_CODE_VMM)
		machine_end(m, false, m->running ? row->code : EXIT_CODE_HOST,
			    "%s: %s", row->why, said);
	else
		machine_end(m, true, row->code < 0 ? (int)e->code : row->code,
			    "%s%s%s", row->why, *said ? ": " : "", said);
}

/* ending_is_consequence() - a device ended for its vmm's channel was closed. */
static bool ending_is_consequence(const struct child *device)
{
	return device && device->exit &&
	       device->exit->reason == BULKHEAD__CHILD__EXIT_REASON__EXIT_PEER;
}

/* ending_waits_for_vmm() - it is ending without EXIT: wait for it, once. */
static bool ending_waits_for_vmm(struct machine *m)
{
	const struct child *vmm = ending_vmm(m);

	if (m->vmm_awaited || vmm->gone || vmm->exit)
		return false;
	if (!child_silent(vmm) && !ending_is_consequence(ending_dead_device(m)))
		return false;
	m->vmm_awaited = true;
	loop_deadline_arm(m->loop, &m->verdict, ENDING_REAP_NS);
	return true;
}

/* ending_verdict() - time is up, or the vmm is gone: say why. */
static void ending_verdict(void *ctx)
{
	struct machine *m = ctx;
	const struct child *vmm = ending_vmm(m);
	char text[MACHINE_WHY_BYTES / 2];

	if (m->ending || ending_waits_for_vmm(m))
		return;
	if (vmm->gone && !vmm->exit) {
		child_end_describe(vmm, text, sizeof(text));
		machine_end(m, false, EXIT_CODE_VMM, "vmm process died: %s",
			    text);
	} else if (vmm->exit) {
		ending_by_exit(m, vmm->exit);
	} else {
		ending_by_device(m, "no reason given");
	}
}

void ending_consider(struct machine *m)
{
	const struct child *vmm = ending_vmm(m);
	bool dead = ending_dead_device(m) != NULL;

	if (m->ending) {
		ending_stop_next(m);
		if (ending_all_gone(m))
			loop_stop(m->loop, 0);
		return;
	}
	if (vmm->gone) {
		bool device = vmm->exit &&
			      vmm->exit->reason ==
				      BULKHEAD__CHILD__EXIT_REASON__EXIT_DEVICE;

		/* The vmm saw a channel close; the death itself is near. */
		if (!device || dead) {
			ending_verdict(m);
			return;
		}
	}
	if ((dead || vmm->gone) && !m->verdict.armed)
		loop_deadline_arm(m->loop, &m->verdict, ENDING_VERDICT_NS);
	else if (vmm->exit && !m->verdict.armed)
		loop_deadline_arm(m->loop, &m->verdict, ENDING_EXIT_NS);
}

/* ending_is_near() - somebody has ended already: the verdict comes. */
static bool ending_is_near(struct machine *m)
{
	return m->ending || m->verdict.armed || ending_vmm(m)->exit;
}

/* ending_stop_late() - the vmm did not end after STOP. */
static void ending_stop_late(void *ctx)
{
	struct machine *m = ctx;

	if (ending_is_near(m))
		return;
	machine_end(m, false, EXIT_CODE_OPERATOR,
		    "ended by the operator; the vmm had to be killed");
}

/* ending_stop() - no more patience with the guest. */
static void ending_stop(void *ctx)
{
	struct machine *m = ctx;
	Bulkhead__Child__Stop stop = BULKHEAD__CHILD__STOP__INIT;

	if (m->stopping || ending_is_near(m))
		return;
	m->stopping = true;
	loop_deadline_disarm(m->loop, &m->grace);
	loop_deadline_arm(m->loop, &m->stop, ENDING_STOP_NS);
	/* A vmm that has just said EXIT does not take it; that is read next. */
	if (child_send(ending_vmm(m), BULKHEAD__CHILD__OP__OP_STOP, &stop.base,
		       NULL, 0))
		log_info("the vmm does not take STOP any more");
}

void ending_ask(struct machine *m, const char *signal_name)
{
	Bulkhead__Child__PowerButton button =
		BULKHEAD__CHILD__POWER_BUTTON__INIT;
	uint64_t grace_ms = m->cfg->power_button_grace_ms;

	if (ending_is_near(m))
		return;
	if (!m->running) {
		machine_end(m, false, EXIT_CODE_OPERATOR,
			    "ended by SIG%s before the guest ran", signal_name);
		return;
	}
	if (m->signals_seen++ || grace_ms == 0) {
		ending_stop(m);
		return;
	}
	log_info("power button; the guest has %" PRIu64 " ms", grace_ms);
	loop_deadline_arm(m->loop, &m->grace, grace_ms * MS_NS);
	if (child_send(ending_vmm(m), BULKHEAD__CHILD__OP__OP_POWER_BUTTON,
		       &button.base, NULL, 0))
		log_info("the vmm does not take POWER_BUTTON any more");
}

void ending_init(struct machine *m)
{
	m->grace = (struct deadline){.fn = ending_stop, .ctx = m};
	m->stop = (struct deadline){.fn = ending_stop_late, .ctx = m};
	m->verdict = (struct deadline){.fn = ending_verdict, .ctx = m};
	m->kill = (struct deadline){.fn = ending_kill_all, .ctx = m};
	m->give_up = (struct deadline){.fn = ending_give_up, .ctx = m};
}
