// SPDX-License-Identifier: Apache-2.0
/*
 * namespaces.c - finds by trial what the host refuses, since no one file tells:
 * sysctls, security modules and a container's own filter all have a say. Runs
 * in the monitor, before any child exists.
 */
#include "monitor/host/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/compiler.h"
#include "ipc/fds.h"
#include "monitor/config/config.h"

/* Kinds of namespace: in sysctl user.max_NAME_namespaces and in our keys. */
static const struct {
	uint64_t flag;
	enum config_missing missing;
	const char *sysctl;
} namespaces_kinds[] = {
	{CLONE_NEWUSER, CONFIG_MISSING_USERNS, "user"},
	{CLONE_NEWPID, CONFIG_MISSING_PIDNS, "pid"},
	{CLONE_NEWNS, CONFIG_MISSING_MNTNS, "mnt"},
	{CLONE_NEWNET, CONFIG_MISSING_NETNS, "net"},
	{CLONE_NEWIPC, CONFIG_MISSING_IPCNS, "ipc"},
	{CLONE_NEWUTS, CONFIG_MISSING_UTSNS, "uts"},
	{CLONE_NEWCGROUP, CONFIG_MISSING_CGROUPNS, "cgroup"},
};

/* What may forbid user namespaces, or the capabilities in them, as a whole. */
static const struct {
	const char *path;
	char forbids;
	const char *text;
} namespaces_switches[] = {
	{"/proc/sys/kernel/unprivileged_userns_clone", '0',
	 "sysctl kernel.unprivileged_userns_clone is 0"},
	{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1',
	 "sysctl kernel.apparmor_restrict_unprivileged_userns is 1"},
};

/* namespaces_try() - can a process be made with @flags? */
static bool namespaces_try(uint64_t flags)
{
	struct clone_args args = {.flags = flags, .exit_signal = SIGCHLD};
	long pid = syscall(SYS_clone3, &args, sizeof(args));
	int status;

	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return false;
	while (waitpid((pid_t)pid, &status, 0) < 0 && errno == EINTR)
		;
	return true;
}

uint64_t namespaces_refused(uint64_t wanted)
{
	uint64_t user = wanted & CLONE_NEWUSER;
	uint64_t refused = 0;

	if (user && !namespaces_try(user)) {
		refused = user;
		user = 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(namespaces_kinds); i++) {
		uint64_t flag = namespaces_kinds[i].flag;

		if (flag != CLONE_NEWUSER && (wanted & flag) &&
		    !namespaces_try(user | flag))
			refused |= flag;
	}
	return refused;
}

uint64_t namespaces_of_missing(uint32_t missing)
{
	uint64_t flags = 0;

	for (size_t i = 0; i < ARRAY_SIZE(namespaces_kinds); i++) {
		if (missing >> namespaces_kinds[i].missing & 1)
			flags |= namespaces_kinds[i].flag;
	}
	return flags;
}

/* namespaces_first_byte() - of a sysctl; 0 if there is none. */
static char namespaces_first_byte(const char *path)
{
	CLEANUP(fd_cleanup) int fd = open(path, O_RDONLY | O_CLOEXEC);
	char byte = '\0';

	if (fd >= 0 && read(fd, &byte, 1) != 1)
		byte = '\0';
	return byte;
}

/* struct namespaces_text - a line that is put together. */
struct namespaces_text {
	char *text;
	size_t size;
	size_t used;
};

/* namespaces_add() - cut where there is no room. */
static void PRINTF_LIKE(2, 3)
	namespaces_add(struct namespaces_text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->used >= t->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(t->text + t->used, t->size - t->used, fmt, ap);
	va_end(ap);
	t->used += n > 0 ? (size_t)n : 0;
}

/* namespaces_causes() - the sysctls that explain it. */
static void namespaces_causes(struct namespaces_text *t, uint64_t refused)
{
	const char *separator = " (";

	for (size_t i = 0; i < ARRAY_SIZE(namespaces_kinds); i++) {
		char path[64];

		(void)snprintf(path, sizeof(path),
			       "/proc/sys/user/max_%s_namespaces",
			       namespaces_kinds[i].sysctl);
		if (!(refused & namespaces_kinds[i].flag) ||
		    namespaces_first_byte(path) != '0')
			continue;
		namespaces_add(t, "%ssysctl user.max_%s_namespaces is 0",
			       separator, namespaces_kinds[i].sysctl);
		separator = ", ";
	}
	for (size_t i = 0; i < ARRAY_SIZE(namespaces_switches); i++) {
		if (namespaces_first_byte(namespaces_switches[i].path) !=
		    namespaces_switches[i].forbids)
			continue;
		namespaces_add(t, "%s%s", separator,
			       namespaces_switches[i].text);
		separator = ", ";
	}
	if (*separator == ' ')
		namespaces_add(t, " (no sysctl says why: a limit that is "
				  "reached, a chroot, a container's filter, a "
				  "security module, or a kernel without them)");
	else
		namespaces_add(t, ")");
}

void namespaces_explain(uint64_t refused, char *ret_text, size_t size)
{
	struct namespaces_text t = {ret_text, size, 0};
	const char *separator = "";

	ret_text[0] = '\0';
	namespaces_add(&t, "this host refuses namespaces: ");
	for (size_t i = 0; i < ARRAY_SIZE(namespaces_kinds); i++) {
		if (!(refused & namespaces_kinds[i].flag))
			continue;
		namespaces_add(&t, "%s%s", separator,
			       namespaces_kinds[i].sysctl);
		separator = ", ";
	}
	namespaces_causes(&t, refused);
	namespaces_add(&t, "; to run without these walls: --confine-missing ");
	separator = "";
	for (size_t i = 0; i < ARRAY_SIZE(namespaces_kinds); i++) {
		if (!(refused & namespaces_kinds[i].flag))
			continue;
		namespaces_add(
			&t, "%s%s", separator,
			config_missing_word(namespaces_kinds[i].missing));
		separator = ",";
	}
	if (refused & CLONE_NEWNS)
		namespaces_add(&t, ",root");
}
