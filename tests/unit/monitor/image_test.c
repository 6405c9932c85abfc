// SPDX-License-Identifier: Apache-2.0
/*
 * image_test.c - opening, measuring and locking images in a folder of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "monitor/host/image.h"
#include "tests/unit/monitor/suites.h"

/* with_file() - an image of @bytes; the caller unlinks @path. */
static void with_file(char path[32], off_t bytes)
{
	int fd;

	(void)snprintf(path, 32, "/tmp/bulkhead-unit.XXXXXX");
	fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(ftruncate(fd, bytes), 0);
	(void)close(fd);
}

/* opens() - one image; its fd must be closed by the caller. */
static int opens(const char *path, bool readonly, struct image *image,
		 struct problem *p)
{
	*image = (struct image){.fd = -1};
	*p = (struct problem){0};
	return image_open("d", path, readonly, image, p);
}

static void image_sizes(void)
{
	static const struct {
		off_t bytes;
		uint64_t usable;
	} rows[] = {{512, 512}, {1023, 512}, {1024, 1024}};
	char path[32];
	struct image image;
	struct problem p;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		with_file(path, rows[i].bytes);
		CU_ASSERT_EQUAL(opens(path, false, &image, &p), 0);
		CU_ASSERT_EQUAL(image.size_bytes, rows[i].usable);
		fd_cleanup(&image.fd);
		(void)unlink(path);
	}
	with_file(path, 511);
	CU_ASSERT_EQUAL(opens(path, false, &image, &p), -EINVAL);
	CU_ASSERT_EQUAL(image.fd, -1);
	(void)unlink(path);
}

static void image_kinds(void)
{
	struct image image;
	struct problem p;

	CU_ASSERT_EQUAL(opens("/tmp", false, &image, &p), -EISDIR);
	CU_ASSERT_EQUAL(opens("/tmp", true, &image, &p), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.text, "is a directory"));
	CU_ASSERT_EQUAL(opens("/dev/null", false, &image, &p), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.text, "is a character device"));
	CU_ASSERT_EQUAL(opens("/nowhere/x", false, &image, &p), -ENOENT);
	CU_ASSERT_EQUAL(p.code, EXIT_CODE_INPUT);
}

static void image_locks(void)
{
	char path[32];
	struct image a, b;
	struct problem p;

	with_file(path, 512);
	CU_ASSERT_EQUAL(opens(path, true, &a, &p), 0);
	CU_ASSERT_EQUAL(opens(path, true, &b, &p), 0);
	CU_ASSERT_EQUAL(image_lock("a", path, true, &a, &p), 0);
	CU_ASSERT_EQUAL(image_lock("b", path, true, &b, &p), 0);
	fd_cleanup(&b.fd);
	CU_ASSERT_EQUAL(opens(path, false, &b, &p), 0);
	CU_ASSERT_EQUAL(image_lock("b", path, false, &b, &p), -EAGAIN);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.text, "locked by another machine"));
	fd_cleanup(&a.fd);
	p = (struct problem){0};
	CU_ASSERT_EQUAL(image_lock("b", path, false, &b, &p), 0);
	fd_cleanup(&b.fd);
	(void)unlink(path);
}

static void image_identity(void)
{
	char path[32];
	char other[32];
	struct image a, b, c;
	struct problem p;

	with_file(path, 512);
	with_file(other, 512);
	CU_ASSERT_EQUAL(opens(path, false, &a, &p), 0);
	CU_ASSERT_EQUAL(opens(path, true, &b, &p), 0);
	CU_ASSERT_EQUAL(opens(other, true, &c, &p), 0);
	CU_ASSERT_TRUE(image_same(&a, &b));
	CU_ASSERT_FALSE(image_same(&a, &c));
	fd_cleanup(&a.fd);
	fd_cleanup(&b.fd);
	fd_cleanup(&c.fd);
	(void)unlink(path);
	(void)unlink(other);
}

static void image_boot_files(void)
{
	char path[32];
	struct problem p = {0};
	int fd = -1;

	with_file(path, 0);
	CU_ASSERT_EQUAL(image_open_boot("kernel", path, &fd, &p), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.text, "is empty"));
	(void)unlink(path);
	p = (struct problem){0};
	CU_ASSERT_EQUAL(image_open_boot("kernel", "/tmp", &fd, &p), -EINVAL);
	CU_ASSERT_EQUAL(fd, -1);
	with_file(path, 1);
	p = (struct problem){0};
	CU_ASSERT_EQUAL(image_open_boot("kernel", path, &fd, &p), 0);
	fd_cleanup(&fd);
	(void)unlink(path);
}

const struct unit_case cases_image[5] = {
	UNIT_CASE(image_sizes),      UNIT_CASE(image_kinds),
	UNIT_CASE(image_locks),      UNIT_CASE(image_identity),
	UNIT_CASE(image_boot_files),
};
