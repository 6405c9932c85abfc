/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aml.h - writes ACPI machine language into a bounded buffer. Pure. A mistake
 * in the caller or a full buffer sets @overflow, and all later calls do
 * nothing: one check at the end is enough. ACPI 6.5 section 20.
 */
#ifndef VMM_ACPI_AML_H
#define VMM_ACPI_AML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"

/**
 * struct aml - the code under construction
 * @buf: borrowed, @cap bytes
 * @len: bytes written
 * @overflow: something did not fit
 */
struct aml {
	uint8_t *buf;
	size_t cap;
	size_t len;
	bool overflow;
};

/**
 * struct aml_mark - an open package, buffer or template
 * @at: where its length will be put
 */
struct aml_mark {
	size_t at;
};

void aml_init(struct aml *a, uint8_t *buf, size_t cap);
void aml_bytes(struct aml *a, const void *data, size_t len);
void aml_byte(struct aml *a, uint8_t value);

/**
 * aml_path() - a NameString
 * @path: "_SB_", "\\_SB_.PCI0": segments of at most 4 characters, padded here
 */
void aml_path(struct aml *a, const char *path);
/** aml_integer() - the shortest constant that holds @value. */
void aml_integer(struct aml *a, uint64_t value);
/** aml_string() - printable ASCII. */
void aml_string(struct aml *a, const char *text);
/** aml_eisa_id() - "PNP0A08" as the packed integer of ACPI 6.5 19.6.36. */
void aml_eisa_id(struct aml *a, const char *id);

/** aml_name() - Name(@path, ...): the value is what is written next. */
void aml_name(struct aml *a, const char *path);
void aml_name_integer(struct aml *a, const char *path, uint64_t value);
void aml_name_string(struct aml *a, const char *path, const char *text);
void aml_name_eisa_id(struct aml *a, const char *path, const char *id);

/* Blocks: what is written between begin and end is inside. */
struct aml_mark aml_scope_begin(struct aml *a, const char *path);
struct aml_mark aml_device_begin(struct aml *a, const char *path);
/** aml_method_begin() - @args 0..7. */
struct aml_mark aml_method_begin(struct aml *a, const char *path, uint8_t args,
				 bool serialized);
struct aml_mark aml_package_begin(struct aml *a, uint8_t elements);
/** aml_if_arg_equals_begin() - If (Arg@arg == @value). */
struct aml_mark aml_if_arg_equals_begin(struct aml *a, uint8_t arg,
					uint64_t value);
void aml_end(struct aml *a, struct aml_mark mark);

/** aml_notify() - Notify(@path, @value). */
void aml_notify(struct aml *a, const char *path, uint64_t value);

/* Resource templates (ACPI 6.5 section 6.4): a Buffer with an end tag. */
struct aml_mark aml_resources_begin(struct aml *a);
void aml_resources_end(struct aml *a, struct aml_mark mark);
/** aml_resource_io() - @cnt ports from @port, 16-bit decode, fixed. */
void aml_resource_io(struct aml *a, uint16_t port, uint8_t cnt);
/** aml_resource_irq_edge() - exclusive, edge, active high. */
void aml_resource_irq_edge(struct aml *a, uint32_t gsi);
/** aml_resource_memory32() - a fixed range, read and write. */
void aml_resource_memory32(struct aml *a, uint32_t base, uint32_t bytes);
/** aml_resource_bus() - bus numbers that a host bridge produces. */
void aml_resource_bus(struct aml *a, uint16_t first, uint16_t last);
/** aml_resource_window32() - memory that a host bridge produces. */
void aml_resource_window32(struct aml *a, uint32_t base, uint32_t bytes);

#endif
