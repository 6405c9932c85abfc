/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acpi.h - the guest's ACPI tables (ACPI 6.5, hardware-reduced): RSDP, XSDT,
 * FADT, MADT, MCFG, DSDT. All addresses come from vmm/layout.h.
 */
#ifndef VMM_ACPI_ACPI_H
#define VMM_ACPI_ACPI_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/guestmem.h"

/**
 * struct acpi_config - what the machine has
 * @cpus: 1..LAYOUT_CPUS_MAX, APIC id n for CPU n
 * @serial: COM1 at LAYOUT_SERIAL_PORT
 * @pvpanic: QEMU0001 at LAYOUT_PVPANIC_PORT
 */
struct acpi_config {
	uint32_t cpus;
	bool serial;
	bool pvpanic;
};

/**
 * acpi_build() - writes the tables at LAYOUT_ACPI_GPA
 * Return: 0; -ENOSPC over LAYOUT_ACPI_SIZE, or @cfg->cpus out of range;
 * -ENOMEM; -EFAULT.
 */
MUST_CHECK int acpi_build(const struct acpi_config *cfg, struct guestmem *mem,
			  uint64_t *ret_rsdp_gpa);

#endif
