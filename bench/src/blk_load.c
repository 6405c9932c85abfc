// SPDX-License-Identifier: Apache-2.0
/*
 * blk_load.c - a steady load on one block queue; see blk_load.h. Runs in
 * measuring programs.
 *
 * Theory of operation: the stream keeps @depth requests in flight. Each one
 * that comes back is checked (status, length, first bytes: a stale buffer does
 * not have those of another offset) and replaced by the next. What is counted
 * is what comes back while the window is open. Every byte is compared in a
 * round of its own afterwards, where time does not count.
 */
#include "bench/src/blk_load.h"

#include <errno.h>
#include <linux/virtio_blk.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/src/blk_pattern.h"
#include "bench/src/proc_state.h"

#define LOAD_SECTOR 512u
#define LOAD_WAIT_MS 10000
/* One latency a request; more than any window of a sample holds. */
#define LOAD_LATENCIES_MAX (16u << 20)
#define LOAD_VERIFY_ROUNDS 64u

/**
 * struct load_flight - a request in flight
 */
struct load_flight {
	uint64_t offset;
	uint64_t since_ns;
};

/**
 * struct load_run - a stream
 * @flight: by slot
 * @next: offset of the next sequential request
 * @latency: owned, of the cnt requests that came back while @recording
 * @compare: every byte of what is read
 */
struct load_run {
	const struct blk_load *l;
	struct load_flight flight[BLK_LOAD_DEPTH_MAX];
	uint32_t in_flight;
	uint64_t random;
	uint64_t next;
	uint32_t *latency;
	uint64_t cnt;
	bool recording;
	bool compare;
	uint64_t compared;
	const char *why;
};

/** struct load_counts - what is read at both ends of the window. */
struct load_counts {
	uint64_t mono_ns;
	uint64_t device_cpu_ns;
	uint64_t driver_cpu_ns;
	uint64_t waited_ns;
	uint64_t kicks;
	uint64_t calls;
	uint64_t wakes;
};

static uint64_t load_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* load_fail() - notes what and hands on @error. */
static int load_fail(struct load_run *r, int error, const char *why)
{
	if (!r->why)
		r->why = why;
	return error;
}

/* load_offset() - where the next request goes. */
static uint64_t load_offset(struct load_run *r)
{
	uint64_t places = r->l->image_bytes / r->l->size_bytes;
	uint64_t at = r->next;

	if (!r->l->random) {
		r->next = (r->next + 1) % places;
		return at * r->l->size_bytes;
	}
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random % places * r->l->size_bytes;
}

/* load_add() - one more request, not yet visible. 0 or -errno. */
static int load_add(struct load_run *r)
{
	const struct blk_load *l = r->l;
	int slot = blkdrv_slot_free(l->b);
	struct blkdrv_request q = {
		.type = l->write ? VIRTIO_BLK_T_OUT : VIRTIO_BLK_T_IN,
		.data_bytes = l->size_bytes,
		.segs = 1,
	};
	uint64_t offset;

	if (slot < 0)
		return load_fail(r, slot, "no free slot");
	offset = load_offset(r);
	q.sector = offset / LOAD_SECTOR;
	if (l->write)
		blk_pattern_put(blkdrv_data(l->b, (uint32_t)slot), offset,
				l->size_bytes, BLK_PATTERN_WRITTEN);
	r->flight[slot].offset = offset;
	r->flight[slot].since_ns = load_clock(CLOCK_MONOTONIC);
	r->in_flight++;
	return blkdrv_add(l->b, (uint32_t)slot, &q);
}

/* load_check() - status, length, contents. 0 or -errno. */
static int load_check(struct load_run *r, const struct blkdrv_done *d)
{
	const struct blk_load *l = r->l;
	const void *data = blkdrv_data(l->b, d->slot);
	uint64_t offset = r->flight[d->slot].offset;

	if (d->status != VIRTIO_BLK_S_OK)
		return load_fail(r, -EIO, "a request failed");
	if (d->len != (l->write ? 1 : l->size_bytes + 1))
		return load_fail(r, -EIO, "a request has a wrong length");
	if (l->write)
		return 0;
	if (!blk_pattern_starts(data, offset))
		return load_fail(r, -EILSEQ, "data read is wrong");
	if (!r->compare)
		return 0;
	if (!blk_pattern_fits(data, offset, l->size_bytes))
		return load_fail(r, -EILSEQ, "data read is wrong");
	r->compared++;
	return 0;
}

/* load_took() - a request came back. 0 or -errno. */
static int load_took(struct load_run *r, const struct blkdrv_done *d)
{
	uint64_t ns = load_clock(CLOCK_MONOTONIC) - r->flight[d->slot].since_ns;

	r->in_flight--;
	if (r->recording) {
		if (r->cnt == LOAD_LATENCIES_MAX)
			return load_fail(r, -E2BIG, "too many requests");
		r->latency[r->cnt++] =
			ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
	}
	return load_check(r, d);
}

/* load_wait() - the first request that comes back. 0 or -errno. */
static int load_wait(struct load_run *r, struct blkdrv_done *ret_done)
{
	struct blkdrv *b = r->l->b;
	uint64_t end = 0;
	int rc;

	if (!r->l->spin) {
		rc = blkdrv_take(b, true, LOAD_WAIT_MS, ret_done);
		return rc < 0 ? load_fail(r, rc, "no answer") : 0;
	}
	/* Asks for the interrupt as a sleeper would; without going to sleep. */
	drvq_calls_on(&b->q);
	for (uint32_t n = 1;; n++) {
		rc = blkdrv_take(b, false, 0, ret_done);
		if (rc != -EAGAIN)
			return rc < 0 ? load_fail(r, rc, "ring broken") : 0;
		if (n % 65536)
			continue;
		if (!end)
			end = load_clock(CLOCK_MONOTONIC) +
			      LOAD_WAIT_MS * UINT64_C(1000000);
		if (load_clock(CLOCK_MONOTONIC) > end)
			return load_fail(r, -ETIMEDOUT, "no answer");
	}
}

/* load_round() - fills up, publishes, takes what is there. 0 or -errno. */
static int load_round(struct load_run *r, bool refill)
{
	struct blkdrv_done d;
	int rc = 0;

	if (refill && r->in_flight < r->l->depth) {
		while (!rc && r->in_flight < r->l->depth)
			rc = load_add(r);
		if (rc < 0)
			return load_fail(r, rc, "a request was not taken");
		drvq_publish(&r->l->b->q);
	}
	rc = load_wait(r, &d);
	while (!rc) {
		rc = load_took(r, &d);
		if (!rc)
			rc = blkdrv_take(r->l->b, false, 0, &d);
	}
	return rc == -EAGAIN ? 0 : rc;
}

/* load_for() - the stream goes on for @ns. 0 or -errno. */
static int load_for(struct load_run *r, uint64_t ns)
{
	uint64_t end = load_clock(CLOCK_MONOTONIC) + ns;
	int rc = 0;

	while (!rc && load_clock(CLOCK_MONOTONIC) < end)
		rc = load_round(r, true);
	return rc;
}

/* load_drain() - nothing is in flight any more. 0 or -errno. */
static int load_drain(struct load_run *r)
{
	int rc = 0;

	while (!rc && r->in_flight)
		rc = load_round(r, false);
	return rc;
}

/* load_counters_read() - the device's own. 0 or -errno. */
static int load_counters_read(struct load_run *r, struct load_counts *ret)
{
	struct testdev *t = r->l->dev;
	int rc = testdev_stat(t, "queue-kicks", &ret->kicks);

	if (!rc)
		rc = testdev_stat(t, "queue-calls", &ret->calls);
	if (!rc)
		rc = testdev_stat(t, "queue-wakes", &ret->wakes);
	return rc < 0 ? load_fail(r, rc, "counters cannot be read") : 0;
}

/* load_clocks_read() - where the window begins or ends. 0 or -errno. */
static int load_clocks_read(struct load_run *r, struct load_counts *ret)
{
	pid_t device = r->l->dev->child.pid;
	uint64_t own = 0;
	int rc = proc_wait_ns(device, &ret->waited_ns);

	if (!rc)
		rc = proc_wait_own_ns(&own);
	ret->waited_ns += own;
	if (!rc)
		rc = proc_cpu_ns(device, &ret->device_cpu_ns);
	ret->driver_cpu_ns = load_clock(CLOCK_THREAD_CPUTIME_ID);
	ret->mono_ns = load_clock(CLOCK_MONOTONIC);
	return rc < 0 ? load_fail(r, rc, "clocks of the device") : 0;
}

/* load_window() - the measured part; counters are read outside of it. */
static int load_window(struct load_run *r, struct load_counts *ret_from,
		       struct load_counts *ret_to)
{
	int rc = load_counters_read(r, ret_from);

	if (!rc)
		rc = load_clocks_read(r, ret_from);
	r->recording = true;
	if (!rc)
		rc = load_for(r, r->l->measure_ns);
	r->recording = false;
	if (!rc)
		rc = load_clocks_read(r, ret_to);
	return rc < 0 ? rc : load_counters_read(r, ret_to);
}

static int load_compare_u32(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	return (*x > *y) - (*x < *y);
}

/* load_rank() - nearest rank of sorted latencies. */
static uint64_t load_rank(const struct load_run *r, uint64_t percent)
{
	uint64_t rank = (r->cnt * percent + 99) / 100;

	return r->latency[rank ? rank - 1 : 0];
}

/* load_summary() - the window's figures. 0 or -errno. */
static int load_summary(struct load_run *r, const struct load_counts *from,
			const struct load_counts *to,
			struct blk_load_result *ret)
{
	if (r->cnt == 0)
		return load_fail(r, -ENODATA, "no request came back");
	qsort(r->latency, r->cnt, sizeof(*r->latency), load_compare_u32);
	*ret = (struct blk_load_result){
		.wall_ns = to->mono_ns - from->mono_ns,
		.requests = r->cnt,
		.min_ns = r->latency[0],
		.p50_ns = load_rank(r, 50),
		.p99_ns = load_rank(r, 99),
		.max_ns = r->latency[r->cnt - 1],
		.device_cpu_ns = to->device_cpu_ns - from->device_cpu_ns,
		.driver_cpu_ns = to->driver_cpu_ns - from->driver_cpu_ns,
		.waited_ns = to->waited_ns - from->waited_ns,
		.kicks = to->kicks - from->kicks,
		.calls = to->calls - from->calls,
		.wakes = to->wakes - from->wakes,
	};
	return 0;
}

/* load_verify_reads() - rounds in which every byte is compared. */
static int load_verify_reads(struct load_run *r)
{
	int rc = 0;

	r->compare = true;
	for (unsigned i = 0; !rc && i < LOAD_VERIFY_ROUNDS; i++)
		rc = load_round(r, true);
	return rc;
}

/* load_verify_writes() - the last write of each slot is in the image. */
static int load_verify_writes(struct load_run *r)
{
	const struct blk_load *l = r->l;
	uint8_t *now = aligned_alloc(BLK_PATTERN_BLOCK, l->size_bytes);
	int rc = now ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < l->depth; i++) {
		uint64_t at = r->flight[i].offset;

		if (pread(l->image_fd, now, l->size_bytes, (off_t)at) !=
			    (ssize_t)l->size_bytes ||
		    !blk_pattern_is(now, at, l->size_bytes,
				    BLK_PATTERN_WRITTEN))
			rc = load_fail(r, -EILSEQ, "data written is not there");
		r->compared++;
	}
	free(now);
	return rc;
}

/* load_verify() - full comparison, outside of the window. 0 or -errno. */
static int load_verify(struct load_run *r)
{
	int rc = r->l->write ? 0 : load_verify_reads(r);

	if (!rc)
		rc = load_drain(r);
	return rc < 0 || !r->l->write ? rc : load_verify_writes(r);
}

int blk_load_run(const struct blk_load *l, struct blk_load_result *ret_result,
		 const char **ret_why)
{
	struct load_run r = {.l = l, .random = l->seed | 1};
	struct load_counts from;
	struct load_counts to;
	int rc = l->depth > BLK_LOAD_DEPTH_MAX ? -EINVAL : 0;

	r.latency = malloc(LOAD_LATENCIES_MAX * sizeof(*r.latency));
	if (!r.latency)
		rc = -ENOMEM;
	if (!rc)
		rc = load_for(&r, l->warmup_ns);
	if (!rc)
		rc = load_window(&r, &from, &to);
	if (!rc)
		rc = load_summary(&r, &from, &to, ret_result);
	if (!rc)
		rc = load_verify(&r);
	free(r.latency);
	*ret_why = rc < 0 && !r.why ? strerrordesc_np(-rc) : r.why;
	if (rc < 0)
		return rc;
	ret_result->verified = r.compared;
	ret_result->refusals_known = testdev_stat(l->dev, "seccomp-refusals",
						  &ret_result->refusals) == 0;
	return 0;
}
