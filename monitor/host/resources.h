/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resources.h - all that a machine takes from the host, opened once and before
 * anything is started: when one thing is wrong, nothing was begun.
 */
#ifndef MONITOR_HOST_RESOURCES_H
#define MONITOR_HOST_RESOURCES_H

#include "ipc/compiler.h"
#include "monitor/config/config.h"
#include "monitor/control/control_socket.h"
#include "monitor/host/console.h"
#include "monitor/host/image.h"
#include "monitor/host/kvm_probe.h"
#include "monitor/host/memory.h"
#include "policy/role.h"

/**
 * struct resources - fds are owned, -1 = none
 * @serial: serial[i] of disk i, terminated
 * @program_fd: by role; only the roles in use are open
 */
struct resources {
	struct kvm_probe kvm;
	struct memory memory;
	struct console console;
	int kernel_fd;
	int initrd_fd;
	struct image images[CONFIG_DISKS_MAX];
	char serial[CONFIG_DISKS_MAX][CONFIG_SERIAL_MAX + 1];
	uint32_t image_cnt;
	int program_fd[ROLE_COUNT];
	int timings_fd;
	struct control_socket control;
};

/**
 * resources_open() - opens and checks everything that @cfg names
 * Return: 0; -errno with *p set, and nothing left open.
 */
MUST_CHECK int resources_open(const struct config *cfg,
			      struct resources *ret_res, struct problem *p);
/** resources_close() - closes what is still open. */
void resources_close(struct resources *res);

#endif
