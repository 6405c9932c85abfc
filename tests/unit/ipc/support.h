/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support.h - what the unit tests of ipc/ share.
 */
#ifndef TESTS_UNIT_IPC_SUPPORT_H
#define TESTS_UNIT_IPC_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/loop.h"

#define MS_NS 1000000ull

/** test_fd_cnt() - open fds of this process; a leak changes it. */
size_t test_fd_cnt(void);

/**
 * test_loop_run() - runs @l for at most @ms; a callback may stop it before
 * Return: what loop_stop was given; -ETIME when the time was over.
 */
int test_loop_run(struct loop *l, unsigned ms);

/**
 * test_datagram_send() - a datagram as a hostile peer may send it
 * @fd_cnt: how many copies of fd @fd go with it
 * Return: 0 or -errno.
 */
int test_datagram_send(int sock, const void *bytes, size_t len, int fd,
		       size_t fd_cnt);

#endif
