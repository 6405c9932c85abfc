// SPDX-License-Identifier: Apache-2.0
/*
 * wall_landlock.c - a Landlock domain: every file system right, TCP right and
 * scope that the kernel knows is handled and thus denied. Open fds keep
 * working: rights are bound when a file is opened, and a child's were opened by
 * the monitor. Children have no rule at all; the monitor may remove what it has
 * made from the directories that it made for the purpose.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "policy/landlock.h"
#include "policy/wall.h"

#define LANDLOCK_VERSION_FLAG 1u
#define LANDLOCK_RULE_BENEATH 1

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
			   LANDLOCK_VERSION_FLAG);

	return abi < 0 ? -errno : (int)abi;
}

uint32_t landlock_attr_for(int abi, struct landlock_attr *ret_attr)
{
	struct landlock_attr a = {.handled_access_fs = LANDLOCK_FS_ABI1};
	uint32_t size = sizeof(a.handled_access_fs);

	if (abi >= 2)
		a.handled_access_fs |= LANDLOCK_FS_REFER;
	if (abi >= 3)
		a.handled_access_fs |= LANDLOCK_FS_TRUNCATE;
	if (abi >= 5)
		a.handled_access_fs |= LANDLOCK_FS_IOCTL_DEV;
	if (abi >= 4) {
		a.handled_access_net = LANDLOCK_NET_TCP;
		size = offsetof(struct landlock_attr, scoped);
	}
	if (abi >= 6) {
		a.scoped = LANDLOCK_SCOPE_ALL;
		size = sizeof(a);
	}
	*ret_attr = a;
	return size;
}

/* landlock_removable() - files or directories below @dir may be removed. */
static int landlock_removable(int set, const struct wall_dir *dir)
{
	const struct landlock_beneath rule = {
		.allowed_access = dir->what == CONFINE_KEEP_DIRS
					  ? LANDLOCK_FS_REMOVE_DIR
					  : LANDLOCK_FS_REMOVE_FILE,
		.parent_fd = dir->fd,
	};

	return syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_BENEATH, &rule,
		       0) < 0
		       ? -errno
		       : 0;
}

/**
 * wall_landlock_build() - nothing can be opened, made, bound or signalled
 * outside, even if the root or a namespace were escaped
 *
 * Should: ask for everything the kernel's ABI has, never a fixed set.
 * Mustn't: come before the root is built, which a domain forbids (no mount in
 * a domain), nor add a rule to a child: what it needs it was granted as an fd.
 * Return: 0; -ENOSYS, -EOPNOTSUPP no Landlock in this kernel, or one that is
 * too old; other -errno.
 */
int wall_landlock_build(enum role role, const struct wall_dir *dirs,
			size_t dir_cnt)
{
	struct landlock_attr attr;
	int abi = landlock_abi();
	uint32_t size;

	if (abi < 0)
		return abi;
	if (abi < LANDLOCK_ABI_MIN)
		return -EOPNOTSUPP;
	size = landlock_attr_for(abi, &attr);
	if (role == ROLE_MONITOR)
		attr.scoped = 0; /* it signals its children */

	CLEANUP(fd_cleanup)
	int set = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);

	if (set < 0)
		return -errno;
	for (size_t i = 0; i < dir_cnt; i++) {
		int ret = landlock_removable(set, &dirs[i]);

		if (ret < 0)
			return ret;
	}
	if (syscall(SYS_landlock_restrict_self, set, 0) < 0)
		return -errno;
	return 0;
}
