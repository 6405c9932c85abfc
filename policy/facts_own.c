// SPDX-License-Identifier: Apache-2.0
/*
 * facts_own.c - a process's facts about itself. /proc goes with the root, and
 * Landlock refuses to open what is in it, while the last facts are made by the
 * last walls: hence three steps, with an fd kept open between each two.
 *
 * No fd of these is left afterwards, and none of them is in the list of fds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "ipc/fds.h"
#include "policy/facts_read.h"
#include "policy/landlock.h"
#include "policy/wall.h"

/* Of the only thread there is, within confine_enter(). */
static struct {
	int proc_fd;
	int status_fd;
} facts_own = {.proc_fd = -1, .status_fd = -1};

void report_facts_begin(void)
{
	facts_own.proc_fd =
		open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* facts_own_prctl() - what only the process itself is told. */
static void facts_own_prctl(Bulkhead__Facts__Facts *f)
{
	int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
	int sig = 0;

	if (dumpable >= 0) {
		f->has_dumpable = 1;
		f->dumpable = (uint32_t)dumpable;
	}
	if (prctl(PR_GET_PDEATHSIG, &sig, 0, 0, 0) == 0) {
		f->has_pdeathsig = 1;
		f->pdeathsig = (uint32_t)sig;
	}
}

void report_facts_read(struct confine_report *r)
{
	struct facts_reader reader = {.proc_fd = facts_own.proc_fd,
				      .own = &facts_own.proc_fd,
				      .own_cnt = 1};

	if (facts_own.proc_fd < 0)
		return;
	if (facts_reader_run(&reader) < 0) {
		facts_free(reader.facts);
		reader.facts = NULL;
	} else {
		facts_own_prctl(reader.facts);
		facts_own.status_fd = openat(facts_own.proc_fd, "status",
					     O_RDONLY | O_CLOEXEC);
	}
	fd_cleanup(&facts_own.proc_fd);
	r->facts = reader.facts;
}

void report_facts_landlock(struct confine_report *r, int abi,
			   const struct landlock_attr *attr, bool enforced)
{
	Bulkhead__Facts__Landlock *l;

	if (!r->facts || r->facts->landlock)
		return;
	l = malloc(sizeof(*l));
	if (!l)
		return;
	bulkhead__facts__landlock__init(l);
	l->abi = abi;
	l->fs = attr->handled_access_fs;
	l->net = attr->handled_access_net;
	l->scoped = attr->scoped;
	l->enforced = enforced;
	r->facts->landlock = l;
}

/* facts_own_status() - the file that was opened early says what is now. */
static void facts_own_status(Bulkhead__Facts__Facts *f)
{
	struct facts_reader reader = {.proc_fd = -1, .facts = f};
	struct facts_slice text;

	if (facts_file_read(&reader, facts_own.status_fd, &text) == 0 &&
	    facts_parse_status(text, f) == 0 && f->n_threads == 1) {
		f->threads[0]->seccomp_mode = f->seccomp_mode;
		f->threads[0]->seccomp_filters = f->seccomp_filters;
	}
	free(reader.text);
}

void report_facts_end(struct confine_report *r)
{
	if (r->facts && facts_own.status_fd >= 0)
		facts_own_status(r->facts);
	fd_cleanup(&facts_own.status_fd);
}
