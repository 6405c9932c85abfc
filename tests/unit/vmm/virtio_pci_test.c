// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_pci_test.c - what a driver finds by walking the capabilities, the PCI
 * configuration access window, notifications that KVM did not catch, MSI-X
 * control. Guards: capability offsets are recorded, not derived.
 */
#include <linux/pci_regs.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "virtio_fake.h"

static struct fake f;

/* cap() - offset of the vendor capability of @type by walking; 0: none */
static uint32_t cap(uint32_t type)
{
	uint32_t at = fake_cfg_rd(&f, PCI_CAPABILITY_LIST, 1);

	for (int steps = 0; at && steps < 48; steps++) {
		if (fake_cfg_rd(&f, at, 1) == PCI_CAP_ID_VNDR &&
		    fake_cfg_rd(&f, at + VIRTIO_PCI_CAP_CFG_TYPE, 1) == type)
			return at;
		at = fake_cfg_rd(&f, at + 1, 1);
	}
	return 0;
}

static void test_walk(void)
{
	static const struct {
		uint32_t type;
		uint32_t len;
		uint32_t offset;
		uint32_t bytes;
	} rows[] = {
		{VIRTIO_PCI_CAP_COMMON_CFG, 16, 0, 0x3c},
		{VIRTIO_PCI_CAP_NOTIFY_CFG, 20, 0x3000, 4 * FAKE_QUEUES},
		{VIRTIO_PCI_CAP_ISR_CFG, 16, 0x1000, 1},
		{VIRTIO_PCI_CAP_DEVICE_CFG, 16, 0x2000, 20},
		{VIRTIO_PCI_CAP_PCI_CFG, 20, 0, 0},
	};

	fake_init(&f);
	CU_ASSERT_EQUAL(fake_cfg_rd(&f, PCI_VENDOR_ID, 4), 0x10421af4);
	CU_ASSERT_TRUE(fake_cfg_rd(&f, PCI_REVISION_ID, 1) >= 1);
	CU_ASSERT_TRUE(fake_cfg_rd(&f, PCI_SUBSYSTEM_ID, 2) >= 0x40);
	CU_ASSERT_EQUAL(fake_cfg_rd(&f, PCI_BASE_ADDRESS_0, 4), FAKE_BAR);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t at = cap(rows[i].type);

		CU_ASSERT_NOT_EQUAL(at, 0);
		CU_ASSERT_EQUAL(fake_cfg_rd(&f, at + 2, 1), rows[i].len);
		CU_ASSERT_EQUAL(fake_cfg_rd(&f, at + 4, 1), 0);
		CU_ASSERT_EQUAL(fake_cfg_rd(&f, at + 8, 4), rows[i].offset);
		CU_ASSERT_EQUAL(fake_cfg_rd(&f, at + 12, 4), rows[i].bytes);
	}
	CU_ASSERT_EQUAL(fake_cfg_rd(&f, cap(VIRTIO_PCI_CAP_NOTIFY_CFG) + 16, 4),
			4);
	fake_fini(&f);
}

static void test_window(void)
{
	uint32_t at;

	fake_init(&f);
	at = cap(VIRTIO_PCI_CAP_PCI_CFG);
	/* Status through the window: written and read. */
	fake_cfg_wr(&f, at + 8, 4, VIRTIO_PCI_COMMON_STATUS);
	fake_cfg_wr(&f, at + 12, 4, 1);
	fake_cfg_wr(&f, at + 16, 1, ST_ACK);
	CU_ASSERT_EQUAL(fake_status(&f), ST_ACK);
	CU_ASSERT_EQUAL(fake_cfg_rd(&f, at + 16, 1), ST_ACK);
	fake_cfg_wr(&f, at + 8, 4, VIRTIO_PCI_DEVICE_OFFSET + 4);
	fake_cfg_wr(&f, at + 12, 4, 4);
	CU_ASSERT_EQUAL(fake_cfg_rd(&f, at + 16, 4), 0x68676665);
	/* Nonsense: another BAR, a width that is none, outside, misaligned. */
	fake_cfg_wr(&f, at + 16, 4, 0x01020304);
	fake_cfg_wr(&f, at + 4, 1, 1);
	(void)fake_cfg_rd(&f, at + 16, 4);
	fake_cfg_wr(&f, at + 4, 1, 0);
	fake_cfg_wr(&f, at + 12, 4, 3);
	(void)fake_cfg_rd(&f, at + 16, 4);
	fake_cfg_wr(&f, at + 12, 4, 4);
	fake_cfg_wr(&f, at + 8, 4, VIRTIO_PCI_BAR_BYTES - 2);
	(void)fake_cfg_rd(&f, at + 16, 4);
	fake_cfg_wr(&f, at + 8, 4, 0xfffffffc);
	(void)fake_cfg_rd(&f, at + 16, 4);
	fake_cfg_wr(&f, at + 16, 4, 0);
	fake_fini(&f);
}

static void test_notify(void)
{
	uint64_t cnt = 0;

	fake_init(&f);
	fake_wr(&f, VIRTIO_PCI_NOTIFY_OFFSET + 4, 2, 1);
	fake_wr(&f, VIRTIO_PCI_NOTIFY_OFFSET + 4, 4, 1);
	fake_wr(&f, VIRTIO_PCI_NOTIFY_OFFSET + 4 * FAKE_QUEUES, 2, 3);
	fake_wr(&f, VIRTIO_PCI_NOTIFY_OFFSET + 0xffe, 2, 3);
	CU_ASSERT_EQUAL(read(f.vp.queue[1].kick_fd, &cnt, 8), 8);
	CU_ASSERT_EQUAL(cnt, 2);
	CU_ASSERT_TRUE(read(f.vp.queue[0].kick_fd, &cnt, 8) < 0);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_NOTIFY_OFFSET, 4), 0);
	/* A counter that is full does not hold up the vCPU. */
	cnt = UINT64_MAX - 1;
	CU_ASSERT_EQUAL(write(f.vp.queue[0].kick_fd, &cnt, 8), 8);
	fake_wr(&f, VIRTIO_PCI_NOTIFY_OFFSET, 2, 0);
	fake_fini(&f);
}

static void test_msix_control(void)
{
	uint32_t at;

	fake_init(&f);
	at = f.vp.cap_msix;
	CU_ASSERT_EQUAL(fake_cfg_rd(&f, at, 1), PCI_CAP_ID_MSIX);
	CU_ASSERT_EQUAL(fake_cfg_rd(&f, at + 2, 2), FAKE_QUEUES);
	CU_ASSERT_EQUAL(fake_cfg_rd(&f, at + 4, 4), VIRTIO_PCI_TABLE_OFFSET);
	CU_ASSERT_EQUAL(fake_cfg_rd(&f, at + 8, 4), VIRTIO_PCI_PBA_OFFSET);
	fake_cfg_wr(&f, at + 2, 2, 0xffff);
	CU_ASSERT_EQUAL(fake_cfg_rd(&f, at + 2, 2), 0xc000 | FAKE_QUEUES);
	CU_ASSERT_TRUE(f.vp.msix.enabled && f.vp.msix.function_masked);
	fake_cfg_wr(&f, at, 4, 0x80000000);
	CU_ASSERT_TRUE(f.vp.msix.enabled && !f.vp.msix.function_masked);
	CU_ASSERT_FALSE(f.vp.msix.bus_master);
	fake_cfg_wr(&f, PCI_COMMAND, 2,
		    PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY);
	CU_ASSERT_TRUE(f.vp.msix.bus_master);
	fake_fini(&f);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_walk),
	UNIT_CASE(test_window),
	UNIT_CASE(test_notify),
	UNIT_CASE(test_msix_control),
};
const struct unit_suite unit_suites[] = {
	{"virtio pci", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
