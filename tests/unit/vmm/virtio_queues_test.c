// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_queues_test.c - what a driver may make of a queue, and doorbells.
 * Guards: sizes 0, over the maximum and no power of two; ring addresses 0,
 * misaligned and outside RAM; a queue that is enabled does not change under the
 * device; a doorbell follows the BAR and nothing else.
 */
#include <linux/pci_regs.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "virtio_fake.h"

static struct fake f;

static void setup(void)
{
	fake_init(&f);
	fake_negotiate(&f, FAKE_FEATURES);
}

static uint64_t enabled(uint32_t idx)
{
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, idx);
	return fake_rd(&f, VIRTIO_PCI_COMMON_Q_ENABLE, 2);
}

static void test_size(void)
{
	static const uint16_t bad[] = {0, 3, 255, 257, 512, 0x8000, 0xffff};

	setup();
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SIZE, 2, 64);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		fake_wr(&f, VIRTIO_PCI_COMMON_Q_SIZE, 2, bad[i]);
		CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_SIZE, 2), 64);
	}
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SIZE, 2, 1);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_SIZE, 2), 1);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SIZE, 2, FAKE_QUEUE_SIZE);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_SIZE, 2),
			FAKE_QUEUE_SIZE);
	fake_fini(&f);
}

static void test_rings(void)
{
	static const struct {
		uint32_t reg;
		uint64_t value;
	} bad[] = {
		{VIRTIO_PCI_COMMON_Q_DESCLO, 0},
		{VIRTIO_PCI_COMMON_Q_AVAILLO, 0},
		{VIRTIO_PCI_COMMON_Q_USEDLO, 0},
		{VIRTIO_PCI_COMMON_Q_DESCLO, 0x100008},
		{VIRTIO_PCI_COMMON_Q_AVAILLO, 0x104001},
		{VIRTIO_PCI_COMMON_Q_USEDLO, 0x108002},
		{VIRTIO_PCI_COMMON_Q_DESCLO, FAKE_RAM},
		{VIRTIO_PCI_COMMON_Q_DESCLO, FAKE_RAM - 4080},
		{VIRTIO_PCI_COMMON_Q_AVAILLO, FAKE_RAM - 516},
		{VIRTIO_PCI_COMMON_Q_USEDLO, FAKE_RAM - 2052},
		{VIRTIO_PCI_COMMON_Q_USEDLO, UINT64_MAX - 3},
		{VIRTIO_PCI_COMMON_Q_DESCLO, FAKE_BAR},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		setup();
		fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, 0);
		fake_wr(&f, VIRTIO_PCI_COMMON_Q_DESCLO, 8, 0x100000);
		fake_wr(&f, VIRTIO_PCI_COMMON_Q_AVAILLO, 8, 0x104000);
		fake_wr(&f, VIRTIO_PCI_COMMON_Q_USEDLO, 8, 0x108000);
		fake_wr(&f, bad[i].reg, 8, bad[i].value);
		fake_wr(&f, VIRTIO_PCI_COMMON_Q_ENABLE, 2, 1);
		CU_ASSERT_EQUAL(enabled(0), 0);
		fake_fini(&f);
	}
	/* The last bytes of RAM are good. */
	setup();
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_DESCLO, 8, FAKE_RAM - 4096);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_AVAILLO, 8, FAKE_RAM - 518);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_USEDLO, 8, FAKE_RAM - 2056);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_ENABLE, 2, 1);
	CU_ASSERT_EQUAL(enabled(0), 1);
	fake_fini(&f);
}

static void refuse_queue(void)
{
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_DESCLO, 8, FAKE_RAM);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_ENABLE, 2, 1);
}

static uint64_t config_irqs(void)
{
	uint64_t cnt = 0;

	if (read(f.vp.config_fd, &cnt, sizeof(cnt)) != sizeof(cnt))
		return 0;
	return cnt;
}

/* A driver that is told nothing waits for its first request for ever. */
static void test_refused_breaks(void)
{
	setup();
	refuse_queue();
	CU_ASSERT_FALSE(fake_status(&f) & ST_RESET);
	CU_ASSERT_EQUAL(config_irqs(), 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1,
		ST_ACK | ST_DRIVER | ST_FEATURES | ST_OK);
	CU_ASSERT_TRUE(fake_status(&f) & ST_RESET);
	CU_ASSERT_EQUAL(config_irqs(), 1);
	CU_ASSERT_TRUE(fake_idle(&f));
	/* A reset makes it whole. */
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, 0);
	CU_ASSERT_EQUAL(fake_status(&f), 0);
	fake_start(&f);
	CU_ASSERT_FALSE(fake_status(&f) & ST_RESET);
	/* A queue that is enabled later. */
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_RESET, 2, 1);
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_QUEUE_STOP, 0));
	refuse_queue();
	CU_ASSERT_TRUE(fake_status(&f) & ST_RESET);
	CU_ASSERT_EQUAL(config_irqs(), 1);
	fake_fini(&f);
}

static void test_early(void)
{
	fake_init(&f);
	fake_queue(&f, 0);
	CU_ASSERT_EQUAL(enabled(0), 0);
	fake_fini(&f);
	setup();
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_ENABLE, 2, 2);
	CU_ASSERT_EQUAL(enabled(0), 0);
	fake_fini(&f);
}

static void test_frozen(void)
{
	setup();
	fake_queue(&f, 0);
	CU_ASSERT_EQUAL(enabled(0), 1);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SIZE, 2, 16);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_DESCLO, 8, 0x200000);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_AVAILLO, 4, 0);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_USEDHI, 4, 1);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_ENABLE, 2, 0);
	CU_ASSERT_EQUAL(enabled(0), 1);
	CU_ASSERT_EQUAL(f.vp.queue[0].size, FAKE_QUEUE_SIZE);
	CU_ASSERT_EQUAL(f.vp.queue[0].ring[VIRTIO_RING_DESC], 0x100000);
	CU_ASSERT_EQUAL(f.vp.queue[0].ring[VIRTIO_RING_DRIVER], 0x104000);
	CU_ASSERT_EQUAL(f.vp.queue[0].ring[VIRTIO_RING_DEVICE], 0x108000);
	fake_fini(&f);
}

static void test_doorbell(void)
{
	const uint64_t notify = FAKE_BAR + VIRTIO_PCI_NOTIFY_OFFSET;
	const uint32_t to = 0xd0000000;

	setup();
	CU_ASSERT_EQUAL(f.doorbell_calls, 0);
	fake_queue(&f, 0);
	fake_queue(&f, 2);
	CU_ASSERT_EQUAL(f.doorbell_calls, 2);
	CU_ASSERT_EQUAL(f.doorbell[0], notify);
	CU_ASSERT_EQUAL(f.doorbell[1], 0);
	CU_ASSERT_EQUAL(f.doorbell[2], notify + 8);
	/* Sizing asks, and changes nothing. */
	fake_cfg_wr(&f, PCI_BASE_ADDRESS_0, 4, UINT32_MAX);
	fake_cfg_wr(&f, PCI_BASE_ADDRESS_0, 4, FAKE_BAR);
	CU_ASSERT_EQUAL(f.doorbell_calls, 2);
	fake_cfg_wr(&f, PCI_BASE_ADDRESS_0, 4, to);
	CU_ASSERT_EQUAL(f.doorbell_calls, 6);
	CU_ASSERT_EQUAL(f.doorbell[0], to + VIRTIO_PCI_NOTIFY_OFFSET);
	CU_ASSERT_EQUAL(f.doorbell[2], to + VIRTIO_PCI_NOTIFY_OFFSET + 8);
	fake_cfg_wr(&f, PCI_COMMAND, 2, 0);
	CU_ASSERT_EQUAL(f.doorbell[0], 0);
	CU_ASSERT_EQUAL(f.doorbell[2], 0);
	fake_cfg_wr(&f, PCI_COMMAND, 2, PCI_COMMAND_MEMORY);
	CU_ASSERT_EQUAL(f.doorbell[0], to + VIRTIO_PCI_NOTIFY_OFFSET);
	CU_ASSERT_EQUAL(f.bad, 0);
	fake_fini(&f);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_size),     UNIT_CASE(test_rings),
	UNIT_CASE(test_early),    UNIT_CASE(test_frozen),
	UNIT_CASE(test_doorbell), UNIT_CASE(test_refused_breaks),
};
const struct unit_suite unit_suites[] = {
	{"virtio queues", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
