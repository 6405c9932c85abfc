/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power_button.h - the ACPI power button, by which the monitor asks a guest to
 * end. Main loop only.
 */
#ifndef VMM_POWER_BUTTON_H
#define VMM_POWER_BUTTON_H

#include <stdbool.h>

#include "ipc/loop.h"

/**
 * struct power_button_config - what the button is made of; all borrowed
 * @irq_fd: its write is one edge on the button's pin; -1: no pin
 * @masked: whether the guest takes no interrupt of the pin yet
 */
struct power_button_config {
	struct loop *loop;
	int irq_fd;
	bool (*masked)(void *ctx);
	void *ctx;
};

/**
 * struct power_button - the button and a press that waits for the guest
 */
struct power_button {
	struct power_button_config cfg;
	struct deadline again;
};

/** power_button_init() - copies @cfg. */
void power_button_init(struct power_button *b,
		       const struct power_button_config *cfg);

/**
 * power_button_press() - one edge, as soon as the guest can take it
 * An edge on a masked pin is lost, so the pin is looked at until the guest has
 * opened it. Another press meanwhile is the same press.
 */
void power_button_press(struct power_button *b);

#endif
