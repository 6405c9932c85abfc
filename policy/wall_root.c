// SPDX-License-Identifier: Apache-2.0
/*
 * wall_root.c - an empty, read-only root directory. Needs a mount namespace of
 * our own and CAP_SYS_ADMIN in its user namespace, both from spawn.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "policy/wall.h"

/* root_tmpfs_make() - a detached, empty, read-only tmpfs; fd or -errno. */
static int root_tmpfs_make(void)
{
	CLEANUP(fd_cleanup) int fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
	unsigned attrs = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
			 MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
	int mnt;

	if (fs < 0)
		return -errno;
	/* size=0 would mean no limit; one page and the root inode do. */
	if (fsconfig(fs, FSCONFIG_SET_STRING, "size", "4096", 0) < 0 ||
	    fsconfig(fs, FSCONFIG_SET_STRING, "nr_inodes", "1", 0) < 0 ||
	    fsconfig(fs, FSCONFIG_SET_STRING, "mode", "0555", 0) < 0 ||
	    fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	mnt = fsmount(fs, FSMOUNT_CLOEXEC, attrs);
	return mnt < 0 ? -errno : mnt;
}

/**
 * root_switch() - makes the mount that covers "/" the root
 * @ret_stacked: true where the old root is an initramfs, which pivot_root
 * refuses: then it stays mounted below, where no path leads
 */
static int root_switch(bool *ret_stacked)
{
	*ret_stacked = false;
	if (syscall(SYS_pivot_root, ".", ".") == 0)
		return umount2(".", MNT_DETACH) < 0 ? -errno : 0;
	if (errno != EINVAL)
		return -errno;
	*ret_stacked = true;
	return chroot(".") < 0 ? -errno : 0;
}

bool wall_root_apparmor(void)
{
	CLEANUP(fd_cleanup)
	int fd = open("/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
		      O_RDONLY | O_CLOEXEC);
	char first = '0';

	return fd >= 0 && read(fd, &first, 1) == 1 && first == '1';
}

/**
 * wall_root_build() - nothing to name, nothing to open: no /proc, no /dev
 * @ret_stacked: see root_switch()
 *
 * Should: make mounts private first, or the change would show outside; leave
 * no fd and no working directory on the old root.
 * Mustn't: leave anything writable, nor need a directory to mount on: the
 * tmpfs is made detached and covers "/" itself.
 * Return: 0; -EPERM no own mount namespace; other -errno.
 */
int wall_root_build(bool *ret_stacked)
{
	CLEANUP(fd_cleanup) int mnt = -1;
	int ret;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -errno;
	mnt = root_tmpfs_make();
	if (mnt < 0)
		return mnt;
	if (move_mount(mnt, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0 ||
	    fchdir(mnt) < 0)
		return -errno;
	ret = root_switch(ret_stacked);
	if (ret < 0)
		return ret;
	return chdir("/") < 0 ? -errno : 0;
}
