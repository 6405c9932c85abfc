/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts_read.h - the reader's parts, private to policy/.
 */
#ifndef POLICY_FACTS_READ_H
#define POLICY_FACTS_READ_H

#include <dirent.h>
#include <stddef.h>

#include "policy/facts_text.h"

/**
 * struct facts_reader - one look at one process
 * @proc_fd: of /proc/PID, borrowed
 * @own: fds of ours that are not to be listed, since it is our own process and
 * they are there only for this; own[0..own_cnt), borrowed
 * @facts: what was found so far
 * @text: the file read last, owned; its memory serves the next one
 */
struct facts_reader {
	int proc_fd;
	const int *own;
	size_t own_cnt;
	Bulkhead__Facts__Facts *facts;
	char *text;
	size_t text_bytes;
};

/**
 * facts_reader_run() - fills r->facts; the caller frees it on failure too
 * Return: as facts_read().
 */
MUST_CHECK int facts_reader_run(struct facts_reader *r);

/**
 * facts_file_read() - all of @fd, which may take many reads
 * @ret_text: valid until the next call
 * Return: 0; -EFBIG there is more than is ever looked at, and *ret_text is its
 * beginning; -ESRCH; -ENOMEM; other -errno.
 */
MUST_CHECK int facts_file_read(struct facts_reader *r, int fd,
			       struct facts_slice *ret_text);

/** facts_dir_open() - @name in the process's directory; NULL with errno. */
DIR *facts_dir_open(struct facts_reader *r, const char *name);

/**
 * facts_unseen() - something could not be read: is that the end of reading?
 * @name: of the list that misses something
 * @error: -errno
 * Return: 0 if the rest may be read; -ESRCH; -ENOMEM.
 */
MUST_CHECK int facts_unseen(struct facts_reader *r, const char *name,
			    int error);

/* facts_fds.c: the list of open fds. 0; -ESRCH; -ENOMEM */
MUST_CHECK int facts_fds_read(struct facts_reader *r);

#endif
