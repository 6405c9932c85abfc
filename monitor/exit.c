// SPDX-License-Identifier: Apache-2.0
/*
 * exit.c - the table of exit codes. Runs in the monitor.
 */
#include "monitor/exit.h"

#include "ipc/compiler.h"

static const struct exit_row exit_table[] = {
	{EXIT_CODE_POWEROFF, "poweroff", "the guest powered off"},
	{EXIT_CODE_INTERNAL, "internal", "a mistake inside bulkhead"},
	{EXIT_CODE_INPUT, "input",
	 "bad input: configuration, image or /dev/kvm; the guest never ran"},
	{EXIT_CODE_HOST, "host",
	 "the host refused something: memory, processes, walls, input/output"},
	{EXIT_CODE_RESET, "reset", "the guest asked for a reset"},
	{EXIT_CODE_PANIC, "panic", "the guest reported a panic"},
	{EXIT_CODE_DEVICE, "device", "a device process died"},
	{EXIT_CODE_VMM, "vmm", "the vmm process died"},
	{EXIT_CODE_OPERATOR, "operator",
	 "the operator ended it: escape keys, signal, grace time over"},
};

const struct exit_row *exit_rows(size_t *ret_cnt)
{
	*ret_cnt = ARRAY_SIZE(exit_table);
	return exit_table;
}

const struct exit_row *exit_find(int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(exit_table); i++) {
		if ((int)exit_table[i].code == code)
			return &exit_table[i];
	}
	return NULL;
}
