// SPDX-License-Identifier: Apache-2.0
/*
 * pci_bus_test.c - config space masks and capabilities; ECAM; when a BAR is
 * decoded where. Guards: a BAR that is only sized does not move (its doorbells
 * would be registered anew), one that moves does, overlaps and moves out of the
 * window are survived.
 */
#include <errno.h>
#include <linux/pci_regs.h>

#include "tests/support/unit/unit.h"
#include "vmm/layout.h"
#include "vmm/pci/pci_bus.h"

#define BAR_BYTES 0x8000u
#define BAR_A 0xc0008000u
#define BAR_B 0xc0010000u

static int moves;

static uint32_t f_config_read(struct pci_func *f, uint32_t offset, uint32_t len,
			      uint32_t value)
{
	(void)f;
	(void)offset;
	(void)len;
	return value;
}

static void f_config_write(struct pci_func *f, uint32_t offset, uint32_t len,
			   uint32_t value)
{
	(void)f;
	(void)offset;
	(void)len;
	(void)value;
}

static uint64_t f_bar_read(struct pci_func *f, uint64_t offset, uint32_t len)
{
	(void)len;
	return (uint64_t)f->slot << 32 | offset;
}

static void f_bar_write(struct pci_func *f, uint64_t offset, uint32_t len,
			uint64_t value)
{
	(void)f;
	(void)offset;
	(void)len;
	(void)value;
}

static void f_bar_moved(struct pci_func *f)
{
	(void)f;
	moves++;
}

static const struct pci_func_ops ops = {f_config_read, f_config_write,
					f_bar_read, f_bar_write, f_bar_moved};
static const struct pci_ids ids = {
	.vendor = 0x1af4, .device = 0x1042, .class_code = 0x010000};
static struct pci_bus bus;
static struct pci_func func[2];

static void setup(void)
{
	static const uint32_t at[] = {BAR_A, BAR_B};

	moves = 0;
	pci_bus_init(&bus);
	for (uint32_t i = 0; i < 2; i++) {
		pci_func_init(&func[i], &ids, &ops);
		pci_func_bar_init(&func[i], BAR_BYTES, at[i]);
		CU_ASSERT_EQUAL(pci_bus_attach(&bus, &func[i], i + 1), 0);
	}
}

static uint32_t rd(uint32_t slot, uint32_t reg, uint32_t len)
{
	return (uint32_t)pci_bus_ecam_ops.read(&bus, slot << 15 | reg, len);
}

static void wr(uint32_t slot, uint32_t reg, uint32_t len, uint32_t value)
{
	pci_bus_ecam_ops.write(&bus, slot << 15 | reg, len, value);
}

static uint64_t mmio(uint64_t gpa)
{
	return pci_bus_mmio_ops.read(&bus, gpa - LAYOUT_MMIO32_GPA, 4);
}

static void test_config(void)
{
	setup();
	CU_ASSERT_EQUAL(rd(1, PCI_VENDOR_ID, 4), 0x10421af4);
	CU_ASSERT_EQUAL(rd(1, PCI_DEVICE_ID, 2), 0x1042);
	CU_ASSERT_EQUAL(rd(0, PCI_CLASS_DEVICE, 2), 0x0600);
	/* Absent slot, absent function, odd width, misaligned. */
	CU_ASSERT_EQUAL(rd(3, PCI_VENDOR_ID, 4), UINT32_MAX);
	CU_ASSERT_EQUAL(rd(1, 0x1000 | PCI_VENDOR_ID, 4), UINT32_MAX);
	CU_ASSERT_EQUAL(rd(1, PCI_VENDOR_ID, 3), UINT32_MAX);
	CU_ASSERT_EQUAL(rd(1, 1, 2), UINT32_MAX);
	/* No extended space. */
	CU_ASSERT_EQUAL(rd(1, 0x100, 4), 0);
	CU_ASSERT_EQUAL(rd(1, 0xffc, 4), 0);
	wr(1, 0x100, 4, 5);
	wr(9, 0, 4, 5);
	wr(1, PCI_VENDOR_ID, 4, 0);
	CU_ASSERT_EQUAL(rd(1, PCI_VENDOR_ID, 4), 0x10421af4);
	wr(1, PCI_COMMAND, 2, 0xffff);
	CU_ASSERT_EQUAL(rd(1, PCI_COMMAND, 2), 0x546);
	wr(0, PCI_BASE_ADDRESS_0, 4, UINT32_MAX);
	CU_ASSERT_EQUAL(rd(0, PCI_BASE_ADDRESS_0, 4), 0);
}

static void test_attach(void)
{
	struct pci_func f;

	setup();
	pci_func_init(&f, &ids, &ops);
	CU_ASSERT_EQUAL(pci_bus_attach(&bus, &f, 0), -EINVAL);
	CU_ASSERT_EQUAL(pci_bus_attach(&bus, &f, 32), -EINVAL);
	CU_ASSERT_EQUAL(pci_bus_attach(&bus, &f, 1), -EEXIST);
	CU_ASSERT_EQUAL(pci_bus_attach(&bus, &f, 31), 0);
}

static void test_caps(void)
{
	struct pci_config c;
	uint32_t a = 0;
	uint32_t b = 0;

	pci_config_init(&c, &ids);
	CU_ASSERT_FALSE(pci_config_get(&c, PCI_STATUS, 2) &
			PCI_STATUS_CAP_LIST);
	CU_ASSERT_EQUAL(pci_config_cap_add(&c, PCI_CAP_ID_MSIX, 12, &a), 0);
	CU_ASSERT_EQUAL(pci_config_cap_add(&c, PCI_CAP_ID_VNDR, 17, &b), 0);
	CU_ASSERT_TRUE(pci_config_get(&c, PCI_STATUS, 2) & PCI_STATUS_CAP_LIST);
	CU_ASSERT_EQUAL(pci_config_get(&c, PCI_CAPABILITY_LIST, 1), a);
	CU_ASSERT_EQUAL(pci_config_get(&c, a, 1), PCI_CAP_ID_MSIX);
	CU_ASSERT_EQUAL(pci_config_get(&c, a + 1, 1), b);
	CU_ASSERT_EQUAL(pci_config_get(&c, b + 1, 1), 0);
	CU_ASSERT_EQUAL(b, a + 12);
	CU_ASSERT_EQUAL(pci_config_cap_add(&c, 1, 200, &a), -ENOSPC);
	CU_ASSERT_EQUAL(pci_config_cap_add(&c, 1, 1, &a), -ENOSPC);
}

static void test_sizing(void)
{
	setup();
	wr(1, PCI_BASE_ADDRESS_0, 4, UINT32_MAX);
	CU_ASSERT_EQUAL(rd(1, PCI_BASE_ADDRESS_0, 4), ~(BAR_BYTES - 1));
	CU_ASSERT_EQUAL(moves, 0);
	CU_ASSERT_EQUAL(mmio(BAR_A + 4), 1ULL << 32 | 4);
	wr(1, PCI_BASE_ADDRESS_0, 4, BAR_A);
	CU_ASSERT_EQUAL(moves, 0);
	CU_ASSERT_EQUAL(mmio(BAR_A + 4), 1ULL << 32 | 4);
	/* The other BARs do not exist. */
	wr(1, PCI_BASE_ADDRESS_1, 4, UINT32_MAX);
	CU_ASSERT_EQUAL(rd(1, PCI_BASE_ADDRESS_1, 4), 0);
}

static void test_move(void)
{
	const uint32_t to = 0xd0000000;

	setup();
	wr(1, PCI_BASE_ADDRESS_0, 4, to | 0xf);
	CU_ASSERT_EQUAL(moves, 1);
	CU_ASSERT_EQUAL(func[0].bar_gpa, to);
	CU_ASSERT_EQUAL(rd(1, PCI_BASE_ADDRESS_0, 4), to);
	CU_ASSERT_EQUAL(mmio(BAR_A), UINT64_MAX);
	CU_ASSERT_EQUAL(mmio(to + 8), 1ULL << 32 | 8);
	CU_ASSERT_EQUAL(mmio(to + BAR_BYTES), UINT64_MAX);
	/* The last bytes, and an access that leaves the BAR. */
	CU_ASSERT_EQUAL(mmio(to + BAR_BYTES - 4), 1ULL << 32 | (BAR_BYTES - 4));
	CU_ASSERT_EQUAL(mmio(to + BAR_BYTES - 2), UINT64_MAX);
}

static void test_window(void)
{
	static const uint32_t outside[] = {0,          0x8000,     0xbfff8000,
					   0xe0000000, 0xfee00000, 0xffff0000};

	for (size_t i = 0; i < ARRAY_SIZE(outside); i++) {
		setup();
		wr(1, PCI_BASE_ADDRESS_0, 4, outside[i]);
		CU_ASSERT_EQUAL(func[0].bar_gpa, 0);
		CU_ASSERT_EQUAL(moves, 1);
		wr(1, PCI_BASE_ADDRESS_0, 4, BAR_A);
		CU_ASSERT_EQUAL(func[0].bar_gpa, BAR_A);
	}
	setup();
	wr(1, PCI_BASE_ADDRESS_0, 4, 0xdfff8000);
	CU_ASSERT_EQUAL(func[0].bar_gpa, 0xdfff8000);
}

static void test_decode_off(void)
{
	setup();
	wr(1, PCI_COMMAND, 2, 0);
	CU_ASSERT_EQUAL(moves, 1);
	CU_ASSERT_EQUAL(mmio(BAR_A), UINT64_MAX);
	/* Sized while off, as Linux does. */
	wr(1, PCI_BASE_ADDRESS_0, 4, UINT32_MAX);
	wr(1, PCI_BASE_ADDRESS_0, 4, BAR_A);
	CU_ASSERT_EQUAL(moves, 1);
	wr(1, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	CU_ASSERT_EQUAL(moves, 2);
	CU_ASSERT_EQUAL(mmio(BAR_A), 1ULL << 32);
	/* Left sized and turned on: nowhere. */
	wr(1, PCI_COMMAND, 2, 0);
	wr(1, PCI_BASE_ADDRESS_0, 4, UINT32_MAX);
	wr(1, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	CU_ASSERT_EQUAL(func[0].bar_gpa, 0);
}

static void test_overlap(void)
{
	setup();
	wr(1, PCI_BASE_ADDRESS_0, 4, BAR_B);
	CU_ASSERT_EQUAL(mmio(BAR_B), 1ULL << 32);
	wr(1, PCI_BASE_ADDRESS_0, 4, BAR_A);
	CU_ASSERT_EQUAL(mmio(BAR_B), 2ULL << 32);
	CU_ASSERT_EQUAL(mmio(BAR_A), 1ULL << 32);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_config),     UNIT_CASE(test_attach),
	UNIT_CASE(test_caps),       UNIT_CASE(test_sizing),
	UNIT_CASE(test_move),       UNIT_CASE(test_window),
	UNIT_CASE(test_decode_off), UNIT_CASE(test_overlap),
};
const struct unit_suite unit_suites[] = {{"pci", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
