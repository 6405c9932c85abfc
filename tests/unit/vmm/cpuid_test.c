// SPDX-License-Identifier: Apache-2.0
/*
 * cpuid_test.c - the host's topology must not leak (a guest with 7 CPUs that
 * sees 16 cores schedules wrongly): every leaf that counts or numbers CPUs, for
 * both vendors' shapes and every number of CPUs.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/vmm/cpuid_hosts.h"
#include "vmm/kvm/cpuid.h"

static struct kvm_cpuid2 *room(void)
{
	struct kvm_cpuid2 *c =
		calloc(1, sizeof(*c) + CPUID_ENTRIES_MAX *
					       sizeof(struct kvm_cpuid_entry2));

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	return c;
}

/* built() - @cnt entries of @host as vCPU @cpu of @cpus sees them. */
static struct kvm_cpuid2 *built(const struct kvm_cpuid_entry2 *host, size_t cnt,
				uint32_t cpu, uint32_t cpus)
{
	struct kvm_cpuid2 *in = room();
	struct kvm_cpuid2 *out = room();

	in->nent = (uint32_t)cnt;
	memcpy(in->entries, host, cnt * sizeof(host[0]));
	CU_ASSERT_EQUAL_FATAL(cpuid_build(in, cpu, cpus, out), 0);
	free(in);
	return out;
}

/* leaf() - exactly one entry of that name; fails otherwise. */
static struct kvm_cpuid_entry2 leaf(const struct kvm_cpuid2 *c,
				    uint32_t function, uint32_t index)
{
	struct kvm_cpuid_entry2 found = {0};
	int cnt = 0;

	for (uint32_t i = 0; i < c->nent; i++) {
		const struct kvm_cpuid_entry2 *e = &c->entries[i];

		if (e->function == function && e->index == index) {
			found = *e;
			cnt++;
		}
	}
	CU_ASSERT_EQUAL(cnt, 1);
	return found;
}

static bool has(const struct kvm_cpuid2 *c, uint32_t function, uint32_t index)
{
	for (uint32_t i = 0; i < c->nent; i++) {
		if (c->entries[i].function == function &&
		    c->entries[i].index == index)
			return true;
	}
	return false;
}

static uint32_t shift_of(uint32_t cpus)
{
	uint32_t shift = 0;

	while ((1u << shift) < cpus)
		shift++;
	return shift;
}

/* topology_checked() - leaf 0xB or 0x1F of one vCPU. */
static void topology_checked(const struct kvm_cpuid2 *c, uint32_t function,
			     uint32_t cpu, uint32_t cpus)
{
	for (uint32_t i = 0; i < 3; i++) {
		struct kvm_cpuid_entry2 e = leaf(c, function, i);

		CU_ASSERT_EQUAL(e.edx, cpu);
		CU_ASSERT_EQUAL(e.ecx & 0xff, i);
		CU_ASSERT_EQUAL(e.ecx >> 8, i == 2 ? 0 : i + 1);
		CU_ASSERT_EQUAL(e.eax, i == 1 ? shift_of(cpus) : 0);
		CU_ASSERT_EQUAL(e.ebx, i == 2 ? 0 : i == 0 ? 1 : cpus);
		CU_ASSERT_EQUAL(e.flags, KVM_CPUID_FLAG_SIGNIFCANT_INDEX);
	}
	CU_ASSERT_FALSE(has(c, function, 3));
}

/* intel_checked() - the numbering leaves of one vCPU. */
static void intel_checked(uint32_t cpu, uint32_t cpus)
{
	struct kvm_cpuid2 *c =
		built(cpuid_host_intel, cpuid_host_intel_cnt, cpu, cpus);
	struct kvm_cpuid_entry2 e = leaf(c, 1, 0);

	topology_checked(c, 0xb, cpu, cpus);
	topology_checked(c, 0x1f, cpu, cpus);
	CU_ASSERT_EQUAL(e.ebx >> 24, cpu);
	CU_ASSERT_EQUAL(e.ebx >> 16 & 0xff, 1u << shift_of(cpus));
	CU_ASSERT_EQUAL(e.edx >> 28 & 1, cpus > 1);
	free(c);
}

static void test_every_count(void)
{
	for (uint32_t cpus = 1; cpus <= 32; cpus++) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++)
			intel_checked(cpu, cpus);
	}
}

static void test_features(void)
{
	struct kvm_cpuid2 *c =
		built(cpuid_host_intel, cpuid_host_intel_cnt, 2, 4);
	struct kvm_cpuid_entry2 e = leaf(c, 1, 0);

	CU_ASSERT_EQUAL(e.eax, 0x606a6);
	CU_ASSERT_EQUAL(e.ebx >> 8 & 0xff, 8);
	CU_ASSERT_EQUAL(e.ecx, 0x76fa3203 | 1u << 21 | 1u << 31);
	free(c);
}

/* A guest that is told of the timer has no PIT to fall back on. */
static void test_tsc_deadline(void)
{
	static const bool steps[] = {true, true, false, false, true};
	struct kvm_cpuid2 *in = room();
	struct kvm_cpuid2 *out = room();

	in->nent = (uint32_t)cpuid_host_intel_cnt;
	memcpy(in->entries, cpuid_host_intel,
	       cpuid_host_intel_cnt * sizeof(in->entries[0]));
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		cpuid_tsc_deadline_set(in, steps[i]);
		CU_ASSERT_EQUAL(cpuid_build(in, 0, 1, out), 0);
		CU_ASSERT_EQUAL(leaf(out, 1, 0).ecx,
				0x76fa3203 | 1u << 21 |
					(uint32_t)steps[i] << 24 | 1u << 31);
		CU_ASSERT_EQUAL(leaf(out, 7, 0).ecx, leaf(in, 7, 0).ecx);
	}
	free(in);
	free(out);
}

/* The rest passes: features, XSAVE, KVM's own leaves. */
static void test_others_pass(void)
{
	static const uint32_t kept[][2] = {{0, 0},          {2, 0},
					   {7, 0},          {0xd, 0},
					   {0xd, 1},        {0x40000000, 0},
					   {0x40000001, 0}, {0x80000008, 0}};
	struct kvm_cpuid2 *c =
		built(cpuid_host_intel, cpuid_host_intel_cnt, 1, 4);

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		struct kvm_cpuid_entry2 e = leaf(c, kept[i][0], kept[i][1]);
		bool same = false;

		for (size_t j = 0; j < cpuid_host_intel_cnt; j++)
			same |= memcmp(&e, &cpuid_host_intel[j], sizeof(e)) ==
				0;
		CU_ASSERT_TRUE(same);
	}
	free(c);
}

static void test_intel_caches(void)
{
	struct kvm_cpuid2 *c =
		built(cpuid_host_intel, cpuid_host_intel_cnt, 0, 7);

	for (uint32_t i = 0; i < 4; i++) {
		struct kvm_cpuid_entry2 e = leaf(c, 4, i);

		/* Only the last level is shared, by ids 0 to 7. */
		CU_ASSERT_EQUAL(e.eax >> 14 & 0xfff, i == 3 ? 7 : 0);
		CU_ASSERT_EQUAL(e.eax >> 26, 7);
		CU_ASSERT_EQUAL(e.eax & 0x3fff,
				cpuid_host_intel[3 + i].eax & 0x3fff);
		CU_ASSERT_EQUAL(e.ebx, cpuid_host_intel[3 + i].ebx);
	}
	CU_ASSERT_EQUAL(leaf(c, 4, 4).eax, 0);
	/* AMD's fields of this leaf are reserved on Intel. */
	CU_ASSERT_EQUAL(leaf(c, 0x80000008, 0).ecx, 0);
	CU_ASSERT_EQUAL(leaf(c, 0x80000001, 0).ecx, 0x121);
	free(c);
}

static void test_amd_topology(void)
{
	for (uint32_t cpus = 1; cpus <= 32; cpus++) {
		uint32_t cpu = cpus - 1;
		struct kvm_cpuid2 *c =
			built(cpuid_host_amd, cpuid_host_amd_cnt, cpu, cpus);
		struct kvm_cpuid_entry2 e = leaf(c, 0x80000008, 0);

		topology_checked(c, 0xb, cpu, cpus);
		CU_ASSERT_FALSE(has(c, 0x1f, 0));
		CU_ASSERT_FALSE(has(c, 0x80000026, 0));
		CU_ASSERT_EQUAL(e.ecx & 0xff, cpus - 1);
		CU_ASSERT_EQUAL(e.ecx >> 12 & 0xf, shift_of(cpus));
		CU_ASSERT_EQUAL(e.ecx & ~0xf0ffu, 0x30000);
		CU_ASSERT_EQUAL(e.eax, 0x3030);
		CU_ASSERT_EQUAL(leaf(c, 1, 0).ebx >> 24, cpu);
		CU_ASSERT_EQUAL(leaf(c, 1, 0).ebx >> 16 & 0xff, cpus);
		e = leaf(c, 0x80000001, 0);
		CU_ASSERT_EQUAL(e.ecx, cpus > 1 ? 0x4003f3 : 0x4003f1);
		e = leaf(c, 0x8000001e, 0);
		CU_ASSERT_EQUAL(e.eax, cpu);
		CU_ASSERT_EQUAL(e.ebx, cpu);
		CU_ASSERT_EQUAL(e.ecx, 0);
		free(c);
	}
}

static void test_amd_caches(void)
{
	struct kvm_cpuid2 *c = built(cpuid_host_amd, cpuid_host_amd_cnt, 0, 6);

	for (uint32_t i = 0; i < 4; i++) {
		struct kvm_cpuid_entry2 e = leaf(c, 0x8000001d, i);

		CU_ASSERT_EQUAL(e.eax >> 14, i == 3 ? 5 : 0);
		CU_ASSERT_EQUAL(e.eax & 0x3fff,
				cpuid_host_amd[14 + i].eax & 0x3fff);
	}
	CU_ASSERT_EQUAL(leaf(c, 0x8000001d, 4).eax, 0);
	CU_ASSERT_EQUAL(leaf(c, 4, 0).eax, 0);
	free(c);
}

/* A host whose highest basic leaf is lower has no leaf 0xB to show. */
static void test_old_host(void)
{
	struct kvm_cpuid_entry2 host[2] = {cpuid_host_amd[0],
					   cpuid_host_amd[1]};
	struct kvm_cpuid2 *c;

	host[0].eax = 0xa;
	c = built(host, 2, 0, 2);
	CU_ASSERT_EQUAL(c->nent, 2);
	CU_ASSERT_FALSE(has(c, 0xb, 0));
	free(c);
}

static void test_full(void)
{
	struct kvm_cpuid2 *in = room();
	struct kvm_cpuid2 *out = room();

	in->nent = CPUID_ENTRIES_MAX;
	in->entries[0] = cpuid_host_intel[0];
	for (uint32_t i = 1; i < CPUID_ENTRIES_MAX; i++)
		in->entries[i].function = 0x80001000 + i;
	CU_ASSERT_EQUAL(cpuid_build(in, 0, 1, out), -ENOSPC);
	CU_ASSERT_EQUAL(out->nent, CPUID_ENTRIES_MAX);
	in->nent = CPUID_ENTRIES_MAX - 6;
	CU_ASSERT_EQUAL(cpuid_build(in, 0, 1, out), 0);
	CU_ASSERT_EQUAL(out->nent, CPUID_ENTRIES_MAX);
	free(in);
	free(out);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_every_count),  UNIT_CASE(test_features),
	UNIT_CASE(test_others_pass),  UNIT_CASE(test_intel_caches),
	UNIT_CASE(test_amd_topology), UNIT_CASE(test_amd_caches),
	UNIT_CASE(test_old_host),     UNIT_CASE(test_full),
	UNIT_CASE(test_tsc_deadline),
};

const struct unit_suite unit_suites[] = {
	{"cpuid", cases, ARRAY_SIZE(cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
