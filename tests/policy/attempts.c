// SPDX-License-Identifier: Apache-2.0
/*
 * attempts.c - attempts that take more than one call, or no call at all.
 */
#include "tests/policy/attempts.h"

#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static uint64_t attempt_word;
static const struct sockaddr_in loopback = {
	.sin_family = AF_INET, .sin_addr = {0x0100007f}, .sin_port = 0x1600};

long escape_sibling, escape_monitor;

/* A 32-bit call: getpid of the other table, where 20 is something else. */
long escape_int80(void)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(20L) : "memory");
	return ret;
}

/* Memory of another process, which only a pid namespace hides from root. */
static long escape_vm(long number, long pid)
{
	char byte = 0;
	const struct iovec local = {&byte, 1},
			   remote = {(void *)&attempt_word, 1};
	long ret = syscall(number, pid, &local, 1L, &remote, 1L, 0L);

	return ret < 0 ? -errno : ret;
}

long escape_vm_readv(void)
{
	return escape_vm(SYS_process_vm_readv, escape_monitor);
}

long escape_vm_readv_sibling(void)
{
	return escape_vm(SYS_process_vm_readv, escape_sibling);
}

long escape_vm_writev(void)
{
	return escape_vm(SYS_process_vm_writev, escape_sibling);
}

/*
 * A message to somebody else. The address is in memory, where no filter sees
 * it: what holds is that there is no socket that takes one, nor a way to make
 * one. Tried on the one fd that is no channel.
 */
long escape_sendmsg(void)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "\0nobody"};
	char byte = 0;
	struct iovec iov = {&byte, 1};
	const struct msghdr m = {.msg_name = &to,
				 .msg_namelen = sizeof(to),
				 .msg_iov = &iov,
				 .msg_iovlen = 1};
	ssize_t ret = sendmsg(0, &m, 0);

	return ret < 0 ? -errno : ret;
}

/* Network reached: a socket that connects. */
long escape_connect(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&loopback, sizeof(loopback)) <
	    0)
		return -errno;
	return 0;
}

/* A TCP port taken. */
long escape_bind(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&loopback, sizeof(loopback)) < 0)
		return -errno;
	return 0;
}

/* A new user namespace gives all capabilities; even with them no mount. */
long escape_userns_mount(void)
{
	if (syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return -errno;
	if (syscall(SYS_mount, "x", "/", "tmpfs", 0UL, NULL) < 0)
		return -errno;
	return 0;
}
