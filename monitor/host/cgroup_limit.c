// SPDX-License-Identifier: Apache-2.0
/*
 * cgroup_limit.c - the limits of each process into its group. Runs in the
 * monitor, before its walls.
 *
 * memory.oom.group is not set: a group has one process, which dies as a whole
 * in any case; on the machine's group it would kill the monitor as well, which
 * could then not say what happened.
 */
#define LOG_MODULE "cgroup"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "ipc/log.h"
#include "monitor/host/cgroup_parts.h"

#define CGROUP_CPU_PERIOD_US 100000u
/* Of OpenZFS, which is not in the kernel's headers. */
#define CGROUP_ZFS_MAGIC 0x2FC12FC1

/* File systems without one device below, in words. */
static const struct {
	long magic;
	const char *name;
} cgroup_filesystems[] = {
	{TMPFS_MAGIC, "tmpfs"},       {OVERLAYFS_SUPER_MAGIC, "overlay"},
	{BTRFS_SUPER_MAGIC, "btrfs"}, {NFS_SUPER_MAGIC, "nfs"},
	{V9FS_MAGIC, "9p"},           {FUSE_SUPER_MAGIC, "fuse"},
	{CGROUP_ZFS_MAGIC, "zfs"},    {RAMFS_MAGIC, "ramfs"},
	{SMB2_SUPER_MAGIC, "smb"},    {CEPH_SUPER_MAGIC, "ceph"},
};

/* cgroup_quota_needs() - controllers of one role's limits. */
static uint32_t cgroup_quota_needs(const struct config_quota *q)
{
	uint32_t mask = 0;

	mask |= q->cpu_percent ? 1u << CGROUP_CTL_CPU : 0;
	mask |= q->memory_mib ? 1u << CGROUP_CTL_MEMORY : 0;
	mask |= q->pids ? 1u << CGROUP_CTL_PIDS : 0;
	mask |= q->io_read_bps || q->io_write_bps || q->io_read_iops ||
				q->io_write_iops
			? 1u << CGROUP_CTL_IO
			: 0;
	return mask;
}

/* cgroup_memory_warn() - guest memory counts for who touches it first. */
static void cgroup_memory_warn(const struct config *cfg, enum role role)
{
	uint64_t limit = cfg->quota[role].memory_mib;

	/* Reserved huge pages are charged to nobody. */
	if (!limit || limit >= cfg->memory_mib ||
	    cfg->hugepages != CONFIG_HUGEPAGES_NONE)
		return;
	log_warn("limits.%s.memory-mib is %" PRIu64 ", less than the guest's "
		 "memory of %" PRIu64 " MiB: guest memory counts for the "
		 "process that touches it first, which is killed when it has "
		 "touched too much",
		 role_info(role)->name, limit, cfg->memory_mib);
}

uint32_t cgroup_limits_needed(const struct config *cfg)
{
	uint32_t mask = cgroup_quota_needs(&cfg->quota[ROLE_MONITOR]) |
			cgroup_quota_needs(&cfg->quota[ROLE_VMM]);

	cgroup_memory_warn(cfg, ROLE_VMM);
	if (cfg->disk_cnt) {
		mask |= cgroup_quota_needs(&cfg->quota[ROLE_BLK]);
		cgroup_memory_warn(cfg, ROLE_BLK);
	}
	for (unsigned i = ROLE_BLK; i < ROLE_COUNT; i++) {
		if (config_quota_any(&cfg->quota[i]) &&
		    (i != ROLE_BLK || !cfg->disk_cnt))
			log_info("limits.%s: this machine has no such process",
				 role_info((enum role)i)->name);
	}
	return mask;
}

/* cgroup_set() - one file of a leaf. */
static int cgroup_set(const struct cgroup_making *m,
		      const struct cgroup_leaf *leaf, const char *file,
		      const char *text)
{
	int ret = cgroup_write(leaf->fd, file, text);

	if (ret)
		return cgroup_fault(m, ret, "%s/%s: \"%s\": %s", leaf->path,
				    file, text, strerror(-ret));
	return 0;
}

/* cgroup_number_set() - @value of a limit that is 0 where there is none. */
static int cgroup_number_set(const struct cgroup_making *m,
			     const struct cgroup_leaf *leaf,
			     enum cgroup_ctl ctl, uint64_t value)
{
	static const struct {
		const char *file;
		const char *suffix;
		uint64_t unit;
	} files[] = {
		[CGROUP_CTL_CPU] = {"cpu.max", " 100000",
				    CGROUP_CPU_PERIOD_US / 100},
		[CGROUP_CTL_MEMORY] = {"memory.max", "", 1u << 20},
		[CGROUP_CTL_PIDS] = {"pids.max", "", 1},
	};
	char text[48];

	if (!value || !(m->needed >> ctl & 1))
		return 0;
	(void)snprintf(text, sizeof(text), "%" PRIu64 "%s",
		       value * files[ctl].unit, files[ctl].suffix);
	return cgroup_set(m, leaf, files[ctl].file, text);
}

/* cgroup_fs_name() - of a file's file system. */
static const char *cgroup_fs_name(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return "unknown";
	for (size_t i = 0; i < ARRAY_SIZE(cgroup_filesystems); i++) {
		if ((long)fs.f_type == cgroup_filesystems[i].magic)
			return cgroup_filesystems[i].name;
	}
	return "unknown";
}

/*
 * cgroup_disk_of() - the whole disk of a partition, whose requests are limited
 * as one; @dev itself if it is no partition.
 */
static int cgroup_disk_of(dev_t dev, uint64_t *ret_major, uint64_t *ret_minor)
{
	const char *at;
	char file[96];
	char text[32];
	int ret;

	*ret_major = major(dev);
	*ret_minor = minor(dev);
	(void)snprintf(file, sizeof(file), "/sys/dev/block/%u:%u/partition",
		       major(dev), minor(dev));
	if (cgroup_read(AT_FDCWD, file, text, sizeof(text)))
		return 0;
	(void)snprintf(file, sizeof(file), "/sys/dev/block/%u:%u/../dev",
		       major(dev), minor(dev));
	ret = cgroup_read(AT_FDCWD, file, text, sizeof(text));
	at = text;
	if (!ret && (!cgroup_digits_parse(&at, ret_major) || *at++ != ':' ||
		     !cgroup_digits_parse(&at, ret_minor)))
		ret = -EINVAL;
	return ret;
}

/* cgroup_io_device() - MAJ:MIN of what holds drive @idx's image. */
static int cgroup_io_device(const struct cgroup_making *m, uint32_t idx,
			    uint64_t *ret_major, uint64_t *ret_minor)
{
	const struct config_disk *disk = &m->cfg->disks[idx];
	int fd = m->images[idx].fd;
	struct stat st;
	dev_t dev;
	int ret;

	if (fstat(fd, &st) < 0)
		return cgroup_fault(m, -errno, "disk \"%s\": %s", disk->id,
				    strerror(errno));
	dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	if (major(dev) == 0)
		return cgroup_fault(m, -ENOTBLK,
				    "limits.blk.io-*: disk \"%s\": %s is on a "
				    "file system without one block device "
				    "(%s), whose I/O cannot be limited",
				    disk->id, disk->path, cgroup_fs_name(fd));
	ret = cgroup_disk_of(dev, ret_major, ret_minor);
	if (ret)
		return cgroup_fault(m, ret,
				    "disk \"%s\": /sys/dev/block/%u:%u: %s",
				    disk->id, major(dev), minor(dev),
				    strerror(-ret));
	return 0;
}

/* cgroup_io_set() - io.max of drive @idx. */
static int cgroup_io_set(const struct cgroup_making *m,
			 const struct cgroup_leaf *leaf, uint32_t idx,
			 const struct config_quota *q)
{
	const struct {
		const char *key;
		uint64_t value;
	} parts[] = {{"rbps", q->io_read_bps},
		     {"wbps", q->io_write_bps},
		     {"riops", q->io_read_iops},
		     {"wiops", q->io_write_iops}};
	char text[CGROUP_IO_BYTES];
	uint64_t maj = 0;
	uint64_t min = 0;
	size_t used;
	int ret;

	if (!(cgroup_quota_needs(q) & m->needed & 1u << CGROUP_CTL_IO))
		return 0;
	ret = cgroup_io_device(m, idx, &maj, &min);
	if (ret || !maj)
		return ret;
	used = (size_t)snprintf(text, sizeof(text), "%" PRIu64 ":%" PRIu64, maj,
				min);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].value && used < sizeof(text))
			used += (size_t)snprintf(text + used,
						 sizeof(text) - used,
						 " %s=%" PRIu64, parts[i].key,
						 parts[i].value);
	}
	return cgroup_set(m, leaf, "io.max", text);
}

int cgroup_limits_set(const struct cgroup_making *m)
{
	int ret = 0;

	for (uint32_t i = 0; i < m->g->leaf_cnt && !ret; i++) {
		const struct cgroup_leaf *leaf = &m->g->leaf[i];
		const struct config_quota *q = &m->cfg->quota[leaf->role];

		ret = cgroup_number_set(m, leaf, CGROUP_CTL_CPU,
					q->cpu_percent);
		if (!ret)
			ret = cgroup_number_set(m, leaf, CGROUP_CTL_MEMORY,
						q->memory_mib);
		if (!ret)
			ret = cgroup_number_set(m, leaf, CGROUP_CTL_PIDS,
						q->pids);
		if (!ret && leaf->role == ROLE_BLK)
			ret = cgroup_io_set(m, leaf, i - 2, q);
	}
	return ret;
}
