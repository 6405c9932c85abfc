// SPDX-License-Identifier: Apache-2.0
/*
 * main.c - bulkhead-vmm: the process that holds a machine's vCPUs and guest
 * memory, and no path, no disk, no network. It is started by the monitor with
 * a control channel on fd 3 and a log channel on fd 4 (proto/PROTOCOL.md) and
 * takes no arguments. Trusts neither the guest, nor its kernel, nor a device
 * process.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define LOG_MODULE "main"
#include "ipc/log.h"
#include "ipc/spawn.h"
#include "policy/confine.h"
#include "vmm/control.h"

/* Large (the input buffer, the output ring), and there is one. */
static struct control main_control;

/** main_signals() - handlers that must be there before the walls are */
static int main_signals(void)
{
	/* A closed console or channel is an errno, not the end. */
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		return -errno;
	return vcpu_signal_init();
}

/** main_start() - up to HELLO */
static int main_start(struct loop **ret_loop)
{
	int ret = main_signals();

	if (ret == 0)
		ret = loop_new(ret_loop);
	if (ret == 0)
		ret = control_start(&main_control, *ret_loop, CHILD_FD_CONTROL);
	return ret;
}

int main(void)
{
	struct loop *loop = NULL;
	int ret = confine_early(ROLE_VMM);

	if (ret < 0) {
		/* Without its channels it was not started by the monitor. */
		dprintf(STDERR_FILENO,
			"bulkhead-vmm: start it by bulkhead, not by hand: %s\n",
			strerrordesc_np(-ret));
		return 2;
	}
	log_to_channel("vmm", CHILD_FD_LOG);
	ret = main_start(&loop);
	if (ret < 0) {
		log_err("start: %s", strerrordesc_np(-ret));
		return 1;
	}
	phase_mark(&main_control.machine.phases, "start");
	ret = loop_run(loop);
	if (ret < 0)
		log_err("event loop: %s", strerrordesc_np(-ret));
	/*
	 * The kernel takes memory and VM down; threads that still write output
	 * are not waited for.
	 */
	_exit(ret < 0 ? 1 : 0);
}
