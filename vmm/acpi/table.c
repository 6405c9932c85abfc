// SPDX-License-Identifier: Apache-2.0
/*
 * table.c - RSDP, XSDT, FADT, MADT and MCFG of a hardware-reduced machine.
 * Runs in the vmm; input is our own configuration only.
 * Spec: ACPI 6.5 sections 5.2.5 to 5.2.12; PCI Firmware 3.3 section 4.1.2.
 */
#include "vmm/acpi/table.h"

#include <string.h>

#include "vmm/layout.h"

#define ACPI_OEM "BLKHD "
#define ACPI_OEM_TABLE "BULKHEAD"
#define ACPI_CREATOR "BLKH"

#define FADT_REVISION 6u
#define FADT_MINOR 5u
#define FADT_WBINVD (1u << 0)
#define FADT_PWR_BUTTON (1u << 4) /* none fixed: PNP0C0C in the DSDT */
#define FADT_SLP_BUTTON (1u << 5)
#define FADT_RESET_REG_SUP (1u << 10)
#define FADT_HEADLESS (1u << 12)
#define FADT_HW_REDUCED (1u << 20)
/* IAPC_BOOT_ARCH: bits 0 (legacy devices) and 1 (8042) stay clear. */
#define FADT_NO_VGA (1u << 2)
#define FADT_NO_CMOS_RTC (1u << 5)

#define MADT_REVISION 5u
#define MADT_LAPIC 0u
#define MADT_IOAPIC 1u
#define MADT_ENABLED 1u

#define GAS_IO 1u
#define GAS_BYTE_ACCESS 1u

struct acpi_gas {
	uint8_t space;
	uint8_t bits;
	uint8_t bit_offset;
	uint8_t access;
	uint64_t address;
} __attribute__((packed));

/* Names only what a hardware-reduced machine uses; the rest is zero. */
struct acpi_fadt {
	struct acpi_header header;
	uint32_t facs;
	uint32_t dsdt;
	uint8_t zero1[65];
	uint16_t iapc_boot_arch;
	uint8_t zero2;
	uint32_t flags;
	struct acpi_gas reset_reg;
	uint8_t reset_value;
	uint16_t arm_boot_arch;
	uint8_t minor_revision;
	uint64_t x_facs;
	uint64_t x_dsdt;
	uint8_t zero3[96];
	struct acpi_gas sleep_control;
	struct acpi_gas sleep_status;
	char hypervisor[8];
} __attribute__((packed));

_Static_assert(sizeof(struct acpi_header) == 36, "as specified");
_Static_assert(offsetof(struct acpi_fadt, iapc_boot_arch) == 109, "spec");
_Static_assert(offsetof(struct acpi_fadt, reset_reg) == 116, "spec");
_Static_assert(offsetof(struct acpi_fadt, x_dsdt) == 140, "spec");
_Static_assert(offsetof(struct acpi_fadt, sleep_control) == 244, "spec");
_Static_assert(sizeof(struct acpi_fadt) == 276, "as specified");

struct acpi_madt_lapic {
	uint8_t type;
	uint8_t length;
	uint8_t uid;
	uint8_t apic_id;
	uint32_t flags;
} __attribute__((packed));

struct acpi_madt_ioapic {
	uint8_t type;
	uint8_t length;
	uint8_t id;
	uint8_t reserved;
	uint32_t address;
	uint32_t gsi_base;
} __attribute__((packed));

struct acpi_mcfg_entry {
	uint64_t base;
	uint16_t segment;
	uint8_t bus_first;
	uint8_t bus_last;
	uint32_t reserved;
} __attribute__((packed));

struct acpi_rsdp {
	char signature[8];
	uint8_t checksum;
	char oem_id[6];
	uint8_t revision;
	uint32_t rsdt;
	uint32_t length;
	uint64_t xsdt;
	uint8_t checksum_all;
	uint8_t reserved[3];
} __attribute__((packed));

_Static_assert(sizeof(struct acpi_rsdp) == ACPI_RSDP_BYTES, "as specified");

/* acpi_checksum() - what makes the sum of all bytes 0. */
static uint8_t acpi_checksum(const uint8_t *data, size_t len)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum = (uint8_t)(sum + data[i]);
	return (uint8_t)-sum;
}

struct acpi_header acpi_header_make(const char signature[static 4],
				    uint8_t revision)
{
	struct acpi_header h = {
		.revision = revision, .oem_revision = 1, .creator_revision = 1};

	memcpy(h.signature, signature, sizeof(h.signature));
	memcpy(h.oem_id, ACPI_OEM, sizeof(h.oem_id));
	memcpy(h.oem_table_id, ACPI_OEM_TABLE, sizeof(h.oem_table_id));
	memcpy(h.creator_id, ACPI_CREATOR, sizeof(h.creator_id));
	return h;
}

void acpi_table_finish(struct aml *a, size_t start)
{
	uint32_t length = (uint32_t)(a->len - start);
	uint8_t *table = a->buf + start;

	if (a->overflow || length < sizeof(struct acpi_header))
		return;
	memcpy(table + offsetof(struct acpi_header, length), &length,
	       sizeof(length));
	table[offsetof(struct acpi_header, checksum)] = 0;
	table[offsetof(struct acpi_header, checksum)] =
		acpi_checksum(table, length);
}

/* acpi_gas_port() - an 8-bit register in I/O space. */
static struct acpi_gas acpi_gas_port(uint16_t port)
{
	return (struct acpi_gas){.space = GAS_IO,
				 .bits = 8,
				 .access = GAS_BYTE_ACCESS,
				 .address = port};
}

void acpi_fadt_write(uint64_t dsdt_gpa, struct aml *a)
{
	size_t start = a->len;
	struct acpi_fadt f = {
		.header = acpi_header_make("FACP", FADT_REVISION),
		.dsdt = (uint32_t)dsdt_gpa,
		.iapc_boot_arch = FADT_NO_VGA | FADT_NO_CMOS_RTC,
		.flags = FADT_WBINVD | FADT_PWR_BUTTON | FADT_SLP_BUTTON |
			 FADT_RESET_REG_SUP | FADT_HEADLESS | FADT_HW_REDUCED,
		.reset_reg = acpi_gas_port(LAYOUT_RESET_PORT),
		.reset_value = LAYOUT_RESET_VALUE,
		.minor_revision = FADT_MINOR,
		.x_dsdt = dsdt_gpa,
		.sleep_control = acpi_gas_port(LAYOUT_SLEEP_CONTROL_PORT),
		.sleep_status = acpi_gas_port(LAYOUT_SLEEP_STATUS_PORT),
	};

	memcpy(f.hypervisor, ACPI_OEM_TABLE, sizeof(f.hypervisor));
	aml_bytes(a, &f, sizeof(f));
	acpi_table_finish(a, start);
}

void acpi_madt_write(const struct acpi_config *cfg, struct aml *a)
{
	size_t start = a->len;
	struct acpi_header h = acpi_header_make("APIC", MADT_REVISION);
	/* Local APIC address, then flags: no 8259 (PCAT_COMPAT clear). */
	uint32_t fixed[2] = {LAYOUT_LAPIC_GPA, 0};
	struct acpi_madt_ioapic ioapic = {.type = MADT_IOAPIC,
					  .length = sizeof(ioapic),
					  .id = (uint8_t)cfg->cpus,
					  .address = LAYOUT_IOAPIC_GPA};

	aml_bytes(a, &h, sizeof(h));
	aml_bytes(a, fixed, sizeof(fixed));
	for (uint32_t i = 0; i < cfg->cpus; i++) {
		struct acpi_madt_lapic lapic = {.type = MADT_LAPIC,
						.length = sizeof(lapic),
						.uid = (uint8_t)i,
						.apic_id = (uint8_t)i,
						.flags = MADT_ENABLED};

		aml_bytes(a, &lapic, sizeof(lapic));
	}
	aml_bytes(a, &ioapic, sizeof(ioapic));
	acpi_table_finish(a, start);
}

void acpi_mcfg_write(struct aml *a)
{
	size_t start = a->len;
	struct acpi_header h = acpi_header_make("MCFG", 1);
	uint64_t reserved = 0;
	/* 1 MiB a bus. */
	struct acpi_mcfg_entry e = {
		.base = LAYOUT_ECAM_GPA,
		.bus_last = (uint8_t)((LAYOUT_ECAM_SIZE >> 20) - 1)};

	aml_bytes(a, &h, sizeof(h));
	aml_bytes(a, &reserved, sizeof(reserved));
	aml_bytes(a, &e, sizeof(e));
	acpi_table_finish(a, start);
}

void acpi_xsdt_write(const uint64_t *gpas, size_t cnt, struct aml *a)
{
	size_t start = a->len;
	struct acpi_header h = acpi_header_make("XSDT", 1);

	aml_bytes(a, &h, sizeof(h));
	aml_bytes(a, gpas, cnt * sizeof(gpas[0]));
	acpi_table_finish(a, start);
}

void acpi_rsdp_fill(uint64_t xsdt_gpa, uint8_t ret_rsdp[ACPI_RSDP_BYTES])
{
	struct acpi_rsdp r = {
		.revision = 2, .length = sizeof(r), .xsdt = xsdt_gpa};
	/* The first checksum covers what ACPI 1.0 knew. */
	const size_t old_bytes = offsetof(struct acpi_rsdp, length);

	memcpy(r.signature, "RSD PTR ", sizeof(r.signature));
	memcpy(r.oem_id, ACPI_OEM, sizeof(r.oem_id));
	r.checksum = acpi_checksum((const uint8_t *)&r, old_bytes);
	r.checksum_all = acpi_checksum((const uint8_t *)&r, sizeof(r));
	memcpy(ret_rsdp, &r, sizeof(r));
}
