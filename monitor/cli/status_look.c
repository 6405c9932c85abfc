// SPDX-License-Identifier: Apache-2.0
/*
 * status_look.c - what the kernel says of a process, read from outside. Runs in
 * `bulkhead status`, which is not confined. The owner of a child's user
 * namespace and root may see all of it, though the child is not dumpable; of
 * the monitor, which has no namespace of its own, its user sees only what
 * /proc/PID/status shows to everybody.
 *
 * Theory of operation: pids come from the monitor, and the process may end and
 * its pid be used again at any time. So /proc/PID is opened first; an open
 * directory of /proc stays with its process. Then the monitor is asked again:
 * as long as it has not reaped a child, that child's pid is not used again, so
 * what it still lists is what was opened. The parent, read through the opened
 * directory, is tested besides; for the monitor itself the kernel told the pid,
 * and its answer on the connection shows that it still lives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "monitor/cli/status.h"
#include "policy/facts.h"

/* look_note() - why there is nothing from the kernel. */
static void look_note(struct status_look *k, const char *why)
{
	(void)snprintf(k->note, sizeof(k->note), "%s", why);
}

void status_look_open(struct status_look *k, const struct control_link *l,
		      uint32_t pid)
{
	char path[32];

	*k = (struct status_look){.proc_fd = -1};
	if (l->peer_pid == 0 || (uint32_t)l->peer_pid != l->said_pid) {
		look_note(k, "the machine runs in another pid namespace");
		return;
	}
	(void)snprintf(path, sizeof(path), "/proc/%u", pid);
	k->proc_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (k->proc_fd < 0)
		(void)snprintf(k->note, sizeof(k->note), "%s: %s", path,
			       strerror(errno));
}

/* look_parent() - PPid of the opened process; -1 = it is gone. */
static pid_t look_parent(int proc_fd)
{
	CLEANUP(fd_cleanup)
	int fd = openat(proc_fd, "status", O_RDONLY | O_CLOEXEC);
	char text[2048];
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at;

	if (len <= 0)
		return -1;
	text[len] = '\0';
	at = strstr(text, "\nPPid:");
	return at ? (pid_t)strtol(at + strlen("\nPPid:"), NULL, 10) : -1;
}

/* look_is_it() - is the opened process the one that the monitor means? */
static bool look_is_it(const struct status_look *k,
		       const struct control_link *l, uint32_t pid,
		       const Bulkhead__Control__Process *now)
{
	if (now->pid != pid ||
	    now->state == BULKHEAD__CONTROL__STATE__STATE_ENDED)
		return false;
	if (now->role == BULKHEAD__CHILD__ROLE__ROLE_MONITOR)
		return (pid_t)pid == l->peer_pid;
	return look_parent(k->proc_fd) == l->peer_pid;
}

void status_look_read(struct status_look *k, const struct control_link *l,
		      uint32_t pid, const Bulkhead__Control__Process *now)
{
	int ret;

	if (k->proc_fd < 0)
		return;
	if (!look_is_it(k, l, pid, now)) {
		look_note(k, "the process has ended meanwhile");
		return;
	}
	ret = facts_read(k->proc_fd, &k->facts);
	if (ret)
		look_note(k, ret == -ESRCH ? "the process has ended meanwhile"
					   : strerror(-ret));
	else if (!k->facts->n_namespaces)
		look_note(k, "the kernel shows this user only part of a "
			     "process that is not dumpable");
}

void status_look_close(struct status_look *k)
{
	facts_free(k->facts);
	k->facts = NULL;
	fd_cleanup(&k->proc_fd);
}
