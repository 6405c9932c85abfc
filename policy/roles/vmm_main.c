// SPDX-License-Identifier: Apache-2.0
/*
 * vmm_main.c - the vmm's main thread from the first KVM_RUN on: as the process
 * filter, without the making of threads, the loading of kernels and the vCPUs'
 * requests.
 */
#include <linux/kvm.h>
#include <signal.h>

#include "policy/roles/vmm.h"
#include "policy/rows.h"

static const struct policy_row rows[] = {
	VMM_KVM_WIRING_ROWS,
	VMM_KICK_ROWS,
	VMM_BUTTON_ROWS,
};
static POLICY_SET(set_vmm_main, rows);

const struct policy_table table_vmm_main = {
	.name = "vmm-main",
	.role = ROLE_VMM,
	.sets = {&set_vmm_main, &set_memory, &set_thread, &set_signal, &set_end,
		 &set_time, &set_event, &set_channel, &set_data, &set_report,
		 &set_unasked},
};
