// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_jobs_test.c - what the device process is told, in which order, and
 * what the driver sees meanwhile. Guards: status reads non-zero until the reset
 * was answered; a failed activation is NEEDS_RESET and not only a log line; a
 * reset in the middle of the start; ring reset.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "virtio_fake.h"

#define RESET_REG 58u

static struct fake f;

static void driver_ok(void)
{
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1,
		ST_ACK | ST_DRIVER | ST_FEATURES | ST_OK);
}

static uint64_t config_irqs(void)
{
	uint64_t cnt = 0;

	return read(f.vp.config_fd, &cnt, sizeof(cnt)) == 8 ? cnt : 0;
}

static void test_start_order(void)
{
	struct virtio_job job;

	fake_init(&f);
	fake_negotiate(&f, FAKE_FEATURES);
	fake_queue(&f, 0);
	fake_queue(&f, 2);
	CU_ASSERT_TRUE(fake_idle(&f));
	CU_ASSERT_EQUAL(f.posts, 0);
	driver_ok();
	CU_ASSERT_EQUAL(f.posts, 1);
	CU_ASSERT_TRUE(virtio_pci_job_next(&f.vp, &job));
	CU_ASSERT_EQUAL(job.kind, VIRTIO_JOB_FEATURES);
	CU_ASSERT_EQUAL(job.features, FAKE_FEATURES);
	/* One at a time. */
	CU_ASSERT_TRUE(fake_idle(&f));
	CU_ASSERT_EQUAL(virtio_pci_job_done(&f.vp, &job, 0), 0);
	CU_ASSERT_TRUE(virtio_pci_job_next(&f.vp, &job));
	CU_ASSERT_EQUAL(job.kind, VIRTIO_JOB_QUEUE_SET);
	CU_ASSERT_EQUAL(job.queue, 0);
	CU_ASSERT_EQUAL(job.size, FAKE_QUEUE_SIZE);
	CU_ASSERT_EQUAL(job.ring[VIRTIO_RING_DEVICE], 0x108000);
	CU_ASSERT_EQUAL(job.kick_fd, f.vp.queue[0].kick_fd);
	CU_ASSERT_EQUAL(job.call_fd, f.vp.queue[0].call_fd);
	CU_ASSERT_EQUAL(virtio_pci_job_done(&f.vp, &job, 0), 0);
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_QUEUE_SET, 0));
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_QUEUE_START, 0));
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_QUEUE_START, 0));
	CU_ASSERT_TRUE(fake_idle(&f));
	fake_fini(&f);
}

static void test_reset(void)
{
	fake_init(&f);
	/* Never started: at once. */
	fake_negotiate(&f, FAKE_FEATURES);
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, 0);
	CU_ASSERT_EQUAL(fake_status(&f), 0);
	CU_ASSERT_EQUAL(virtio_pci_acked(&f.vp), 0);
	fake_start(&f);
	f.posts = 0;
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, 0);
	CU_ASSERT_EQUAL(f.posts, 1);
	CU_ASSERT_NOT_EQUAL(fake_status(&f), 0);
	/* Nothing but looking until it is through. */
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, ST_ACK);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, 2);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2), 0);
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_RESET, 0));
	CU_ASSERT_EQUAL(fake_status(&f), 0);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_ENABLE, 2), 0);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_DESCLO, 8), 0);
	CU_ASSERT_TRUE(fake_idle(&f));
	/* And again. */
	fake_start(&f);
	CU_ASSERT_TRUE(fake_status(&f) & ST_OK);
	fake_fini(&f);
}

/* The driver resets while the device is being started. */
static void test_reset_midway(void)
{
	struct virtio_job job;

	fake_init(&f);
	fake_negotiate(&f, FAKE_FEATURES);
	fake_queue(&f, 0);
	driver_ok();
	CU_ASSERT_TRUE(virtio_pci_job_next(&f.vp, &job));
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, 0);
	CU_ASSERT_NOT_EQUAL(fake_status(&f), 0);
	CU_ASSERT_TRUE(fake_idle(&f));
	CU_ASSERT_EQUAL(virtio_pci_job_done(&f.vp, &job, 0), 0);
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_RESET, 0));
	CU_ASSERT_EQUAL(fake_status(&f), 0);
	CU_ASSERT_TRUE(fake_idle(&f));
	fake_fini(&f);
}

static void test_refused_start(void)
{
	static const enum virtio_job_kind kinds[] = {VIRTIO_JOB_FEATURES,
						     VIRTIO_JOB_QUEUE_SET,
						     VIRTIO_JOB_QUEUE_START};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		fake_init(&f);
		fake_negotiate(&f, FAKE_FEATURES);
		fake_queue(&f, 0);
		driver_ok();
		for (size_t k = 0; k <= i; k++)
			CU_ASSERT_TRUE(
				fake_job(&f, kinds[k], k == i ? EINVAL : 0));
		CU_ASSERT_TRUE(fake_status(&f) & ST_RESET);
		CU_ASSERT_EQUAL(config_irqs(), 1);
		CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_ISR_OFFSET, 1), 2);
		CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_ISR_OFFSET, 1), 0);
		CU_ASSERT_TRUE(fake_idle(&f));
		/* A reset cures it. */
		fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, 0);
		CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_RESET, 0));
		CU_ASSERT_EQUAL(fake_status(&f), 0);
		fake_start(&f);
		CU_ASSERT_FALSE(fake_status(&f) & ST_RESET);
		fake_fini(&f);
	}
}

static void test_refused_reset(void)
{
	struct virtio_job job;

	fake_init(&f);
	fake_start(&f);
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, 0);
	CU_ASSERT_TRUE(virtio_pci_job_next(&f.vp, &job));
	CU_ASSERT_EQUAL(virtio_pci_job_done(&f.vp, &job, EIO), -EIO);
	CU_ASSERT_NOT_EQUAL(fake_status(&f), 0);
	fake_fini(&f);
}

static void test_fail(void)
{
	fake_init(&f);
	fake_start(&f);
	virtio_pci_fail(&f.vp);
	CU_ASSERT_TRUE(fake_status(&f) & ST_RESET);
	CU_ASSERT_EQUAL(config_irqs(), 1);
	/* No one is there to reset it: never shown as done. */
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, 0);
	CU_ASSERT_TRUE(fake_idle(&f));
	CU_ASSERT_NOT_EQUAL(fake_status(&f), 0);
	fake_fini(&f);
	/* Also when it died before the driver came. */
	fake_init(&f);
	virtio_pci_fail(&f.vp);
	CU_ASSERT_EQUAL(config_irqs(), 0);
	fake_negotiate(&f, FAKE_FEATURES);
	driver_ok();
	CU_ASSERT_TRUE(fake_status(&f) & ST_RESET);
	fake_fini(&f);
}

static void test_needs_reset(void)
{
	fake_init(&f);
	virtio_pci_needs_reset(&f.vp);
	CU_ASSERT_FALSE(f.vp.broken);
	fake_start(&f);
	virtio_pci_needs_reset(&f.vp);
	CU_ASSERT_TRUE(fake_status(&f) & ST_RESET);
	CU_ASSERT_EQUAL(config_irqs(), 1);
	fake_wr(&f, VIRTIO_PCI_COMMON_STATUS, 1, 0);
	/* A complaint that crosses the reset is of the past. */
	virtio_pci_needs_reset(&f.vp);
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_RESET, 0));
	CU_ASSERT_EQUAL(fake_status(&f), 0);
	fake_fini(&f);
}

static void test_ring_reset(void)
{
	fake_init(&f);
	fake_start(&f);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, 0);
	fake_wr(&f, RESET_REG, 2, 1);
	CU_ASSERT_EQUAL(fake_rd(&f, RESET_REG, 2), 1);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_ENABLE, 2), 1);
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_QUEUE_STOP, 0));
	CU_ASSERT_EQUAL(fake_rd(&f, RESET_REG, 2), 0);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_ENABLE, 2), 0);
	CU_ASSERT_TRUE(fake_idle(&f));
	fake_queue(&f, 0);
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_QUEUE_SET, 0));
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_QUEUE_START, 0));
	/* Between start and answer: started first, stopped then. */
	fake_wr(&f, RESET_REG, 2, 1);
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_QUEUE_STOP, 0));
	fake_fini(&f);
	/* Not negotiated: not there. */
	fake_init(&f);
	fake_negotiate(&f, FAKE_BIT(VIRTIO_F_VERSION_1));
	fake_queue(&f, 0);
	fake_wr(&f, RESET_REG, 2, 1);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_Q_ENABLE, 2), 1);
	CU_ASSERT_EQUAL(fake_rd(&f, RESET_REG, 2), 0);
	fake_fini(&f);
}

/* A driver waits for the end of a queue's reset without a bound. */
static void test_ring_reset_of_broken(void)
{
	static const enum virtio_job_kind kinds[] = {VIRTIO_JOB_FEATURES,
						     VIRTIO_JOB_QUEUE_SET,
						     VIRTIO_JOB_QUEUE_START};
	struct virtio_job job;

	/* A queue that runs is stopped. */
	fake_init(&f);
	fake_start(&f);
	virtio_pci_needs_reset(&f.vp);
	fake_wr(&f, VIRTIO_PCI_COMMON_Q_SELECT, 2, 0);
	fake_wr(&f, RESET_REG, 2, 1);
	CU_ASSERT_TRUE(fake_job(&f, VIRTIO_JOB_QUEUE_STOP, 0));
	CU_ASSERT_EQUAL(fake_rd(&f, RESET_REG, 2), 0);
	CU_ASSERT_TRUE(fake_idle(&f));
	fake_fini(&f);
	/* One that was refused is not, and its reset ends at once. */
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		fake_init(&f);
		fake_negotiate(&f, FAKE_FEATURES);
		fake_queue(&f, 0);
		driver_ok();
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_TRUE(fake_job(&f, kinds[k], 0));
		CU_ASSERT_TRUE(virtio_pci_job_next(&f.vp, &job));
		/* While the answer is under way, and when it has come. */
		fake_wr(&f, RESET_REG, 2, 1);
		CU_ASSERT_EQUAL(fake_rd(&f, RESET_REG, 2), 1);
		CU_ASSERT_EQUAL(virtio_pci_job_done(&f.vp, &job, EINVAL), 0);
		CU_ASSERT_EQUAL(fake_rd(&f, RESET_REG, 2), 0);
		CU_ASSERT_TRUE(fake_idle(&f));
		fake_fini(&f);
	}
}

static void test_config(void)
{
	struct virtio_job job;
	uint8_t now[20] = "ABCDEFGHIJKLMNOPQRS";

	fake_init(&f);
	fake_start(&f);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_DEVICE_OFFSET, 4), 0x64636261);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_DEVICE_OFFSET + 18, 4), 0x7473);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_DEVICE_OFFSET + 20, 4), 0);
	fake_wr(&f, VIRTIO_PCI_DEVICE_OFFSET + 6, 2, 0x5a5a);
	fake_wr(&f, VIRTIO_PCI_DEVICE_OFFSET + 7, 2, 0);
	fake_wr(&f, VIRTIO_PCI_DEVICE_OFFSET + 8, 1, 0);
	fake_wr(&f, VIRTIO_PCI_DEVICE_OFFSET + 0xffc, 8, 0);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_DEVICE_OFFSET + 6, 2), 0x5a5a);
	CU_ASSERT_TRUE(virtio_pci_job_next(&f.vp, &job));
	CU_ASSERT_EQUAL(job.kind, VIRTIO_JOB_CONFIG_WRITE);
	CU_ASSERT_EQUAL(job.write.offset, 6);
	CU_ASSERT_EQUAL(job.write.len, 2);
	CU_ASSERT_EQUAL(memcmp(job.write.data, "ZZ", 2), 0);
	CU_ASSERT_EQUAL(virtio_pci_job_done(&f.vp, &job, EINVAL), 0);
	CU_ASSERT_TRUE(fake_idle(&f));
	CU_ASSERT_FALSE(fake_status(&f) & ST_RESET);
	/* More than wait at a time are dropped, not remembered for ever. */
	for (int i = 0; i < 100; i++)
		fake_wr(&f, VIRTIO_PCI_DEVICE_OFFSET, 1, (uint64_t)i);
	CU_ASSERT_EQUAL(f.vp.write_cnt, VIRTIO_PCI_WRITES_MAX);
	CU_ASSERT_EQUAL(virtio_pci_config_push(&f.vp, now, 19), -EPROTO);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_CFGGENERATION, 1), 0);
	CU_ASSERT_EQUAL(virtio_pci_config_push(&f.vp, now, 20), 0);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_COMMON_CFGGENERATION, 1), 1);
	CU_ASSERT_EQUAL(config_irqs(), 1);
	CU_ASSERT_EQUAL(fake_rd(&f, VIRTIO_PCI_DEVICE_OFFSET, 4), 0x44434241);
	fake_fini(&f);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_start_order),          UNIT_CASE(test_reset),
	UNIT_CASE(test_reset_midway),         UNIT_CASE(test_refused_start),
	UNIT_CASE(test_refused_reset),        UNIT_CASE(test_fail),
	UNIT_CASE(test_needs_reset),          UNIT_CASE(test_ring_reset),
	UNIT_CASE(test_ring_reset_of_broken), UNIT_CASE(test_config),
};
const struct unit_suite unit_suites[] = {
	{"virtio jobs", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
