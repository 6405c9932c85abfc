// SPDX-License-Identifier: Apache-2.0
/*
 * cpuid.c - the CPUID leaves of one vCPU. Runs in the vmm. Pure.
 *
 * KVM reports the host's topology and caches as they are; a guest that believes
 * them sees cores that it does not have. All leaves that count or number CPUs
 * are rewritten here: one socket, one thread a core, APIC id n for CPU n.
 * Spec: Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E; Linux
 * Documentation/virt/kvm/x86/cpuid.rst.
 */
#include "vmm/kvm/cpuid.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define LEAF_BASIC 0x0u
#define LEAF_FEATURES 0x1u
#define LEAF_CACHES 0x4u
#define LEAF_TOPOLOGY 0xbu
#define LEAF_TOPOLOGY_V2 0x1fu
#define LEAF_AMD_FEATURES 0x80000001u
#define LEAF_AMD_SIZES 0x80000008u
#define LEAF_AMD_CACHES 0x8000001du
#define LEAF_AMD_TOPOLOGY 0x8000001eu
#define LEAF_AMD_TOPOLOGY_V2 0x80000026u

#define FEATURES_ECX_X2APIC (1u << 21)
#define FEATURES_ECX_TSC_DEADLINE (1u << 24)
#define FEATURES_ECX_HYPERVISOR (1u << 31)
#define FEATURES_EDX_CLFSH (1u << 19)
#define FEATURES_EDX_HTT (1u << 28)
#define FEATURES_CLFLUSH_QWORDS 8u
#define AMD_ECX_CMP_LEGACY (1u << 1)

#define CACHE_TYPE_MASK 0x1fu
#define CACHE_LEVEL_SHIFT 5
#define CACHE_LEVEL_MASK 0x7u
#define CACHE_SHARING_SHIFT 14
#define CACHE_SHARING_MASK 0xfffu
#define CACHE_CORES_SHIFT 26
#define CACHE_CORES_MASK 0x3fu
/* Caches of this level and above are shared by the socket. */
#define CACHE_LEVEL_SHARED 3u

#define TOPOLOGY_SMT 1u
#define TOPOLOGY_CORE 2u
#define TOPOLOGY_SUBLEAFS 3u

/**
 * struct cpuid_machine - whose leaves are written
 * @cpu: this vCPU, and its APIC id
 * @cpus: all of them
 * @shift: bits of the APIC id that number CPUs in the socket
 * @amd: AMD's or Hygon's meaning of the extended leaves
 */
struct cpuid_machine {
	uint32_t cpu;
	uint32_t cpus;
	uint32_t shift;
	bool amd;
};

/* cpuid_field() - @value with the bits of @mask at @shift replaced. */
static uint32_t cpuid_field(uint32_t value, uint32_t shift, uint32_t mask,
			    uint32_t field)
{
	return (value & ~(mask << shift)) | (field & mask) << shift;
}

/* cpuid_features() - leaf 1: APIC id, counts, what the in-kernel APIC adds. */
static void cpuid_features(struct kvm_cpuid_entry2 *e,
			   const struct cpuid_machine *m)
{
	e->ebx = cpuid_field(e->ebx, 24, 0xff, m->cpu);
	/* Intel counts APIC ids, AMD logical processors. */
	e->ebx = cpuid_field(e->ebx, 16, 0xff,
			     m->amd ? m->cpus : 1u << m->shift);
	if (e->edx & FEATURES_EDX_CLFSH)
		e->ebx = cpuid_field(e->ebx, 8, 0xff, FEATURES_CLFLUSH_QWORDS);
	e->ecx |= FEATURES_ECX_X2APIC | FEATURES_ECX_HYPERVISOR;
	e->edx &= ~FEATURES_EDX_HTT;
	if (m->cpus > 1)
		e->edx |= FEATURES_EDX_HTT;
}

/* cpuid_cache() - one cache of leaf 4 or 0x8000001D: who shares it. */
static void cpuid_cache(struct kvm_cpuid_entry2 *e,
			const struct cpuid_machine *m)
{
	uint32_t level = e->eax >> CACHE_LEVEL_SHIFT & CACHE_LEVEL_MASK;
	uint32_t ids = (1u << m->shift) - 1;
	uint32_t sharing = 0;

	if ((e->eax & CACHE_TYPE_MASK) == 0)
		return;
	/* Intel counts APIC ids, AMD logical processors. */
	if (level >= CACHE_LEVEL_SHARED)
		sharing = m->amd ? m->cpus - 1 : ids;
	e->eax = cpuid_field(e->eax, CACHE_SHARING_SHIFT, CACHE_SHARING_MASK,
			     sharing);
	if (e->function == LEAF_CACHES)
		e->eax = cpuid_field(e->eax, CACHE_CORES_SHIFT,
				     CACHE_CORES_MASK, ids);
}

/* cpuid_amd_features() - leaf 0x80000001: CPUs are cores, not threads. */
static void cpuid_amd_features(struct kvm_cpuid_entry2 *e,
			       const struct cpuid_machine *m)
{
	if (!m->amd)
		return;
	e->ecx &= ~AMD_ECX_CMP_LEGACY;
	if (m->cpus > 1)
		e->ecx |= AMD_ECX_CMP_LEGACY;
}

/* cpuid_amd_sizes() - leaf 0x80000008: NC and ApicIdCoreIdSize. */
static void cpuid_amd_sizes(struct kvm_cpuid_entry2 *e,
			    const struct cpuid_machine *m)
{
	if (!m->amd)
		return;
	e->ecx = cpuid_field(e->ecx, 0, 0xff, m->cpus - 1);
	e->ecx = cpuid_field(e->ecx, 12, 0xf, m->shift);
}

/* cpuid_amd_topology() - leaf 0x8000001E: one thread a core, one node. */
static void cpuid_amd_topology(struct kvm_cpuid_entry2 *e,
			       const struct cpuid_machine *m)
{
	if (!m->amd)
		return;
	e->eax = m->cpu;
	e->ebx = m->cpu & 0xff;
	e->ecx = 0;
	e->edx = 0;
}

/* Leaves that are changed in place; all others pass unchanged. */
static const struct {
	uint32_t function;
	void (*rewrite)(struct kvm_cpuid_entry2 *e,
			const struct cpuid_machine *m);
} cpuid_rewrites[] = {
	{LEAF_FEATURES, cpuid_features},
	{LEAF_CACHES, cpuid_cache},
	{LEAF_AMD_FEATURES, cpuid_amd_features},
	{LEAF_AMD_SIZES, cpuid_amd_sizes},
	{LEAF_AMD_CACHES, cpuid_cache},
	{LEAF_AMD_TOPOLOGY, cpuid_amd_topology},
};

/* Leaves of the host that are left out; the first two are made anew. */
static const uint32_t cpuid_dropped[] = {LEAF_TOPOLOGY, LEAF_TOPOLOGY_V2,
					 LEAF_AMD_TOPOLOGY_V2};

/* cpuid_is_dropped() - is @function one of cpuid_dropped? */
static bool cpuid_is_dropped(uint32_t function)
{
	for (size_t i = 0; i < ARRAY_SIZE(cpuid_dropped); i++) {
		if (cpuid_dropped[i] == function)
			return true;
	}
	return false;
}

/* cpuid_append() - adds one entry; -ENOSPC when full. */
static int cpuid_append(struct kvm_cpuid2 *cpuid,
			const struct kvm_cpuid_entry2 *e)
{
	if (cpuid->nent >= CPUID_ENTRIES_MAX)
		return -ENOSPC;
	cpuid->entries[cpuid->nent++] = *e;
	return 0;
}

/*
 * cpuid_topology_append() - leaf 0xB or 0x1F: threads, cores, terminator
 * Both levels are always there; the last subleaf has type 0.
 */
static int cpuid_topology_append(uint32_t function,
				 const struct cpuid_machine *m,
				 struct kvm_cpuid2 *cpuid)
{
	const struct {
		uint32_t shift, cnt, type;
	} levels[TOPOLOGY_SUBLEAFS] = {
		{0, 1, TOPOLOGY_SMT},
		{m->shift, m->cpus, TOPOLOGY_CORE},
		{0, 0, 0},
	};

	for (uint32_t i = 0; i < TOPOLOGY_SUBLEAFS; i++) {
		struct kvm_cpuid_entry2 e = {
			.function = function,
			.index = i,
			.flags = KVM_CPUID_FLAG_SIGNIFCANT_INDEX,
			.eax = levels[i].shift,
			.ebx = levels[i].cnt,
			.ecx = levels[i].type << 8 | i,
			.edx = m->cpu,
		};
		int rc = cpuid_append(cpuid, &e);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* cpuid_leaf() - the first entry of @function; NULL without one. */
static const struct kvm_cpuid_entry2 *cpuid_leaf(const struct kvm_cpuid2 *cpuid,
						 uint32_t function)
{
	for (uint32_t i = 0; i < cpuid->nent; i++) {
		if (cpuid->entries[i].function == function)
			return &cpuid->entries[i];
	}
	return NULL;
}

/* cpuid_is_amd() - by the vendor string: AuthenticAMD or HygonGenuine. */
static bool cpuid_is_amd(const struct kvm_cpuid_entry2 *basic)
{
	uint32_t vendor[3] = {basic->ebx, basic->edx, basic->ecx};

	return memcmp(vendor, "AuthenticAMD", sizeof(vendor)) == 0 ||
	       memcmp(vendor, "HygonGenuine", sizeof(vendor)) == 0;
}

/* cpuid_entry_add() - copies one of KVM's entries, rewritten. */
static int cpuid_entry_add(struct kvm_cpuid_entry2 e,
			   const struct cpuid_machine *m,
			   struct kvm_cpuid2 *cpuid)
{
	if (cpuid_is_dropped(e.function))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(cpuid_rewrites); i++) {
		if (cpuid_rewrites[i].function == e.function)
			cpuid_rewrites[i].rewrite(&e, m);
	}
	return cpuid_append(cpuid, &e);
}

void cpuid_tsc_deadline_set(struct kvm_cpuid2 *supported, bool present)
{
	for (uint32_t i = 0; i < supported->nent; i++) {
		struct kvm_cpuid_entry2 *e = &supported->entries[i];

		if (e->function != LEAF_FEATURES)
			continue;
		e->ecx &= ~FEATURES_ECX_TSC_DEADLINE;
		if (present)
			e->ecx |= FEATURES_ECX_TSC_DEADLINE;
	}
}

int cpuid_build(const struct kvm_cpuid2 *supported, uint32_t cpu, uint32_t cpus,
		struct kvm_cpuid2 *ret_cpuid)
{
	const struct kvm_cpuid_entry2 *basic =
		cpuid_leaf(supported, LEAF_BASIC);
	struct cpuid_machine m = {.cpu = cpu, .cpus = cpus};
	int rc = 0;

	BUG_ON(cpus == 0 || cpu >= cpus);
	while ((1u << m.shift) < cpus)
		m.shift++;
	m.amd = basic && cpuid_is_amd(basic);
	ret_cpuid->nent = 0;
	ret_cpuid->padding = 0;
	for (uint32_t i = 0; i < supported->nent && rc == 0; i++)
		rc = cpuid_entry_add(supported->entries[i], &m, ret_cpuid);
	if (rc == 0 && basic && basic->eax >= LEAF_TOPOLOGY)
		rc = cpuid_topology_append(LEAF_TOPOLOGY, &m, ret_cpuid);
	if (rc == 0 && basic && basic->eax >= LEAF_TOPOLOGY_V2)
		rc = cpuid_topology_append(LEAF_TOPOLOGY_V2, &m, ret_cpuid);
	return rc;
}
