// SPDX-License-Identifier: Apache-2.0
/*
 * Tests of the virtio-pci registers: features, configuration, queue set-up
 * (VIRTIO 1.2 sections 2.1, 2.2, 2.5, 4.1.4.3).
 */
#include "test.h"

#define NO_SUCH_FEATURE (1ull << 50)

/** t_features - select runs over words 0 and 1; the rest is nothing. */
static int t_features(void)
{
	static const uint32_t beyond[] = {2, 3, 4, 31, 0x80000000, 0xffffffff};
	volatile uint8_t *c = disk.v.common;
	uint64_t f;

	CHECK(virtio_reset(&disk.v), "reset does not end");
	f = virtio_features(&disk.v);
	CHECK(f & VF_VERSION_1, "VERSION_1 is not offered");
	for (unsigned int i = 0; i < ARRAY_SIZE(beyond); i++) {
		mmio_w32(c + VC_DEVICE_FEATURE_SELECT, beyond[i]);
		CHECK(mmio_r32(c + VC_DEVICE_FEATURE) == 0,
		      "select %x: offers %x", beyond[i],
		      mmio_r32(c + VC_DEVICE_FEATURE));
	}
	CHECK(virtio_features(&disk.v) == f, "features change");
	return TEST_OK;
}

/** t_featsel - acknowledging words 2 and up must not spoil words 0 and 1. */
static int t_featsel(void)
{
	volatile uint8_t *c = disk.v.common;
	uint8_t st = VS_ACKNOWLEDGE | VS_DRIVER;

	CHECK(virtio_reset(&disk.v), "reset does not end");
	virtio_status_set(&disk.v, VS_ACKNOWLEDGE);
	virtio_status_set(&disk.v, st);
	mmio_w32(c + VC_DRIVER_FEATURE_SELECT, 1);
	mmio_w32(c + VC_DRIVER_FEATURE, (uint32_t)(VF_VERSION_1 >> 32));
	mmio_w32(c + VC_DRIVER_FEATURE_SELECT, 2);
	mmio_w32(c + VC_DRIVER_FEATURE, 0);
	mmio_w32(c + VC_DRIVER_FEATURE_SELECT, 0xffffffff);
	mmio_w32(c + VC_DRIVER_FEATURE, 0);
	mmio_w32(c + VC_DRIVER_FEATURE_SELECT, 1);
	CHECK(mmio_r32(c + VC_DRIVER_FEATURE) == VF_VERSION_1 >> 32,
	      "word 1 reads %x", mmio_r32(c + VC_DRIVER_FEATURE));
	virtio_status_set(&disk.v, st | VS_FEATURES_OK);
	CHECK(virtio_status(&disk.v) & VS_FEATURES_OK, "FEATURES_OK refused");
	return TEST_OK;
}

/** t_featbad - a feature that is not offered is not taken either. */
static int t_featbad(void)
{
	volatile uint8_t *c = disk.v.common;
	const char *bad;
	bool taken;

	CHECK(virtio_reset(&disk.v), "reset does not end");
	taken = virtio_negotiate(&disk.v, VF_VERSION_1 | NO_SUCH_FEATURE);
	mmio_w32(c + VC_DRIVER_FEATURE_SELECT, 1);
	CHECK(!taken || !test_strict(), "FEATURES_OK with feature 50, of %x",
	      mmio_r32(c + VC_DRIVER_FEATURE));
	bad = disk_start();
	CHECK(!bad, "%s", bad);
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** t_config - capacity and friends, at every width; writes do nothing. */
static int t_config(void)
{
	volatile uint8_t *g = disk.v.config;
	uint64_t want = args_u64("disk-sectors", 0), bytes = 0;
	const char *bad = disk_start();
	uint8_t gen = mmio_r8(disk.v.common + VC_GENERATION);
	uint32_t len = disk.v.cap[VCAP_DEVICE].bytes;

	CHECK(!bad, "%s", bad);
	CHECK(!want || disk.sectors == want, "%lu sectors, expected %lu",
	      disk.sectors, want);
	for (unsigned int i = 0; i < 8; i++)
		bytes |= (uint64_t)mmio_r8(g + i) << 8 * i;
	CHECK(bytes == disk.sectors, "by bytes: %lu sectors", bytes);
	CHECK(mmio_r16(g + 2) == (disk.sectors >> 16 & 0xffff), "by words: %x",
	      mmio_r16(g + 2));
	if (disk.features & BF_BLK_SIZE)
		CHECK(mmio_r32(g + 20) >= 512 && mmio_r32(g + 20) <= 4096,
		      "blk_size %u", mmio_r32(g + 20));
	if (disk.features & BF_SEG_MAX)
		CHECK(mmio_r32(g + 12) > 0, "seg_max is 0");
	mmio_w32(g, 0xffffffff);
	mmio_w8(g + 7, 0xff);
	CHECK(mmio_r32(g) == (uint32_t)disk.sectors, "capacity was written");
	for (uint32_t i = 0; i < len && i < 4096; i += i < 256 ? 1 : 64)
		(void)mmio_r8(g + i);
	(void)mmio_r32(g + len - 4);
	mmio_w32(g + len - 4, 0xffffffff);
	CHECK(mmio_r8(disk.v.common + VC_GENERATION) == gen,
	      "config_generation changes");
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** negotiate_only - up to FEATURES_OK, no queue set up. */
static const char *negotiate_only(void)
{
	uint64_t f;

	if (!virtio_reset(&disk.v))
		return "reset does not end";
	f = virtio_features(&disk.v);
	f &= VF_VERSION_1 | VF_EVENT_IDX | VF_INDIRECT;
	return virtio_negotiate(&disk.v, f) ? NULL : "FEATURES_OK refused";
}

/** t_queuesize - sizes of 0, no power of two, too large: no harm. */
static int t_queuesize(void)
{
	static const uint16_t sizes[] = {0, 3, 0x8000, 0xffff, 1};
	volatile uint8_t *c = disk.v.common;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		const char *bad = negotiate_only();
		uint16_t max;

		CHECK(!bad, "%s", bad);
		mmio_w16(c + VC_QUEUE_SELECT, 0);
		max = mmio_r16(c + VC_QUEUE_SIZE);
		CHECK(max && !(max & (max - 1)), "maximum size %u", max);
		mmio_w16(c + VC_QUEUE_SIZE, sizes[i]);
		CHECK(!test_strict() || mmio_r16(c + VC_QUEUE_SIZE) <= max,
		      "size %u is kept", sizes[i]);
		virtio_w64(c + VC_QUEUE_DESC, addr_of(dma));
		virtio_w64(c + VC_QUEUE_DRIVER, addr_of(dma) + 0x100000);
		virtio_w64(c + VC_QUEUE_DEVICE, addr_of(dma) + 0x200000);
		memset(dma, 0, sizeof(dma));
		dma[0x100002] = 1; /* one available head */
		mmio_w16(c + VC_QUEUE_ENABLE, 1);
		virtio_status_set(&disk.v, 0xf);
		mmio_w16(disk.v.notify, 0);
		delay_us(2000);
		bad = disk_start();
		CHECK(!bad, "after size %u: %s", sizes[i], bad);
		bad = disk_alive();
		CHECK(!bad, "after size %u: %s", sizes[i], bad);
	}
	return TEST_OK;
}

/** t_noqueue - a queue that does not exist: size 0, writes do nothing. */
static int t_noqueue(void)
{
	static const uint16_t none[] = {64, 0x7fff, 0xffff};
	volatile uint8_t *c = disk.v.common;
	const char *bad = disk_start();

	CHECK(!bad, "%s", bad);
	for (unsigned int i = 0; i < ARRAY_SIZE(none); i++) {
		if (none[i] < disk.queues_offered)
			continue;
		mmio_w16(c + VC_QUEUE_SELECT, none[i]);
		CHECK(mmio_r16(c + VC_QUEUE_SIZE) == 0, "queue %u has size %u",
		      none[i], mmio_r16(c + VC_QUEUE_SIZE));
		mmio_w16(c + VC_QUEUE_SIZE, 8);
		mmio_w16(c + VC_QUEUE_MSIX, 0);
		virtio_w64(c + VC_QUEUE_DESC, addr_of(dma));
		mmio_w16(c + VC_QUEUE_ENABLE, 1);
		mmio_w16(c + VC_QUEUE_RESET, 1);
	}
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** t_novector - a vector beyond the table reads back as NO_VECTOR. */
static int t_novector(void)
{
	volatile uint8_t *c = disk.v.common;
	const char *bad = negotiate_only();

	CHECK(!bad, "%s", bad);
	mmio_w16(c + VC_MSIX_CONFIG, disk.v.msix_cnt);
	CHECK(mmio_r16(c + VC_MSIX_CONFIG) == VIRTIO_NO_VECTOR,
	      "configuration: vector %u is taken", disk.v.msix_cnt);
	mmio_w16(c + VC_QUEUE_SELECT, 0);
	mmio_w16(c + VC_QUEUE_MSIX, 0x7fff);
	CHECK(mmio_r16(c + VC_QUEUE_MSIX) == VIRTIO_NO_VECTOR,
	      "queue 0: vector 0x7fff is taken");
	return TEST_OK;
}

static uint8_t page0[4096];

/** t_zeroaddr - rings at address 0: page 0 stays as it is. */
static int t_zeroaddr(void)
{
	volatile uint8_t *c = disk.v.common;
	const char *bad = negotiate_only();

	CHECK(!bad, "%s", bad);
	memcpy(page0, at_addr(0), sizeof(page0));
	mmio_w16(c + VC_QUEUE_SELECT, 0);
	mmio_w16(c + VC_QUEUE_ENABLE, 1);
	virtio_status_set(&disk.v, 0xf);
	mmio_w16(disk.v.notify, 0);
	delay_us(5000);
	CHECK(!memcmp(page0, at_addr(0), sizeof(page0)), "page 0 was written");
	bad = disk_start();
	CHECK(!bad, "%s", bad);
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** t_early - doorbells before DRIVER_OK and after reset do nothing. */
static int t_early(void)
{
	const char *bad = negotiate_only();

	CHECK(!bad, "%s", bad);
	for (uint16_t i = 0; i < 8; i++)
		mmio_w16(disk.v.notify, i);
	CHECK(!virtio_broken(&disk.v), "NEEDS_RESET");
	CHECK(virtio_reset(&disk.v), "reset does not end");
	mmio_w16(disk.v.notify, 0);
	bad = disk_start();
	CHECK(!bad, "%s", bad);
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

const struct test tests_transport[] = {
	{"features", t_features, TEST_DISK},
	{"featsel", t_featsel, TEST_DISK},
	{"featbad", t_featbad, TEST_DISK},
	{"config", t_config, TEST_DISK},
	{"queuesize", t_queuesize, TEST_DISK},
	{"noqueue", t_noqueue, TEST_DISK},
	{"novector", t_novector, TEST_DISK},
	{"zeroaddr", t_zeroaddr, TEST_DISK},
	{"early", t_early, TEST_DISK},
	{NULL, NULL, 0},
};
