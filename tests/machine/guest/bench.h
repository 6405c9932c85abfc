/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: measurements for bench/, chosen by bench= on the command line.
 */
#ifndef GUEST_BENCH_H
#define GUEST_BENCH_H

/* Runs what bench= names, prints "bench NAME ..." lines; how many failed. */
unsigned int bench_run(void);

#endif
