// SPDX-License-Identifier: Apache-2.0
/*
 * fs.c - the shared directory's filters. The process is built by a later issue,
 * which refines these rows with running code; here is what its design needs
 * after READY and no more. Who is not trusted: the guest, whose FUSE requests
 * name files.
 *
 * THE ONE EXCEPTION to "nothing is opened after READY": opening files of the
 * share is this role's work. What the filter can hold:
 *  - openat2 only; open, openat and creat stay absent, for they cannot be told
 *    to stay beneath a directory.
 *  - never the working directory: a directory fd is a real one (T_FD), which it
 *    holds because it was granted or reached from the granted one.
 *  - no device node is made, and flags are those that the design has.
 * What the filter cannot hold: openat2's `how` (RESOLVE_BENEATH) and every name
 * are in memory, which seccomp does not see. Beneath the share must therefore
 * hold by the two other walls, each alone: the mount namespace, where nothing
 * but the share can be named, and a Landlock rule for the share's root and none
 * else. The threads' filters give all of this to the queue workers only.
 *
 * Left out until there is code that needs them: fchmodat2 and the calls for
 * extended attributes by directory fd (Linux 6.6 and 6.13), locks that wait
 * (they would stop a worker), open_by_handle_at (needs a capability).
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <sys/file.h>

#include "policy/rows.h"

#define AT_NODE (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)
#define RENAME_FLAGS (RENAME_NOREPLACE | RENAME_EXCHANGE)

static const struct policy_row name_rows[] = {
	ALLOW_IF2(openat2, T_FD(0), T_EQ64(3, sizeof(struct open_how)),
		  "devices/fs: LOOKUP, OPEN, CREATE, OPENDIR, TMPFILE"),
	ALLOW_IF2(newfstatat, T_FD(0), T_ONLY(3, AT_NODE),
		  "devices/fs: LOOKUP, GETATTR"),
	ALLOW_IF2(statx, T_FD(0), T_ONLY(2, AT_NODE | AT_STATX_SYNC_TYPE),
		  "devices/fs: LOOKUP, GETATTR, STATX"),
	ALLOW_IF(readlinkat, T_FD(0), "devices/fs: READLINK"),
	ALLOW_IF(mkdirat, T_FD(0), "devices/fs: MKDIR"),
	/* 0020000 is in the types of devices only (and of links and none). */
	ALLOW_IF2(mknodat, T_FD(0), T_CLEAR(2, 0020000),
		  "devices/fs: MKNOD of files, FIFOs and sockets"),
	ALLOW_IF(symlinkat, T_FD(1), "devices/fs: SYMLINK"),
	ALLOW_IF2(unlinkat, T_FD(0), T_ONLY(2, AT_REMOVEDIR),
		  "devices/fs: UNLINK, RMDIR"),
	ALLOW_IF3(renameat2, T_FD(0), T_FD(2), T_ONLY(4, RENAME_FLAGS),
		  "devices/fs: RENAME, RENAME2"),
	ALLOW_IF3(linkat, T_FD(0), T_FD(2), T_ONLY(4, AT_EMPTY_PATH),
		  "devices/fs: LINK"),
	ALLOW_IF2(fchownat, T_FD(0), T_ONLY(4, AT_NODE), "devices/fs: SETATTR"),
	ALLOW_IF2(utimensat, T_FD(0), T_ONLY(3, AT_NODE),
		  "devices/fs: SETATTR"),
};
static POLICY_SET(set_fs_name, name_rows);

static const struct policy_row file_rows[] = {
	ALLOW(pread64, "devices/fs: READ"),
	ALLOW(preadv, "devices/fs: READ"),
	ALLOW(pwrite64, "devices/fs: WRITE"),
	ALLOW(pwritev, "devices/fs: WRITE"),
	ALLOW_IF(pwritev2, T_ONLY(5, RWF_DSYNC | RWF_SYNC | RWF_APPEND),
		 "devices/fs: WRITE of O_SYNC and O_APPEND handles"),
	ALLOW(lseek, "devices/fs: LSEEK"),
	ALLOW(getdents64, "devices/fs: READDIR, READDIRPLUS"),
	ALLOW(ftruncate, "devices/fs: SETATTR"),
	ALLOW(fchmod, "devices/fs: SETATTR"),
	ALLOW(fallocate, "devices/fs: FALLOCATE"),
	ALLOW(copy_file_range, "devices/fs: COPY_FILE_RANGE"),
	ALLOW(fsync, "devices/fs: FSYNC, FSYNCDIR"),
	ALLOW(fdatasync, "devices/fs: FSYNC"),
	ALLOW(syncfs, "devices/fs: SYNCFS"),
	ALLOW(fstatfs, "devices/fs: STATFS"),
	ALLOW(fgetxattr, "devices/fs: GETXATTR"),
	ALLOW(fsetxattr, "devices/fs: SETXATTR"),
	ALLOW(flistxattr, "devices/fs: LISTXATTR"),
	ALLOW(fremovexattr, "devices/fs: REMOVEXATTR"),
	/* Never one that waits: it would stop the queue. */
	ALLOW_IF(flock, T_EQ(1, LOCK_SH | LOCK_NB), "devices/fs: flock"),
	ALLOW_IF(flock, T_EQ(1, LOCK_EX | LOCK_NB), "devices/fs: flock"),
	ALLOW_IF(flock, T_EQ(1, LOCK_UN), "devices/fs: flock, RELEASE"),
	ALLOW_IF(fcntl, T_EQ(1, F_OFD_GETLK), "devices/fs: GETLK"),
	ALLOW_IF(fcntl, T_EQ(1, F_OFD_SETLK), "devices/fs: SETLK, retried"),
};
static POLICY_SET(set_fs_file, file_rows);

/* What a worker has beside names and files: handles end in it. */
static const struct policy_row queue_rows[] = {
	ALLOW(close, "devices/fs: RELEASE, FORGET"),
};
static POLICY_SET(set_fs_queue, queue_rows);

const struct policy_table table_fs = {
	.name = "fs",
	.role = ROLE_FS,
	.sets = {&set_fs_name, &set_fs_file, &set_ring, &set_ring_enable,
		 &set_memory, &set_thread, &set_thread_new, &set_signal,
		 &set_end, &set_time, &set_event, &set_channel, &set_data,
		 &set_report, &set_unasked},
};

/* The main thread when all workers exist: neither names nor files. */
const struct policy_table table_fs_main = {
	.name = "fs-main",
	.role = ROLE_FS,
	.sets = {&set_memory, &set_thread, &set_signal, &set_end, &set_time,
		 &set_event, &set_channel, &set_data, &set_report,
		 &set_unasked},
};

/* A queue worker: all FUSE requests, and nothing received. */
const struct policy_table table_fs_queue = {
	.name = "fs-queue",
	.role = ROLE_FS,
	.sets = {&set_fs_name, &set_fs_file, &set_fs_queue, &set_ring,
		 &set_queue, &set_memory, &set_thread, &set_signal, &set_end,
		 &set_time, &set_unasked},
};
