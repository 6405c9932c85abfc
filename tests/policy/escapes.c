// SPDX-License-Identifier: Apache-2.0
/*
 * escapes.c - the table of attempts. Arguments are such that a call that got
 * through a failed wall would do no harm to the machine that runs the test.
 */
#include "tests/policy/attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ipc/compiler.h"

#define P(x) ((uintptr_t)(x))
#define CWD ((uint64_t)AT_FDCWD)
#define KILLED ESCAPE_KILLED
#define SKIP ESCAPE_SKIP

static const char passwd[] = "/etc/passwd";
static const char init_mem[] = "/proc/1/mem";
static const char shell[] = "/bin/sh";
static const char root[] = "/";
static const char made[] = "/made";
static const char tmpfs[] = "tmpfs";
static char *const no_argv[] = {NULL};
static const char parent[] = "..";
static const char proc_1[] = "/proc/1";
static uint64_t words[64];
static const struct sockaddr_in loopback = {
	.sin_family = AF_INET, .sin_addr = {0x0100007f}, .sin_port = 0x1600};
static const struct rlimit more_core = {1, 1};
static const struct clone_args fork_args = {.exit_signal = SIGCHLD};

#define CALL(id, enf, ben, or_, ...)                                    \
	{                                                               \
		.name = #id, .number = SYS_##id, .args = {__VA_ARGS__}, \
		.enforce = (enf), .beneath = (ben), .or_beneath = (or_) \
	}
#define FORM(text, id, enf, ben, or_, ...)                               \
	{                                                                \
		.name = text, .number = SYS_##id, .args = {__VA_ARGS__}, \
		.enforce = (enf), .beneath = (ben), .or_beneath = (or_)  \
	}

/* An ioctl on /dev/null, where it does nothing. */
#define IOCTL(request, nr, ben) \
	FORM("ioctl " #request, ioctl, KILLED, ben, 0, 0, nr, P(words))

const struct escape escapes[] = {
	/* Files */
	CALL(open, KILLED, ENOENT, EACCES, P(passwd), O_RDONLY),
	CALL(openat, KILLED, ENOENT, EACCES, CWD, P(passwd), O_RDONLY),
	FORM("openat /proc/1/mem", openat, KILLED, ENOENT, EACCES, CWD,
	     P(init_mem), O_RDWR),
	FORM("openat /", openat, KILLED, EACCES, 0, CWD, P(root), O_DIRECTORY),
	FORM("openat O_TMPFILE", openat, KILLED, EROFS, EACCES, CWD, P(root),
	     O_TMPFILE | O_RDWR, 0600),
	FORM("openat /proc/1", openat, KILLED, ENOENT, EACCES, CWD, P(proc_1),
	     O_DIRECTORY),
	CALL(openat2, KILLED, ENOENT, EACCES, CWD, P(passwd), P(words), 24),
	/* By the only role that may name files, through a directory fd. */
	FORM("openat2 absolute", openat2, KILLED, ENOENT, EACCES, 0, P(passwd),
	     P(words), 24),
	FORM("openat2 ..", openat2, KILLED, ENOTDIR, 0, 0, P(parent), P(words),
	     24),
	FORM("openat2 longer how", openat2, KILLED, SKIP, 0, 0, P(passwd),
	     P(words), 32),
	FORM("mkdirat of an fd", mkdirat, KILLED, EROFS, EACCES, 0, P(made),
	     0700),
	CALL(mkdirat, KILLED, EROFS, EACCES, CWD, P(made), 0700),
	FORM("mknodat device", mknodat, KILLED, EROFS, EPERM, 0, P(made),
	     0020666, 0x103),
	CALL(unlinkat, KILLED, ENOENT, EROFS, CWD, P(made), 0),
	CALL(renameat2, KILLED, ENOENT, EROFS, CWD, P(made), CWD, P(passwd), 0),
	FORM("renameat2 whiteout", renameat2, KILLED, SKIP, 0, 0, P(made), 0,
	     P(passwd), 4),
	FORM("linkat followed", linkat, KILLED, SKIP, 0, 0, P(made), 0,
	     P(passwd), 0x400),
	CALL(fchmodat, KILLED, EROFS, 0, CWD, P(root), 0755),
	CALL(fchownat, KILLED, SKIP, 0, CWD, P(made), 0, 0, 0),
	CALL(utimensat, KILLED, SKIP, 0, CWD, P(made), 0, 0),
	CALL(setxattr, KILLED, SKIP, 0, P(made), P(made), P(words), 1, 0),
	CALL(name_to_handle_at, KILLED, SKIP, 0, CWD, P(root), P(words),
	     P(words), 0),
	CALL(chdir, KILLED, 0, 0, P(root)),
	CALL(faccessat, KILLED, ENOENT, 0, CWD, P(passwd), 0),
	CALL(open_by_handle_at, KILLED, SKIP, 0, 3, P(words), 0),
	CALL(creat, KILLED, EROFS, EACCES, P(made), 0600),
	CALL(mkdir, KILLED, EROFS, EACCES, P(made), 0700),
	CALL(mknod, KILLED, EROFS, EACCES, P(made), 0020666, 0x103),
	CALL(symlinkat, KILLED, EROFS, EACCES, P(passwd), CWD, P(made)),
	CALL(unlink, KILLED, ENOENT, EROFS, P(made)),
	CALL(rename, KILLED, ENOENT, EROFS, P(made), P(passwd)),
	CALL(truncate, KILLED, ENOENT, 0, P(made), 0),
	CALL(chmod, KILLED, EROFS, 0, P(root), 0755),
	CALL(stat, KILLED, ENOENT, 0, P(passwd), P(words)),
	CALL(getcwd, KILLED, 0, 0, P(words), sizeof(words)),
	CALL(inotify_init1, KILLED, 0, 0, 0),
	CALL(fanotify_init, KILLED, EPERM, 0, 0, 0),
	/* Programs and processes */
	CALL(execve, KILLED, ENOENT, EACCES, P(shell), P(no_argv), P(no_argv)),
	CALL(execveat, KILLED, SKIP, 0, 3, P(root + 1), P(no_argv), P(no_argv),
	     AT_EMPTY_PATH),
	CALL(fork, KILLED, ENOSYS, 0, 0),
	CALL(vfork, KILLED, ENOSYS, 0, 0),
	FORM("clone fork", clone, KILLED, ENOSYS, 0, SIGCHLD),
	FORM("clone new user namespace", clone, KILLED, ENOSYS, 0,
	     SIGCHLD | CLONE_NEWUSER),
	FORM("clone3", clone3, ENOSYS, ENOSYS, 0, P(&fork_args),
	     sizeof(fork_args)),
	CALL(kill, KILLED, ESRCH, EPERM, 2, 0),
	FORM("kill all", kill, KILLED, ESRCH, EPERM, (uint64_t)-1, 0),
	FORM("kill sibling", kill, KILLED, ESRCH, EPERM, ESCAPE_SIBLING,
	     SIGKILL),
	FORM("kill init", kill, KILLED, 0, 0, 1, 0),
	FORM("tgkill SIGKILL", tgkill, KILLED, ESRCH, EPERM, ESCAPE_SIBLING,
	     ESCAPE_SIBLING, SIGKILL),
	FORM("tgkill SIGSYS", tgkill, KILLED, ESRCH, EPERM, ESCAPE_SIBLING,
	     ESCAPE_SIBLING, SIGSYS),
	FORM("rt_sigqueueinfo monitor", rt_sigqueueinfo, KILLED, SKIP, 0,
	     ESCAPE_MONITOR, 0, P(words)),
	FORM("pidfd_open monitor", pidfd_open, KILLED, ESRCH, EINVAL,
	     ESCAPE_MONITOR, 0),
	FORM("pidfd_open sibling", pidfd_open, KILLED, ESRCH, EINVAL,
	     ESCAPE_SIBLING, 0),
	CALL(pidfd_getfd, KILLED, EBADF, 0, (uint64_t)-1, 0, 0),
	CALL(pidfd_send_signal, KILLED, EBADF, 0, (uint64_t)-1, 0, 0, 0),
	FORM("ptrace sibling", ptrace, KILLED, ESRCH, EPERM, PTRACE_SEIZE,
	     ESCAPE_SIBLING),
	FORM("ptrace monitor", ptrace, KILLED, ESRCH, EPERM, PTRACE_SEIZE,
	     ESCAPE_MONITOR),
	FORM("ptrace PTRACE_TRACEME", ptrace, KILLED, SKIP, 0, PTRACE_TRACEME),
	{.name = "process_vm_readv sibling",
	 .fn = escape_vm_readv_sibling,
	 .enforce = KILLED,
	 .beneath = ESRCH,
	 .or_beneath = EPERM},
	{.name = "process_vm_readv monitor",
	 .fn = escape_vm_readv,
	 .enforce = KILLED,
	 .beneath = ESRCH,
	 .or_beneath = EPERM},
	{.name = "process_vm_writev sibling",
	 .fn = escape_vm_writev,
	 .enforce = KILLED,
	 .beneath = ESRCH,
	 .or_beneath = EPERM},
	CALL(kcmp, KILLED, ESRCH, EPERM, 2, 1, 1, 0, 0),
	CALL(setpgid, KILLED, SKIP, 0, 0, 0),
	CALL(setpriority, KILLED, EACCES, EPERM, 0, 0, (uint64_t)-20),
	/* Namespaces and mounts */
	CALL(mount, KILLED, EPERM, 0, P(tmpfs), P(root), P(tmpfs), 0, 0),
	CALL(umount2, KILLED, EPERM, 0, P(root), 2),
	CALL(pivot_root, KILLED, EPERM, 0, P(root), P(root)),
	CALL(chroot, KILLED, EPERM, 0, P(root)),
	CALL(fsopen, KILLED, EPERM, 0, P(tmpfs), 0),
	CALL(open_tree, KILLED, EPERM, 0, CWD, P(root), 1),
	CALL(setns, KILLED, EINVAL, EPERM, 3, CLONE_NEWNET),
	CALL(unshare, KILLED, EPERM, 0, CLONE_NEWNET),
	{.name = "unshare then mount",
	 .fn = escape_userns_mount,
	 .enforce = KILLED,
	 .beneath = EPERM},
	CALL(sethostname, KILLED, EPERM, 0, P(root), 1),
	/* Credentials and walls undone */
	CALL(setuid, KILLED, EINVAL, EPERM, 1),
	CALL(setresgid, KILLED, EINVAL, EPERM, 1, 1, 1),
	CALL(setgroups, KILLED, EPERM, 0, 0, 0),
	CALL(capset, KILLED, SKIP, 0, P(words), P(words)),
	FORM("prctl PR_SET_DUMPABLE", prctl, KILLED, SKIP, 0, PR_SET_DUMPABLE,
	     1),
	FORM("prctl PR_SET_PDEATHSIG", prctl, KILLED, SKIP, 0, PR_SET_PDEATHSIG,
	     0),
	FORM("prctl PR_SET_SECUREBITS", prctl, KILLED, EPERM, 0,
	     PR_SET_SECUREBITS, 0),
	FORM("prctl PR_CAP_AMBIENT", prctl, KILLED, EPERM, 0, PR_CAP_AMBIENT,
	     PR_CAP_AMBIENT_RAISE, 21, 0, 0),
	FORM("prctl PR_SET_NO_NEW_PRIVS", prctl, KILLED, EINVAL, 0,
	     PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0),
	FORM("prctl PR_SET_SECCOMP", prctl, KILLED, EINVAL, EFAULT,
	     PR_SET_SECCOMP, 0),
	FORM("prctl PR_SET_MM", prctl, KILLED, EPERM, 0, PR_SET_MM, 1, 0, 0, 0),
	FORM("rt_sigaction SIGSYS", rt_sigaction, KILLED, SKIP, 0, SIGSYS,
	     P(words), 0, 8),
	CALL(setrlimit, KILLED, EPERM, 0, RLIMIT_CORE, P(&more_core)),
	CALL(personality, KILLED, SKIP, 0, 0x0400000),
	/* Code */
	FORM("mmap PROT_EXEC", mmap, KILLED, 0, 0, 0, 4096,
	     PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1),
	FORM("mprotect PROT_EXEC", mprotect, KILLED, SKIP, 0, 0, 4096,
	     PROT_EXEC),
	FORM("mmap writable and PROT_EXEC", mmap, KILLED, 0, 0, 0, 4096,
	     PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
	     (uint64_t)-1),
	FORM("mprotect writable and PROT_EXEC", mprotect, KILLED, SKIP, 0, 0,
	     4096, PROT_READ | PROT_WRITE | PROT_EXEC),
	CALL(pkey_mprotect, KILLED, SKIP, 0, 0, 4096, PROT_EXEC, 0),
	CALL(modify_ldt, KILLED, SKIP, 0, 1, P(words), 16),
	CALL(arch_prctl, KILLED, SKIP, 0, 0x1003, P(words)),
	/* Kernel interfaces */
	CALL(bpf, KILLED, EPERM, EINVAL, 0, P(words), 32),
	CALL(perf_event_open, KILLED, EACCES, EPERM, P(words), 0, (uint64_t)-1,
	     (uint64_t)-1, 0),
	CALL(userfaultfd, KILLED, 0, 0, 1),
	CALL(io_uring_setup, KILLED, SKIP, 0, 8, P(words)),
	CALL(keyctl, KILLED, SKIP, 0, 0, 0),
	CALL(add_key, KILLED, SKIP, 0, P(tmpfs), P(root), 0, 0, 0),
	CALL(init_module, KILLED, EPERM, ENOSYS, 0, 0, P(root)),
	CALL(finit_module, KILLED, EPERM, ENOSYS, 3, P(root), 0),
	CALL(kexec_load, KILLED, EPERM, ENOSYS, 0, 0, 0, 0),
	CALL(reboot, KILLED, EPERM, 0, 1, 2, 3),
	CALL(iopl, KILLED, EPERM, ENOSYS, 3),
	CALL(ioperm, KILLED, EPERM, ENOSYS, 0x70, 1, 1),
	CALL(swapoff, KILLED, EPERM, 0, P(passwd)),
	CALL(acct, KILLED, EPERM, ENOSYS, 0),
	CALL(syslog, KILLED, EPERM, 0, 5, 0, 0),
	CALL(settimeofday, KILLED, SKIP, 0, 0, 0),
	CALL(memfd_create, KILLED, 0, 0, P(tmpfs), 0),
	CALL(shmget, KILLED, SKIP, 0, 0, 4096, 01600),
	CALL(mq_open, KILLED, SKIP, 0, P(tmpfs), 0102, 0600, 0),
	/* Fds and sockets */
	CALL(socket, KILLED, 0, 0, AF_INET, SOCK_STREAM, 0),
	{.name = "socket then connect",
	 .fn = escape_connect,
	 .enforce = KILLED,
	 .beneath = ENETUNREACH,
	 .or_beneath = EACCES},
	{.name = "socket then bind",
	 .fn = escape_bind,
	 .enforce = KILLED,
	 .beneath = EACCES,
	 .or_beneath = EADDRNOTAVAIL},
	CALL(socketpair, KILLED, 0, 0, AF_UNIX, SOCK_STREAM, 0, P(words)),
	CALL(connect, KILLED, SKIP, 0, 3, P(&loopback), sizeof(loopback)),
	CALL(accept4, KILLED, SKIP, 0, 3, 0, 0, 0),
	FORM("sendto with an address", sendto, KILLED, SKIP, 0, 3, P(words), 1,
	     0, P(&loopback), sizeof(loopback)),
	CALL(setsockopt, KILLED, SKIP, 0, 3, 1, 2, P(words), 4),
	CALL(dup, KILLED, 0, 0, 3),
	CALL(dup2, KILLED, 0, 0, 3, 20),
	FORM("fcntl F_DUPFD", fcntl, KILLED, 0, 0, 3, F_DUPFD, 10),
	FORM("fcntl F_SETOWN", fcntl, KILLED, SKIP, 0, 3, 8, 1),
	FORM("fcntl F_SETFL O_ASYNC", fcntl, KILLED, SKIP, 0, 3, F_SETFL,
	     O_ASYNC),
	FORM("ioctl TIOCSTI", ioctl, KILLED, ENOTTY, EIO, 0, 0x5412, P(root)),
	FORM("ioctl FIOASYNC", ioctl, KILLED, SKIP, 0, 3, 0x5452, P(words)),
	/* One or two requests of each kind of fd that a role may hold. */
	IOCTL(KVM_CREATE_VM, 0xae01, ENOTTY),
	IOCTL(KVM_RUN, 0xae80, ENOTTY),
	IOCTL(TUNSETIFF, 0x400454ca, ENOTTY),
	IOCTL(TUNSETPERSIST, 0x400454cb, ENOTTY),
	IOCTL(TUNSETSTEERINGEBPF, 0x800454e0, ENOTTY),
	IOCTL(VHOST_SET_OWNER, 0xaf01, ENOTTY),
	IOCTL(VHOST_SET_LOG_BASE, 0x4008af04, ENOTTY),
	IOCTL(VHOST_NET_SET_BACKEND, 0x4008af30, ENOTTY),
	IOCTL(DRM_SET_MASTER, 0x641e, ENOTTY),
	IOCTL(DRM_GEM_FLINK, 0xc008640a, ENOTTY),
	IOCTL(DRM_MODE_SETCRTC, 0xc06864a2, ENOTTY),
	IOCTL(AMDGPU_SCHED, 0x40106455, ENOTTY),
	IOCTL(I915_PERF_OPEN, 0x40106476, ENOTTY),
	IOCTL(AMDGPU_CS, 0xc0186444, ENOTTY),
	IOCTL(UDMABUF_CREATE, 0x40187542, ENOTTY),
	IOCTL(DMA_HEAP_ALLOC, 0xc0184800, ENOTTY),
	IOCTL(DMA_BUF_SYNC, 0x40086200, ENOTTY),
	IOCTL(FS_IOC_SETFLAGS, 0x40086602, SKIP),
	IOCTL(FICLONE, 0x40049409, SKIP),
	IOCTL(FIFREEZE, 0xc0045877, SKIP),
	IOCTL(BLKDISCARD, 0x1277, ENOTTY),
	IOCTL(SG_IO, 0x2285, ENOTTY),
	IOCTL(LOOP_CTL_GET_FREE, 0x4c82, ENOTTY),
	IOCTL(VFIO_GET_API_VERSION, 0x3b64, ENOTTY),
	IOCTL(NS_GET_USERNS, 0xb701, ENOTTY),
	IOCTL(SIOCGIFCONF, 0x8912, ENOTTY),
	IOCTL(EVIOCGRAB, 0x40044590, ENOTTY),
	IOCTL(RNDADDENTROPY, 0x40085203, ENOTTY),
	IOCTL(SECCOMP_NOTIF_RECV, 0xc0502100, ENOTTY),
	/* Closed by confine_early(), although the child was started with it. */
	FORM("write extra fd", write, EBADF, EBADF, 0, ESCAPE_EXTRA_FD,
	     P(words), 1),
	{.name = "sendmsg with an address",
	 .fn = escape_sendmsg,
	 .enforce = ENOTSOCK,
	 .beneath = ENOTSOCK},
	CALL(vmsplice, KILLED, SKIP, 0, 3, P(words), 0, 0),
	CALL(copy_file_range, KILLED, SKIP, 0, 3, 0, 4, 0, 1, 0),
	/* Other tables of calls */
	{.name = "int 0x80",
	 .fn = escape_int80,
	 .enforce = ESCAPE_KILLED_SILENTLY,
	 .beneath = SKIP},
	{.name = "x32 getpid",
	 .number = 0x40000000 | SYS_getpid,
	 .enforce = ESCAPE_KILLED_SILENTLY,
	 .beneath = SKIP},
	/* What libc and newer kernels' libraries try by themselves */
	CALL(getrandom, ENOSYS, ENOSYS, 0, P(words), 8, 1),
	CALL(set_robust_list, ENOSYS, ENOSYS, 0, P(words), 24),
	FORM("futex_wait", futex_waitv, ENOSYS, ENOSYS, 0, 0),
	{.name = "futex_wake",
	 .number = 454,
	 .enforce = ENOSYS,
	 .beneath = ENOSYS},
	{.name = "mseal", .number = 462, .enforce = ENOSYS, .beneath = ENOSYS},
	CALL(statx, ENOSYS, ENOSYS, 0, CWD, P(passwd), 0, 0, P(words)),
	CALL(readlink, ENOENT, ENOENT, 0, P(passwd), P(words), 8),
	CALL(prlimit64, EPERM, EPERM, 0, 2, 7, 0, P(words)),
	CALL(sched_getaffinity, EPERM, EPERM, 0, 0, 64, P(words)),
	FORM("ioctl TCGETS", ioctl, ENOTTY, ENOTTY, 0, 3, 0x5401, P(words)),
	FORM("ioctl TCGETS2", ioctl, ENOTTY, ENOTTY, 0, 3, 0x802c542a,
	     P(words)),
	FORM("madvise MADV_GUARD_INSTALL", madvise, EINVAL, EINVAL, 0, 0, 4096,
	     102),
};
const size_t escape_cnt = ARRAY_SIZE(escapes);
