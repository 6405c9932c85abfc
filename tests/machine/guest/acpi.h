/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: what it takes from the ACPI tables (ACPI 6.4 chapter 5).
 */
#ifndef GUEST_ACPI_H
#define GUEST_ACPI_H

#include "layout.h"
#include "lib.h"

struct acpi_gas {
	uint8_t space, width, offset, access;
	uint64_t addr;
} __attribute__((packed));

struct acpi_info {
	bool have_xsdt, hw_reduced, reset_ok;
	uint8_t reset_value;
	struct acpi_gas reset, sleep_control, sleep_status;
	uint16_t pm1a_cnt, iapc_boot_arch;
	uint64_t dsdt, ecam;
	uint8_t ecam_bus_first, ecam_bus_last;
	int s5_type; /* -1: no \_S5 found */
	unsigned int cpu_cnt, ioapic_cnt;
	uint32_t apic_id[CPU_MAX];
};

extern struct acpi_info acpi;

/* Reads and checks all tables; NULL, or what is wrong. */
const char *acpi_read(uint64_t rsdp);
const uint8_t *acpi_table(const char *sig);
/* Writes @value to the register; false when its space is not I/O or memory. */
bool acpi_gas_write(const struct acpi_gas *gas, uint32_t value);

#endif
