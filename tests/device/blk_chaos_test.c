// SPDX-License-Identifier: Apache-2.0
/*
 * blk_chaos_test.c - what no table of cases thinks of: a guest that changes
 * rings, descriptors, indirect tables and headers while the device reads them,
 * a vmm that sends bursts of requests in any order without waiting. The device
 * answers each request once, stays inside guest memory and the image, leaks
 * nothing, and serves a good driver afterwards. CASES.md C10 and C27.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/device/blk_fixture.h"
#include "tests/support/unit/unit.h"

#define OP(name) BULKHEAD__BACKEND__OP__OP_##name
#define SECTOR 512u
#define DATA 4096u
#define SIZE 64u
#define ROUNDS 150u
#define BURST 12u

static const struct drvq_config chaos_mode = {SIZE, true, true};

/** chaos_cure() - after a reset, a good driver is served. */
static void chaos_cure(struct fixture *f, struct blkdrv *b)
{
	struct blkdrv_request r = {VIRTIO_BLK_T_IN, 9, SECTOR, 1};
	struct stat st;

	CU_ASSERT_EQUAL(testdev_reset(&f->dev), 0);
	CU_ASSERT_EQUAL(testdev_features(&f->dev, FIXTURE_FEATURES), 0);
	blkdrv_restart(b);
	CU_ASSERT_EQUAL(blkdrv_attach(b, &f->dev, 0), 0);
	CU_ASSERT_EQUAL(blkdrv_sync(b, &r), VIRTIO_BLK_S_OK);
	CU_ASSERT_EQUAL(fstat(f->image_fd, &st), 0);
	CU_ASSERT_EQUAL(st.st_size, FIXTURE_IMAGE_BYTES);
}

/**
 * struct scribbler - a guest's other processors
 * @seed: of what is written
 * @stop: ends the thread
 */
struct scribbler {
	struct guest *g;
	struct blkdrv *b;
	uint64_t seed;
	int stop;
};

/** scribble_desc() - a descriptor that is nearly right. */
static void scribble_desc(struct scribbler *s, struct vring_desc *d)
{
	static const uint32_t lens[] = {0,    1,     16,         48,
					512,  4096,  16 * 256,   0xffffffff,
					8192, 65536, 0x7ffff000, 513};
	uint64_t r = fixture_random(&s->seed);

	switch (r % 8) {
	case 0:
		d->addr = fixture_random(&s->seed) % (2 * s->g->bytes);
		break;
	case 1:
		d->addr = s->b->q.desc_gpa + r / 8 % 2048;
		break;
	case 2:
		d->len = lens[r / 8 % 12];
		break;
	case 3:
		d->flags = (uint16_t)(r / 8 % 8);
		break;
	case 4:
		d->next = (uint16_t)(r / 8 % (SIZE + 2));
		break;
	case 5:
		d->addr = s->b->q.indirect_gpa + r / 8 % 4096 * 8;
		d->flags = VRING_DESC_F_INDIRECT;
		d->len = 48;
		break;
	default:
		d->addr = s->b->slots[r / 8 % SIZE].header_gpa;
		d->len = 16;
		break;
	}
}

/** scribble() - the thread. */
static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	struct drvq *q = &s->b->q;
	struct vring_desc *table = guest_at(s->g, q->indirect_gpa);

	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		uint64_t r = fixture_random(&s->seed);
		struct virtio_blk_outhdr *h =
			guest_at(s->g, s->b->slots[r / 8 % SIZE].header_gpa);

		switch (r % 8) {
		case 0:
			scribble_desc(s, &q->desc[r / 8 % SIZE]);
			break;
		case 1:
			q->avail->ring[r / 8 % SIZE] = (uint16_t)(r / 8 % SIZE);
			break;
		case 2:
			q->avail->ring[SIZE] = (uint16_t)(r / 8);
			q->avail->flags = (uint16_t)(r / 8 % 2);
			break;
		case 3:
			h->type = (uint32_t)(r / 8 % 12);
			h->sector = r / 128 % 20000;
			break;
		case 4:
			q->used->ring[r / 8 % SIZE].id = (uint32_t)r;
			break;
		default:
			scribble_desc(s,
				      &table[r / 8 % SIZE * DRVQ_INDIRECT_MAX +
					     r / 1024 % 4]);
			break;
		}
	}
	return NULL;
}

/** chaos_kicks() - makes whatever lies in the ring available. */
static void chaos_kicks(struct fixture *f, struct blkdrv *b)
{
	for (uint32_t n = 0; n < 200; n++) {
		uint16_t used =
			__atomic_load_n(&b->q.used->idx, __ATOMIC_ACQUIRE);

		__atomic_store_n(&b->q.avail->idx, (uint16_t)(used + SIZE / 2),
				 __ATOMIC_RELEASE);
		drvq_kick(&b->q);
	}
	testdev_events(&f->dev);
}

static void test_scribble(void)
{
	struct fixture f;
	struct blkdrv b;
	pthread_t thread;
	int fds = 0;

	if (fixture_start(&f, &(struct fixture_config){0}) ||
	    fixture_blkdrv(&f, &b, &chaos_mode, SIZE, DATA)) {
		CU_FAIL("start");
		return;
	}
	struct scribbler s = {.g = &f.guest, .b = &b, .seed = 4711};

	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, scribble, &s), 0);
	for (uint32_t n = 0; n < ROUNDS; n++) {
		uint16_t position = 0;

		chaos_kicks(&f, &b);
		if (n % 3 == 0)
			CU_ASSERT_EQUAL(
				testdev_queue_stop(&f.dev, 0, &position), 0);
		CU_ASSERT_EQUAL_FATAL(testdev_reset(&f.dev), 0);
		CU_ASSERT_EQUAL_FATAL(
			testdev_features(&f.dev, FIXTURE_FEATURES), 0);
		b.q.used->idx = 0;
		b.q.avail->idx = 0;
		CU_ASSERT_EQUAL_FATAL(blkdrv_attach(&b, &f.dev, 0), 0);
		if (n == 10)
			fds = fixture_fd_cnt(f.dev.child.pid);
	}
	__atomic_store_n(&s.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(fixture_fd_cnt(f.dev.child.pid), fds);
	chaos_cure(&f, &b);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/** chaos_send() - one request of a burst. 0 or -errno. */
static int chaos_send(struct fixture *f, struct blkdrv *b, uint32_t op,
		      uint32_t id, uint64_t random)
{
	Bulkhead__Backend__QueueSet set = BULKHEAD__BACKEND__QUEUE_SET__INIT;
	Bulkhead__Backend__QueueStart start =
		BULKHEAD__BACKEND__QUEUE_START__INIT;
	Bulkhead__Backend__Features feat = BULKHEAD__BACKEND__FEATURES__INIT;
	Bulkhead__Backend__Reset reset = BULKHEAD__BACKEND__RESET__INIT;
	const int fds[2] = {b->q.kick_fd, b->q.call_fd};
	struct chan *c = &f->dev.backend;

	if (op == OP(RESET))
		return chan_send(c, op, id, &reset.base, NULL, 0);
	if (op == OP(FEATURES)) {
		feat.acked = random % 2 ? FIXTURE_FEATURES
					: FIXTURE_BIT(VIRTIO_F_VERSION_1);
		return chan_send(c, op, id, &feat.base, NULL, 0);
	}
	if (op == OP(QUEUE_SET)) {
		set.index = (uint32_t)(random % 3);
		set.size = random % 5 ? SIZE : (uint32_t)(random % 300);
		set.desc_gpa = b->q.desc_gpa;
		set.driver_gpa = b->q.avail_gpa;
		set.device_gpa = b->q.used_gpa;
		set.position = b->q.used->idx;
		return chan_send(c, op, id, &set.base, fds, 2);
	}
	/* QUEUE_STOP has the same field. */
	start.index = (uint32_t)(random % 3);
	return chan_send(c, op, id, &start.base, NULL, 0);
}

/** chaos_answers() - each of the ids from @first on is answered once. */
static bool chaos_answers(struct testdev *t, uint32_t first, uint32_t cnt)
{
	uint32_t seen = 0;

	for (uint32_t n = 0; n < cnt;) {
		struct pollfd p = {.fd = t->backend.fd, .events = POLLIN};
		struct frame fr;
		int rc = chan_recv(&t->backend, &fr);
		uint32_t at;

		if (rc == -EAGAIN && poll(&p, 1, 10000) == 1)
			continue;
		if (rc != 1)
			return false;
		fdset_close(&fr.fds);
		if (fr.header.id == 0)
			continue;
		at = fr.header.id - first;
		if (at >= cnt || seen & 1u << at)
			return false;
		seen |= 1u << at;
		n++;
	}
	return true;
}

/** chaos_burst() - @BURST requests, all sent before an answer is read. */
static bool chaos_burst(struct fixture *f, struct blkdrv *b, uint32_t first,
			uint64_t *seed)
{
	static const uint32_t ops[] = {OP(FEATURES),    OP(QUEUE_SET),
				       OP(QUEUE_START), OP(QUEUE_SET),
				       OP(QUEUE_START), OP(QUEUE_STOP),
				       OP(RESET)};

	if (first % 3 == 0)
		kill(f->dev.child.pid, SIGSTOP);
	for (uint32_t i = 0; i < BURST; i++) {
		uint64_t r = fixture_random(seed);
		uint32_t op = ops[r % 7];

		/* All others need features: a vmm asks for them first. */
		if (i == 0)
			op = OP(FEATURES);
		else if (op == OP(RESET) && i != BURST - 1)
			op = OP(QUEUE_START);
		if (chaos_send(f, b, op, first + i, r / 8) < 0)
			return false;
		drvq_kick(&b->q);
	}
	if (first % 3 == 0)
		kill(f->dev.child.pid, SIGCONT);
	return chaos_answers(&f->dev, first, BURST);
}

static void test_bursts(void)
{
	struct fixture f;
	struct blkdrv b;
	uint64_t seed = 99;
	uint32_t back = 0;
	int fds;

	if (fixture_start(&f, &(struct fixture_config){.queue_cnt = 2}) ||
	    fixture_blkdrv(&f, &b, &chaos_mode, SIZE, DATA)) {
		CU_FAIL("start");
		return;
	}
	for (uint32_t n = 0; n < 4 * ROUNDS; n++) {
		struct blkdrv_request r = {VIRTIO_BLK_T_IN, n, DATA, 4};
		struct blkdrv_done d;
		int slot = blkdrv_slot_free(&b);

		if (slot >= 0 && !blkdrv_add(&b, (uint32_t)slot, &r))
			drvq_publish(&b.q);
		CU_ASSERT_TRUE_FATAL(
			chaos_burst(&f, &b, 1000 + n * BURST, &seed));
		/* Also chains that were malformed without INDIRECT_DESC. */
		while (blkdrv_take(&b, false, 0, &d) == 0)
			back++;
	}
	CU_ASSERT(back > ROUNDS / 10);
	f.dev.next_id = 1u << 20;
	chaos_cure(&f, &b);
	fds = fixture_fd_cnt(f.dev.child.pid);
	for (int n = 0; n < 3; n++)
		chaos_cure(&f, &b);
	CU_ASSERT_EQUAL(fixture_fd_cnt(f.dev.child.pid), fds);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/** storm() - kicks without a pause. */
static void *storm(void *arg)
{
	struct scribbler *s = arg;
	const uint64_t one = 1;

	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		if (write(s->b->q.kick_fd, &one, sizeof(one)) < 0)
			return NULL;
	}
	return NULL;
}

/* A queue stops and starts while its kicks come all the time. */
static void test_kick_storm(void)
{
	struct fixture f;
	struct blkdrv b;
	pthread_t thread;

	if (fixture_start(&f, &(struct fixture_config){0}) ||
	    fixture_blkdrv(&f, &b, &chaos_mode, SIZE, DATA)) {
		CU_FAIL("start");
		return;
	}
	struct scribbler s = {.g = &f.guest, .b = &b};

	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, storm, &s), 0);
	for (uint32_t n = 0; n < 2 * ROUNDS; n++) {
		struct blkdrv_request r = {VIRTIO_BLK_T_IN, n, DATA, 1};
		uint16_t position = 0;

		CU_ASSERT_EQUAL_FATAL(blkdrv_sync(&b, &r), VIRTIO_BLK_S_OK);
		CU_ASSERT_EQUAL_FATAL(testdev_queue_stop(&f.dev, 0, &position),
				      0);
		CU_ASSERT_EQUAL(position, (uint16_t)(n + 1));
		CU_ASSERT_EQUAL_FATAL(testdev_queue_start(&f.dev, 0), 0);
	}
	__atomic_store_n(&s.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	chaos_cure(&f, &b);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/** chaos_started() - the device ends; had it answered @id with 0 before? */
static bool chaos_started(struct testdev *t, uint32_t id)
{
	struct pollfd p = {.fd = t->child.pidfd, .events = POLLIN};
	bool started = false;
	struct frame fr;

	CU_ASSERT_EQUAL(poll(&p, 1, 5000), 1);
	while (chan_recv(&t->backend, &fr) == 1) {
		Bulkhead__Backend__Reply *m;

		fdset_close(&fr.fds);
		m = bulkhead__backend__reply__unpack(NULL, fr.header.length,
						     fr.payload);
		started = started || (m && fr.header.id == id && !m->error);
		bulkhead__backend__reply__free_unpacked(m, NULL);
	}
	return started;
}

/* What the vmm asks in the round in which STOP comes is not begun. */
static void test_stop_then_start(void)
{
	for (uint32_t n = 0; n < 12; n++) {
		Bulkhead__Child__Stop stop = BULKHEAD__CHILD__STOP__INIT;
		const struct drvq_seg seg = {.gpa = 4096, .len = 16};
		struct fixture f;
		struct blkdrv b;

		if (fixture_start(&f, &(struct fixture_config){0}) ||
		    testdev_features(&f.dev, FIXTURE_FEATURES) ||
		    blkdrv_init(&b, &f.guest, &chaos_mode, 1, DATA)) {
			CU_FAIL("start");
			return;
		}
		CU_ASSERT(drvq_add(&b.q, &seg, 1) >= 0);
		drvq_publish(&b.q);
		kill(f.dev.child.pid, SIGSTOP);
		CU_ASSERT_EQUAL(chan_send(&f.dev.control,
					  BULKHEAD__CHILD__OP__OP_STOP, 0,
					  &stop.base, NULL, 0),
				0);
		for (uint32_t i = 0; i < 3; i++)
			CU_ASSERT_EQUAL(chaos_send(&f, &b,
						   i == 2 ? OP(QUEUE_START)
						   : i    ? OP(QUEUE_SET)
							  : OP(FEATURES),
						   700 + i, 3),
					0);
		kill(f.dev.child.pid, SIGCONT);
		/* It may see the vmm's requests first; then it is begun. */
		if (!chaos_started(&f.dev, 702))
			CU_ASSERT_EQUAL(b.q.used->idx, 0);
		CU_ASSERT_EQUAL(testdev_wait_exit(&f.dev, 5000), 0);
		blkdrv_fini(&b);
		fixture_free(&f);
	}
}

static const struct unit_case chaos_cases[] = {
	UNIT_CASE(test_scribble),
	UNIT_CASE(test_bursts),
	UNIT_CASE(test_kick_storm),
	UNIT_CASE(test_stop_then_start),
};

const struct unit_suite unit_suites[] = {
	{"blk chaos", chaos_cases, ARRAY_SIZE(chaos_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
