// SPDX-License-Identifier: Apache-2.0
/*
 * image.c - reads the head of a tenant's kernel or initrd file. Runs in the
 * confined vmm; the file is not trusted and may change while it is read.
 */
#include "vmm/boot/image.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vmm/boot/message.h"

/* image_type_name() - what a file that is not regular is called. */
static const char *image_type_name(mode_t mode)
{
	static const struct {
		mode_t type;
		const char *name;
	} names[] = {
		{S_IFDIR, "a directory"},    {S_IFCHR, "a character device"},
		{S_IFBLK, "a block device"}, {S_IFIFO, "a pipe"},
		{S_IFSOCK, "a socket"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if ((mode & S_IFMT) == names[i].type)
			return names[i].name;
	}
	return "not a regular file";
}

int boot_image_read(const struct boot_image *image, uint64_t offset,
		    void *ret_data, size_t len)
{
	uint8_t *p = ret_data;
	uint64_t end;

	if (__builtin_add_overflow(offset, len, &end) || end > image->bytes)
		return -ENODATA;
	while (len > 0) {
		ssize_t got = pread(image->fd, p, len, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -EIO;
		if (got == 0)
			return -ENODATA;
		p += got;
		offset += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}

int boot_image_open(int fd, const char *what, struct boot_image *ret_image,
		    char *ret_message)
{
	struct stat st;

	memset(ret_image, 0, sizeof(*ret_image));
	ret_image->fd = fd;
	if (fstat(fd, &st) < 0)
		return boot_refuse(ret_message, -EIO,
				   "%s cannot be examined: %s", what,
				   strerrordesc_np(errno));
	if (!S_ISREG(st.st_mode))
		return boot_refuse(ret_message, -ENOEXEC,
				   "%s is %s; give a regular file", what,
				   image_type_name(st.st_mode));
	if (st.st_size <= 0)
		return boot_refuse(ret_message, -ENOEXEC,
				   "%s is an empty file (0 bytes)", what);
	ret_image->bytes = (uint64_t)st.st_size;
	ret_image->head_bytes = ret_image->bytes < BOOT_IMAGE_HEAD_BYTES
					? (size_t)ret_image->bytes
					: BOOT_IMAGE_HEAD_BYTES;
	if (boot_image_read(ret_image, 0, ret_image->head,
			    ret_image->head_bytes) < 0)
		return boot_refuse(ret_message, -EIO, "%s cannot be read",
				   what);
	return 0;
}

uint16_t boot_image_le16(const struct boot_image *image, size_t at)
{
	BUG_ON(at + 2 > BOOT_IMAGE_HEAD_BYTES);
	return (uint16_t)(image->head[at] | image->head[at + 1] << 8);
}

uint32_t boot_image_le32(const struct boot_image *image, size_t at)
{
	return boot_image_le16(image, at) |
	       (uint32_t)boot_image_le16(image, at + 2) << 16;
}

uint64_t boot_image_le64(const struct boot_image *image, size_t at)
{
	return boot_image_le32(image, at) |
	       (uint64_t)boot_image_le32(image, at + 4) << 32;
}
