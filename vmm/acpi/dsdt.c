// SPDX-License-Identifier: Apache-2.0
/*
 * dsdt.c - the machine's devices as AML. Runs in the vmm; all addresses come
 * from vmm/layout.h, which the PCI and port code uses too.
 * Spec: ACPI 6.5 sections 5.6.9 (GED), 6, 7.4.2 (_S5), 8.4 and 9; PCI Firmware
 * 3.3 section 4.1.2 (ECAM as a motherboard resource).
 */
#include <stdio.h>

#include "vmm/acpi/table.h"
#include "vmm/layout.h"

#define DSDT_REVISION 2u
#define DSDT_STA_PRESENT 0x0fu
/* Notify value of a pressed power button (ACPI 6.5 table 5.170). */
#define DSDT_BUTTON_PRESSED 0x80u

/* dsdt_s5_write() - without \_S5 there is no power-off. */
static void dsdt_s5_write(struct aml *a)
{
	struct aml_mark m;

	aml_name(a, "\\_S5");
	m = aml_package_begin(a, 4);
	aml_integer(a, LAYOUT_S5_SLP_TYP);
	for (int i = 0; i < 3; i++)
		aml_integer(a, 0);
	aml_end(a, m);
}

/* dsdt_cpus_write() - CPU n has UID n, as in the MADT. */
static void dsdt_cpus_write(uint32_t cpus, struct aml *a)
{
	for (uint32_t i = 0; i < cpus; i++) {
		char name[5];
		struct aml_mark m;

		snprintf(name, sizeof(name), "C%03X", i & 0xfff);
		m = aml_device_begin(a, name);
		aml_name_string(a, "_HID", "ACPI0007");
		aml_name_integer(a, "_UID", i);
		aml_end(a, m);
	}
}

/* dsdt_pci_write() - the host bridge of bus 0. */
static void dsdt_pci_write(struct aml *a)
{
	struct aml_mark m = aml_device_begin(a, "PCI0");
	struct aml_mark r;

	aml_name_eisa_id(a, "_HID", "PNP0A08");
	aml_name_eisa_id(a, "_CID", "PNP0A03");
	aml_name_integer(a, "_UID", 0);
	aml_name_integer(a, "_SEG", 0);
	aml_name_integer(a, "_BBN", 0);
	/* DMA is coherent on x86: no _CCA. Interrupts are MSI-X: no _PRT. */
	aml_name(a, "_CRS");
	r = aml_resources_begin(a);
	aml_resource_bus(a, 0, (LAYOUT_ECAM_SIZE >> 20) - 1);
	aml_resource_window32(a, LAYOUT_MMIO32_GPA, LAYOUT_MMIO32_SIZE);
	aml_resources_end(a, r);
	aml_end(a, m);
}

/* dsdt_board_write() - Linux takes ECAM only if it is reserved here too. */
static void dsdt_board_write(struct aml *a)
{
	struct aml_mark m = aml_device_begin(a, "MBRD");
	struct aml_mark r;

	aml_name_eisa_id(a, "_HID", "PNP0C02");
	aml_name_integer(a, "_UID", 0);
	aml_name(a, "_CRS");
	r = aml_resources_begin(a);
	aml_resource_memory32(a, LAYOUT_ECAM_GPA, LAYOUT_ECAM_SIZE);
	aml_resource_io(a, LAYOUT_SLEEP_CONTROL_PORT,
			LAYOUT_RESET_PORT - LAYOUT_SLEEP_CONTROL_PORT + 1);
	aml_resources_end(a, r);
	aml_end(a, m);
}

/* dsdt_serial_write() - COM1; found only here on a machine without legacy. */
static void dsdt_serial_write(struct aml *a)
{
	struct aml_mark m = aml_device_begin(a, "COM1");
	struct aml_mark r;

	aml_name_eisa_id(a, "_HID", "PNP0501");
	aml_name_integer(a, "_UID", 1);
	aml_name_integer(a, "_STA", DSDT_STA_PRESENT);
	aml_name(a, "_CRS");
	r = aml_resources_begin(a);
	aml_resource_io(a, LAYOUT_SERIAL_PORT, LAYOUT_SERIAL_PORTS);
	aml_resource_irq_edge(a, LAYOUT_SERIAL_GSI);
	aml_resources_end(a, r);
	aml_end(a, m);
}

/* dsdt_pvpanic_write() - one port, to which a panicking guest writes. */
static void dsdt_pvpanic_write(struct aml *a)
{
	struct aml_mark m = aml_device_begin(a, "PEVT");
	struct aml_mark r;

	aml_name_string(a, "_HID", "QEMU0001");
	aml_name_integer(a, "_STA", DSDT_STA_PRESENT);
	aml_name(a, "_CRS");
	r = aml_resources_begin(a);
	aml_resource_io(a, LAYOUT_PVPANIC_PORT, 1);
	aml_resources_end(a, r);
	aml_end(a, m);
}

/* dsdt_button_write() - power button, and the interrupt that presses it. */
static void dsdt_button_write(struct aml *a)
{
	struct aml_mark m = aml_device_begin(a, "PWRB");
	struct aml_mark r;
	struct aml_mark method;

	aml_name_eisa_id(a, "_HID", "PNP0C0C");
	aml_name_integer(a, "_UID", 0);
	aml_end(a, m);

	m = aml_device_begin(a, "GED");
	aml_name_string(a, "_HID", "ACPI0013");
	aml_name_integer(a, "_UID", 0);
	aml_name(a, "_CRS");
	r = aml_resources_begin(a);
	aml_resource_irq_edge(a, LAYOUT_POWER_BUTTON_GSI);
	aml_resources_end(a, r);
	method = aml_method_begin(a, "_EVT", 1, true);
	r = aml_if_arg_equals_begin(a, 0, LAYOUT_POWER_BUTTON_GSI);
	aml_notify(a, "\\_SB.PWRB", DSDT_BUTTON_PRESSED);
	aml_end(a, r);
	aml_end(a, method);
	aml_end(a, m);
}

void acpi_dsdt_write(const struct acpi_config *cfg, struct aml *a)
{
	struct acpi_header h = acpi_header_make("DSDT", DSDT_REVISION);
	size_t start = a->len;
	struct aml_mark m;

	aml_bytes(a, &h, sizeof(h));
	dsdt_s5_write(a);
	m = aml_scope_begin(a, "\\_SB");
	dsdt_cpus_write(cfg->cpus, a);
	dsdt_pci_write(a);
	dsdt_board_write(a);
	if (cfg->serial)
		dsdt_serial_write(a);
	if (cfg->pvpanic)
		dsdt_pvpanic_write(a);
	dsdt_button_write(a);
	aml_end(a, m);
	acpi_table_finish(a, start);
}
