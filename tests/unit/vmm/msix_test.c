// SPDX-License-Identifier: Apache-2.0
/*
 * msix_test.c - table, masks and pending bits over a fake KVM and real
 * eventfds. Guards: a masked vector's interrupts are kept, not lost; routes are
 * sent only when they differ; no eventfd is two irqfds at once.
 */
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "vmm/pci/msix.h"

#define GSI 100u
#define VECTORS 4u
#define SOURCES 3u

static struct {
	int routes;
	uint64_t addr[VECTORS];
	uint32_t data[VECTORS];
	uint32_t owner[SOURCES]; /* GSI of each source's irqfd */
	int twice;
	int fail_route;
} kvm;
static struct msix m;
static int fds[SOURCES];

static int k_route(void *ctx, uint32_t gsi, uint64_t addr, uint32_t data)
{
	(void)ctx;
	if (kvm.fail_route)
		return -22;
	kvm.routes++;
	kvm.addr[gsi - GSI] = addr;
	kvm.data[gsi - GSI] = data;
	return 0;
}

static int k_irqfd(void *ctx, uint32_t gsi, int fd, bool assign)
{
	(void)ctx;
	for (uint32_t i = 0; i < SOURCES; i++) {
		if (fds[i] != fd)
			continue;
		if (assign && kvm.owner[i])
			kvm.twice++;
		if (!assign && kvm.owner[i] != gsi)
			kvm.twice++;
		kvm.owner[i] = assign ? gsi : 0;
	}
	return 0;
}

static const struct msix_ops ops = {k_route, k_irqfd};

static void setup(void)
{
	memset(&kvm, 0, sizeof(kvm));
	msix_init(&m, &ops, NULL, VECTORS, GSI);
	for (uint32_t i = 0; i < SOURCES; i++) {
		if (fds[i])
			close(fds[i]);
		fds[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		msix_source_add(&m, fds[i]);
	}
}

static void entry(uint32_t v, uint64_t addr, uint32_t data, uint32_t ctrl)
{
	msix_table_write(&m, v * 16ULL, 4, (uint32_t)addr);
	msix_table_write(&m, v * 16ULL + 4, 4, addr >> 32);
	msix_table_write(&m, v * 16ULL + 8, 4, data);
	msix_table_write(&m, v * 16ULL + 12, 4, ctrl);
}

static void fire(uint32_t source)
{
	uint64_t one = 1;

	CU_ASSERT_EQUAL(write(fds[source], &one, 8), 8);
}

static void test_table(void)
{
	setup();
	CU_ASSERT_EQUAL(msix_table_read(&m, 12, 4), 1);
	entry(1, 0x1fee01007ULL, 0x4041, 0xffffffff);
	CU_ASSERT_EQUAL(msix_table_read(&m, 16, 8), 0x1fee01004ULL);
	CU_ASSERT_EQUAL(msix_table_read(&m, 24, 8), 0x100004041ULL);
	CU_ASSERT_EQUAL(msix_table_read(&m, 25, 1), 0x40);
	msix_table_write(&m, 16, 8, 0x2fee02000ULL);
	CU_ASSERT_EQUAL(msix_table_read(&m, 16, 8), 0x2fee02000ULL);
	/* Wrong widths, misaligned, behind the table. */
	msix_table_write(&m, 24, 2, 0);
	msix_table_write(&m, 26, 4, 0);
	msix_table_write(&m, 20, 8, 0);
	CU_ASSERT_EQUAL(msix_table_read(&m, 24, 4), 0x4041);
	msix_table_write(&m, VECTORS * 16ULL, 4, 5);
	CU_ASSERT_EQUAL(msix_table_read(&m, VECTORS * 16ULL, 8), 0);
	CU_ASSERT_EQUAL(msix_table_read(&m, VECTORS * 16ULL - 4, 8), 1);
	CU_ASSERT_EQUAL(kvm.routes, 0);
}

static void test_live(void)
{
	setup();
	msix_source_set(&m, 1, 2);
	entry(2, 0xfee00000, 0x31, 0);
	CU_ASSERT_EQUAL(kvm.owner[1], 0);
	msix_control(&m, true, false, false);
	CU_ASSERT_EQUAL(kvm.owner[1], 0);
	msix_control(&m, true, false, true);
	CU_ASSERT_EQUAL(kvm.owner[1], GSI + 2);
	CU_ASSERT_EQUAL(kvm.addr[2], 0xfee00000);
	CU_ASSERT_EQUAL(kvm.data[2], 0x31);
	CU_ASSERT_EQUAL(kvm.routes, 1);
	/* Mask and unmask: the route is the same and is not sent again. */
	msix_table_write(&m, 2 * 16 + 12, 4, 1);
	CU_ASSERT_EQUAL(kvm.owner[1], 0);
	msix_table_write(&m, 2 * 16 + 12, 4, 0);
	CU_ASSERT_EQUAL(kvm.owner[1], GSI + 2);
	CU_ASSERT_EQUAL(kvm.routes, 1);
	/* Another message is. */
	msix_table_write(&m, 2 * 16 + 8, 4, 0x32);
	CU_ASSERT_EQUAL(kvm.routes, 2);
	CU_ASSERT_EQUAL(kvm.data[2], 0x32);
	msix_control(&m, true, true, true);
	CU_ASSERT_EQUAL(kvm.owner[1], 0);
	CU_ASSERT_EQUAL(kvm.twice, 0);
}

static void test_share(void)
{
	setup();
	msix_control(&m, true, false, true);
	entry(0, 0xfee00000, 0x30, 0);
	entry(3, 0xfee00000, 0x33, 0);
	for (uint32_t i = 0; i < SOURCES; i++)
		msix_source_set(&m, i, 0);
	CU_ASSERT_EQUAL(kvm.routes, 1);
	for (uint32_t i = 0; i < SOURCES; i++)
		CU_ASSERT_EQUAL(kvm.owner[i], GSI);
	msix_source_set(&m, 2, 3);
	CU_ASSERT_EQUAL(kvm.owner[2], GSI + 3);
	CU_ASSERT_EQUAL(kvm.owner[1], GSI);
	/* A vector that is not there: none, and the driver reads it back. */
	msix_source_set(&m, 2, VECTORS);
	CU_ASSERT_EQUAL(m.source[2].vector, MSIX_NO_VECTOR);
	CU_ASSERT_EQUAL(kvm.owner[2], 0);
	CU_ASSERT_EQUAL(kvm.twice, 0);
}

static void test_pending(void)
{
	setup();
	msix_control(&m, true, false, true);
	entry(1, 0xfee00000, 0x31, 1);
	msix_source_set(&m, 2, 1);
	CU_ASSERT_EQUAL(msix_pba_read(&m, 0, 8), 0);
	fire(2);
	fire(2);
	CU_ASSERT_EQUAL(msix_pba_read(&m, 0, 8), 2);
	/* Looking does not take it. */
	CU_ASSERT_EQUAL(msix_pba_read(&m, 0, 4), 2);
	CU_ASSERT_EQUAL(msix_pba_read(&m, 4, 4), 0);
	/* Unmasked: the irqfd has it, and KVM delivers. */
	msix_table_write(&m, 16 + 12, 4, 0);
	CU_ASSERT_EQUAL(kvm.owner[2], GSI + 1);
	CU_ASSERT_EQUAL(msix_pba_read(&m, 0, 8), 0);
}

static void test_reset(void)
{
	uint64_t cnt;

	setup();
	msix_control(&m, true, false, true);
	entry(1, 0xfee00000, 0x31, 0);
	msix_source_set(&m, 1, 1);
	fire(1);
	msix_reset(&m);
	CU_ASSERT_EQUAL(kvm.owner[1], 0);
	CU_ASSERT_EQUAL(m.source[1].vector, MSIX_NO_VECTOR);
	CU_ASSERT_TRUE(read(fds[1], &cnt, 8) < 0);
	/* The table is the function's, not the device's: it stays. */
	CU_ASSERT_EQUAL(msix_table_read(&m, 24, 4), 0x31);
}

static void test_refused_route(void)
{
	setup();
	msix_control(&m, true, false, true);
	kvm.fail_route = 1;
	entry(1, 0x12345678, 0x31, 0);
	msix_source_set(&m, 1, 1);
	CU_ASSERT_EQUAL(kvm.owner[1], 0);
	kvm.fail_route = 0;
	msix_table_write(&m, 16, 4, 0xfee00000);
	CU_ASSERT_EQUAL(kvm.owner[1], GSI + 1);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_table), UNIT_CASE(test_live),
	UNIT_CASE(test_share), UNIT_CASE(test_pending),
	UNIT_CASE(test_reset), UNIT_CASE(test_refused_route),
};
const struct unit_suite unit_suites[] = {{"msix", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
