// SPDX-License-Identifier: Apache-2.0
/*
 * exceptions.c - attempts that one filter answers in another way than all
 * others, each with its reason; and what holds the monitor beneath its filter.
 */
#include <errno.h>
#include <string.h>

#include "ipc/compiler.h"
#include "tests/policy/escapes.h"

#define KILLED ESCAPE_KILLED
#define F(name) POLICY_FILTER_##name

/* Two filters, of a process and of its worker, with the same exception. */
#define BOTH(name, escape, errno_, why)              \
	{F(name), escape, errno_, why},              \
	{                                            \
		F(name##_QUEUE), escape, errno_, why \
	}

/* Threads that have no channel: nothing is sent at all. */
#define NO_CHANNEL(name)                                    \
	{                                                   \
		F(name), "sendmsg with an address", KILLED, \
			"no row for sendmsg"                \
	}

const struct escape_exception escape_exceptions[] = {
	/* A row allows it: /dev/null, a path or a length is what fails. */
	{F(MONITOR), "pidfd_send_signal", EBADF, "ends its children"},
	{F(VMM), "ioctl KVM_RUN", ENOTTY, "its vCPU threads inherit it"},
	{F(VMM_VCPU), "ioctl KVM_RUN", ENOTTY, "runs the guest"},
	{F(NET), "ioctl VHOST_NET_SET_BACKEND", ENOTTY, "starts a queue"},
	{F(NET_MAIN), "ioctl VHOST_NET_SET_BACKEND", ENOTTY, "starts a queue"},
	BOTH(GPU, "ioctl AMDGPU_CS", ENOTTY, "submits the guest's commands"),
	BOTH(GPU, "ioctl UDMABUF_CREATE", ENOTTY, "blobs of guest memory"),
	BOTH(GPU, "ioctl DMA_BUF_SYNC", ENOTTY, "reads and writes buffers"),
	BOTH(GPU_SOFTWARE, "ioctl UDMABUF_CREATE", ENOTTY, "as gpu"),
	BOTH(GPU_SOFTWARE, "ioctl DMA_BUF_SYNC", ENOTTY, "as gpu"),
	BOTH(FS, "copy_file_range", EINVAL, "copies within the share"),
	/*
	 * The share's names, by directory fd: a path from the root finds the
	 * namespace's, which is empty here, and ".." needs a directory.
	 */
	BOTH(FS, "openat2 absolute", ENOENT, "opens files of the share"),
	BOTH(FS, "openat2 ..", ENOTDIR, "opens files of the share"),
	BOTH(FS, "mkdirat of an fd", EROFS, "makes directories of the share"),
	/* Code made at run time: W^X, and nothing is mapped executable. */
	BOTH(GPU_SOFTWARE, "mmap PROT_EXEC", EPERM, "refused, not killed"),
	BOTH(GPU_SOFTWARE, "mmap writable and PROT_EXEC", EPERM,
	     "rtasm tries it and goes on without"),
	BOTH(GPU_SOFTWARE, "mprotect PROT_EXEC", ENOMEM, "a shader's code"),
	/* No row where others refuse: the monitor makes no threads at all. */
	{F(MONITOR), "clone3", KILLED, "its threads were made before"},
	NO_CHANNEL(VMM_VCPU),
	NO_CHANNEL(BLK_QUEUE),
	NO_CHANNEL(NET_QUEUE),
	NO_CHANNEL(FS_QUEUE),
	NO_CHANNEL(GPU_QUEUE),
	NO_CHANNEL(GPU_SOFTWARE_QUEUE),
};
const size_t escape_exception_cnt = ARRAY_SIZE(escape_exceptions);

int escape_expected(const struct escape *e, enum policy_filter filter)
{
	for (size_t i = 0; i < escape_exception_cnt; i++) {
		if (escape_exceptions[i].filter == filter &&
		    strcmp(escape_exceptions[i].escape, e->name) == 0)
			return escape_exceptions[i].enforce;
	}
	return e->enforce;
}

const struct escape_beneath escape_monitor_beneath[] = {
	/* An empty root, and Landlock denies every right on files. */
	{"open", {ENOENT}},
	{"openat", {ENOENT}},
	{"openat /", {EACCES}},
	{"openat /proc/1/mem", {EACCES, ENOENT}},
	{"openat O_TMPFILE", {EACCES, EROFS}},
	{"openat2", {ENOENT}},
	{"openat2 absolute", {ENOENT}},
	{"creat", {EACCES, EROFS}},
	{"mkdir", {EACCES, EROFS}},
	{"mkdirat", {EACCES, EROFS}},
	{"symlinkat", {EACCES, EROFS}},
	{"mknod", {EACCES, EPERM, EROFS}},
	{"unlink", {ENOENT, EACCES, EROFS}},
	{"execve", {ENOENT}},
	{"socket then connect", {EACCES}},
	{"socket then bind", {EACCES}},
	{"ptrace monitor", {EPERM}},
	{"process_vm_readv monitor", {EPERM}},
	/* No capability, and no mount in a Landlock domain. */
	{"mount", {EPERM}},
	{"umount2", {EPERM}},
	{"pivot_root", {EPERM}},
	{"chroot", {EPERM}},
	{"fsopen", {EPERM}},
	{"open_tree", {EPERM}},
	{"unshare", {EPERM}},
	{"unshare then mount", {EPERM}},
	{"setgroups", {EPERM}},
	{"bpf", {EPERM, EINVAL}},
	{"init_module", {EPERM, ENOSYS}},
	{"iopl", {EPERM, ENOSYS}},
	{"swapoff", {EPERM}},
	/* rlimits, no_new_privs and its own mode */
	{"setrlimit", {EPERM}},
	{"setpriority", {EACCES, EPERM}},
	{"prctl PR_SET_NO_NEW_PRIVS", {EINVAL}},
	{"prctl PR_CAP_AMBIENT", {EPERM}},
};
const size_t escape_monitor_beneath_cnt = ARRAY_SIZE(escape_monitor_beneath);
