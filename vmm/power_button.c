// SPDX-License-Identifier: Apache-2.0
/*
 * power_button.c - one edge on the power button's pin (ACPI 6.5 section 5.6.9:
 * the generic event device), sent when the guest can take it. Runs on the main
 * loop; the guest decides only when the pin is open.
 */
#include "vmm/power_button.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#define LOG_MODULE "power"
#include "ipc/log.h"

#define POWER_BUTTON_LOOK_NS 200000000ULL

/** power_button_send() - the edge, or another look later */
static void power_button_send(void *ctx)
{
	struct power_button *b = ctx;
	uint64_t one = 1;

	if (b->cfg.masked(b->cfg.ctx)) {
		loop_deadline_arm(b->cfg.loop, &b->again, POWER_BUTTON_LOOK_NS);
		return;
	}
	loop_deadline_disarm(b->cfg.loop, &b->again);
	if (write(b->cfg.irq_fd, &one, sizeof(one)) < 0)
		log_err("power button: errno %d", errno);
}

void power_button_init(struct power_button *b,
		       const struct power_button_config *cfg)
{
	*b = (struct power_button){
		.cfg = *cfg,
		.again = {.fn = power_button_send, .ctx = b},
	};
}

void power_button_press(struct power_button *b)
{
	if (b->cfg.irq_fd < 0)
		return;
	if (b->cfg.masked(b->cfg.ctx))
		log_info("power button: the guest does not listen yet");
	power_button_send(b);
}
