// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: start in ring 3, choice and report of the tests.
 *
 * Command line: tests=all or a list; mode=poll|msix; strict=1; cpus=N;
 * memory-mib=N; disk-sectors=N; serial=TEXT; end=exit|poweroff|reset|panic|
 * triple|halt|spin (see ending.c); bench=NAME (see bench.c).
 */
#include "acpi.h"
#include "bench.h"
#include "test.h"

#define DEVICE_BLK 0x1042
#define VENDOR_VIRTIO 0x1af4

struct blk disk;
uint8_t dma[DMA_BYTES] __attribute__((aligned(4096)));

static const struct test *const tables[] = {
	tests_machine, tests_pci,   tests_transport, tests_blk,
	tests_irq,     tests_queue, tests_hostile,
};

static char why[200];
static unsigned int ok_cnt, failed_cnt;

int test_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_to(why, sizeof(why), fmt, ap);
	va_end(ap);
	return TEST_FAILED;
}

int test_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_to(why, sizeof(why), fmt, ap);
	va_end(ap);
	return TEST_SKIPPED;
}

bool test_strict(void)
{
	return args_u64("strict", 0) != 0;
}

bool test_mode_irq(void)
{
	return args_list_has("mode", "msix");
}

const char *disk_start(void)
{
	struct blk_opts o = {.irq = test_mode_irq()};

	return blk_start(&disk, &o);
}

const char *disk_read_check(struct vq *q, struct blk_io io)
{
	int status;

	io.type = BT_IN;
	memset(io.data, 0x5a, io.bytes);
	status = blk_do(q, &io);
	if (status == BLK_LOST)
		return "a read does not come back";
	if (status != BS_OK)
		return "a read's status is not OK";
	if (pattern_check(io.data, SEED_DISK, io.sector, io.bytes) >= 0)
		return "a read brings wrong data";
	return NULL;
}

const char *disk_alive(void)
{
	struct blk_io io = {.sector = 7, .data = dma, .bytes = SECTOR_BYTES};

	return disk_read_check(&disk.q[0], io);
}

/** report - one result line. */
static void report(const char *name, int result)
{
	if (result == TEST_OK) {
		ok_cnt++;
		print("ok %s\n", name);
		return;
	}
	failed_cnt += result == TEST_FAILED;
	print("%s %s %s\n", result == TEST_FAILED ? "FAIL" : "skip", name, why);
}

/** run_test - if the command line wants it. */
static void run_test(const struct test *t)
{
	bool all = args_list_has("tests", "all");

	if (!args_list_has("tests", t->name) && (!all || t->flags & TEST_ASKED))
		return;
	if (t->flags & TEST_DISK && !disk.v.fn)
		report(t->name, test_fail("no virtio-blk device"));
	else
		report(t->name, t->run());
}

/** find_disk - the first virtio-blk; more are left alone. */
static const char *find_disk(void)
{
	for (unsigned int i = 0; i < pci_fn_cnt; i++) {
		struct pci_fn *fn = &pci_fns[i];
		const char *bad;

		print("pci %u: %x:%x\n", fn->bdf, fn->vendor, fn->device);
		if (fn->vendor != VENDOR_VIRTIO || fn->device != DEVICE_BLK ||
		    disk.v.fn)
			continue;
		bad = virtio_find(&disk.v, fn);
		if (bad)
			return bad;
	}
	return NULL;
}

/** set_up - step by step; a step that fails ends the guest. */
static void set_up(uint32_t data, uint32_t how)
{
	const char *bad = boot_read(data, how);

	serial_init();
	print("guest: entry=%s cmdline=\"%s\"\n",
	      how == BOOT_PVH ? "pvh" : "linux64", args_line());
	if (bad)
		report("boot", test_fail("%s", bad));
	if (!bad) {
		bad = acpi_read(boot.rsdp);
		report("acpi-tables", bad ? test_fail("%s", bad) : TEST_OK);
	}
	if (!bad && !smp_start())
		report("smp-start",
		       test_fail("%u CPUs of %u run", cpu_cnt, acpi.cpu_cnt));
	if (!bad) {
		bad = pci_scan(acpi.ecam);
		if (!bad)
			bad = find_disk();
		report("pci-scan", bad ? test_fail("%s", bad) : TEST_OK);
	}
	if (bad)
		ending_run(1);
	print("guest: cpus=%u tsc-per-ms=%lu disk=%s\n", cpu_cnt, tsc_per_ms,
	      disk.v.fn ? "yes" : "no");
}

void user_main(uint32_t data, uint32_t how)
{
	set_up(data, how);
	for (unsigned int i = 0; i < ARRAY_SIZE(tables); i++) {
		for (const struct test *t = tables[i]; t->name; t++)
			run_test(t);
	}
	failed_cnt += bench_run();
	print("done %u ok %u failed\n", ok_cnt, failed_cnt);
	ending_run(failed_cnt);
}
