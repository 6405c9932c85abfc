// SPDX-License-Identifier: Apache-2.0
/*
 * control_check.c - what may be asked, and what a monitor may answer. The first
 * runs in the monitor, the other in whoever asks. Strings are only bounded:
 * whoever prints one escapes it.
 */
#include "monitor/control/control_check.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "policy/facts.h"
#include "proto/control.pb-c.h"

/* check_text() - 1..@max bytes. */
static bool check_text(const char *text, size_t max)
{
	size_t len = strnlen(text, max + 1);

	return len > 0 && len <= max;
}

/* check_text_or_none() - at most @max bytes; NULL (not given) is fine. */
static bool check_text_or_none(const char *text, size_t max)
{
	return !text || strnlen(text, max + 1) <= max;
}

int control_check_hello(const ProtobufCMessage *msg)
{
	const Bulkhead__Control__Hello *m = (const void *)msg;

	return check_text(m->program, CONTROL_CHECK_NAME_MAX) ? 0 : -EPROTO;
}

int control_check_confinement(const ProtobufCMessage *msg)
{
	const Bulkhead__Control__Confinement *m = (const void *)msg;

	if (!!m->has_index == (m->name != NULL))
		return -EPROTO;
	if (m->name && !check_text(m->name, CONTROL_CHECK_NAME_MAX))
		return -EPROTO;
	return 0;
}

/* check_process() - one process. */
static bool check_process(const Bulkhead__Control__Process *m)
{
	bool ended = m->state == BULKHEAD__CONTROL__STATE__STATE_ENDED;

	return m->index < CONTROL_CHECK_PROCESSES_MAX && m->pid > 0 &&
	       m->pid <= CONTROL_CHECK_PID_MAX &&
	       check_text(m->name, CONTROL_CHECK_NAME_MAX) &&
	       check_text(m->id, CONTROL_CHECK_NAME_MAX) &&
	       check_text_or_none(m->ended, CONTROL_CHECK_TEXT_MAX) &&
	       (ended || !m->ended);
}

/* check_status() - the machine. */
static bool check_status(const Bulkhead__Control__StatusReply *m)
{
	bool ending = m->phase == BULKHEAD__CONTROL__PHASE__PHASE_ENDING;

	if (ending != (m->ending != NULL) || m->n_processes == 0 ||
	    m->n_processes > CONTROL_CHECK_PROCESSES_MAX)
		return false;
	if (ending &&
	    (m->ending->code > 255 ||
	     !check_text_or_none(m->ending->why, CONTROL_CHECK_TEXT_MAX)))
		return false;
	for (size_t i = 0; i < m->n_processes; i++) {
		if (!check_process(m->processes[i]) ||
		    m->processes[i]->index != i)
			return false;
	}
	return true;
}

/* check_confined() - walls and facts of one process. */
static bool check_confined(const Bulkhead__Control__ConfinementReply *m)
{
	if (!check_process(m->process) ||
	    m->n_walls > CONTROL_CHECK_WALLS_MAX ||
	    (!m->reported && (m->n_walls || m->facts)))
		return false;
	for (size_t i = 0; i < m->n_walls; i++) {
		if (!check_text_or_none(m->walls[i]->name,
					CONTROL_CHECK_NAME_MAX) ||
		    !check_text_or_none(m->walls[i]->detail,
					CONTROL_CHECK_TEXT_MAX))
			return false;
	}
	return !m->facts || facts_check(m->facts) == 0;
}

int control_check_reply(const ProtobufCMessage *msg)
{
	const Bulkhead__Control__Reply *m = (const void *)msg;
	int parts = !!m->status + !!m->confinement;

	if (m->error)
		return parts == 0 &&
				       check_text(m->error->code,
						  CONTROL_CHECK_NAME_MAX) &&
				       check_text_or_none(
					       m->error->message,
					       CONTROL_CHECK_TEXT_MAX)
			       ? 0
			       : -EPROTO;
	if (parts + !!m->hello != 1)
		return -EPROTO;
	if (m->hello &&
	    (!check_text(m->hello->build, CONTROL_CHECK_NAME_MAX) ||
	     !check_text_or_none(m->hello->name, CONTROL_CHECK_TEXT_MAX) ||
	     m->hello->pid > CONTROL_CHECK_PID_MAX))
		return -EPROTO;
	if (m->status && !check_status(m->status))
		return -EPROTO;
	if (m->confinement && !check_confined(m->confinement))
		return -EPROTO;
	return 0;
}
