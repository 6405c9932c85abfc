/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chan_suites.h - what the two files of the chan test share.
 */
#ifndef TESTS_UNIT_IPC_CHAN_SUITES_H
#define TESTS_UNIT_IPC_CHAN_SUITES_H

#include "ipc/chan.h"
#include "tests/support/unit/unit.h"

/* Both ends of a channel. */
struct chan_ends {
	struct chan a;
	struct chan b;
};

void chan_ends_open(struct chan_ends *e);
void chan_ends_close(struct chan_ends *e);

#define CHAN_REFUSE_CASES 7
extern const struct unit_case chan_refuse_cases[CHAN_REFUSE_CASES];

#endif
