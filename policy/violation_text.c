// SPDX-License-Identifier: Apache-2.0
/*
 * violation_text.c - the report of a violation, made without libc's formatting:
 * it runs in a signal handler of a process that may be in any state. The
 * arguments are hostile values; they are printed as numbers only.
 */
#include <string.h>
#include <sys/syscall.h>

#include "ipc/frame.h"
#include "policy/filters.h"
#include "policy/violation.h"

#define FRAME_OP_LOG 24u /* child.proto OP_LOG */
#define FRAME_MODULE "policy"

/**
 * struct text - a bounded line; what does not fit is dropped
 * @len: < size
 */
struct text {
	char *buf;
	size_t size;
	size_t len;
};

/* Calls whose rows need an argument, and which one. */
static const struct {
	int number;
	uint8_t arg;
} violation_args[] = {
	{SYS_ioctl, 1},        {SYS_prctl, 0},      {SYS_fcntl, 1},
	{SYS_madvise, 2},      {SYS_futex, 1},      {SYS_mmap, 2},
	{SYS_mprotect, 2},     {SYS_clone, 0},      {SYS_tgkill, 2},
	{SYS_rt_sigaction, 0}, {SYS_sendto, 4},     {SYS_newfstatat, 3},
	{SYS_waitid, 0},       {SYS_getsockopt, 2},
};

const char *policy_syscall_name(int number)
{
	const char *name = "";

	if (number >= 0 && number < POLICY_NAMES_CNT)
		name = policy_names + policy_name_at[number];
	return *name ? name : "?";
}

static void text_put(struct text *t, const char *s)
{
	while (*s && t->len + 1 < t->size)
		t->buf[t->len++] = *s++;
	t->buf[t->len] = '\0';
}

/* text_number() - @value in @base 10 or 16. */
static void text_number(struct text *t, uint64_t value, unsigned base)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	text_put(t, digits + at);
}

/* text_argument() - a value; what looks like an address is not told. */
static void text_argument(struct text *t, uint64_t value)
{
	if (value > UINT32_MAX && value < UINT64_C(0xffffffff00000000)) {
		text_put(t, "ptr");
		return;
	}
	text_put(t, "0x");
	text_number(t, (uint32_t)value, 16);
}

/* text_row() - the row that would allow the call. */
static void text_row(struct text *t, const struct violation *v)
{
	for (size_t i = 0; i < ARRAY_SIZE(violation_args); i++) {
		uint8_t arg = violation_args[i].arg;

		if (violation_args[i].number != v->number)
			continue;
		text_put(t, "ALLOW_IF(");
		text_put(t, policy_syscall_name(v->number));
		text_put(t, ", T_EQ(");
		text_number(t, arg, 10);
		text_put(t, ", ");
		text_argument(t, v->args[arg]);
		text_put(t, "), \"...\"),");
		return;
	}
	text_put(t, "ALLOW(");
	text_put(t, policy_syscall_name(v->number));
	text_put(t, ", \"...\"),");
}

size_t violation_format(const struct violation *v,
			char ret_text[VIOLATION_TEXT_MAX])
{
	struct text t = {.buf = ret_text, .size = VIOLATION_TEXT_MAX};

	text_put(&t, v->mode == CONFINE_MODE_LOG ? "seccomp would refuse "
						 : "seccomp refused ");
	text_put(&t, policy_syscall_name(v->number));
	text_put(&t, "(");
	text_number(&t, (uint32_t)v->number, 10);
	text_put(&t, ") filter=");
	text_put(&t, v->filter);
	text_put(&t, " args=");
	for (unsigned i = 0; i < 6; i++) {
		text_put(&t, i ? "," : "");
		text_argument(&t, v->args[i]);
	}
	if (v->mode == CONFINE_MODE_LOG) {
		text_put(&t, " row: ");
		text_row(&t, v);
	} else {
		text_put(&t, "; the process ends");
	}
	return t.len;
}

/* frame_varint() - appends a protobuf varint; bytes written. */
static size_t frame_varint(uint8_t *bytes, uint64_t value)
{
	size_t len = 0;

	while (value >= 0x80) {
		bytes[len++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	bytes[len++] = (uint8_t)value;
	return len;
}

size_t violation_frame(const char *text, size_t len, uint64_t realtime_ns,
		       uint8_t *ret_bytes, size_t size)
{
	static const char module[] = FRAME_MODULE;
	uint8_t *p = ret_bytes + FRAME_HEADER_BYTES;
	struct frame_header h = {.op = FRAME_OP_LOG, .id = 0};

	/* Header, 2 + 11 of the numbers, module, 3 of the text's length. */
	if (size < FRAME_HEADER_BYTES + 32 + sizeof(module) + len)
		return 0;
	*p++ = 1 << 3; /* level, LOG_ERR */
	*p++ = 0;
	*p++ = 2 << 3; /* realtime_ns */
	p += frame_varint(p, realtime_ns);
	*p++ = 3 << 3 | 2; /* module */
	*p++ = sizeof(module) - 1;
	memcpy(p, module, sizeof(module) - 1);
	p += sizeof(module) - 1;
	*p++ = 4 << 3 | 2; /* text */
	p += frame_varint(p, len);
	memcpy(p, text, len);
	p += len;
	h.length = (uint32_t)(p - ret_bytes) - FRAME_HEADER_BYTES;
	frame_encode(&h, ret_bytes);
	return (size_t)(p - ret_bytes);
}
