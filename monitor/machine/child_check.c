// SPDX-License-Identifier: Apache-2.0
/*
 * child_check.c - what a child may say. Runs in the monitor; the child may have
 * been taken over by its guest. Strings are only bounded here: whoever prints
 * one escapes it.
 */
#include "monitor/machine/child_check.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "policy/facts.h"
#include "proto/child.pb-c.h"

/* child_check_text() - @max bytes at most; NULL (not given) is fine. */
static bool child_check_text(const char *text, size_t max)
{
	return !text || strnlen(text, max + 1) <= max;
}

/* child_check_phases() - of READY, PREPARED and RUNNING. */
static bool child_check_phases(Bulkhead__Child__Phase *const *phases,
			       size_t cnt)
{
	if (cnt > CHILD_CHECK_PHASES_MAX)
		return false;
	for (size_t i = 0; i < cnt; i++) {
		if (!child_check_text(phases[i]->name, CHILD_CHECK_NAME_MAX))
			return false;
	}
	return true;
}

int child_check_hello(const ProtobufCMessage *msg)
{
	const Bulkhead__Child__Hello *m = (const void *)msg;

	return child_check_text(m->build, CHILD_CHECK_NAME_MAX) ? 0 : -EPROTO;
}

int child_check_ready(const ProtobufCMessage *msg)
{
	const Bulkhead__Child__Ready *m = (const void *)msg;

	if (m->n_walls > CHILD_CHECK_WALLS_MAX ||
	    !child_check_phases(m->phases, m->n_phases) ||
	    (m->facts && facts_check(m->facts)))
		return -EPROTO;
	for (size_t i = 0; i < m->n_walls; i++) {
		const Bulkhead__Child__Wall *w = m->walls[i];

		if (!child_check_text(w->name, CHILD_CHECK_NAME_MAX) ||
		    !child_check_text(w->detail, CHILD_CHECK_TEXT_MAX))
			return -EPROTO;
	}
	return 0;
}

int child_check_prepared(const ProtobufCMessage *msg)
{
	const Bulkhead__Child__Prepared *m = (const void *)msg;

	/* A positive errno goes through strerror and minus. */
	if (m->error > 4095 || m->n_e820 > CHILD_CHECK_E820_MAX ||
	    m->n_devices > CHILD_CHECK_DEVICES_MAX ||
	    !child_check_text(m->message, CHILD_CHECK_TEXT_MAX) ||
	    !child_check_text(m->kernel_format, CHILD_CHECK_TEXT_MAX) ||
	    !child_check_phases(m->phases, m->n_phases))
		return -EPROTO;
	for (size_t i = 0; i < m->n_devices; i++) {
		if (!child_check_text(m->devices[i]->id, CHILD_CHECK_NAME_MAX))
			return -EPROTO;
	}
	return 0;
}

int child_check_running(const ProtobufCMessage *msg)
{
	const Bulkhead__Child__Running *m = (const void *)msg;

	return child_check_phases(m->phases, m->n_phases) ? 0 : -EPROTO;
}

int child_check_exit(const ProtobufCMessage *msg)
{
	const Bulkhead__Child__Exit *m = (const void *)msg;
	bool debug = m->reason == BULKHEAD__CHILD__EXIT_REASON__EXIT_DEBUG;

	if (!!m->has_code != debug || m->code > 255 ||
	    !child_check_text(m->message, CHILD_CHECK_TEXT_MAX))
		return -EPROTO;
	return 0;
}

int child_check_log(const ProtobufCMessage *msg)
{
	const Bulkhead__Child__Log *m = (const void *)msg;

	if (!child_check_text(m->module, CHILD_CHECK_NAME_MAX) ||
	    !child_check_text(m->text, CHILD_CHECK_LOG_MAX))
		return -EPROTO;
	return 0;
}
