/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acpi_iasl.h - lets ACPICA's compiler read our tables, where it is installed.
 */
#ifndef TESTS_UNIT_VMM_ACPI_IASL_H
#define TESTS_UNIT_VMM_ACPI_IASL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IASL_TEXT_BYTES (256u * 1024u)

bool iasl_is_present(void);

/*
 * iasl_disassemble() - runs iasl -d on one table
 * @ret_text: IASL_TEXT_BYTES, the table as text
 * @ret_log: IASL_TEXT_BYTES, what iasl said
 * Return: iasl's exit status, or -1.
 */
int iasl_disassemble(const uint8_t *table, size_t len, char *ret_text,
		     char *ret_log);
/*
 * iasl_compile() - compiles @text back, with all warnings
 * Return: iasl's exit status, or -1; @ret_log: what it said.
 */
int iasl_compile(const char *text, char *ret_log);

#endif
