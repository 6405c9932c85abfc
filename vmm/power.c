// SPDX-License-Identifier: Apache-2.0
/*
 * power.c - sleep control and reset registers (ACPI 6.5 sections 4.8.3.6 and
 * 4.8.3.7), the PC's reset control port, pvpanic and the debug-exit port. Runs
 * on vCPU threads; values come from the guest.
 */
#include "vmm/power.h"

#include <stddef.h>

#define LOG_MODULE "power"
#include "ipc/log.h"
#include "vmm/layout.h"

#define POWER_SLP_TYP(value) (((value) >> 2) & 7)
#define POWER_SLP_EN 0x20u
#define POWER_CF9_PORT 0xcf9u
#define POWER_CF9_RESET 0x04u
#define POWER_PANICKED 0x01u
#define POWER_CRASH_LOADED 0x02u

/** power_zero_read() - registers that have nothing to tell */
static uint64_t power_zero_read(void *ctx, uint64_t offset, uint32_t len)
{
	(void)ctx;
	(void)offset;
	(void)len;
	return 0;
}

/** power_sleep_write() - SLEEP_CONTROL at offset 0, SLEEP_STATUS at 1 */
static void power_sleep_write(void *ctx, uint64_t offset, uint32_t len,
			      uint64_t value)
{
	(void)len;
	if (offset != 0 || !(value & POWER_SLP_EN))
		return;
	if (POWER_SLP_TYP(value) != LAYOUT_S5_SLP_TYP) {
		log_guest(LOG_LEVEL_WARN, "sleep type %u refused: only %u",
			  (unsigned)POWER_SLP_TYP(value), LAYOUT_S5_SLP_TYP);
		return;
	}
	exit_request(ctx, BULKHEAD__CHILD__EXIT_REASON__EXIT_POWEROFF, 0, NULL);
}

static void power_reset_write(void *ctx, uint64_t offset, uint32_t len,
			      uint64_t value)
{
	(void)offset;
	(void)len;
	if (value == LAYOUT_RESET_VALUE)
		exit_request(ctx, BULKHEAD__CHILD__EXIT_REASON__EXIT_RESET, 0,
			     NULL);
}

static void power_cf9_write(void *ctx, uint64_t offset, uint32_t len,
			    uint64_t value)
{
	(void)offset;
	(void)len;
	if (value & POWER_CF9_RESET)
		exit_request(ctx, BULKHEAD__CHILD__EXIT_REASON__EXIT_RESET, 0,
			     NULL);
}

/** power_panic_read() - what we can be told: that the guest panicked */
static uint64_t power_panic_read(void *ctx, uint64_t offset, uint32_t len)
{
	(void)ctx;
	(void)offset;
	(void)len;
	return POWER_PANICKED;
}

static void power_panic_write(void *ctx, uint64_t offset, uint32_t len,
			      uint64_t value)
{
	(void)offset;
	(void)len;
	if (value & POWER_PANICKED)
		exit_request(ctx, BULKHEAD__CHILD__EXIT_REASON__EXIT_PANIC, 0,
			     NULL);
	else if (value & POWER_CRASH_LOADED)
		log_guest(LOG_LEVEL_WARN, "guest runs its crash kernel");
}

static void power_debug_write(void *ctx, uint64_t offset, uint32_t len,
			      uint64_t value)
{
	(void)offset;
	(void)len;
	exit_request(ctx, BULKHEAD__CHILD__EXIT_REASON__EXIT_DEBUG,
		     (uint32_t)(value & 0xff), NULL);
}

static const struct bus_ops power_sleep_ops = {power_zero_read,
					       power_sleep_write};
static const struct bus_ops power_reset_ops = {power_zero_read,
					       power_reset_write};
static const struct bus_ops power_cf9_ops = {power_zero_read, power_cf9_write};
static const struct bus_ops power_panic_ops = {power_panic_read,
					       power_panic_write};
static const struct bus_ops power_debug_ops = {power_zero_read,
					       power_debug_write};

int power_ports_add(struct bus *bus, struct exit_cause *exit,
		    const struct power_config *cfg)
{
	const struct {
		bool present;
		struct bus_range range;
	} rows[] = {
		{true,
		 {"sleep control", LAYOUT_SLEEP_CONTROL_PORT, 2, BUS_W8,
		  &power_sleep_ops, exit}},
		{true,
		 {"reset", LAYOUT_RESET_PORT, 1, BUS_W8, &power_reset_ops,
		  exit}},
		{true,
		 {"reset control", POWER_CF9_PORT, 1, BUS_W8, &power_cf9_ops,
		  exit}},
		{cfg->pvpanic,
		 {"pvpanic", LAYOUT_PVPANIC_PORT, 1, BUS_W8, &power_panic_ops,
		  exit}},
		{cfg->debug_exit,
		 {"debug exit", LAYOUT_DEBUG_EXIT_PORT, 4,
		  BUS_W8 | BUS_W16 | BUS_W32, &power_debug_ops, exit}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int ret = rows[i].present ? bus_add(bus, &rows[i].range) : 0;

		if (ret < 0)
			return ret;
	}
	return 0;
}
