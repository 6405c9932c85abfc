// SPDX-License-Identifier: Apache-2.0
/*
 * dispatch.c - what every frame must satisfy before a handler sees it. Every
 * process runs it; frames are not trusted. Pure.
 */
#include "ipc/dispatch.h"

#include <errno.h>
#include <string.h>

/* Deeper than any message of proto/; none of them contains itself. */
#define DISPATCH_DEPTH_MAX 8

const struct dispatch_row *dispatch_find(const struct dispatch_table *t,
					 uint32_t op)
{
	for (uint32_t i = 0; i < t->cnt; i++) {
		if (t->rows[i].op == op)
			return &t->rows[i];
	}
	return NULL;
}

/* Is @row one that the rules of proto/PROTOCOL.md allow? */
static bool dispatch_row_ok(const struct dispatch_row *row)
{
	bool answer = row->kind == DISPATCH_ANSWER;

	return row->op != 0 && (row->op % 2 == 1) == answer && row->name &&
	       row->desc && row->states && (answer || row->handle) &&
	       row->min_fds <= row->max_fds && row->max_fds <= FDSET_MAX;
}

bool dispatch_table_ok(const struct dispatch_table *t)
{
	if (t->cnt == 0 || t->cnt > DISPATCH_ROWS_MAX)
		return false;
	for (uint32_t i = 0; i < t->cnt; i++) {
		if (!dispatch_row_ok(&t->rows[i]))
			return false;
		if (dispatch_find(t, t->rows[i].op) != &t->rows[i])
			return false;
	}
	return true;
}

int dispatch_admit(const struct dispatch_table *t,
		   const struct dispatch_row *row, const struct frame *frame,
		   uint32_t state, uint64_t seen)
{
	uint64_t bit = 1ULL << (row - t->rows);

	BUG_ON(state >= 32);
	if (!(row->states & (1u << state)))
		return -EPROTO;
	if ((row->kind == DISPATCH_EVENT) != (frame->header.id == 0))
		return -EPROTO;
	if (frame->fds.cnt < row->min_fds || frame->fds.cnt > row->max_fds)
		return -EPROTO;
	if (row->once && (seen & bit))
		return -EPROTO;
	return 0;
}

/* How many values of @field does the message at @base hold? proto/ has no
 * oneof, whose fields would have another quantifier. */
static size_t dispatch_field_cnt(const uint8_t *base,
				 const ProtobufCFieldDescriptor *field)
{
	size_t cnt = 0;
	protobuf_c_boolean has = 0;
	const void *ptr = NULL;

	switch (field->label) {
	case PROTOBUF_C_LABEL_REPEATED:
		memcpy(&cnt, base + field->quantifier_offset, sizeof(cnt));
		return cnt;
	case PROTOBUF_C_LABEL_OPTIONAL:
		if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
			memcpy(&ptr, base + field->offset, sizeof(ptr));
			return ptr ? 1 : 0;
		}
		memcpy(&has, base + field->quantifier_offset, sizeof(has));
		return has ? 1 : 0;
	case PROTOBUF_C_LABEL_REQUIRED:
	case PROTOBUF_C_LABEL_NONE:
	default:
		return 1;
	}
}

/* Where the values of @field begin: in the message, or in an array beside. */
static const uint8_t *dispatch_field_values(const uint8_t *base,
					    const ProtobufCFieldDescriptor *f)
{
	const uint8_t *array = NULL;

	if (f->label != PROTOBUF_C_LABEL_REPEATED)
		return base + f->offset;
	memcpy(&array, base + f->offset, sizeof(array));
	return array;
}

/* Are the @cnt enum values at @values all in the descriptor? */
static int dispatch_enums_check(const ProtobufCEnumDescriptor *desc,
				const uint8_t *values, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		int value = 0;

		memcpy(&value, values + i * sizeof(value), sizeof(value));
		if (!protobuf_c_enum_descriptor_get_value(desc, value))
			return -EPROTO;
	}
	return 0;
}

static int dispatch_message_check(const ProtobufCMessage *msg, unsigned depth);

/* The @cnt submessages whose pointers are at @values. */
/* NOLINTNEXTLINE(misc-no-recursion): depth is capped in message_check */
static int dispatch_submessages_check(const uint8_t *values, size_t cnt,
				      unsigned depth)
{
	for (size_t i = 0; i < cnt; i++) {
		const ProtobufCMessage *sub = NULL;

		memcpy(&sub, values + i * sizeof(sub), sizeof(sub));

		int err = dispatch_message_check(sub, depth);

		if (err)
			return err;
	}
	return 0;
}

/* All values of one field. */
/* NOLINTNEXTLINE(misc-no-recursion): depth is capped in message_check */
static int dispatch_field_check(const uint8_t *base,
				const ProtobufCFieldDescriptor *field,
				unsigned depth)
{
	size_t cnt = dispatch_field_cnt(base, field);

	if (cnt == 0)
		return 0;

	const uint8_t *values = dispatch_field_values(base, field);

	if (field->type == PROTOBUF_C_TYPE_ENUM)
		return dispatch_enums_check(field->descriptor, values, cnt);
	if (field->type == PROTOBUF_C_TYPE_MESSAGE)
		return dispatch_submessages_check(values, cnt, depth + 1);
	return 0;
}

/*
 * Refuses what protobuf-c lets through: unknown fields and enum values that the
 * .proto does not have, here and in every submessage.
 */
/* NOLINTNEXTLINE(misc-no-recursion): capped by DISPATCH_DEPTH_MAX */
static int dispatch_message_check(const ProtobufCMessage *msg, unsigned depth)
{
	const ProtobufCMessageDescriptor *desc = msg->descriptor;

	if (msg->n_unknown_fields != 0 || depth > DISPATCH_DEPTH_MAX)
		return -EPROTO;
	for (unsigned i = 0; i < desc->n_fields; i++) {
		int err = dispatch_field_check((const uint8_t *)msg,
					       &desc->fields[i], depth);

		if (err)
			return err;
	}
	return 0;
}

int dispatch_decode(const struct dispatch_row *row, const uint8_t *payload,
		    size_t len, struct arena *arena,
		    const ProtobufCMessage **ret_msg)
{
	const ProtobufCMessage *msg = protobuf_c_message_unpack(
		row->desc, &arena->alloc, len, payload);

	if (!msg)
		return -EBADMSG;

	int err = dispatch_message_check(msg, 0);

	if (!err && row->check)
		err = row->check(msg);
	if (err)
		return err;
	*ret_msg = msg;
	return 0;
}
