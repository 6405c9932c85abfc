// SPDX-License-Identifier: Apache-2.0
/*
 * control_status.c - a machine's state as messages. Runs in the monitor; only
 * reads. What children said of themselves is passed on as it was checked when
 * it came; whoever prints it escapes it.
 */
#include "monitor/control/control_status.h"

#include <errno.h>
#include <string.h>

#include "monitor/control/control.h"
#include "monitor/machine/machine.h"
#include "monitor/machine/walls.h"

/* The monitor is process 0, children[i] is process 1 + i. */
#define STATUS_MONITOR 0u

static const Bulkhead__Child__Confine status_confine[] = {
	[CONFIG_CONFINE_ENFORCE] = BULKHEAD__CHILD__CONFINE__CONFINE_ENFORCE,
	[CONFIG_CONFINE_LOG] = BULKHEAD__CHILD__CONFINE__CONFINE_LOG,
	[CONFIG_CONFINE_OFF] = BULKHEAD__CHILD__CONFINE__CONFINE_OFF,
};

static const Bulkhead__Control__State status_states[] = {
	[CHILD_STATE_STARTED] = BULKHEAD__CONTROL__STATE__STATE_STARTED,
	[CHILD_STATE_GRANTED] = BULKHEAD__CONTROL__STATE__STATE_GRANTED,
	[CHILD_STATE_READY] = BULKHEAD__CONTROL__STATE__STATE_READY,
	[CHILD_STATE_RUN] = BULKHEAD__CONTROL__STATE__STATE_RUNNING,
};
_Static_assert(ARRAY_SIZE(status_states) == CHILD_STATE_COUNT,
	       "a state for each");

/* status_monitor() - this process. */
static void status_monitor(const struct control *c, struct control_process *p)
{
	static char name[] = "monitor";

	p->msg.index = STATUS_MONITOR;
	p->msg.name = name;
	p->msg.id = name;
	p->msg.role = BULKHEAD__CHILD__ROLE__ROLE_MONITOR;
	p->msg.pid = (uint32_t)c->pid;
	p->msg.state = BULKHEAD__CONTROL__STATE__STATE_RUNNING;
	p->msg.confine = status_confine[c->machine->cfg->confine];
	p->msg.uptime_ns = loop_now_ns() - c->started_ns;
	p->msg.has_refusals = true;
	p->msg.refusals = confine_refusals();
}

/* status_child() - children[@idx]. */
static void status_child(const struct machine *m, uint32_t idx,
			 struct control_process *p)
{
	/* protobuf-c has no const strings; they are only read. */
	const struct child *c = &m->children[idx];

	p->msg.index = 1 + idx;
	p->msg.name = (char *)(uintptr_t)c->name;
	p->msg.id = (char *)(uintptr_t)c->id;
	p->msg.role = (Bulkhead__Child__Role)c->role;
	p->msg.pid = (uint32_t)c->proc.pid;
	p->msg.state = status_states[child_state(c)];
	p->msg.confine = status_confine[walls_mode(m, idx)];
	p->msg.uptime_ns = loop_now_ns() - c->started_ns;
	if (!c->exited)
		return;
	p->msg.state = BULKHEAD__CONTROL__STATE__STATE_ENDED;
	child_end_describe(c, p->ended, sizeof(p->ended));
	p->msg.ended = p->ended;
}

/* status_process() - process @idx. */
static void status_process(const struct control *c, uint32_t idx,
			   struct control_process *p)
{
	bulkhead__control__process__init(&p->msg);
	if (idx == STATUS_MONITOR)
		status_monitor(c, p);
	else
		status_child(c->machine, idx - 1, p);
}

/* status_phase() - how far the machine is. */
static Bulkhead__Control__Phase status_phase(const struct machine *m)
{
	if (m->ending)
		return BULKHEAD__CONTROL__PHASE__PHASE_ENDING;
	return m->running ? BULKHEAD__CONTROL__PHASE__PHASE_RUNNING
			  : BULKHEAD__CONTROL__PHASE__PHASE_STARTING;
}

void control_status_fill(const struct control *c,
			 struct control_status *ret_status)
{
	struct control_status *s = ret_status;
	const struct machine *m = c->machine;

	bulkhead__control__status_reply__init(&s->msg);
	s->msg.phase = status_phase(m);
	s->msg.uptime_ns = loop_now_ns() - c->started_ns;
	s->msg.confine = status_confine[m->cfg->confine];
	s->msg.cpus = (uint32_t)m->cfg->cpus;
	s->msg.memory_mib = m->cfg->memory_mib;
	if (m->ending) {
		bulkhead__control__ending__init(&s->ending);
		s->ending.code = (uint32_t)m->code;
		s->ending.why = (char *)(uintptr_t)m->why;
		s->msg.ending = &s->ending;
	}
	for (uint32_t i = 0; i <= m->child_cnt; i++) {
		status_process(c, i, &s->process[i]);
		s->ptr[i] = &s->process[i].msg;
	}
	s->msg.n_processes = 1 + m->child_cnt;
	s->msg.processes = s->ptr;
}

int control_process_find(const struct control *c,
			 const Bulkhead__Control__Confinement *asked)
{
	const struct machine *m = c->machine;

	if (!asked->name)
		return asked->index <= m->child_cnt ? (int)asked->index
						    : -ENOENT;
	if (!strcmp(asked->name, "monitor"))
		return STATUS_MONITOR;
	for (uint32_t i = 0; i < m->child_cnt; i++) {
		if (!strcmp(asked->name, m->children[i].name))
			return (int)(1 + i);
	}
	return -ENOENT;
}

/* status_own_walls() - the monitor's, once they stand. */
static void status_own_walls(const struct control *c,
			     struct control_confinement *s)
{
	const struct confine_report *r = &c->machine->walls;

	for (size_t i = 0; i < r->cnt && i < CONFINE_WALLS_MAX; i++) {
		bulkhead__child__wall__init(&s->wall[i]);
		s->wall[i].name = (char *)(uintptr_t)r->wall[i].name;
		s->wall[i].stands = r->wall[i].stands;
		s->wall[i].detail = (char *)(uintptr_t)r->wall[i].detail;
		s->ptr[i] = &s->wall[i];
	}
	s->msg.reported = r->cnt > 0;
	s->msg.n_walls = r->cnt;
	s->msg.walls = s->ptr;
	s->msg.facts = r->facts;
}

void control_confinement_fill(const struct control *c, uint32_t idx,
			      struct control_confinement *ret_confinement)
{
	struct control_confinement *s = ret_confinement;
	const Bulkhead__Child__Ready *ready;

	bulkhead__control__confinement_reply__init(&s->msg);
	status_process(c, idx, &s->process);
	s->msg.process = &s->process.msg;
	if (idx == STATUS_MONITOR) {
		status_own_walls(c, s);
		return;
	}
	ready = c->machine->children[idx - 1].ready;
	s->msg.reported = ready != NULL;
	if (!ready)
		return;
	s->msg.n_walls = ready->n_walls;
	s->msg.walls = ready->walls;
	s->msg.facts = ready->facts;
}
