/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.h - parts of `bulkhead status`: which machines there are, what one
 * says of itself, what the kernel says of its processes, and how it is printed.
 */
#ifndef MONITOR_CLI_STATUS_H
#define MONITOR_CLI_STATUS_H

#include <stdbool.h>
#include <stdio.h>

#include "monitor/control/control_link.h"
#include "monitor/problem.h"
#include "proto/facts.pb-c.h"

struct json_t;

/* Sockets that are looked at in one directory. */
#define STATUS_SOCKETS_MAX 4096u

/**
 * status_find_each() - each control socket of this user's runtime directory;
 * root's machines for root
 * @fn: @path is valid during the call. Return: not 0 ends the walk.
 * Return: 0, also where there is no directory; what @fn returned.
 */
MUST_CHECK int
status_find_each(int (*fn)(void *ctx, const char *path, pid_t pid), void *ctx);

/**
 * status_machine() - one machine as a JSON object
 * @confinement: and the walls of each process
 * Return: 0 and *ret_machine, owned; -errno with *p set, as control_link_open.
 */
MUST_CHECK int status_machine(const char *path, bool confinement,
			      struct json_t **ret_machine, struct problem *p);

/**
 * struct status_look - what the kernel says of one process
 * @proc_fd: /proc/PID, owned; -1 = not there
 * @facts: owned, NULL = nothing
 * @note: why there is nothing, or not all; "" = all is there
 */
struct status_look {
	int proc_fd;
	Bulkhead__Facts__Facts *facts;
	char note[160];
};

/**
 * status_look_open() - /proc/@pid, before the monitor is asked whether that is
 * still its process: a pid may be used again
 */
void status_look_open(struct status_look *k, const struct control_link *l,
		      uint32_t pid);
/**
 * status_look_read() - reads what there is to see
 * @now: what the monitor has said after status_look_open()
 * @pid: as given there
 */
void status_look_read(struct status_look *k, const struct control_link *l,
		      uint32_t pid, const Bulkhead__Control__Process *now);
/** status_look_close() - frees. */
void status_look_close(struct status_look *k);

/** status_text() - @machine for people; borrowed. Return: 0, or not. */
MUST_CHECK int status_text(const struct json_t *machine, FILE *out);

#endif
