// SPDX-License-Identifier: Apache-2.0
/*
 * control_rows.c - what may be asked, one row an op, and the answers. Runs in
 * the monitor. Every request gets a Reply: whoever asks may be newer than we
 * are and must be able to find that out.
 */
#define LOG_MODULE "control"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ipc/log.h"
#include "monitor/control/control.h"
#include "monitor/control/control_check.h"
#include "monitor/control/control_error.h"
#include "monitor/control/control_status.h"
#include "monitor/machine/machine.h"

#define STATE(name) (1u << CONTROL_STATE_##name)

/* rows_error() - answers request @id of op @op with an error. */
PRINTF_LIKE(5, 6)
static int rows_error(struct peer *peer, uint32_t op, uint32_t id,
		      enum control_error error, const char *fmt, ...)
{
	Bulkhead__Control__Reply reply = BULKHEAD__CONTROL__REPLY__INIT;
	Bulkhead__Control__Error e = BULKHEAD__CONTROL__ERROR__INIT;
	char code[CONTROL_CHECK_NAME_MAX + 1];
	char message[256];
	va_list ap;

	va_start(ap, fmt);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start */
	if (vsnprintf(message, sizeof(message), fmt, ap) < 0)
		message[0] = '\0';
	va_end(ap);
	(void)snprintf(code, sizeof(code), "%s", control_error_code(error));
	e.code = code;
	e.message = message;
	reply.error = &e;
	/* A client that does not read fails from the loop. */
	(void)!peer_answer(peer, op + 1, id, &reply.base);
	return 0;
}

/* rows_answer() - @reply, unless it does not fit into a frame. */
static int rows_answer(struct peer *peer, uint32_t op, uint32_t id,
		       const Bulkhead__Control__Reply *reply)
{
	int ret = peer_answer(peer, op + 1, id, &reply->base);

	if (ret == -EMSGSIZE)
		return rows_error(peer, op, id, CONTROL_ERROR_TOO_LARGE,
				  "the answer does not fit into %u bytes",
				  FRAME_PAYLOAD_MAX);
	return 0;
}

/* rows_name() - of CONFIG.json, without folder and ".json"; "" for none. */
static void rows_name(const struct machine *m, char *ret_name, size_t size)
{
	const char *file = m->cfg->file ? m->cfg->file : "";
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	size_t len = strlen(name);

	if (len > 5 && !strcmp(name + len - 5, ".json"))
		len -= 5;
	(void)snprintf(ret_name, size, "%.*s", (int)(len & 0xffff), name);
}

/* rows_hello() - who we are; a version that is not ours opens nothing. */
static int rows_hello(struct peer *peer, uint32_t id,
		      const ProtobufCMessage *msg, struct fdset *fds)
{
	const Bulkhead__Control__Hello *m = (const void *)msg;
	const struct control_client *client = peer->ctx;
	Bulkhead__Control__Reply reply = BULKHEAD__CONTROL__REPLY__INIT;
	Bulkhead__Control__HelloReply hello =
		BULKHEAD__CONTROL__HELLO_REPLY__INIT;
	char build[] = BULKHEAD_VERSION;
	char name[CONTROL_CHECK_NAME_MAX + 1];

	(void)fds;
	if (m->version != CONTROL_VERSION)
		return rows_error(peer, BULKHEAD__CONTROL__OP__OP_HELLO, id,
				  CONTROL_ERROR_VERSION,
				  "control protocol %u was asked for; bulkhead "
				  "%s speaks %u",
				  m->version, build, CONTROL_VERSION);
	log_debug("%s connected", m->program);
	rows_name(client->control->machine, name, sizeof(name));
	hello.version = CONTROL_VERSION;
	hello.build = build;
	hello.pid = (uint32_t)client->control->pid;
	hello.name = *name ? name : NULL;
	reply.hello = &hello;
	peer->state = CONTROL_STATE_OPEN;
	return rows_answer(peer, BULKHEAD__CONTROL__OP__OP_HELLO, id, &reply);
}

/* rows_status() - the machine. */
static int rows_status(struct peer *peer, uint32_t id,
		       const ProtobufCMessage *msg, struct fdset *fds)
{
	const struct control_client *client = peer->ctx;
	Bulkhead__Control__Reply reply = BULKHEAD__CONTROL__REPLY__INIT;
	struct control_status *status = calloc(1, sizeof(*status));
	int ret;

	(void)msg;
	(void)fds;
	if (!status)
		return -ENOMEM;
	control_status_fill(client->control, status);
	reply.status = &status->msg;
	ret = rows_answer(peer, BULKHEAD__CONTROL__OP__OP_STATUS, id, &reply);
	free(status);
	return ret;
}

/* rows_confinement() - one process. */
static int rows_confinement(struct peer *peer, uint32_t id,
			    const ProtobufCMessage *msg, struct fdset *fds)
{
	const Bulkhead__Control__Confinement *m = (const void *)msg;
	const struct control_client *client = peer->ctx;
	Bulkhead__Control__Reply reply = BULKHEAD__CONTROL__REPLY__INIT;
	struct control_confinement confinement;
	int idx = control_process_find(client->control, m);

	(void)fds;
	if (idx < 0 && m->name)
		return rows_error(peer, BULKHEAD__CONTROL__OP__OP_CONFINEMENT,
				  id, CONTROL_ERROR_NO_PROCESS,
				  "no process is named \"%s\"", m->name);
	if (idx < 0)
		return rows_error(peer, BULKHEAD__CONTROL__OP__OP_CONFINEMENT,
				  id, CONTROL_ERROR_NO_PROCESS,
				  "no process has index %u; accepted: 0..%u",
				  m->index,
				  client->control->machine->child_cnt);
	control_confinement_fill(client->control, (uint32_t)idx, &confinement);
	reply.confinement = &confinement.msg;
	return rows_answer(peer, BULKHEAD__CONTROL__OP__OP_CONFINEMENT, id,
			   &reply);
}

#define REQUEST(op_, name_, states_, check_)                                  \
	.op = BULKHEAD__CONTROL__OP__OP_##op_, .name = #op_,                  \
	.kind = DISPATCH_REQUEST, .states = (states_),                        \
	.desc = &bulkhead__control__##name_##__descriptor, .check = (check_), \
	.handle = rows_##name_

static const struct dispatch_row control_rows[] = {
	{REQUEST(HELLO, hello, STATE(NEW), control_check_hello)},
	{REQUEST(STATUS, status, STATE(OPEN), NULL)},
	{REQUEST(CONFINEMENT, confinement, STATE(OPEN),
		 control_check_confinement)},
};
const struct dispatch_table control_table = {"control", control_rows,
					     ARRAY_SIZE(control_rows)};

int control_refuse(struct peer *peer, const struct dispatch_row *row,
		   const struct frame_header *header, int error)
{
	uint32_t op = header->op;
	uint32_t id = header->id;

	if (!row)
		return rows_error(peer, op, id, CONTROL_ERROR_UNKNOWN_OP,
				  "bulkhead %s does not know op %u",
				  BULKHEAD_VERSION, op);
	if (row->states & (1u << peer->state))
		return rows_error(peer, op, id, CONTROL_ERROR_BAD_REQUEST,
				  "%s: fields or fds that are not accepted: %s",
				  row->name, strerror(-error));
	if (peer->state == CONTROL_STATE_NEW)
		return rows_error(peer, op, id, CONTROL_ERROR_HELLO_FIRST,
				  "%s: HELLO comes first", row->name);
	return rows_error(peer, op, id, CONTROL_ERROR_NOT_NOW,
			  "%s is not possible now", row->name);
}
