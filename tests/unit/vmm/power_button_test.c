// SPDX-License-Identifier: Apache-2.0
/*
 * power_button_test.c - the power button over a real loop and an eventfd.
 * Guards: a press on a masked pin is kept until the guest opens it, and then is
 * one edge however often it was pressed; an open pin takes each press at once.
 */
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "vmm/power_button.h"

static struct loop *loop;
static struct power_button button;
static int irq_fd;
/* Looks at the pin that still find it masked. */
static int masked_looks;
static int looks;

static bool masked(void *ctx)
{
	CU_ASSERT_PTR_EQUAL(ctx, &masked_looks);
	looks++;
	return masked_looks > 0 && masked_looks-- > 0;
}

static void setup(int fd)
{
	CU_ASSERT_EQUAL_FATAL(loop_new(&loop), 0);
	irq_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	CU_ASSERT_FATAL(irq_fd >= 0);
	masked_looks = 0;
	looks = 0;
	power_button_init(&button, &(struct power_button_config){
					   .loop = loop,
					   .irq_fd = fd < 0 ? fd : irq_fd,
					   .masked = masked,
					   .ctx = &masked_looks});
}

static void teardown(void)
{
	loop_deadline_disarm(loop, &button.again);
	loop_free(loop);
	close(irq_fd);
}

static uint64_t edges(void)
{
	uint64_t cnt = 0;

	return read(irq_fd, &cnt, sizeof(cnt)) == sizeof(cnt) ? cnt : 0;
}

static void on_stop(void *ctx)
{
	loop_stop(ctx, 0);
}

static void run(uint64_t ms)
{
	struct deadline stop = {.fn = on_stop, .ctx = loop};

	loop_deadline_arm(loop, &stop, ms * 1000000);
	CU_ASSERT_EQUAL(loop_run(loop), 0);
}

static void test_open(void)
{
	setup(0);
	power_button_press(&button);
	CU_ASSERT_EQUAL(edges(), 1);
	power_button_press(&button);
	CU_ASSERT_EQUAL(edges(), 1);
	run(300);
	CU_ASSERT_EQUAL(edges(), 0);
	teardown();
}

static void test_masked(void)
{
	setup(0);
	masked_looks = 1000;
	power_button_press(&button);
	power_button_press(&button);
	CU_ASSERT_EQUAL(edges(), 0);
	run(500);
	CU_ASSERT_EQUAL(edges(), 0);
	/* Two a press and two in 500 ms: no busy waiting. */
	CU_ASSERT_TRUE(looks > 4 && looks <= 7);
	masked_looks = 0;
	run(300);
	CU_ASSERT_EQUAL(edges(), 1);
	run(500);
	CU_ASSERT_EQUAL(edges(), 0);
	teardown();
}

/* Opened and pressed again before the next look: not once more after it. */
static void test_opened(void)
{
	setup(0);
	masked_looks = 1000;
	power_button_press(&button);
	masked_looks = 0;
	power_button_press(&button);
	CU_ASSERT_EQUAL(edges(), 1);
	run(300);
	CU_ASSERT_EQUAL(edges(), 0);
	teardown();
}

static void test_no_pin(void)
{
	setup(-1);
	power_button_press(&button);
	CU_ASSERT_EQUAL(looks, 0);
	teardown();
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_open),
	UNIT_CASE(test_masked),
	UNIT_CASE(test_opened),
	UNIT_CASE(test_no_pin),
};
const struct unit_suite unit_suites[] = {
	{"power button", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
