// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_pci_fuzz.c - a guest does anything to a virtio-pci function while its
 * device process answers, refuses, pushes and fails. After each step: queues
 * have sane sizes, enabled ones lie in RAM, doorbells are where the BAR is, and
 * a job is only given out when none is open.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/vmm/virtio_fake.h"

#define STEPS_MAX 512

/* One step as it lies in the input, little-endian. */
struct step {
	uint8_t what;
	uint8_t width;
	uint16_t where;
	uint64_t value;
} __attribute__((packed));

static struct fake f;
static struct virtio_job job;
static bool job_open;

static void need(bool ok)
{
	if (!ok)
		abort();
}

/* Addresses near the registers are worth more than others. */
static uint32_t bar_offset(uint16_t where)
{
	return where % VIRTIO_PCI_BAR_BYTES;
}

static void job_step(uint64_t value)
{
	struct virtio_job next;

	if (job_open) {
		need(!virtio_pci_job_next(&f.vp, &next));
		(void)(virtio_pci_job_done(&f.vp, &job, value & 7) == 0);
		job_open = false;
		return;
	}
	job_open = virtio_pci_job_next(&f.vp, &job);
	if (!job_open)
		return;
	need(job.queue < f.vp.queue_cnt);
	need(!(job.features & ~f.vp.offered));
	if (job.kind == VIRTIO_JOB_CONFIG_WRITE)
		need(job.write.len <= 8 &&
		     job.write.offset + job.write.len <= f.vp.config_writable);
}

static void device_step(uint64_t value)
{
	uint8_t config[VIRTIO_PCI_CONFIG_MAX];

	memset(config, (int)(value & 0xff), sizeof(config));
	switch (value >> 8 & 3) {
	case 0:
		(void)(virtio_pci_config_push(&f.vp, config,
					      value >> 16 & 31) == 0);
		break;
	case 1:
		virtio_pci_needs_reset(&f.vp);
		break;
	case 2:
		if ((value >> 16 & 0xff) == 0xa5)
			virtio_pci_fail(&f.vp);
		break;
	default:
		break;
	}
}

static void step_do(const struct step *s)
{
	uint32_t width = 1u << (s->width & 3);

	switch (s->what % 7) {
	case 0:
		(void)fake_rd(&f, bar_offset(s->where), width);
		break;
	case 1:
	case 2:
		fake_wr(&f, bar_offset(s->where), width, s->value);
		break;
	case 3:
		(void)fake_cfg_rd(&f, s->where & 0xfff, width);
		break;
	case 4:
		fake_cfg_wr(&f, s->where & 0xfff, width, (uint32_t)s->value);
		break;
	case 5:
		job_step(s->value);
		break;
	default:
		device_step(s->value);
		break;
	}
}

static void check(void)
{
	need(f.bad == 0);
	for (uint32_t i = 0; i < f.vp.queue_cnt; i++) {
		const struct virtio_queue *q = &f.vp.queue[i];
		uint64_t want = f.vp.func.bar_gpa + VIRTIO_PCI_NOTIFY_OFFSET +
				i * VIRTIO_PCI_NOTIFY_STRIDE;
		uint64_t offset;

		need(q->size && q->size <= q->size_max &&
		     !(q->size & (q->size - 1)));
		need(f.doorbell[i] == q->doorbell_gpa);
		need(!q->doorbell_gpa ||
		     (f.vp.func.bar_gpa && q->doorbell_gpa == want));
		if (q->enabled)
			need(memtable_find(&f.ram, q->ring[VIRTIO_RING_DESC],
					   16ULL * q->size, &offset) == 0);
	}
	need(!f.vp.reset_wanted || f.vp.status != 0);
	need(f.vp.write_cnt <= VIRTIO_PCI_WRITES_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct step s;

	fake_init(&f);
	job_open = false;
	/* Half of the inputs begin with a device that runs. */
	if (size && (data[0] & 0x80))
		fake_start(&f);
	for (int i = 0; i < STEPS_MAX && size >= sizeof(s); i++) {
		memcpy(&s, data, sizeof(s));
		data += sizeof(s);
		size -= sizeof(s);
		step_do(&s);
		check();
	}
	fake_fini(&f);
	return 0;
}
