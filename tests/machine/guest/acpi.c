// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: finds, checks and reads the ACPI tables (ACPI 6.4: RSDP 5.2.5,
 * FADT 5.2.9, MADT 5.2.12; MCFG: PCI Firmware Specification 3.0 table 4-3).
 */
#include "acpi.h"

#include "cpu.h"

#define TABLES_MAX 32
#define HEADER_BYTES 36
#define TABLE_BYTES_MAX 0x100000u

struct acpi_info acpi = {.s5_type = -1};
static const uint8_t *tables[TABLES_MAX];
static unsigned int table_cnt;

/** get - little endian number of @bytes at @p. */
static uint64_t get(const uint8_t *p, unsigned int bytes)
{
	uint64_t v = 0;

	memcpy(&v, p, bytes);
	return v;
}

/** sum_ok - do the bytes add up to 0? */
static bool sum_ok(const uint8_t *p, size_t len)
{
	uint8_t sum = 0;

	while (len--)
		sum = (uint8_t)(sum + *p++);
	return sum == 0;
}

/** table_ok - sane length and checksum. */
static bool table_ok(uint64_t addr)
{
	const uint8_t *t = at_addr(addr);
	uint32_t len;

	if (!addr || !page_map(addr, TABLE_BYTES_MAX, false))
		return false;
	len = (uint32_t)get(t + 4, 4);
	return len >= HEADER_BYTES && len <= TABLE_BYTES_MAX && sum_ok(t, len);
}

/** table_len - length field. */
static uint32_t table_len(const uint8_t *t)
{
	return (uint32_t)get(t + 4, 4);
}

const uint8_t *acpi_table(const char *sig)
{
	for (unsigned int i = 0; i < table_cnt; i++) {
		if (!memcmp(tables[i], sig, 4))
			return tables[i];
	}
	return NULL;
}

/** read_root - XSDT when there is one, else RSDT; checks each table in it. */
static const char *read_root(const uint8_t *rsdp)
{
	uint64_t root = rsdp[15] >= 2 ? get(rsdp + 24, 8) : 0;
	unsigned int width = root ? 8 : 4;
	const uint8_t *t;

	acpi.have_xsdt = root != 0;
	if (!root)
		root = get(rsdp + 16, 4);
	if (!table_ok(root))
		return "XSDT or RSDT: bad length or checksum";
	t = at_addr(root);
	if (memcmp(t, acpi.have_xsdt ? "XSDT" : "RSDT", 4))
		return "root table has a wrong signature";
	for (uint32_t o = HEADER_BYTES; o + width <= table_len(t); o += width) {
		uint64_t addr = get(t + o, width);

		if (!table_ok(addr))
			return "a table of the XSDT: bad length or checksum";
		if (table_cnt < TABLES_MAX)
			tables[table_cnt++] = at_addr(addr);
	}
	return NULL;
}

/** read_s5 - the first number of the package \_S5 (bytes of AML). */
static void read_s5(const uint8_t *dsdt)
{
	uint32_t len = table_len(dsdt);

	for (uint32_t i = HEADER_BYTES; i + 10 < len; i++) {
		const uint8_t *p = dsdt + i;

		if (memcmp(p, "_S5_", 4) || p[4] != 0x12)
			continue;
		p += 5;
		p += (*p >> 6) + 1; /* PkgLength */
		p++;                /* NumElements */
		if (*p == 0x0a)
			acpi.s5_type = p[1];
		else if (*p <= 1)
			acpi.s5_type = *p; /* ZeroOp, OneOp */
		return;
	}
}

/** read_fadt - registers to sleep and reset by; follows to the DSDT. */
static const char *read_fadt(void)
{
	const uint8_t *t = acpi_table("FACP");
	uint32_t flags;

	if (!t)
		return "no FADT";
	flags = (uint32_t)get(t + 112, 4);
	acpi.dsdt = table_len(t) >= 148 ? get(t + 140, 8) : 0;
	if (!acpi.dsdt)
		acpi.dsdt = get(t + 40, 4);
	acpi.pm1a_cnt = (uint16_t)get(t + 64, 4);
	acpi.iapc_boot_arch = (uint16_t)get(t + 109, 2);
	acpi.reset_ok = table_len(t) >= 129 && flags & 1u << 10;
	acpi.hw_reduced = table_len(t) >= 268 && flags & 1u << 20;
	if (acpi.reset_ok) {
		memcpy(&acpi.reset, t + 116, sizeof(acpi.reset));
		acpi.reset_value = t[128];
	}
	if (table_len(t) >= 268) {
		memcpy(&acpi.sleep_control, t + 244, sizeof(acpi.reset));
		memcpy(&acpi.sleep_status, t + 256, sizeof(acpi.reset));
	}
	if (!table_ok(acpi.dsdt))
		return "DSDT: bad length or checksum";
	if (memcmp(at_addr(acpi.dsdt), "DSDT", 4))
		return "DSDT has a wrong signature";
	read_s5(at_addr(acpi.dsdt));
	return NULL;
}

/** read_madt - enabled CPUs and IOAPICs. */
static const char *read_madt(void)
{
	const uint8_t *t = acpi_table("APIC");

	if (!t)
		return "no MADT";
	for (uint32_t o = 44; o + 2 <= table_len(t);) {
		const uint8_t *e = t + o;

		if (e[1] < 2 || o + e[1] > table_len(t))
			return "MADT entry has a wrong length";
		o += e[1];
		if (e[0] == 1)
			acpi.ioapic_cnt++;
		if (acpi.cpu_cnt == CPU_MAX)
			continue;
		if (e[0] == 0 && e[4] & 1)
			acpi.apic_id[acpi.cpu_cnt++] = e[3];
		else if (e[0] == 9 && e[8] & 1)
			acpi.apic_id[acpi.cpu_cnt++] = (uint32_t)get(e + 4, 4);
	}
	return acpi.cpu_cnt ? NULL : "MADT has no enabled CPU";
}

/** read_mcfg - ECAM of segment 0. */
static const char *read_mcfg(void)
{
	const uint8_t *t = acpi_table("MCFG");

	if (!t || table_len(t) < 60)
		return "no MCFG";
	acpi.ecam = get(t + 44, 8);
	acpi.ecam_bus_first = t[54];
	acpi.ecam_bus_last = t[55];
	if (get(t + 52, 2) != 0 || acpi.ecam_bus_first != 0)
		return "MCFG: segment or first bus is not 0";
	if (!page_map(acpi.ecam, 1 << 20, true))
		return "ECAM cannot be mapped";
	return NULL;
}

const char *acpi_read(uint64_t rsdp)
{
	const uint8_t *p = at_addr(rsdp);
	const char *bad;

	if (!rsdp)
		return "no RSDP address at entry";
	if (memcmp(p, "RSD PTR ", 8))
		return "RSDP has a wrong signature";
	if (!sum_ok(p, 20) || (p[15] >= 2 && !sum_ok(p, get(p + 20, 4))))
		return "RSDP: bad checksum";
	bad = read_root(p);
	if (!bad)
		bad = read_fadt();
	if (!bad)
		bad = read_madt();
	if (!bad)
		bad = read_mcfg();
	return bad;
}

bool acpi_gas_write(const struct acpi_gas *gas, uint32_t value)
{
	if (gas->space == 1) {
		if (gas->width == 16)
			out16((uint16_t)gas->addr, (uint16_t)value);
		else if (gas->width == 32)
			out32((uint16_t)gas->addr, value);
		else
			out8((uint16_t)gas->addr, (uint8_t)value);
		return true;
	}
	if (gas->space == 0 && page_map(gas->addr, 4, true)) {
		mmio_w8(at_addr(gas->addr), (uint8_t)value);
		return true;
	}
	return false;
}
