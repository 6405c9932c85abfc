/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.h - the host files of a machine: disk images, kernel, initrd. Opened
 * once, at start; only sizes and kinds are looked at, never contents.
 */
#ifndef MONITOR_HOST_IMAGE_H
#define MONITOR_HOST_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/compiler.h"
#include "monitor/problem.h"

#define IMAGE_SECTOR_BYTES 512u

/**
 * struct image - an opened disk image
 * @fd: owned, -1 = none; its open file description holds the lock, once taken
 * @size_bytes: usable, a multiple of IMAGE_SECTOR_BYTES
 * @block_device: not a regular file
 * @dev: with @ino identity of what is behind the name
 */
struct image {
	int fd;
	uint64_t size_bytes;
	bool block_device;
	dev_t dev;
	ino_t ino;
};

/**
 * image_open() - opens and measures
 * @id: of the drive, for errors
 * Return: 0; -errno with *p set. A size that is not a multiple of 512 is
 * rounded down with a warning on stderr.
 */
MUST_CHECK int image_open(const char *id, const char *path, bool readonly,
			  struct image *ret_image, struct problem *p);

/**
 * image_lock() - OFD lock of the whole file, held as long as the open file
 * description is: read lock if @readonly, else write lock; tried for 3 s
 * Return: 0; -errno with *p set: somebody holds one that conflicts.
 */
MUST_CHECK int image_lock(const char *id, const char *path, bool readonly,
			  const struct image *image, struct problem *p);

/** image_same() - are both the same file or device? */
bool image_same(const struct image *a, const struct image *b);

/**
 * image_open_boot() - opens a kernel or initrd: regular, not empty
 * @what: "kernel" or "initrd", for errors
 * Return: 0; -errno with *p set.
 */
MUST_CHECK int image_open_boot(const char *what, const char *path, int *ret_fd,
			       struct problem *p);

#endif
