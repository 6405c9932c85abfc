// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: virtio-blk driver (VIRTIO 1.2 section 5.2).
 */
#include "blk.h"

#include "cpu.h"

static uint8_t rings[BLK_QUEUES_MAX][VQ_BYTES] __attribute__((aligned(4096)));
static struct blk_slot slots[BLK_QUEUES_MAX][VQ_SIZE_MAX]
	__attribute__((aligned(4096)));

struct blk_slot *blk_slot(const struct vq *q, unsigned int head)
{
	return &slots[q->idx][head];
}

const char *blk_queue_start(struct blk *b, uint16_t n, uint16_t size)
{
	volatile uint8_t *c = b->v.common;
	struct vq *q = &b->q[n];
	uint16_t max;

	mmio_w16(c + VC_QUEUE_SELECT, n);
	max = mmio_r16(c + VC_QUEUE_SIZE);
	if (!max)
		return "a queue below num_queues has size 0";
	if (!size)
		size = max < VQ_SIZE_MAX ? max : VQ_SIZE_MAX;
	vq_init(q, n, size, rings[n]);
	q->event_idx = b->features & VF_EVENT_IDX;
	q->door = b->v.notify + (uint64_t)b->v.notify_mult *
					mmio_r16(c + VC_QUEUE_NOTIFY_OFF);
	mmio_w16(c + VC_QUEUE_SIZE, size);
	virtio_w64(c + VC_QUEUE_DESC, addr_of(q->desc));
	virtio_w64(c + VC_QUEUE_DRIVER, addr_of(q->avail));
	virtio_w64(c + VC_QUEUE_DEVICE, addr_of(q->used));
	if (b->irq) {
		uint32_t cpu = n < cpu_cnt ? n : 0;

		msix_set(&b->v, n + 1u, smp_apic_id(cpu), BLK_VEC_QUEUE(n));
		mmio_w16(c + VC_QUEUE_MSIX, (uint16_t)(n + 1));
		if (mmio_r16(c + VC_QUEUE_MSIX) != n + 1)
			return "a queue's MSI-X vector is refused";
		q->irq_vec = BLK_VEC_QUEUE(n);
	}
	vq_irq_want(q, b->irq);
	mmio_w16(c + VC_QUEUE_ENABLE, 1);
	return NULL;
}

/** blk_start_irq - MSI-X on, configuration changes on vector 0. */
static const char *blk_start_irq(struct blk *b)
{
	msix_enable(&b->v, b->irq, false);
	if (!b->irq)
		return NULL;
	if (b->v.msix_cnt < b->queue_cnt + 1)
		return "fewer MSI-X vectors than queues + 1";
	msix_set(&b->v, 0, smp_apic_id(0), BLK_VEC_CONFIG);
	mmio_w16(b->v.common + VC_MSIX_CONFIG, 0);
	if (mmio_r16(b->v.common + VC_MSIX_CONFIG) != 0)
		return "the configuration's MSI-X vector is refused";
	return NULL;
}

const char *blk_start(struct blk *b, const struct blk_opts *o)
{
	uint64_t known = VF_VERSION_1 | VF_EVENT_IDX | VF_INDIRECT |
			 VF_RING_RESET | BF_SEG_MAX | BF_RO | BF_BLK_SIZE |
			 BF_FLUSH | BF_MQ;
	volatile uint8_t *c = b->v.common;
	const char *bad;

	if (!virtio_reset(&b->v))
		return "reset does not end";
	b->offered = virtio_features(&b->v);
	b->features = b->offered & known & ~o->without;
	if (!(b->features & VF_VERSION_1))
		return "VERSION_1 is not offered";
	if (!virtio_negotiate(&b->v, b->features))
		return "FEATURES_OK is refused";
	b->sectors = mmio_r32(b->v.config) | (uint64_t)mmio_r32(b->v.config + 4)
						     << 32;
	b->queues_offered = mmio_r16(c + VC_NUM_QUEUES);
	b->queue_cnt = b->features & BF_MQ ? mmio_r16(b->v.config + 34) : 1;
	if (!b->queue_cnt || b->queue_cnt > b->queues_offered)
		return "num_queues does not fit";
	if (b->queue_cnt > BLK_QUEUES_MAX)
		b->queue_cnt = BLK_QUEUES_MAX;
	if (b->queue_cnt > cpu_cnt)
		b->queue_cnt = (uint16_t)cpu_cnt;
	if (o->queue_cnt && o->queue_cnt < b->queue_cnt)
		b->queue_cnt = o->queue_cnt;
	b->irq = o->irq;
	bad = blk_start_irq(b);
	for (uint16_t n = 0; n < b->queue_cnt && !bad; n++)
		bad = blk_queue_start(b, n, o->size);
	if (bad)
		return bad;
	virtio_status_set(&b->v, VS_ACKNOWLEDGE | VS_DRIVER | VS_FEATURES_OK |
					 VS_DRIVER_OK);
	if (virtio_status(&b->v) & (VS_NEEDS_RESET | VS_FAILED))
		return "the device fails at DRIVER_OK";
	return NULL;
}

/** blk_chain - descriptors of a request; returns their number. */
static unsigned int blk_chain(struct vq_desc *d, struct blk_slot *s,
			      const struct blk_io *io)
{
	unsigned int segs = io->segs ? io->segs : 1, n = 0;
	uint16_t dir = io->type == BT_OUT ? 0 : VD_WRITE;
	uint32_t done = 0;

	d[n++] = (struct vq_desc){.addr = addr_of(s), .len = 16};
	for (unsigned int i = 0; i < segs && io->bytes; i++) {
		uint32_t left = io->bytes - done;
		/* Uneven pieces: 1, 3, 5... bytes off the even share. */
		uint32_t len =
			i + 1 == segs ? left : io->bytes / segs - (2 * i + 1);

		d[n++] = (struct vq_desc){.addr = addr_of(io->data) + done,
					  .len = len,
					  .flags = dir};
		done += len;
	}
	d[n++] = (struct vq_desc){
		.addr = addr_of(&s->status), .len = 1, .flags = VD_WRITE};
	return n;
}

int blk_submit(struct vq *q, const struct blk_io *io)
{
	/* The head that vq_add will take is known beforehand. */
	struct blk_slot *s = blk_slot(q, q->free_head);
	struct vq_desc list[BLK_SEGS_MAX + 2];
	unsigned int cnt;
	int head;

	if (!q->free_cnt || io->segs > BLK_SEGS_MAX)
		return -1;
	s->type = io->type;
	s->reserved = 0;
	s->sector = io->sector;
	s->status = BS_NONE;
	cnt = blk_chain(io->indirect ? s->table : list, s, io);
	for (unsigned int i = 0; io->indirect && i + 1 < cnt; i++) {
		s->table[i].flags |= VD_NEXT;
		s->table[i].next = (uint16_t)(i + 1);
	}
	if (io->indirect) {
		list[0] =
			(struct vq_desc){.addr = addr_of(s->table),
					 .len = cnt * (uint32_t)sizeof(list[0]),
					 .flags = VD_INDIRECT};
		cnt = 1;
	}
	head = vq_add(q, list, cnt);
	if (head < 0)
		return head;
	vq_expose(q, (uint16_t)head);
	vq_kick(q);
	return head;
}

int blk_next(struct vq *q, uint32_t *ret_len, uint64_t timeout_ms)
{
	uint64_t end = deadline_ms(timeout_ms);

	for (;;) {
		uint32_t seen = irq_count[q->irq_vec];
		int head = vq_pop(q, ret_len);

		if (head == -1 && q->irq_vec) {
			vq_irq_want(q, true);
			head = vq_pop(q, ret_len);
		}
		if (head >= 0)
			return head;
		if (head != -1 || deadline_over(end))
			return BLK_LOST;
		if (q->irq_vec)
			cpu_wait(&irq_count[q->irq_vec], seen);
		else
			cpu_relax();
	}
}

int blk_do(struct vq *q, const struct blk_io *io)
{
	int head = blk_submit(q, io);

	if (head < 0 || blk_next(q, NULL, BLK_WAIT_MS) != head)
		return BLK_LOST;
	return blk_slot(q, (unsigned int)head)->status;
}
