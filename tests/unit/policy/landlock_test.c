// SPDX-License-Identifier: Apache-2.0
/*
 * landlock_test.c - what is asked of each Landlock ABI: all that it knows and
 * nothing that it does not (an unknown bit or a longer struct is refused).
 */
#include "policy/landlock.h"
#include "tests/unit/policy/suites.h"

static void test_attr_by_abi(void)
{
	static const struct {
		int abi;
		uint64_t fs, net, scoped;
		uint32_t size;
	} want[] = {
		{1, 0x1fff, 0, 0, 8},  {2, 0x3fff, 0, 0, 8},
		{3, 0x7fff, 0, 0, 8},  {4, 0x7fff, 3, 0, 16},
		{5, 0xffff, 3, 0, 16}, {6, 0xffff, 3, 3, 24},
		{7, 0xffff, 3, 3, 24}, {99, 0xffff, 3, 3, 24},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct landlock_attr a;

		CU_ASSERT_EQUAL(landlock_attr_for(want[i].abi, &a),
				want[i].size);
		CU_ASSERT_EQUAL(a.handled_access_fs, want[i].fs);
		CU_ASSERT_EQUAL(a.handled_access_net, want[i].net);
		CU_ASSERT_EQUAL(a.scoped, want[i].scoped);
	}
}

static void test_abi_of_this_kernel(void)
{
	int abi = landlock_abi();

	CU_ASSERT(abi >= 1 || abi == -38 || abi == -95);
}

const struct unit_case cases_landlock[] = {
	UNIT_CASE(test_attr_by_abi),
	UNIT_CASE(test_abi_of_this_kernel),
};
