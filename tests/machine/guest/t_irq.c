// SPDX-License-Identifier: Apache-2.0
/*
 * Tests of completion: polling, MSI-X, masks and pending bits, suppression
 * (VIRTIO 1.2 sections 2.7.7, 4.1.5.1; PCI Local Bus 3.0 section 6.8.2).
 */
#include "test.h"

#define ROUNDS 64
#define IRQ_MS 2000

/** start_mode - with or without MSI-X, one queue, EVENT_IDX or not. */
static const char *start_mode(bool irq, bool event_idx)
{
	struct blk_opts o = {.irq = irq,
			     .queue_cnt = 1,
			     .without = event_idx ? 0 : VF_EVENT_IDX};

	return blk_start(&disk, &o);
}

/** wait_irq - until the vector's count moves on from @seen. */
static bool wait_irq(unsigned int vec, uint32_t seen)
{
	uint64_t end = deadline_ms(IRQ_MS);

	while (irq_count[vec] == seen && !deadline_over(end))
		cpu_wait(&irq_count[vec], seen);
	return irq_count[vec] != seen;
}

/** wait_used - until a used element is there, by looking. */
static bool wait_used(struct vq *q)
{
	uint64_t end = deadline_ms(IRQ_MS);

	while (!vq_has_used(q) && !deadline_over(end))
		cpu_relax();
	return vq_has_used(q);
}

/** submit_one - a read of one sector that nobody waits for yet. */
static bool submit_one(struct vq *q)
{
	struct blk_io io = {
		.type = BT_IN, .sector = 3, .data = dma, .bytes = SECTOR_BYTES};

	return blk_submit(q, &io) >= 0;
}

/** finish - takes all used elements; how many. */
static unsigned int finish(struct vq *q)
{
	unsigned int n = 0;

	while (vq_pop(q, NULL) >= 0)
		n++;
	return n;
}

/** t_poll - no interrupt wanted, none comes. */
static int t_poll(void)
{
	for (int event = 0; event < 2; event++) {
		const char *bad = start_mode(true, event);
		struct vq *q = &disk.q[0];
		uint32_t n;

		CHECK(!bad, "%s", bad);
		q->irq_vec = 0;
		vq_irq_want(q, false);
		/* A device may signal the very first one with EVENT_IDX. */
		bad = disk_alive();
		vq_irq_want(q, false);
		delay_us(1000);
		n = irq_count[BLK_VEC_QUEUE(0)];
		for (int i = 0; i < ROUNDS && !bad; i++) {
			bad = disk_alive();
			vq_irq_want(q, false);
		}
		delay_us(1000);
		CHECK(!bad, "%s", bad);
		n = irq_count[BLK_VEC_QUEUE(0)] - n;
		CHECK(!test_strict() ? n < ROUNDS / 2 : n <= 1,
		      "event_idx=%d: %u interrupts that nobody wants", event,
		      n);
	}
	return TEST_OK;
}

/** t_msix - every completion brings its interrupt; none is lost. */
static int t_msix(void)
{
	for (int event = 0; event < 2; event++) {
		const char *bad = start_mode(true, event);
		struct vq *q = &disk.q[0];

		CHECK(!bad, "%s", bad);
		for (int i = 0; i < ROUNDS; i++) {
			uint32_t seen = irq_count[q->irq_vec];

			vq_irq_want(q, true);
			CHECK(submit_one(q), "ring full");
			CHECK(wait_irq(q->irq_vec, seen),
			      "event_idx=%d: no interrupt in round %d, used %s",
			      event, i, vq_has_used(q) ? "yes" : "no");
			CHECK(wait_used(q), "interrupt, but nothing used");
			CHECK(finish(q) == 1, "more or less than one used");
		}
	}
	return TEST_OK;
}

/** t_masked - a masked vector keeps its message; unmasking sends it. */
static int t_masked(void)
{
	const char *bad = start_mode(true, false);
	struct vq *q = &disk.q[0];

	CHECK(!bad, "%s", bad);
	for (int i = 0; i < 4; i++) {
		uint32_t seen = irq_count[q->irq_vec];
		bool all = i & 1; /* function mask or the vector's own */

		if (all)
			msix_enable(&disk.v, true, true);
		else
			msix_mask(&disk.v, 1, true);
		CHECK(submit_one(q), "ring full");
		CHECK(wait_used(q), "masked: nothing used");
		delay_us(3000);
		CHECK(irq_count[q->irq_vec] == seen, "masked, but it came");
		CHECK(msix_pending(&disk.v, 1), "masked: no pending bit");
		if (all)
			msix_enable(&disk.v, true, false);
		else
			msix_mask(&disk.v, 1, false);
		CHECK(wait_irq(q->irq_vec, seen), "unmasked: no interrupt");
		CHECK(!msix_pending(&disk.v, 1), "the pending bit stays");
		CHECK(finish(q) == 1, "more or less than one used");
		delay_us(1000);
		CHECK(irq_count[q->irq_vec] == seen + 1, "%u interrupts",
		      irq_count[q->irq_vec] - seen);
	}
	return TEST_OK;
}

/** t_unmask - unmasking with nothing pending sends nothing. */
static int t_unmask(void)
{
	const char *bad = start_mode(true, false);
	uint32_t seen;

	CHECK(!bad, "%s", bad);
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	delay_us(1000);
	seen = irq_count[disk.q[0].irq_vec];
	for (int i = 0; i < 8; i++) {
		msix_mask(&disk.v, 1, true);
		msix_mask(&disk.v, 1, false);
	}
	delay_us(3000);
	CHECK(irq_count[disk.q[0].irq_vec] == seen, "%u interrupts from none",
	      irq_count[disk.q[0].irq_vec] - seen);
	return TEST_OK;
}

/** t_retarget - a new address and vector count from the next message on. */
static int t_retarget(void)
{
	const char *bad = start_mode(true, false);
	struct vq *q = &disk.q[0];

	CHECK(!bad, "%s", bad);
	for (unsigned int i = 0; i < 6; i++) {
		uint8_t vec = (uint8_t)(VEC_WHERE + i);
		unsigned int cpu = i % cpu_cnt;
		uint32_t seen = irq_count[vec];

		msix_set(&disk.v, 1, smp_apic_id(cpu), vec);
		CHECK(submit_one(q), "ring full");
		CHECK(wait_used(q), "nothing used");
		for (int t = 0; t < 200 && irq_count[vec] == seen; t++)
			delay_us(1000);
		CHECK(irq_count[vec] == seen + 1, "vector %x: %u interrupts",
		      vec, irq_count[vec] - seen);
		delay_us(100); /* count comes before where */
		CHECK(irq_where[vec] >> 24 == smp_apic_id(cpu),
		      "vector %x went to APIC id %u, not %u", vec,
		      irq_where[vec] >> 24, smp_apic_id(cpu));
		CHECK(finish(q) == 1, "more or less than one used");
	}
	return TEST_OK;
}

/** t_eventidx - an interrupt at the used index asked for, not before. */
static int t_eventidx(void)
{
	const char *bad = start_mode(true, true);
	struct vq *q = &disk.q[0];
	uint32_t seen;

	CHECK(!bad, "%s", bad);
	if (!(disk.features & VF_EVENT_IDX))
		return test_skip("EVENT_IDX is not offered");
	bad = disk_alive();
	CHECK(!bad, "%s", bad);
	delay_us(2000);
	for (int round = 0; round < 4; round++) {
		seen = irq_count[q->irq_vec];
		*vq_used_event(q) = (uint16_t)(q->used_idx + 7);
		mem_fence();
		for (int i = 0; i < 8; i++) {
			CHECK(submit_one(q), "ring full");
			CHECK(wait_used(q), "nothing used");
			CHECK(finish(q) == 1, "more or less than one used");
			if (i == 6) {
				delay_us(1000);
				CHECK(irq_count[q->irq_vec] == seen,
				      "an interrupt before the one asked for");
			}
		}
		CHECK(wait_irq(q->irq_vec, seen), "no interrupt at the event");
	}
	return TEST_OK;
}

/** t_isr - reading the ISR register costs no MSI-X interrupt. */
static int t_isr(void)
{
	const char *bad = start_mode(true, false);
	struct vq *q = &disk.q[0];

	CHECK(!bad, "%s", bad);
	for (int i = 0; i < 4; i++) {
		uint32_t seen = irq_count[q->irq_vec];

		(void)mmio_r8(disk.v.isr);
		CHECK(submit_one(q), "ring full");
		CHECK(wait_irq(q->irq_vec, seen), "no interrupt, round %d", i);
		(void)mmio_r8(disk.v.isr);
		CHECK(wait_used(q) && finish(q) == 1, "nothing used");
	}
	return TEST_OK;
}

const struct test tests_irq[] = {
	{"poll", t_poll, TEST_DISK},
	{"msix", t_msix, TEST_DISK},
	{"masked", t_masked, TEST_DISK},
	{"unmask", t_unmask, TEST_DISK},
	{"retarget", t_retarget, TEST_DISK},
	{"eventidx", t_eventidx, TEST_DISK},
	{"isr", t_isr, TEST_DISK},
	{NULL, NULL, 0},
};
