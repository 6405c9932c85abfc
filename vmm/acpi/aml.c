// SPDX-License-Identifier: Apache-2.0
/*
 * aml.c - names, constants and blocks of AML. Runs in the vmm; its input is
 * our own code only. Spec: ACPI 6.5 section 20.2 (AML grammar).
 */
#include "vmm/acpi/aml.h"

#include <string.h>

enum aml_op {
	AML_ZERO = 0x00,
	AML_ONE = 0x01,
	AML_NAME = 0x08,
	AML_BYTE = 0x0a,
	AML_WORD = 0x0b,
	AML_DWORD = 0x0c,
	AML_STRING = 0x0d,
	AML_QWORD = 0x0e,
	AML_SCOPE = 0x10,
	AML_BUFFER = 0x11,
	AML_PACKAGE = 0x12,
	AML_METHOD = 0x14,
	AML_DUAL_NAME = 0x2e,
	AML_MULTI_NAME = 0x2f,
	AML_EXT = 0x5b,
	AML_EXT_DEVICE = 0x82,
	AML_ARG0 = 0x68,
	AML_NOTIFY = 0x86,
	AML_EQUAL = 0x93,
	AML_IF = 0xa0
};

#define AML_SEGMENT 4u
#define AML_SEGMENTS_MAX 8u
#define AML_METHOD_SERIALIZED 0x08u
/* A package length takes 1 to 4 bytes and counts itself. */
#define AML_LENGTH_MAX ((1u << 28) - 1)

void aml_init(struct aml *a, uint8_t *buf, size_t cap)
{
	*a = (struct aml){.buf = buf, .cap = cap};
}

void aml_bytes(struct aml *a, const void *data, size_t len)
{
	if (a->overflow || len > a->cap - a->len) {
		a->overflow = true;
		return;
	}
	memcpy(a->buf + a->len, data, len);
	a->len += len;
}

void aml_byte(struct aml *a, uint8_t value)
{
	aml_bytes(a, &value, 1);
}

/* aml_path_count() - segments of a path without its root. */
static size_t aml_path_count(const char *path)
{
	size_t cnt = *path ? 1 : 0;

	for (; *path; path++)
		cnt += *path == '.';
	return cnt;
}

/* aml_path_segment() - one segment, padded with '_'. Returns its length. */
static size_t aml_path_segment(struct aml *a, const char *path)
{
	char segment[AML_SEGMENT] = {'_', '_', '_', '_'};
	size_t len = strcspn(path, ".");

	if (len == 0 || len > AML_SEGMENT) {
		a->overflow = true;
		return len;
	}
	memcpy(segment, path, len);
	aml_bytes(a, segment, sizeof(segment));
	return len;
}

void aml_path(struct aml *a, const char *path)
{
	size_t cnt;

	if (*path == '\\')
		aml_byte(a, (uint8_t)*path++);
	cnt = aml_path_count(path);
	if (cnt > AML_SEGMENTS_MAX)
		a->overflow = true;
	if (cnt == 0)
		aml_byte(a, 0);
	else if (cnt == 2)
		aml_byte(a, AML_DUAL_NAME);
	else if (cnt > 2)
		aml_bytes(a, (uint8_t[]){AML_MULTI_NAME, (uint8_t)cnt}, 2);
	for (size_t i = 0; i < cnt; i++) {
		path += aml_path_segment(a, path);
		path += *path == '.';
	}
}

void aml_integer(struct aml *a, uint64_t value)
{
	static const struct {
		uint64_t max;
		uint8_t op;
		uint8_t bytes;
	} forms[] = {
		{UINT8_MAX, AML_BYTE, 1},
		{UINT16_MAX, AML_WORD, 2},
		{UINT32_MAX, AML_DWORD, 4},
		{UINT64_MAX, AML_QWORD, 8},
	};
	size_t i = 0;

	if (value <= 1) {
		aml_byte(a, value ? AML_ONE : AML_ZERO);
		return;
	}
	while (value > forms[i].max)
		i++;
	aml_byte(a, forms[i].op);
	/* Little-endian, as this host. */
	aml_bytes(a, &value, forms[i].bytes);
}

void aml_string(struct aml *a, const char *text)
{
	aml_byte(a, AML_STRING);
	aml_bytes(a, text, strlen(text) + 1);
}

/* aml_hex_digit() - 0..15; 16 for what is none. */
static uint32_t aml_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (uint32_t)(c - '0');
	if (c >= 'A' && c <= 'F')
		return (uint32_t)(c - 'A') + 10;
	return 16;
}

void aml_eisa_id(struct aml *a, const char *id)
{
	uint32_t value = 0;
	uint8_t packed[5] = {AML_DWORD};

	if (strlen(id) != 7) {
		a->overflow = true;
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		if (id[i] < 'A' || id[i] > 'Z')
			a->overflow = true;
		value = value << 5 | ((uint32_t)(id[i] - 'A' + 1) & 0x1f);
	}
	for (size_t i = 3; i < 7; i++) {
		if (aml_hex_digit(id[i]) > 15)
			a->overflow = true;
		value = value << 4 | aml_hex_digit(id[i]);
	}
	/* Big-endian inside the constant. */
	for (size_t i = 0; i < 4; i++)
		packed[1 + i] = (uint8_t)(value >> (24 - 8 * i));
	aml_bytes(a, packed, sizeof(packed));
}

void aml_name(struct aml *a, const char *path)
{
	aml_byte(a, AML_NAME);
	aml_path(a, path);
}

void aml_name_integer(struct aml *a, const char *path, uint64_t value)
{
	aml_name(a, path);
	aml_integer(a, value);
}

void aml_name_string(struct aml *a, const char *path, const char *text)
{
	aml_name(a, path);
	aml_string(a, text);
}

void aml_name_eisa_id(struct aml *a, const char *path, const char *id)
{
	aml_name(a, path);
	aml_eisa_id(a, id);
}

/* aml_begin() - a block: its length goes behind the opcode at the end. */
static struct aml_mark aml_begin(struct aml *a, const uint8_t *op, size_t len)
{
	aml_bytes(a, op, len);
	return (struct aml_mark){a->len};
}

struct aml_mark aml_scope_begin(struct aml *a, const char *path)
{
	struct aml_mark m = aml_begin(a, (uint8_t[]){AML_SCOPE}, 1);

	aml_path(a, path);
	return m;
}

struct aml_mark aml_device_begin(struct aml *a, const char *path)
{
	struct aml_mark m =
		aml_begin(a, (uint8_t[]){AML_EXT, AML_EXT_DEVICE}, 2);

	aml_path(a, path);
	return m;
}

struct aml_mark aml_method_begin(struct aml *a, const char *path, uint8_t args,
				 bool serialized)
{
	struct aml_mark m = aml_begin(a, (uint8_t[]){AML_METHOD}, 1);

	aml_path(a, path);
	aml_byte(a, (uint8_t)((args & 7) |
			      (serialized ? AML_METHOD_SERIALIZED : 0)));
	return m;
}

struct aml_mark aml_package_begin(struct aml *a, uint8_t elements)
{
	struct aml_mark m = aml_begin(a, (uint8_t[]){AML_PACKAGE}, 1);

	aml_byte(a, elements);
	return m;
}

struct aml_mark aml_if_arg_equals_begin(struct aml *a, uint8_t arg,
					uint64_t value)
{
	struct aml_mark m = aml_begin(a, (uint8_t[]){AML_IF}, 1);

	aml_byte(a, AML_EQUAL);
	aml_byte(a, (uint8_t)(AML_ARG0 + (arg & 7)));
	aml_integer(a, value);
	return m;
}

/* aml_length() - a package length for @body bytes. Returns its bytes. */
static size_t aml_length(size_t body, uint8_t out[4])
{
	size_t bytes = 1;
	size_t total;

	if (body + 1 > 0x3f)
		bytes = 2;
	if (bytes == 2 && body + 2 > 0xfff)
		bytes = 3;
	if (bytes == 3 && body + 3 > 0xfffff)
		bytes = 4;
	total = body + bytes;
	if (bytes == 1) {
		out[0] = (uint8_t)total;
		return 1;
	}
	/* First byte: count of the others, and the lowest 4 bits. */
	out[0] = (uint8_t)((bytes - 1) << 6 | (total & 0xf));
	for (size_t i = 1; i < bytes; i++)
		out[i] = (uint8_t)(total >> (8 * i - 4));
	return bytes;
}

/* aml_insert() - @len bytes at @at; what is behind moves. */
static void aml_insert(struct aml *a, size_t at, const uint8_t *data,
		       size_t len)
{
	if (a->overflow || at > a->len || len > a->cap - a->len) {
		a->overflow = true;
		return;
	}
	memmove(a->buf + at + len, a->buf + at, a->len - at);
	memcpy(a->buf + at, data, len);
	a->len += len;
}

void aml_end(struct aml *a, struct aml_mark mark)
{
	uint8_t length[4];

	if (a->overflow || mark.at > a->len ||
	    a->len - mark.at > AML_LENGTH_MAX - sizeof(length)) {
		a->overflow = true;
		return;
	}
	aml_insert(a, mark.at, length, aml_length(a->len - mark.at, length));
}

void aml_notify(struct aml *a, const char *path, uint64_t value)
{
	aml_byte(a, AML_NOTIFY);
	aml_path(a, path);
	aml_integer(a, value);
}

struct aml_mark aml_resources_begin(struct aml *a)
{
	return aml_begin(a, (uint8_t[]){AML_BUFFER}, 1);
}

void aml_resources_end(struct aml *a, struct aml_mark mark)
{
	/* End tag; checksum 0 means that there is none to check. */
	static const uint8_t end_tag[] = {0x79, 0x00};
	struct aml size;
	uint8_t buf[9];

	aml_bytes(a, end_tag, sizeof(end_tag));
	if (a->overflow)
		return;
	aml_init(&size, buf, sizeof(buf));
	aml_integer(&size, a->len - mark.at);
	aml_insert(a, mark.at, buf, size.len);
	aml_end(a, mark);
}
