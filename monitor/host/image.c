// SPDX-License-Identifier: Apache-2.0
/*
 * image.c - opens host files. Runs in the monitor. Paths come from the host's
 * user; what is behind them is a tenant's and is not read here.
 */
#include "monitor/host/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "ipc/fds.h"

/* O_NONBLOCK: a FIFO must not hold the start; it has no effect on files. */
#define IMAGE_OPEN_FLAGS (O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

/* How often a lock that somebody holds is tried again, and the time between. */
#define IMAGE_LOCK_TRIES 300
#define IMAGE_LOCK_WAIT_US 10000

/* image_kind() - what a path leads to, in words. */
static const char *image_kind(mode_t mode)
{
	static const struct {
		mode_t type;
		const char *name;
	} kinds[] = {
		{S_IFDIR, "a directory"},        {S_IFIFO, "a pipe"},
		{S_IFCHR, "a character device"}, {S_IFSOCK, "a socket"},
		{S_IFBLK, "a block device"},     {S_IFREG, "a file"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if ((mode & S_IFMT) == kinds[i].type)
			return kinds[i].name;
	}
	return "something else";
}

/* image_bytes() - size of a regular file or block device. */
static int image_bytes(int fd, const struct stat *st, uint64_t *ret_bytes)
{
	*ret_bytes = (uint64_t)st->st_size;
	if (S_ISBLK(st->st_mode) && ioctl(fd, BLKGETSIZE64, ret_bytes) < 0)
		return -errno;
	return 0;
}

/* image_open_failed() - why open(2) refused, with what to do. */
static int image_open_failed(const char *id, const char *path, bool readonly,
			     int error, struct problem *p)
{
	const char *hint = "";

	if (!readonly && (error == EROFS || error == EACCES || error == EPERM))
		hint = " for writing (a drive with readonly need not be "
		       "writable)";
	if (error == EISDIR)
		return problem_set(p, EXIT_CODE_INPUT, -error,
				   "disk \"%s\": %s: is a directory; accepted: "
				   "a raw image file or a block device",
				   id, path);
	return problem_set(p, EXIT_CODE_INPUT, -error,
			   "disk \"%s\": cannot open image %s%s: %s", id, path,
			   hint, strerror(error));
}

/* image_lock_failed() - somebody has it, or the file system cannot lock. */
static int image_lock_failed(const char *id, const char *path, bool readonly,
			     int error, struct problem *p)
{
	if (error == -EAGAIN || error == -EACCES)
		return problem_set(p, EXIT_CODE_INPUT, error,
				   "disk \"%s\": image %s is locked by another "
				   "machine%s",
				   id, path,
				   readonly ? " that writes to it"
					    : "; only readonly drives can "
					      "share an image");
	return problem_set(p, EXIT_CODE_HOST, error,
			   "disk \"%s\": cannot lock image %s: %s", id, path,
			   strerror(-error));
}

/* image_measure() - kind, identity and usable size of @image->fd. */
static int image_measure(const char *id, const char *path, struct image *image,
			 struct problem *p)
{
	struct stat st;
	uint64_t bytes;
	int ret;

	if (fstat(image->fd, &st) < 0)
		return problem_set(p, EXIT_CODE_HOST, -errno,
				   "disk \"%s\": %s: %s", id, path,
				   strerror(errno));
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "disk \"%s\": %s: is %s; accepted: a raw "
				   "image file or a block device",
				   id, path, image_kind(st.st_mode));
	ret = image_bytes(image->fd, &st, &bytes);
	if (ret)
		return problem_set(p, EXIT_CODE_INPUT, ret,
				   "disk \"%s\": %s: cannot tell its size: %s",
				   id, path, strerror(-ret));
	image->block_device = S_ISBLK(st.st_mode);
	image->dev = image->block_device ? st.st_rdev : st.st_dev;
	image->ino = image->block_device ? 0 : st.st_ino;
	image->size_bytes = bytes - bytes % IMAGE_SECTOR_BYTES;
	if (image->size_bytes == 0)
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "disk \"%s\": image %s has %" PRIu64
				   " bytes; accepted: at least %u",
				   id, path, bytes, IMAGE_SECTOR_BYTES);
	if (image->size_bytes != bytes)
		warning_print("disk \"%s\": image %s has %" PRIu64
			      " bytes, not a multiple of %u; the last %" PRIu64
			      " are left out",
			      id, path, bytes, IMAGE_SECTOR_BYTES,
			      bytes % IMAGE_SECTOR_BYTES);
	return 0;
}

int image_open(const char *id, const char *path, bool readonly,
	       struct image *ret_image, struct problem *p)
{
	int mode = readonly ? O_RDONLY : O_RDWR;
	int fd CLEANUP(fd_cleanup) = open(path, mode | IMAGE_OPEN_FLAGS);
	struct image image = {.fd = fd};
	int ret;

	if (fd < 0)
		return image_open_failed(id, path, readonly, errno, p);
	ret = image_measure(id, path, &image, p);
	if (ret)
		return ret;
	*ret_image = image;
	(void)fd_steal(&fd);
	return 0;
}

int image_lock(const char *id, const char *path, bool readonly,
	       const struct image *image, struct problem *p)
{
	struct flock lock = {.l_type = readonly ? F_RDLCK : F_WRLCK,
			     .l_whence = SEEK_SET};
	int error = 0;

	/*
	 * The kernel takes down a dead process's io_uring in the background:
	 * until then its requests may still write, and the ring holds the file
	 * and with it the lock. A machine that was just ended is waited for.
	 */
	for (int i = 0; i <= IMAGE_LOCK_TRIES; i++) {
		if (!fcntl(image->fd, F_OFD_SETLK, &lock))
			return 0;
		error = -errno;
		if (error != -EAGAIN && error != -EACCES)
			break;
		(void)usleep(IMAGE_LOCK_WAIT_US);
	}
	return image_lock_failed(id, path, readonly, error, p);
}

bool image_same(const struct image *a, const struct image *b)
{
	return a->block_device == b->block_device && a->dev == b->dev &&
	       a->ino == b->ino;
}

int image_open_boot(const char *what, const char *path, int *ret_fd,
		    struct problem *p)
{
	int fd CLEANUP(fd_cleanup) = open(path, O_RDONLY | IMAGE_OPEN_FLAGS);
	struct stat st;

	if (fd < 0)
		return problem_set(p, EXIT_CODE_INPUT, -errno,
				   "cannot open %s %s: %s", what, path,
				   strerror(errno));
	if (fstat(fd, &st) < 0)
		return problem_set(p, EXIT_CODE_HOST, -errno, "%s %s: %s", what,
				   path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "%s %s: is %s; accepted: a regular file",
				   what, path, image_kind(st.st_mode));
	if (st.st_size == 0)
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "%s %s: is empty (0 bytes)", what, path);
	*ret_fd = fd_steal(&fd);
	return 0;
}
