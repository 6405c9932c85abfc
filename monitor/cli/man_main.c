// SPDX-License-Identifier: Apache-2.0
/*
 * man_main.c - build tool: bulkhead_man TEMPLATE PAGE writes the man page.
 */
#include <stdio.h>

#include "monitor/cli/help.h"

int main(int argc, char **argv)
{
	FILE *page_template = argc == 3 ? fopen(argv[1], "re") : NULL;
	FILE *out = page_template ? fopen(argv[2], "we") : NULL;

	if (!page_template || !out) {
		fprintf(stderr, "usage: bulkhead_man TEMPLATE PAGE\n");
		return 1;
	}
	if (help_man(page_template, out)) {
		fprintf(stderr,
			"bulkhead_man: %s: unknown list, or cannot "
			"write %s\n",
			argv[1], argv[2]);
		return 1;
	}
	return fclose(page_template) || fclose(out) ? 1 : 0;
}
