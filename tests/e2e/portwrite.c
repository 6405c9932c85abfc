/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portwrite.c - "portwrite PORT BYTE": writes a byte to an I/O port. Runs as
 * root in the small guest: Debian's kernels have no /dev/port.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/io.h>

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (ioperm(strtoul(argv[1], NULL, 0), 1, 1) != 0) {
		perror("ioperm");
		return 1;
	}
	outb((unsigned char)strtoul(argv[2], NULL, 0),
	     (unsigned short)strtoul(argv[1], NULL, 0));
	return 0;
}
