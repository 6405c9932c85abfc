// SPDX-License-Identifier: Apache-2.0
/*
 * status_machine.c - asks one monitor and makes a JSON object of what it says.
 * Runs in `bulkhead status`. A monitor may have been taken over: strings are
 * escaped on the way in.
 */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "ipc/log.h"
#include "monitor/cli/facts_json.h"
#include "monitor/cli/status.h"
#include "monitor/exit.h"
#include "policy/role.h"

/* status_string() - escaped; null for none. */
static json_t *status_string(const char *text)
{
	char escaped[4096];

	if (!text || !*text)
		return json_null();
	(void)log_text_escape(escaped, sizeof(escaped), text);
	return json_string(escaped);
}

/* status_word() - of an enum value that dispatch has checked: "PHASE_RUNNING"
 * becomes "running" */
static json_t *status_word(const ProtobufCEnumDescriptor *desc, int value)
{
	const ProtobufCEnumValue *v =
		protobuf_c_enum_descriptor_get_value(desc, value);
	const char *name = v ? strchr(v->name, '_') : NULL;
	char word[32];
	size_t i = 0;

	/* Names of enum values are letters of ASCII. */
	for (; name && name[1 + i] && i < sizeof(word) - 1; i++)
		word[i] = (char)(name[1 + i] | 0x20);
	word[i] = '\0';
	return json_string(i ? word : "unknown");
}

/* status_confine() - enforce, log, off. */
static json_t *status_confine(Bulkhead__Child__Confine confine)
{
	return status_word(&bulkhead__child__confine__descriptor, (int)confine);
}

/* status_ending() - null while the machine runs. */
static json_t *status_ending(const Bulkhead__Control__Ending *ending)
{
	const struct exit_row *row;

	if (!ending)
		return json_null();
	row = exit_find((int)ending->code);
	return json_pack("{s:i, s:o, s:o}", "code", (int)ending->code, "name",
			 status_string(row ? row->name : NULL), "why",
			 status_string(ending->why));
}

/* status_process() - one process. */
static json_t *status_process(const Bulkhead__Control__Process *m)
{
	return json_pack(
		"{s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:o, s:o}", "name",
		status_string(m->name), "role",
		status_word(&bulkhead__child__role__descriptor, (int)m->role),
		"id", status_string(m->id), "pid", (json_int_t)m->pid, "state",
		status_word(&bulkhead__control__state__descriptor,
			    (int)m->state),
		"confine", status_confine(m->confine), "uptime-ms",
		(json_int_t)(m->uptime_ns / 1000000u), "ended",
		status_string(m->ended), "refusals",
		m->has_refusals ? json_integer((json_int_t)m->refusals)
				: json_null());
}

/* status_walls() - as the process reported them. */
static json_t *status_walls(const Bulkhead__Control__ConfinementReply *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n_walls; i++)
		(void)json_array_append_new(
			list,
			json_pack("{s:o, s:b, s:o}", "name",
				  status_string(m->walls[i]->name), "stands",
				  (int)m->walls[i]->stands, "detail",
				  status_string(m->walls[i]->detail)));
	return list;
}

/* status_facts() - null for none. */
static json_t *status_facts(const Bulkhead__Facts__Facts *facts)
{
	return facts ? facts_json(facts) : json_null();
}

/* status_report() - walls, what the process said when it was ready, and what
 * the kernel says now */
static json_t *status_report(const Bulkhead__Control__ConfinementReply *m,
			     const struct status_look *look)
{
	return json_pack("{s:b, s:o, s:o, s:o, s:o}", "reported",
			 (int)m->reported, "walls", status_walls(m), "kernel",
			 status_facts(look->facts), "kernel-note",
			 status_string(look->note), "ready",
			 status_facts(m->facts));
}

/*
 * status_confinement() - of process @idx. A report that the monitor cannot send
 * (a child may have made it too large) is told in its place.
 * Return: NULL with *p set.
 */
static json_t *status_confinement(struct control_link *l, uint32_t idx,
				  uint32_t pid, struct problem *p)
{
	Bulkhead__Control__Confinement ask =
		BULKHEAD__CONTROL__CONFINEMENT__INIT;
	const Bulkhead__Control__Reply *reply = NULL;
	struct status_look look;
	struct problem refused = {0};
	json_t *value = NULL;
	int ret;

	status_look_open(&look, l, pid);
	ask.has_index = true;
	ask.index = idx;
	ret = control_link_ask(l, BULKHEAD__CONTROL__OP__OP_CONFINEMENT,
			       &ask.base, &reply, &refused);
	if (!ret && reply && reply->confinement) {
		status_look_read(&look, l, pid, reply->confinement->process);
		value = status_report(reply->confinement, &look);
	} else if (ret == -EREMOTEIO) {
		value = json_pack("{s:b, s:[], s:n, s:o, s:n}", "reported", 0,
				  "walls", "kernel", "kernel-note",
				  status_string(refused.text), "ready");
	}
	status_look_close(&look);
	if (!value)
		(void)problem_set(p, EXIT_CODE_HOST, -EPROTO,
				  "%s: no report of process %u: %s", l->path,
				  idx, refused.text);
	return value;
}

/* status_reply() - the machine's object from STATUS. */
static json_t *status_reply(const struct control_link *l,
			    const Bulkhead__Control__StatusReply *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->n_processes; i++)
		(void)json_array_append_new(list,
					    status_process(m->processes[i]));
	return json_pack(
		"{s:o, s:o, s:I, s:o, s:o, s:I, s:o, s:o, s:I, s:I, s:o}",
		"socket", status_string(l->path), "name",
		status_string(l->name), "pid", (json_int_t)l->said_pid, "build",
		status_string(l->build), "phase",
		status_word(&bulkhead__control__phase__descriptor,
			    (int)m->phase),
		"uptime-ms", (json_int_t)(m->uptime_ns / 1000000u), "ending",
		status_ending(m->ending), "confine", status_confine(m->confine),
		"cpus", (json_int_t)m->cpus, "memory-mib",
		(json_int_t)m->memory_mib, "processes", list);
}

/* status_confinements() - adds each process's walls to @machine. */
static int status_confinements(struct control_link *l, json_t *machine,
			       struct problem *p)
{
	json_t *list = json_object_get(machine, "processes");
	json_t *process;
	size_t i;

	json_array_foreach(list, i, process)
	{
		json_t *pid = json_object_get(process, "pid");
		json_t *value = status_confinement(
			l, (uint32_t)i, (uint32_t)json_integer_value(pid), p);

		if (!value)
			return p->error;
		(void)json_object_set_new(process, "confinement", value);
	}
	return 0;
}

/* status_ask() - on an open connection. */
static int status_ask(struct control_link *l, bool confinement,
		      json_t **ret_machine, struct problem *p)
{
	Bulkhead__Control__Status ask = BULKHEAD__CONTROL__STATUS__INIT;
	const Bulkhead__Control__Reply *reply = NULL;
	json_t *machine = NULL;
	int ret = control_link_ask(l, BULKHEAD__CONTROL__OP__OP_STATUS,
				   &ask.base, &reply, p);

	if (ret)
		return ret;
	if (reply && reply->status)
		machine = status_reply(l, reply->status);
	if (!machine)
		return problem_set(p, EXIT_CODE_HOST, -EPROTO,
				   "%s: no status came", l->path);
	if (confinement)
		ret = status_confinements(l, machine, p);
	if (ret) {
		json_decref(machine);
		return ret;
	}
	*ret_machine = machine;
	return 0;
}

int status_machine(const char *path, bool confinement, json_t **ret_machine,
		   struct problem *p)
{
	struct control_link l;
	int ret = control_link_open(&l, path, p);

	if (ret)
		return ret;
	ret = status_ask(&l, confinement, ret_machine, p);
	control_link_close(&l);
	return ret;
}
