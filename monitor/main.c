// SPDX-License-Identifier: Apache-2.0
/*
 * main.c - the command `bulkhead`: one process per machine, the monitor. It
 * opens all host paths, starts the other processes, and watches them. It never
 * maps guest memory and parses nothing that a guest wrote.
 */
#include "monitor/cli/verb.h"

int main(int argc, char **argv)
{
	return verb_main(argc, argv);
}
