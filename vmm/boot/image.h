/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.h - a kernel or initrd file: its type, size and first bytes, read
 * once. What follows works on this copy, so a file that changes under us
 * cannot change a decision.
 */
#ifndef VMM_BOOT_IMAGE_H
#define VMM_BOOT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"

/* Covers the bzImage setup header (to 0x290), and the ELF header. */
#define BOOT_IMAGE_HEAD_BYTES 1024

/**
 * struct boot_image - an opened image
 * @fd: borrowed
 * @bytes: size of the file
 * @head: first @head_bytes bytes; zeroes behind
 */
struct boot_image {
	int fd;
	uint64_t bytes;
	uint8_t head[BOOT_IMAGE_HEAD_BYTES];
	size_t head_bytes;
};

/**
 * boot_image_open() - looks at @fd (borrowed)
 * @what: "kernel" or "initrd", for the message
 * Return: 0; -ENOEXEC no regular file, or empty; -EIO it cannot be read.
 */
MUST_CHECK int boot_image_open(int fd, const char *what,
			       struct boot_image *ret_image, char *ret_message);

/**
 * boot_image_read() - copies a part of the file
 * Return: 0; -ENODATA the file ends before @offset + @len; -EIO.
 */
MUST_CHECK int boot_image_read(const struct boot_image *image, uint64_t offset,
			       void *ret_data, size_t len);

/** boot_image_le16() - little-endian number at @at of the head. */
uint16_t boot_image_le16(const struct boot_image *image, size_t at);
uint32_t boot_image_le32(const struct boot_image *image, size_t at);
uint64_t boot_image_le64(const struct boot_image *image, size_t at);

#endif
