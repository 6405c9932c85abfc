// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: measurements for bench/, chosen by bench= on the command line.
 */
#include "bench.h"

#include "test.h"

void bench_run(void)
{
}
