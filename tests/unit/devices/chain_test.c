// SPDX-License-Identifier: Apache-2.0
/*
 * chain_test.c - copies across buffer borders, and refusals that leave a chain
 * as it was.
 */
#include <errno.h>
#include <string.h>

#include "devices/core/chain.h"
#include "tests/unit/devices/core_suites.h"

/** chain_make() - a chain over @text: out 3+5 bytes, in 2+4 bytes. */
static struct chain chain_make(uint8_t text[14], struct iovec iov[4])
{
	iov[0] = (struct iovec){text, 3};
	iov[1] = (struct iovec){text + 3, 5};
	iov[2] = (struct iovec){text + 8, 2};
	iov[3] = (struct iovec){text + 10, 4};
	return (struct chain){.out = iov,
			      .out_cnt = 2,
			      .out_bytes = 8,
			      .in = iov + 2,
			      .in_cnt = 2,
			      .in_bytes = 6,
			      .busy = true};
}

static void chain_get_test(void)
{
	uint8_t text[14] = "abcdefgh......";
	struct iovec iov[4];
	struct chain c = chain_make(text, iov);
	char buf[8];

	CU_ASSERT_EQUAL(chain_get(&c, buf, 9), -EMSGSIZE);
	CU_ASSERT_EQUAL(c.out_bytes, 8);
	CU_ASSERT_EQUAL(chain_get(&c, buf, 4), 0);
	CU_ASSERT_EQUAL(memcmp(buf, "abcd", 4), 0);
	CU_ASSERT_EQUAL(c.out_bytes, 4);
	CU_ASSERT_EQUAL(c.out_cnt, 1);
	CU_ASSERT_EQUAL(chain_get(&c, buf, 5), -EMSGSIZE);
	CU_ASSERT_EQUAL(chain_get(&c, buf, 4), 0);
	CU_ASSERT_EQUAL(memcmp(buf, "efgh", 4), 0);
	CU_ASSERT_EQUAL(c.out_cnt, 0);
	CU_ASSERT_EQUAL(chain_get(&c, buf, 0), 0);
	CU_ASSERT_EQUAL(chain_get(&c, buf, 1), -EMSGSIZE);
}

static void chain_put_test(void)
{
	uint8_t text[14] = "abcdefgh......";
	struct iovec iov[4];
	struct chain c = chain_make(text, iov);

	CU_ASSERT_EQUAL(chain_put(&c, "1234567", 7), -EMSGSIZE);
	CU_ASSERT_EQUAL(memcmp(text + 8, "......", 6), 0);
	CU_ASSERT_EQUAL(chain_put(&c, "123", 3), 0);
	CU_ASSERT_EQUAL(memcmp(text + 8, "123...", 6), 0);
	CU_ASSERT_EQUAL(c.in_bytes, 3);
	CU_ASSERT_EQUAL(chain_put(&c, "456", 3), 0);
	CU_ASSERT_EQUAL(memcmp(text, "abcdefgh123456", 14), 0);
}

static void chain_tail_test(void)
{
	uint8_t text[14] = "abcdefgh......";
	struct iovec iov[4];
	struct chain c = chain_make(text, iov);

	CU_ASSERT_EQUAL(chain_tail_cut(&c), 0);
	CU_ASSERT_EQUAL(c.in_bytes, 5);
	CU_ASSERT_EQUAL(chain_put(&c, "12345", 5), 0);
	chain_tail_put(&c, 'S');
	CU_ASSERT_EQUAL(memcmp(text + 8, "12345S", 6), 0);
	c.in_bytes = 0;
	CU_ASSERT_EQUAL(chain_tail_cut(&c), -EMSGSIZE);
}

/* A status byte in a buffer of its own leaves no empty buffer behind. */
static void chain_tail_alone_test(void)
{
	uint8_t byte = 0;
	struct iovec iov = {&byte, 1};
	struct chain c = {.in = &iov, .in_cnt = 1, .in_bytes = 1};

	CU_ASSERT_EQUAL(chain_tail_cut(&c), 0);
	CU_ASSERT_EQUAL(c.in_cnt, 0);
	chain_tail_put(&c, 7);
	CU_ASSERT_EQUAL(byte, 7);
}

const struct unit_case chain_cases[] = {
	UNIT_CASE(chain_get_test),
	UNIT_CASE(chain_put_test),
	UNIT_CASE(chain_tail_test),
	UNIT_CASE(chain_tail_alone_test),
};
const size_t chain_case_cnt = sizeof(chain_cases) / sizeof(chain_cases[0]);
