// SPDX-License-Identifier: Apache-2.0
/*
 * facts.c - reads what /proc/PID says of a process. Runs in each process about
 * itself (facts_own.c), and in the command about another, which may be hostile:
 * how many fds, threads and mappings it has is its choice, so all is bounded.
 */
#include "policy/facts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "policy/facts_read.h"

/* Most that is read of one file; 64 lines of maps take a hundredth. */
#define FACTS_FILE_BYTES ((size_t)1024 * 1024)
#define FACTS_FILE_FIRST ((size_t)8 * 1024)

/* facts_room() - makes room for more text. 0; -EFBIG; -ENOMEM. */
static int facts_room(struct facts_reader *r)
{
	size_t bytes = r->text_bytes ? 2 * r->text_bytes : FACTS_FILE_FIRST;
	char *text;

	if (bytes > FACTS_FILE_BYTES)
		return -EFBIG;
	text = realloc(r->text, bytes);
	if (!text)
		return -ENOMEM;
	r->text = text;
	r->text_bytes = bytes;
	return 0;
}

int facts_file_read(struct facts_reader *r, int fd,
		    struct facts_slice *ret_text)
{
	size_t len = 0;
	ssize_t n;
	int ret = 0;

	do {
		if (len == r->text_bytes)
			ret = facts_room(r);
		if (ret < 0)
			break;
		n = read(fd, r->text + len, r->text_bytes - len);
		if (n < 0 && errno != EINTR)
			return -errno;
		len += n > 0 ? (size_t)n : 0;
	} while (n != 0);
	*ret_text = (struct facts_slice){r->text, len};
	return ret;
}

/**
 * facts_open_read() - the file @name in @dir_fd
 * Return: as facts_file_read().
 */
static int facts_open_read(struct facts_reader *r, int dir_fd, const char *name,
			   struct facts_slice *ret_text)
{
	CLEANUP(fd_cleanup)
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : facts_file_read(r, fd, ret_text);
}

int facts_unseen(struct facts_reader *r, const char *name, int error)
{
	if (error == -ENOMEM || error == -ESRCH)
		return error;
	return error == -EFBIG || error == -EACCES || error == -EPERM
		       ? facts_cut(r->facts, name)
		       : 0;
}

/* facts_uid_map() - as the other parsers. */
static int facts_uid_map(struct facts_slice text, Bulkhead__Facts__Facts *f)
{
	return facts_parse_id_map(text, "uid_map", f, &f->uid_map);
}

static int facts_gid_map(struct facts_slice text, Bulkhead__Facts__Facts *f)
{
	return facts_parse_id_map(text, "gid_map", f, &f->gid_map);
}

/* Files that are one text each, beside the list that misses something then. */
static const struct {
	const char *file;
	const char *list;
	int (*parse)(struct facts_slice text, Bulkhead__Facts__Facts *f);
} facts_files[] = {
	{"uid_map", "uid_map", facts_uid_map},
	{"gid_map", "gid_map", facts_gid_map},
	{"limits", "rlimits", facts_parse_limits},
	{"maps", "exec_maps", facts_parse_maps},
	{"cgroup", "cgroup", facts_parse_cgroup},
};

/* facts_files_read() - 0; -ESRCH; -ENOMEM. */
static int facts_files_read(struct facts_reader *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts_files); i++) {
		struct facts_slice text = FACTS_SLICE("");
		int ret = facts_open_read(r, r->proc_fd, facts_files[i].file,
					  &text);

		if (ret < 0 && ret != -EFBIG) {
			ret = facts_unseen(r, facts_files[i].list, ret);
			if (ret < 0)
				return ret;
			continue;
		}
		if (ret == -EFBIG &&
		    facts_cut(r->facts, facts_files[i].list) < 0)
			return -ENOMEM;
		ret = facts_files[i].parse(text, r->facts);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* facts_status_read() - comes first: without it there is nothing to see. */
static int facts_status_read(struct facts_reader *r)
{
	struct facts_slice text = FACTS_SLICE("");
	int ret = facts_open_read(r, r->proc_fd, "status", &text);

	if (ret == -ENOENT)
		return -ESRCH;
	if (ret == -EPERM)
		return -EACCES;
	if (ret == 0)
		ret = facts_parse_status(text, r->facts);
	return ret == 0 ? facts_parse_single(text, r->facts) : ret;
}

/* facts_full() - @list takes no more. Return: 1, which ends a loop; -ENOMEM. */
static int facts_full(Bulkhead__Facts__Facts *f, const char *list)
{
	int ret = facts_cut(f, list);

	return ret < 0 ? ret : 1;
}

/**
 * facts_thread_read() - one of task/; a thread that has ended is no thread
 * Return: 0; 1 no room; -ENOMEM.
 */
static int facts_thread_read(struct facts_reader *r, int task_fd,
			     const char *tid)
{
	struct facts_slice text = FACTS_SLICE("");
	char name[64];
	uint64_t number;
	int ret;

	if (!facts_number((struct facts_slice){tid, strlen(tid)}, 10,
			  &number) ||
	    number > UINT32_MAX)
		return 0;
	if (r->facts->n_threads == FACTS_THREADS_MAX)
		return facts_full(r->facts, "threads");
	(void)snprintf(name, sizeof(name), "%s/status", tid);
	ret = facts_open_read(r, task_fd, name, &text);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	return facts_parse_thread(text, (uint32_t)number, r->facts);
}

/* facts_dir_cleanup() - closes *@dir. */
static void facts_dir_cleanup(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

DIR *facts_dir_open(struct facts_reader *r, const char *name)
{
	CLEANUP(fd_cleanup)
	int fd = openat(r->proc_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir)
		(void)fd_steal(&fd);
	return dir;
}

/* facts_threads_read() - where there are many. 0; -ESRCH; -ENOMEM. */
static int facts_threads_read(struct facts_reader *r)
{
	CLEANUP(facts_dir_cleanup) DIR *dir = NULL;
	int ret = 0;

	if (r->facts->n_threads > 0)
		return 0;
	dir = facts_dir_open(r, "task");
	if (!dir)
		return facts_unseen(r, "threads", -errno);
	for (struct dirent *e = readdir(dir); e && ret == 0; e = readdir(dir))
		ret = facts_thread_read(r, dirfd(dir), e->d_name);
	return ret < 0 ? ret : 0;
}

/* facts_namespace_add() - 0 or -ENOMEM. */
static int facts_namespace_add(Bulkhead__Facts__Facts *f, const char *name,
			       uint64_t inode)
{
	Bulkhead__Facts__Namespace *n = malloc(sizeof(*n));

	if (!n)
		return -ENOMEM;
	bulkhead__facts__namespace__init(n);
	f->namespaces[f->n_namespaces++] = n;
	n->inode = inode;
	n->name = strdup(name);
	return n->name ? 0 : -ENOMEM;
}

/* facts_namespaces_read() - 0; -ESRCH; -ENOMEM. */
static int facts_namespaces_read(struct facts_reader *r)
{
	static const char *const names[] = {"user", "pid", "mnt",    "net",
					    "ipc",  "uts", "cgroup", "time"};
	Bulkhead__Facts__Facts *f = r->facts;
	char path[32];
	struct stat st;
	int ret = 0;

	_Static_assert(ARRAY_SIZE(names) <= FACTS_NAMESPACES_MAX, "they fit");
	f->namespaces = calloc(ARRAY_SIZE(names), sizeof(*f->namespaces));
	if (!f->namespaces)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(names) && ret == 0; i++) {
		(void)snprintf(path, sizeof(path), "ns/%s", names[i]);
		ret = fstatat(r->proc_fd, path, &st, 0) < 0
			      ? facts_unseen(r, "namespaces", -errno)
			      : facts_namespace_add(f, names[i], st.st_ino);
	}
	return ret;
}

/* facts_entry_add() - a name in the root. 0; 1 no room; -ENOMEM. */
static int facts_entry_add(Bulkhead__Facts__Facts *f, const char *name)
{
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	if (strlen(name) > FACTS_ENTRY_MAX)
		return facts_cut(f, "root_entries");
	if (f->n_root_entries == FACTS_ROOT_MAX)
		return facts_full(f, "root_entries");
	f->root_entries[f->n_root_entries] = strdup(name);
	return f->root_entries[f->n_root_entries++] ? 0 : -ENOMEM;
}

/* facts_root_read() - 0; -ESRCH; -ENOMEM. */
static int facts_root_read(struct facts_reader *r)
{
	CLEANUP(facts_dir_cleanup) DIR *dir = facts_dir_open(r, "root");
	Bulkhead__Facts__Facts *f = r->facts;
	struct statvfs vfs;
	int ret = 0;

	f->has_root_read = 1;
	f->root_read = dir != NULL;
	if (!dir)
		return facts_unseen(r, "root_entries", -errno);
	f->root_entries = calloc(FACTS_ROOT_MAX, sizeof(*f->root_entries));
	if (!f->root_entries)
		return -ENOMEM;
	if (fstatvfs(dirfd(dir), &vfs) == 0) {
		f->has_root_readonly = 1;
		f->root_readonly = (vfs.f_flag & ST_RDONLY) != 0;
	}
	for (struct dirent *e = readdir(dir); e && ret == 0; e = readdir(dir))
		ret = facts_entry_add(f, e->d_name);
	return ret < 0 ? ret : 0;
}

int facts_reader_run(struct facts_reader *r)
{
	int (*const steps[])(struct facts_reader *) = {
		facts_status_read,     facts_threads_read, facts_files_read,
		facts_namespaces_read, facts_root_read,    facts_fds_read,
	};
	int ret = 0;

	r->facts = malloc(sizeof(*r->facts));
	if (!r->facts)
		return -ENOMEM;
	bulkhead__facts__facts__init(r->facts);
	for (size_t i = 0; i < ARRAY_SIZE(steps) && ret == 0; i++)
		ret = steps[i](r);
	free(r->text);
	r->text = NULL;
	r->text_bytes = 0;
	return ret;
}

int facts_read(int proc_fd, Bulkhead__Facts__Facts **ret_facts)
{
	struct facts_reader r = {.proc_fd = proc_fd};
	int ret = facts_reader_run(&r);

	if (ret != 0) {
		facts_free(r.facts);
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): freed above */
		return ret;
	}
	*ret_facts = r.facts;
	return 0;
}

void facts_free(Bulkhead__Facts__Facts *facts)
{
	/* What is not there at all is NULL, also in half-built lists. */
	if (facts)
		bulkhead__facts__facts__free_unpacked(facts, NULL);
}
