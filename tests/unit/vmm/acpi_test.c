// SPDX-License-Identifier: Apache-2.0
/*
 * acpi_test.c - the tables as a guest finds them: reachable from the RSDP,
 * checksums, the fields that Linux's boot hangs on, and ACPICA's opinion.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/vmm/acpi_iasl.h"
#include "tests/unit/vmm/boot_guest.h"
#include "vmm/acpi/acpi.h"
#include "vmm/layout.h"

#define TABLE_MAX 65536u

struct table {
	uint8_t bytes[TABLE_MAX];
	uint32_t len;
};

static struct table table;
static char text[IASL_TEXT_BYTES];
static char note[IASL_TEXT_BYTES];

/* le() - a little-endian number in @p. */
static uint64_t le(const uint8_t *p, size_t len)
{
	uint64_t value = 0;

	memcpy(&value, p, len);
	return value;
}

static uint8_t sum(const uint8_t *p, size_t len)
{
	uint8_t s = 0;

	while (len--)
		s = (uint8_t)(s + *p++);
	return s;
}

/* table_read() - the table at @gpa, its header and checksum checked. */
static void table_read(const struct boot_guest *g, uint64_t gpa,
		       const char *signature)
{
	CU_ASSERT_EQUAL_FATAL(guestmem_read(&g->mem, gpa, table.bytes, 36), 0);
	table.len = (uint32_t)le(table.bytes + 4, 4);
	CU_ASSERT_TRUE_FATAL(table.len >= 36 && table.len <= TABLE_MAX);
	CU_ASSERT_EQUAL_FATAL(
		guestmem_read(&g->mem, gpa, table.bytes, table.len), 0);
	CU_ASSERT_EQUAL(memcmp(table.bytes, signature, 4), 0);
	CU_ASSERT_EQUAL(sum(table.bytes, table.len), 0);
	CU_ASSERT_TRUE(gpa >= LAYOUT_ACPI_GPA &&
		       gpa + table.len <= LAYOUT_ACPI_GPA + LAYOUT_ACPI_SIZE);
}

/* table_find() - by way of RSDP and XSDT, as a guest does. */
static void table_find(const struct boot_guest *g, uint64_t rsdp,
		       const char *signature)
{
	uint8_t root[36];
	uint64_t gpa[8];
	size_t cnt;

	CU_ASSERT_EQUAL_FATAL(guestmem_read(&g->mem, rsdp, root, 36), 0);
	CU_ASSERT_EQUAL(memcmp(root, "RSD PTR ", 8), 0);
	CU_ASSERT_EQUAL(sum(root, 20), 0);
	CU_ASSERT_EQUAL(sum(root, 36), 0);
	CU_ASSERT_EQUAL(root[15], 2);
	table_read(g, le(root + 24, 8), "XSDT");
	cnt = (table.len - 36) / 8;
	CU_ASSERT_TRUE_FATAL(cnt <= 8);
	for (size_t i = 0; i < cnt; i++)
		gpa[i] = le(table.bytes + 36 + i * 8, 8);
	for (size_t i = 0; i < cnt; i++) {
		uint8_t name[4];

		CU_ASSERT_EQUAL(guestmem_read(&g->mem, gpa[i], name, 4), 0);
		if (memcmp(name, signature, 4) == 0) {
			table_read(g, gpa[i], signature);
			return;
		}
	}
	CU_FAIL_FATAL("table not listed");
}

/* built() - tables for @cpus with everything. */
static struct boot_guest built(uint32_t cpus, uint64_t *ret_rsdp)
{
	struct boot_guest g = boot_guest_make(32 * MIB);
	struct acpi_config cfg = {
		.cpus = cpus, .serial = true, .pvpanic = true};

	CU_ASSERT_EQUAL_FATAL(acpi_build(&cfg, &g.mem, ret_rsdp), 0);
	CU_ASSERT_EQUAL(*ret_rsdp % 16, 0);
	return g;
}

static void test_fadt(void)
{
	uint64_t rsdp;
	struct boot_guest g = built(2, &rsdp);
	const uint8_t *p = table.bytes;
	/* I/O space, 8 bits, byte access. */
	static const uint8_t gas[] = {1, 8, 0, 1};

	table_find(&g, rsdp, "FACP");
	CU_ASSERT_EQUAL(table.len, 276);
	CU_ASSERT_EQUAL(p[8], 6);
	CU_ASSERT_EQUAL(le(p + 109, 2), 0x24); /* no RTC, no VGA, no 8042 */
	CU_ASSERT_EQUAL(le(p + 112, 4) & (1u << 20), 1u << 20);
	CU_ASSERT_EQUAL(le(p + 112, 4) & (1u << 10), 1u << 10);
	CU_ASSERT_EQUAL(memcmp(p + 116, gas, 4), 0);
	CU_ASSERT_EQUAL(le(p + 120, 8), LAYOUT_RESET_PORT);
	CU_ASSERT_EQUAL(p[128], LAYOUT_RESET_VALUE);
	CU_ASSERT_EQUAL(memcmp(p + 244, gas, 4), 0);
	CU_ASSERT_EQUAL(le(p + 248, 8), LAYOUT_SLEEP_CONTROL_PORT);
	CU_ASSERT_EQUAL(le(p + 260, 8), LAYOUT_SLEEP_STATUS_PORT);
	CU_ASSERT_EQUAL(le(p + 40, 4), le(p + 140, 8));
	table_read(&g, le(p + 140, 8), "DSDT");
	boot_guest_free(&g);
}

/* madt_check() - of the table just read. */
static void madt_check(uint32_t cpus)
{
	const uint8_t *p = table.bytes + 44;

	CU_ASSERT_EQUAL(le(table.bytes + 36, 4), LAYOUT_LAPIC_GPA);
	CU_ASSERT_EQUAL_FATAL(table.len, 44 + 8 * cpus + 12);
	for (uint32_t cpu = 0; cpu < cpus; cpu++, p += 8) {
		CU_ASSERT_EQUAL(le(p, 2), 0x0800);
		CU_ASSERT_EQUAL(p[2], cpu);
		CU_ASSERT_EQUAL(p[3], cpu);
		CU_ASSERT_EQUAL(le(p + 4, 4), 1);
	}
	CU_ASSERT_EQUAL(le(p, 2), 0x0c01);
	CU_ASSERT_EQUAL(p[2], cpus);
	CU_ASSERT_EQUAL(le(p + 4, 4), LAYOUT_IOAPIC_GPA);
	CU_ASSERT_EQUAL(le(p + 8, 4), 0);
}

static void test_madt(void)
{
	static const uint32_t counts[] = {1, 2, 3, 32};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		uint64_t rsdp;
		struct boot_guest g = built(counts[i], &rsdp);

		table_find(&g, rsdp, "APIC");
		madt_check(counts[i]);
		boot_guest_free(&g);
	}
}

static void test_mcfg(void)
{
	uint64_t rsdp;
	struct boot_guest g = built(1, &rsdp);

	table_find(&g, rsdp, "MCFG");
	CU_ASSERT_EQUAL(table.len, 60);
	CU_ASSERT_EQUAL(le(table.bytes + 44, 8), LAYOUT_ECAM_GPA);
	CU_ASSERT_EQUAL(le(table.bytes + 52, 4), 0); /* segment 0, bus 0..0 */
	boot_guest_free(&g);
}

static void test_refused(void)
{
	struct boot_guest g = boot_guest_make(4096);
	struct acpi_config cfg = {.cpus = 1};
	uint64_t rsdp = 1;

	CU_ASSERT_EQUAL(acpi_build(&cfg, &g.mem, &rsdp), -EFAULT);
	cfg.cpus = 0;
	CU_ASSERT_EQUAL(acpi_build(&cfg, &g.mem, &rsdp), -ENOSPC);
	cfg.cpus = LAYOUT_CPUS_MAX + 1;
	CU_ASSERT_EQUAL(acpi_build(&cfg, &g.mem, &rsdp), -ENOSPC);
	CU_ASSERT_EQUAL(rsdp, 1);
	boot_guest_free(&g);
}

static void test_dsdt_devices_follow_config(void)
{
	struct acpi_config cfg = {.cpus = 1};
	struct boot_guest g = boot_guest_make(32 * MIB);
	uint64_t rsdp;

	CU_ASSERT_EQUAL_FATAL(acpi_build(&cfg, &g.mem, &rsdp), 0);
	table_find(&g, rsdp, "FACP");
	table_read(&g, le(table.bytes + 140, 8), "DSDT");
	CU_ASSERT_PTR_NULL(memmem(table.bytes, table.len, "COM1", 4));
	CU_ASSERT_PTR_NULL(memmem(table.bytes, table.len, "QEMU0001", 8));
	cfg.serial = cfg.pvpanic = true;
	CU_ASSERT_EQUAL_FATAL(acpi_build(&cfg, &g.mem, &rsdp), 0);
	table_find(&g, rsdp, "FACP");
	table_read(&g, le(table.bytes + 140, 8), "DSDT");
	CU_ASSERT_PTR_NOT_NULL(memmem(table.bytes, table.len, "COM1", 4));
	CU_ASSERT_PTR_NOT_NULL(memmem(table.bytes, table.len, "QEMU0001", 8));
	boot_guest_free(&g);
}

/* iasl_accepts() - disassembles the table just read without a complaint. */
static void iasl_accepts(void)
{
	CU_ASSERT_EQUAL(iasl_disassemble(table.bytes, table.len, text, note),
			0);
	CU_ASSERT_PTR_NULL(strstr(note, "rror"));
	CU_ASSERT_PTR_NULL(strstr(note, "arning"));
	CU_ASSERT_PTR_NULL(strstr(text, "rror"));
	CU_ASSERT_PTR_NULL(strstr(text, "nvalid"));
}

static void test_iasl_tables(void)
{
	static const char *const names[] = {"FACP", "APIC", "MCFG"};
	uint64_t rsdp;
	struct boot_guest g = built(4, &rsdp);

	for (size_t i = 0; i < ARRAY_SIZE(names) && iasl_is_present(); i++) {
		table_find(&g, rsdp, names[i]);
		iasl_accepts();
	}
	boot_guest_free(&g);
}

/* text_has() - is @wanted in the disassembly? */
static void text_has(const char *wanted)
{
	if (!strstr(text, wanted))
		fprintf(stderr, "no %s ", wanted);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, wanted));
}

static void test_iasl_dsdt(void)
{
	static const char *const wanted[] = {"Name (\\_S5, Package",
					     "EisaId (\"PNP0A08\")",
					     "EisaId (\"PNP0C02\")",
					     "EisaId (\"PNP0501\")",
					     "\"QEMU0001\"",
					     "\"ACPI0013\"",
					     "Notify (\\_SB.PWRB, 0x80)",
					     "0xE0000000",
					     "0xDFFFFFFF",
					     "Method (_EVT, 1, Serialized)",
					     "Device (C01F)"};
	uint64_t rsdp;
	struct boot_guest g = built(32, &rsdp);

	if (!iasl_is_present()) {
		fprintf(stderr, "no iasl here: not disassembled ");
		boot_guest_free(&g);
		return;
	}
	table_find(&g, rsdp, "FACP");
	table_read(&g, le(table.bytes + 140, 8), "DSDT");
	iasl_accepts();
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		text_has(wanted[i]);
	CU_ASSERT_EQUAL(iasl_compile(text, note), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(note, " 0 Errors, 0 Warnings"));
	boot_guest_free(&g);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_fadt),
	UNIT_CASE(test_madt),
	UNIT_CASE(test_mcfg),
	UNIT_CASE(test_refused),
	UNIT_CASE(test_dsdt_devices_follow_config),
	UNIT_CASE(test_iasl_tables),
	UNIT_CASE(test_iasl_dsdt),
};

const struct unit_suite unit_suites[] = {
	{"acpi", cases, ARRAY_SIZE(cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
