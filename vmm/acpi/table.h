/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the fixed ACPI tables, one writer each, in a bounded buffer. Pure.
 */
#ifndef VMM_ACPI_TABLE_H
#define VMM_ACPI_TABLE_H

#include "vmm/acpi/acpi.h"
#include "vmm/acpi/aml.h"

/* The header that every table but the RSDP begins with (ACPI 6.5, 5.2.6). */
struct acpi_header {
	char signature[4];
	uint32_t length;
	uint8_t revision;
	uint8_t checksum;
	char oem_id[6];
	char oem_table_id[8];
	uint32_t oem_revision;
	char creator_id[4];
	uint32_t creator_revision;
} __attribute__((packed));

/** acpi_header_make() - a header whose length and checksum are still 0. */
struct acpi_header acpi_header_make(const char signature[static 4],
				    uint8_t revision);
/** acpi_table_finish() - sets length and checksum of the table at @start. */
void acpi_table_finish(struct aml *a, size_t start);

/* Each appends its table to @a, finished. */
void acpi_dsdt_write(const struct acpi_config *cfg, struct aml *a);
void acpi_fadt_write(uint64_t dsdt_gpa, struct aml *a);
void acpi_madt_write(const struct acpi_config *cfg, struct aml *a);
void acpi_mcfg_write(struct aml *a);
/** acpi_xsdt_write() - @gpas: gpas[0..cnt) of the tables it lists. */
void acpi_xsdt_write(const uint64_t *gpas, size_t cnt, struct aml *a);

#define ACPI_RSDP_BYTES 36u
/** acpi_rsdp_fill() - the root pointer, revision 2. */
void acpi_rsdp_fill(uint64_t xsdt_gpa, uint8_t ret_rsdp[ACPI_RSDP_BYTES]);

#endif
