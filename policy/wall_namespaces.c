// SPDX-License-Identifier: Apache-2.0
/*
 * wall_namespaces.c - namespaces of its own for the monitor, which nobody
 * spawned into any. It leaves the caller's when its children run: until then it
 * opens files and makes sockets there. Its pid namespace it cannot leave.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "policy/wall.h"

/* @flag: 0 is not unshared with the others; @before: inode, 0: not left. */
static struct {
	enum confine_wall_id id;
	int flag;
	const char *path;
	ino_t before;
} namespaces[] = {
	{CONFINE_WALL_USERNS, 0, "/proc/self/ns/user", 0},
	{CONFINE_WALL_MNTNS, CLONE_NEWNS, "/proc/self/ns/mnt", 0},
	{CONFINE_WALL_NETNS, CLONE_NEWNET, "/proc/self/ns/net", 0},
	{CONFINE_WALL_IPCNS, CLONE_NEWIPC, "/proc/self/ns/ipc", 0},
	{CONFINE_WALL_UTSNS, CLONE_NEWUTS, "/proc/self/ns/uts", 0},
	{CONFINE_WALL_CGROUPNS, CLONE_NEWCGROUP, "/proc/self/ns/cgroup", 0},
};

/* namespaces_remember() - which they are now. */
static int namespaces_remember(void)
{
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
		if (stat(namespaces[i].path, &st) < 0)
			return -errno;
		namespaces[i].before = st.st_ino;
	}
	return 0;
}

/* namespaces_write() - a file of /proc/self, in one write. */
static int namespaces_write(const char *path, const char *text)
{
	CLEANUP(fd_cleanup) int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

/* namespaces_user() - a user namespace that maps us to ourselves. */
static int namespaces_user(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char uids[48], gids[48];
	int ret;

	(void)snprintf(uids, sizeof(uids), "%u %u 1\n", uid, uid);
	(void)snprintf(gids, sizeof(gids), "%u %u 1\n", gid, gid);
	if (unshare(CLONE_NEWUSER) < 0)
		return -errno;
	ret = namespaces_write("/proc/self/setgroups", "deny");
	if (ret == 0)
		ret = namespaces_write("/proc/self/uid_map", uids);
	if (ret == 0)
		ret = namespaces_write("/proc/self/gid_map", gids);
	return ret;
}

/*
 * namespaces_unshare() - those that must be; of the others each that can be,
 * which the report tells
 */
static int namespaces_unshare(uint32_t may_miss)
{
	int needed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
		if (!(may_miss >> namespaces[i].id & 1))
			needed |= namespaces[i].flag;
		else if (namespaces[i].flag)
			(void)unshare(namespaces[i].flag);
	}
	return unshare(needed) < 0 ? -errno : 0;
}

/**
 * wall_namespaces_build() - mounts, network, IPC, names and cgroups of its own
 *
 * Should: take a user namespace only where there is no capability: in it, root
 * outside is nobody in particular.
 * Mustn't: come before the last child is made, whose user namespace must be a
 * child of the caller's, nor before files of the host are open.
 * @may_miss: walls (1u << id) that the host may refuse
 * Return: 0 or -errno.
 */
int wall_namespaces_build(uint32_t may_miss)
{
	int ret = namespaces_remember();

	if (ret == 0 && !wall_caps_admin())
		ret = namespaces_user();
	return ret == 0 ? namespaces_unshare(may_miss) : ret;
}

bool wall_namespace_left(enum confine_wall_id id, ino_t now)
{
	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
		if (namespaces[i].id == id)
			return namespaces[i].before &&
			       namespaces[i].before != now;
	}
	return false;
}
