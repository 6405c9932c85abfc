// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: measurements for bench/, chosen by bench= on the command line:
 * a list of the names below or "all"; bench-count= samples (at most 20000),
 * mode=poll|msix for the reads. Each prints one line in nanoseconds:
 *
 *   bench NAME n=N p50=T p95=T min=T max=T mean=T
 *
 * Times come from the TSC in ring 3, where instructions run at native speed.
 */
#include "bench.h"

#include "test.h"

#define SAMPLES_MAX 20000u
#define SAMPLES 2000u
#define WARM_UP 100u
#define READ_BYTES 4096u
#define TICK_US 20000
#define NO_SAMPLE (~0ull)

static uint64_t samples[SAMPLES_MAX];

/** random_next - xorshift: same sequence in each run. */
static uint64_t random_next(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/** random_read - 4 KiB from anywhere, one at a time. */
static uint64_t random_read(void)
{
	struct blk_io io = {.type = BT_IN, .data = dma, .bytes = READ_BYTES};
	uint64_t start;

	if (disk.sectors < 16)
		return NO_SAMPLE;
	io.sector = random_next() % (disk.sectors / 8) * 8;
	start = tsc_read();
	if (blk_do(&disk.q[0], &io) != BS_OK)
		return NO_SAMPLE;
	return tsc_read() - start;
}

/** kick - the doorbell alone, nothing in the ring. */
static uint64_t kick(void)
{
	uint64_t start = tsc_read(), end;

	vq_kick_always(&disk.q[0]);
	end = tsc_read();
	delay_us(50); /* the device goes back to sleep */
	return end - start;
}

/** msi - from the used index being seen to the handler having run. */
static uint64_t msi(void)
{
	struct vq *q = &disk.q[0];
	struct blk_io io = {.type = BT_IN, .data = dma, .bytes = SECTOR_BYTES};
	uint32_t seen = irq_count[BLK_VEC_QUEUE(0)];
	uint64_t end = deadline_ms(BLK_WAIT_MS), start;

	vq_irq_want(q, true);
	if (blk_submit(q, &io) < 0)
		return NO_SAMPLE;
	while (!vq_has_used(q) && !deadline_over(end))
		cpu_relax();
	start = tsc_read();
	while (irq_count[BLK_VEC_QUEUE(0)] == seen && !deadline_over(end))
		cpu_relax();
	if (vq_pop(q, NULL) < 0 || irq_count[BLK_VEC_QUEUE(0)] == seen)
		return NO_SAMPLE;
	return tsc_read() - start;
}

/** port_exit - a port that the vmm answers. */
static uint64_t port_exit(void)
{
	uint64_t start = tsc_read();

	(void)in8(0x3f8 + 7);
	return tsc_read() - start;
}

/** mmio_exit - a register that the vmm answers. */
static uint64_t mmio_exit(void)
{
	uint64_t start = tsc_read();

	(void)mmio_r16(disk.v.common + VC_NUM_QUEUES);
	return tsc_read() - start;
}

static const struct bench {
	const char *name;
	uint64_t (*sample)(void);
	bool irq; /* needs MSI-X, whatever mode= says */
} benches[] = {
	{"read4k", random_read, false},
	{"kick", kick, false},
	{"msi", msi, true},
	{"port-exit", port_exit, false},
	{"mmio-exit", mmio_exit, false},
};

/** sort - shell sort. */
static void sort(uint64_t *v, unsigned int cnt)
{
	for (unsigned int gap = cnt / 2; gap; gap /= 2) {
		for (unsigned int i = gap; i < cnt; i++) {
			uint64_t x = v[i];
			unsigned int j = i;

			for (; j >= gap && v[j - gap] > x; j -= gap)
				v[j] = v[j - gap];
			v[j] = x;
		}
	}
}

/** ns - TSC ticks to nanoseconds. */
static uint64_t ns(uint64_t ticks)
{
	return ticks * 1000 / (tsc_per_ms / 1000);
}

/** bench_one - samples, sorts, prints. NULL, or what is wrong. */
static const char *bench_one(const struct bench *b, unsigned int cnt)
{
	struct blk_opts o = {.irq = b->irq || test_mode_irq(), .queue_cnt = 1};
	const char *bad = blk_start(&disk, &o);
	uint64_t sum = 0;

	for (unsigned int i = 0; i < cnt + WARM_UP && !bad; i++) {
		uint64_t t = b->sample();

		if (t == NO_SAMPLE)
			bad = "a sample fails";
		if (i >= WARM_UP)
			samples[i - WARM_UP] = t;
	}
	if (bad)
		return bad;
	sort(samples, cnt);
	for (unsigned int i = 0; i < cnt; i++)
		sum += samples[i];
	print("bench %s n=%u p50=%lu p95=%lu min=%lu max=%lu mean=%lu\n",
	      b->name, cnt, ns(samples[cnt / 2]),
	      ns(samples[cnt * 95ull / 100]), ns(samples[0]),
	      ns(samples[cnt - 1]), ns(sum / cnt));
	return NULL;
}

unsigned int bench_run(void)
{
	uint64_t cnt = args_u64("bench-count", SAMPLES);
	unsigned int failed = 0;

	if (!cnt || cnt > SAMPLES_MAX)
		cnt = SAMPLES_MAX;
	for (unsigned int i = 0; i < ARRAY_SIZE(benches); i++) {
		const char *bad = "no virtio-blk device";

		if (!args_list_has("bench", benches[i].name) &&
		    !args_list_has("bench", "all"))
			continue;
		lapic_timer(benches[i].irq || test_mode_irq() ? TICK_US : 0);
		if (disk.v.fn)
			bad = bench_one(&benches[i], (unsigned int)cnt);
		lapic_timer(TICK_US);
		if (bad)
			print("FAIL bench-%s %s\n", benches[i].name, bad);
		failed += bad != NULL;
	}
	return failed;
}
