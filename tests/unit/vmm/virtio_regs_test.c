// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_regs_test.c - common configuration, features and status registers.
 * Guards: feature_select runs to 3 and beyond without touching bits 32..63;
 * FEATURES_OK only for a subset with VERSION_1; unknown queues read 0; vectors
 * that are not there read back as none.
 */
#include "tests/support/unit/unit.h"
#include "virtio_fake.h"

static struct fake f;

static void test_offer(void)
{
	static const uint32_t want[] = {(uint32_t)FAKE_FEATURES,
					(uint32_t)(FAKE_FEATURES >> 32), 0, 0,
					0};

	fake_init(&f);
	for (uint32_t i = 0; i < ARRAY_SIZE(want); i++) {
		fake_wr(&f, VIRTIO_PCI_COMMON_DFSELECT, 4, i);
		CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_DFSELECT, 4), i);
		CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_DF, 4), want[i]);
	}
	fake_wr(&f, VIRTIO_PCI_COMMON_DFSELECT, 4, UINT32_MAX);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_DF, 4), 0);
	fake_fini(&f);
}

/* A driver may write all four words; zeros in the upper two mean nothing. */
static void test_select_high(void)
{
	fake_init(&f);
	fake_negotiate(&f, FAKE_BIT(VIRTIO_F_VERSION_1));
	CU_ASSERT_TRUE(fake_status(&f) & ST_FEATURES);
	fake_fini(&f);
	fake_init(&f);
	fake_wr(&f, VIRTIO_PCI_COMMON_GFSELECT, 4, 1);
	fake_wr(&f, VIRTIO_PCI_COMMON_GF, 4, 1);
	for (uint32_t i = 2; i < 6; i++) {
		fake_wr(&f, VIRTIO_PCI_COMMON_GFSELECT, 4, i);
		fake_wr(&f, VIRTIO_PCI_COMMON_GF, 4, 0);
	}
	fake_wr(&f, VIRTIO_PCI_COMMON_GFSELECT, 4, 1);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_GF, 4), 1);
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1,
		ST_ACK | ST_DRIVER | ST_FEATURES);
	CU_ASSERT_TRUE(fake_status(&f) & ST_FEATURES);
	fake_fini(&f);
}

static void test_refused(void)
{
	static const uint64_t bad[] = {
		0,
		FAKE_BIT(9),
		FAKE_BIT(VIRTIO_F_VERSION_1) | FAKE_BIT(0),
		FAKE_BIT(VIRTIO_F_VERSION_1) | FAKE_BIT(63),
		FAKE_BIT(VIRTIO_F_VERSION_1) | FAKE_BIT(VIRTIO_PCI_F_SR_IOV),
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		fake_init(&f);
		fake_negotiate(&f, bad[i]);
		CU_ASSERT_EQUAL(fake_status(&f), ST_ACK | ST_DRIVER);
		/* Then DRIVER_OK is not accepted either. */
		fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, ST_OK);
		CU_ASSERT_FALSE(fake_status(&f) & ST_OK);
		/* It may try again with less. */
		fake_negotiate(&f, FAKE_BIT(VIRTIO_F_VERSION_1));
		CU_ASSERT_TRUE(fake_status(&f) & ST_FEATURES);
		fake_fini(&f);
	}
	fake_init(&f);
	fake_wr(&f, VIRTIO_PCI_COMMON_GFSELECT, 4, 2);
	fake_wr(&f, VIRTIO_PCI_COMMON_GF, 4, 1);
	fake_negotiate(&f, FAKE_BIT(VIRTIO_F_VERSION_1));
	CU_ASSERT_FALSE(fake_status(&f) & ST_FEATURES);
	fake_fini(&f);
}

static void test_frozen(void)
{
	fake_init(&f);
	fake_negotiate(&f, FAKE_FEATURES);
	fake_wr(&f, VIRTIO_PCI_COMMON_GFSELECT, 4, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_GF, 4, 0);
	CU_ASSERT_EQUAL(virtio_pci_acked(&f.vp), FAKE_FEATURES);
	/* Bits of the status cannot be cleared, nor the device's be set. */
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, ST_ACK | ST_RESET);
	CU_ASSERT_EQUAL(fake_status(&f), ST_ACK | ST_DRIVER | ST_FEATURES);
	fake_fini(&f);
}

static void test_queue_regs(void)
{
	fake_init(&f);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_NUMQ, 2), FAKE_QUEUES);
	for (uint32_t i = 0; i < FAKE_QUEUES; i++) {
		fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, i);
		CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_NOFF, 2), i);
		CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_SIZE, 2),
				i == 2 ? 64 : FAKE_QUEUE_SIZE);
	}
	for (uint32_t i = FAKE_QUEUES; i < 0x10000; i += 0x3fff) {
		fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, i);
		for (uint32_t r = VIRTIO_PCI_COMMON_Q_SIZE; r < 0x3c; r += 2) {
			fake_wr(&f, r, 2, 1);
			CU_ASSERT_EQUAL(fake_rd(&f, r, 2), 0);
		}
	}
	fake_fini(&f);
}

static void test_vectors(void)
{
	fake_init(&f);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_MSIX, 2), 0xffff);
	fake_wr(&f, VIRTIO_PCI_COMMON_MSIX, 2, FAKE_QUEUES);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_MSIX, 2), FAKE_QUEUES);
	fake_wr(&f, VIRTIO_PCI_COMMON_MSIX, 2, FAKE_QUEUES + 1);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_MSIX, 2), 0xffff);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, 1);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_MSIX, 2, 2);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_MSIX, 2), 2);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_MSIX, 2, 0x1234);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_MSIX, 2), 0xffff);
	fake_fini(&f);
}

static void test_widths(void)
{
	fake_init(&f);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_DESCHI, 4, 0x11223344);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_DESCLO, 4, 0x55667788);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_DESCLO, 8),
			0x1122334455667788ULL);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_DESCHI, 4), 0x11223344);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_DESCLO + 1, 1), 0x77);
	/* Status and generation in one read, size and vector in one. */
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_SIZE, 4), 0xffff0100);
	/* Wrong widths are dropped. */
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_DESCLO, 2, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_DESCLO + 1, 1, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_DESCLO + 2, 4, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SIZE, 4, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_NUMQ, 2, 0);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_DESCLO, 8),
			0x1122334455667788ULL);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_SIZE, 2), 0x100);
	/* Behind the structure: 0, also for a read that runs out of it. */
	CU_ASSERT_EQUAL(fake_rd(&f, 0x3c, 4), 0);
	CU_ASSERT_EQUAL(fake_rd(&f, 0xff8, 8), 0);
	fake_fini(&f);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_offer),      UNIT_CASE(test_select_high),
	UNIT_CASE(test_refused),    UNIT_CASE(test_frozen),
	UNIT_CASE(test_queue_regs), UNIT_CASE(test_vectors),
	UNIT_CASE(test_widths),
};
const struct unit_suite unit_suites[] = {
	{"virtio registers", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
