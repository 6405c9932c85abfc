// SPDX-License-Identifier: Apache-2.0
/*
 * cpuid_hosts.c - leaves in the shape in which KVM_GET_SUPPORTED_CPUID gives
 * them, with host topology in each leaf that can carry it.
 */
#include "tests/unit/vmm/cpuid_hosts.h"

#define IDX KVM_CPUID_FLAG_SIGNIFCANT_INDEX

const struct kvm_cpuid_entry2 cpuid_host_intel[] = {
	{0x0, 0, 0, 0x1f, 0x756e6547, 0x6c65746e, 0x49656e69, {0}},
	{0x1, 0, 0, 0x606a6, 0x0b100800, 0x76fa3203, 0x1f8bfbff, {0}},
	{0x2, 0, 0, 0x00feff01, 0xf0, 0, 0, {0}},
	{0x4, 0, IDX, 0x1c004121, 0x02c0003f, 0x3f, 0, {0}},
	{0x4, 1, IDX, 0x1c004122, 0x01c0003f, 0x3f, 0, {0}},
	{0x4, 2, IDX, 0x1c004143, 0x04c0003f, 0x3ff, 0, {0}},
	{0x4, 3, IDX, 0x1c03c163, 0x02c0003f, 0x7fff, 4, {0}},
	{0x4, 4, IDX, 0, 0, 0, 0, {0}},
	{0x7, 0, IDX, 0, 0xf1bf27ab, 0x405ede, 0xbc000410, {0}},
	{0xb, 0, IDX, 1, 2, 0x100, 11, {0}},
	{0xb, 1, IDX, 4, 16, 0x201, 11, {0}},
	{0xb, 2, IDX, 0, 0, 2, 11, {0}},
	{0xd, 0, IDX, 7, 0x340, 0x340, 0, {0}},
	{0xd, 1, IDX, 0xf, 0x340, 0, 0, {0}},
	{0x1f, 0, IDX, 1, 2, 0x100, 11, {0}},
	{0x1f, 1, IDX, 4, 16, 0x201, 11, {0}},
	{0x1f, 2, IDX, 5, 32, 0x502, 11, {0}},
	{0x1f, 3, IDX, 0, 0, 3, 11, {0}},
	{0x40000000, 0, 0, 0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d, {0}},
	{0x40000001, 0, 0, 0x01007efb, 0, 0, 0, {0}},
	{0x80000000, 0, 0, 0x80000008, 0, 0, 0, {0}},
	{0x80000001, 0, 0, 0, 0, 0x121, 0x2c100800, {0}},
	{0x80000008, 0, 0, 0x392e, 0x100d200, 0, 0, {0}},
};
const size_t cpuid_host_intel_cnt =
	sizeof(cpuid_host_intel) / sizeof(cpuid_host_intel[0]);

const struct kvm_cpuid_entry2 cpuid_host_amd[] = {
	{0x0, 0, 0, 0x10, 0x68747541, 0x444d4163, 0x69746e65, {0}},
	{0x1, 0, 0, 0xa00f11, 0x17200800, 0x81202000, 0x178bfbff, {0}},
	{0x4, 0, IDX, 0, 0, 0, 0, {0}},
	{0x7, 0, IDX, 0, 0x219c97a9, 0x40068c, 0x10, {0}},
	{0xb, 0, IDX, 1, 2, 0x100, 23, {0}},
	{0xb, 1, IDX, 5, 32, 0x201, 23, {0}},
	{0xb, 2, IDX, 0, 0, 2, 23, {0}},
	{0xd, 0, IDX, 7, 0x340, 0x340, 0, {0}},
	{0x40000000, 0, 0, 0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d, {0}},
	{0x40000001, 0, 0, 0x01007efb, 0, 0, 0, {0}},
	{0x80000000, 0, 0, 0x80000026, 0x68747541, 0x444d4163, 0x69746e65, {0}},
	{0x80000001, 0, 0, 0xa00f11, 0x40000000, 0x004003f3, 0x2fd3fbff, {0}},
	{0x80000005, 0, 0, 0xff40ff40, 0xff40ff40, 0x20080140, 0x20080140, {0}},
	{0x80000008, 0, 0, 0x3030, 0x1000d205, 0x0003501f, 0x10000, {0}},
	{0x8000001d, 0, IDX, 0x00004121, 0x01c0003f, 0x3f, 0, {0}},
	{0x8000001d, 1, IDX, 0x00004122, 0x01c0003f, 0x3f, 0, {0}},
	{0x8000001d, 2, IDX, 0x00004143, 0x01c0003f, 0x3ff, 2, {0}},
	{0x8000001d, 3, IDX, 0x0003c163, 0x03c0003f, 0x7fff, 1, {0}},
	{0x8000001d, 4, IDX, 0, 0, 0, 0, {0}},
	{0x8000001e, 0, 0, 23, 0x10b, 0x301, 0, {0}},
	{0x80000026, 0, IDX, 1, 2, 0x100, 23, {0}},
	{0x80000026, 1, IDX, 5, 32, 0x201, 23, {0}},
};
const size_t cpuid_host_amd_cnt =
	sizeof(cpuid_host_amd) / sizeof(cpuid_host_amd[0]);
