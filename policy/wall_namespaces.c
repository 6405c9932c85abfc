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

#define NAMESPACES_FLAGS                                            \
	(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
	 CLONE_NEWCGROUP)

/* Inodes before, by wall; 0: not left. */
static struct {
	enum confine_wall_id id;
	const char *path;
	ino_t before;
} namespaces[] = {
	{CONFINE_WALL_USERNS, "/proc/self/ns/user", 0},
	{CONFINE_WALL_MNTNS, "/proc/self/ns/mnt", 0},
	{CONFINE_WALL_NETNS, "/proc/self/ns/net", 0},
	{CONFINE_WALL_IPCNS, "/proc/self/ns/ipc", 0},
	{CONFINE_WALL_UTSNS, "/proc/self/ns/uts", 0},
	{CONFINE_WALL_CGROUPNS, "/proc/self/ns/cgroup", 0},
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

/**
 * wall_namespaces_build() - mounts, network, IPC, names and cgroups of its own
 *
 * Should: take a user namespace only where there is no capability: in it, root
 * outside is nobody in particular.
 * Mustn't: come before the last child is made, whose user namespace must be a
 * child of the caller's, nor before files of the host are open.
 * Return: 0 or -errno.
 */
int wall_namespaces_build(void)
{
	int ret = namespaces_remember();

	if (ret == 0 && !wall_caps_admin())
		ret = namespaces_user();
	if (ret == 0 && unshare(NAMESPACES_FLAGS) < 0)
		ret = -errno;
	return ret;
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
