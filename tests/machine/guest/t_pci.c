// SPDX-License-Identifier: Apache-2.0
/*
 * Tests of PCI: configuration space, capabilities, BARs that are sized and
 * moved while the device works.
 */
#include "acpi.h"
#include "test.h"

#define CHIPS_START 0xfec00000ull /* IOAPIC, LAPIC, MSI, firmware */

/** t_probe - identity and structures of the block device. */
static int t_probe(void)
{
	const struct virtio_dev *v = &disk.v;
	volatile uint8_t *cfg = v->fn->cfg;
	const char *bad;

	CHECK(mmio_r8(cfg + 8) >= 1, "revision %u", mmio_r8(cfg + 8));
	CHECK(v->cap[VCAP_COMMON].bytes >= 56, "common structure: %u bytes",
	      v->cap[VCAP_COMMON].bytes);
	CHECK(v->cap[VCAP_COMMON].offset % 4 == 0, "common structure odd");
	CHECK(v->cap[VCAP_NOTIFY].offset % 2 == 0, "notify structure odd");
	CHECK((v->notify_mult & (v->notify_mult - 1)) == 0 &&
		      v->notify_mult != 1,
	      "notify_off_multiplier %u", v->notify_mult);
	CHECK(v->cap[VCAP_DEVICE].bytes >= 36, "device structure: %u bytes",
	      v->cap[VCAP_DEVICE].bytes);
	bad = disk_start();
	CHECK(!bad, "%s", bad);
	for (uint16_t n = 0; n < disk.queues_offered; n++) {
		uint16_t off;

		mmio_w16(v->common + VC_QUEUE_SELECT, n);
		off = mmio_r16(v->common + VC_QUEUE_NOTIFY_OFF);
		CHECK((uint64_t)off * v->notify_mult + 2 <=
			      v->cap[VCAP_NOTIFY].bytes,
		      "queue %u: doorbell beyond its structure", n);
	}
	CHECK(!test_strict() || disk.queues_offered == 1 || v->notify_mult,
	      "all queues share one doorbell");
	print("guest: features=%lx queues=%u sectors=%lu vectors=%u\n",
	      disk.offered, disk.queues_offered, disk.sectors, v->msix_cnt);
	return TEST_OK;
}

/** t_absent - what is not there reads as all ones, and writes do nothing. */
static int t_absent(void)
{
	bool dev_free = true;
	volatile uint8_t *cfg = at_addr(acpi.ecam + (30u << 15));

	for (unsigned int i = 0; i < pci_fn_cnt; i++)
		dev_free &= pci_fns[i].bdf >> 3 != 30;
	if (!dev_free)
		return test_skip("slot 30 is in use");
	mmio_w32(cfg + PCI_BAR(0), 0x12345678);
	CHECK(mmio_r32(cfg) == 0xffffffff, "slot 30 reads %x", mmio_r32(cfg));
	CHECK(mmio_r8(cfg + 0xfff) == 0xff, "slot 30: end reads %x",
	      mmio_r8(cfg + 0xfff));
	CHECK(mmio_r16(pci_fns[0].cfg) == pci_fns[0].vendor,
	      "host bridge gone");
	return TEST_OK;
}

/** t_pcicfg - the window in configuration space, VIRTIO 1.2 4.1.4.9. */
static int t_pcicfg(void)
{
	const struct virtio_dev *v = &disk.v;
	const struct virtio_cap *c = &v->cap[VCAP_COMMON];
	volatile uint8_t *w = v->fn->cfg + v->cap[VCAP_PCI].pos;
	uint16_t direct = mmio_r16(v->common + VC_NUM_QUEUES);

	CHECK(v->cap[VCAP_PCI].pos, "no PCI configuration access capability");
	mmio_w8(w + 4, c->bar);
	mmio_w32(w + 8, c->offset + VC_NUM_QUEUES);
	mmio_w32(w + 12, 2);
	CHECK(mmio_r16(w + 16) == direct, "num_queues: %u, directly %u",
	      mmio_r16(w + 16), direct);
	mmio_w32(w + 8, c->offset + VC_QUEUE_SELECT);
	mmio_w16(v->common + VC_QUEUE_SELECT, 0);
	mmio_w16(w + 16, 1);
	CHECK(mmio_r16(v->common + VC_QUEUE_SELECT) == 1,
	      "a write by the window is lost");
	/* Beyond the BAR: no effect asked, but no harm either. */
	mmio_w32(w + 8, 0xfffffff0);
	mmio_w32(w + 12, 4);
	mmio_w32(w + 16, 0xffffffff);
	(void)mmio_r32(w + 16);
	CHECK(mmio_r16(v->common + VC_NUM_QUEUES) == direct, "device is gone");
	return TEST_OK;
}

/** all_ones - write all ones to every BAR and put it back; @decode stays on? */
static void all_ones(struct pci_fn *fn, bool decode)
{
	uint16_t on = PCI_COMMAND_MEM | PCI_COMMAND_MASTER;

	if (!decode)
		pci_command(fn, PCI_COMMAND_MASTER);
	for (unsigned int n = 0; n < PCI_BARS; n++) {
		uint32_t was = mmio_r32(fn->cfg + PCI_BAR(n));

		mmio_w32(fn->cfg + PCI_BAR(n), 0xffffffff);
		(void)mmio_r32(fn->cfg + PCI_BAR(n));
		mmio_w32(fn->cfg + PCI_BAR(n), was);
	}
	pci_command(fn, on);
}

/** t_barsize - sizing BARs leaves doorbells and interrupts alone. */
static int t_barsize(void)
{
	struct pci_fn *fn = disk.v.fn;
	const char *bad = disk_start();

	for (unsigned int n = 0; n < PCI_BARS; n++) {
		uint64_t addr = pci_bar_read(fn, n), bytes = fn->bar[n].bytes;

		if (!bytes)
			continue;
		pci_bar_size(fn, n);
		CHECK(fn->bar[n].bytes == bytes, "BAR %u: size was %lx, is %lx",
		      n, bytes, fn->bar[n].bytes);
		CHECK(pci_bar_read(fn, n) == addr, "BAR %u has moved", n);
	}
	for (int i = 0; i < 4 && !bad; i++) {
		all_ones(fn, i & 1);
		bad = disk_alive();
	}
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** target_ok - neither RAM, nor a BAR, nor where the interrupt chips are. */
static bool target_ok(uint64_t addr, uint64_t bytes)
{
	return pci_addr_free(addr, bytes) && !boot_is(addr, bytes, BOOT_RAM) &&
	       (addr + bytes <= CHIPS_START || addr >= 1ull << 32);
}

/** move_target - a free place near the BAR; bar-target= names another. */
static uint64_t move_target(const struct pci_bar *b)
{
	uint64_t t = args_u64("bar-target", 0);

	for (uint64_t i = 1; i <= 64 && !t; i++) {
		if (target_ok(b->addr + i * b->bytes, b->bytes))
			t = b->addr + i * b->bytes;
		else if (target_ok(b->addr - i * b->bytes, b->bytes))
			t = b->addr - i * b->bytes;
	}
	return t;
}

/** move - BAR @n to @addr; @decode: without switching decoding off. */
static const char *move(unsigned int n, uint64_t addr, bool decode)
{
	struct pci_fn *fn = disk.v.fn;
	uint64_t was = fn->bar[n].addr;
	struct virtio_dev *v = &disk.v;
	uint32_t queues = mmio_r32(v->common + VC_NUM_QUEUES), old;

	if (!page_map(addr, fn->bar[n].bytes, true))
		return "cannot map the new place";
	if (!decode)
		pci_command(fn, PCI_COMMAND_MASTER);
	pci_bar_write(fn, n, addr);
	pci_command(fn, PCI_COMMAND_MEM | PCI_COMMAND_MASTER);
	virtio_remap(v);
	if (pci_bar_read(fn, n) != addr)
		return "the BAR does not keep its new address";
	if (mmio_r32(v->common + VC_NUM_QUEUES) != queues)
		return "no answer at the new address";
	old = mmio_r32(
		at_addr(was + v->cap[VCAP_COMMON].offset + VC_NUM_QUEUES));
	if (v->cap[VCAP_COMMON].bar == n &&
	    (old == queues || (test_strict() && old != 0xffffffff)))
		return "the old address still answers";
	for (uint16_t i = 0; i < disk.queue_cnt; i++) {
		mmio_w16(v->common + VC_QUEUE_SELECT, i);
		disk.q[i].door =
			v->notify +
			(uint64_t)v->notify_mult *
				mmio_r16(v->common + VC_QUEUE_NOTIFY_OFF);
	}
	return disk_alive();
}

/** t_barmove - doorbells and MSI-X follow the BAR, there and back. */
static int t_barmove(void)
{
	struct pci_fn *fn = disk.v.fn;
	const char *bad = disk_start();

	for (unsigned int n = 0; n < PCI_BARS; n++) {
		struct pci_bar *b = &fn->bar[n];
		uint64_t home = b->addr, target;

		if (!b->mem || !b->bytes)
			continue;
		target = move_target(b);
		CHECK(target, "BAR %u: no free place", n);
		for (int i = 0; i < 4 && !bad; i++)
			bad = move(n, i & 1 ? home : target, i & 2);
		if (bad && b->addr != home)
			(void)move(n, home, false);
		CHECK(!bad, "BAR %u, %lx to %lx: %s", n, home, target, bad);
	}
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

/** t_decodeoff - with decoding off nothing answers; on again all works. */
static int t_decodeoff(void)
{
	struct pci_fn *fn = disk.v.fn;
	const char *bad = disk_start();
	uint32_t on = mmio_r32(disk.v.common + VC_NUM_QUEUES), off;

	CHECK(!bad, "%s", bad);
	pci_command(fn, PCI_COMMAND_MASTER);
	off = mmio_r32(disk.v.common + VC_NUM_QUEUES);
	pci_command(fn, PCI_COMMAND_MEM | PCI_COMMAND_MASTER);
	CHECK(off != on && (off == 0xffffffff || !test_strict()),
	      "answers %x with decoding off", off);
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	return TEST_OK;
}

const struct test tests_pci[] = {
	{"probe", t_probe, TEST_DISK},
	{"absent", t_absent, 0},
	{"pcicfg", t_pcicfg, TEST_DISK},
	{"barsize", t_barsize, TEST_DISK},
	{"barmove", t_barmove, TEST_DISK},
	{"decodeoff", t_decodeoff, TEST_DISK},
	{NULL, NULL, 0},
};
