// SPDX-License-Identifier: Apache-2.0
/*
 * blk_host_test.c - what the host does to a disk: files that are cut, full or
 * may not grow, read-only disks, images that are none, few processes. The
 * request fails, the next one is served. CASES.md C7, C8, C26.
 */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/blk_fixture.h"
#include "tests/support/unit/unit.h"

#define SECTOR 512u
#define HALF (FIXTURE_IMAGE_BYTES / 2)

static const struct drvq_config host_mode = {256, true, true};

/** host_io() - one request of @bytes at @offset; its status. */
static int host_io(struct blkdrv *b, uint32_t type, uint64_t offset,
		   uint32_t bytes)
{
	return blkdrv_sync(
		b, &(struct blkdrv_request){.type = type,
					    .sector = offset / SECTOR,
					    .data_bytes = bytes,
					    .segs = bytes > SECTOR ? 2 : 1});
}

/** host_begin() - device and driver. 0 or -errno. */
static int host_begin(struct fixture *f, struct blkdrv *b,
		      const struct fixture_config *cfg)
{
	int rc = fixture_start(f, cfg);

	return rc < 0 ? rc : fixture_blkdrv(f, b, &host_mode, 1, 64 * SECTOR);
}

static void host_end(struct fixture *f, struct blkdrv *b)
{
	blkdrv_fini(b);
	CU_ASSERT_EQUAL(fixture_end(f), 0);
}

/* No zeroes are made up for what was cut away; a write brings it back. */
static void test_cut(void)
{
	struct fixture f;
	struct blkdrv b;
	uint64_t errors = 0;

	if (host_begin(&f, &b, &(struct fixture_config){0})) {
		CU_FAIL("start");
		return;
	}
	CU_ASSERT_EQUAL(ftruncate(f.image_fd, HALF + 100), 0);
	CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_IN, HALF, 4096),
			VIRTIO_BLK_S_IOERR);
	CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_IN, HALF - 4096, 8192),
			VIRTIO_BLK_S_IOERR);
	CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_IN, HALF + 8192, 4096),
			VIRTIO_BLK_S_IOERR);
	CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_IN, HALF - 4096, 4096),
			VIRTIO_BLK_S_OK);
	CU_ASSERT_EQUAL(
		memcmp(blkdrv_data(&b, 0), f.shadow + HALF - 4096, 4096), 0);
	CU_ASSERT_EQUAL(testdev_stat(&f.dev, "blk-host-errors", &errors), 0);
	CU_ASSERT_EQUAL(errors, 3);
	testdev_events(&f.dev);
	CU_ASSERT_PTR_NOT_NULL(strstr(f.dev.last_log, "the image was cut"));
	CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_OUT, HALF + 8192, 4096),
			VIRTIO_BLK_S_OK);
	CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_IN, HALF + 8192, 4096),
			VIRTIO_BLK_S_OK);
	host_end(&f, &b);
}

/** host_full_check() - writes beyond @limit fail with IOERR, others work. */
static void host_full_check(struct fixture *f, struct blkdrv *b, uint64_t limit)
{
	for (int i = 0; i < 20; i++) {
		CU_ASSERT_EQUAL(host_io(b, VIRTIO_BLK_T_OUT, limit + 65536,
					8192),
				VIRTIO_BLK_S_IOERR);
		CU_ASSERT_EQUAL(host_io(b, VIRTIO_BLK_T_OUT, 4096, 8192),
				VIRTIO_BLK_S_OK);
	}
	CU_ASSERT_EQUAL(host_io(b, VIRTIO_BLK_T_FLUSH, 0, 0), VIRTIO_BLK_S_OK);
	testdev_events(&f->dev);
	CU_ASSERT_EQUAL(f->dev.needs_reset, 0);
}

/* A file that may not grow: EPERM for what lies behind its end. */
static void test_sealed(void)
{
	struct fixture f;
	struct blkdrv b;
	int fd = memfd_create("image", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	CU_ASSERT_EQUAL(ftruncate(fd, HALF), 0);
	CU_ASSERT_EQUAL(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), 0);
	if (host_begin(&f, &b, &(struct fixture_config){.image_fd = fd})) {
		CU_FAIL("start");
		return;
	}
	host_full_check(&f, &b, HALF);
	host_end(&f, &b);
	close(fd);
}

/* RLIMIT_FSIZE: EFBIG, and a SIGXFSZ that must not end the device. */
static void test_file_limit(void)
{
	struct rlimit old;
	struct rlimit low;
	struct fixture f;
	struct blkdrv b;
	int fd = memfd_create("image", MFD_CLOEXEC);
	int rc;

	CU_ASSERT_EQUAL(getrlimit(RLIMIT_FSIZE, &old), 0);
	CU_ASSERT_EQUAL(ftruncate(fd, HALF), 0);
	low = old;
	low.rlim_cur = HALF;
	rc = fixture_prepare(&f, &(struct fixture_config){.image_fd = fd});
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &low), 0);
	if (!rc)
		rc = testdev_start(&f.dev, &f.guest, &f.dev_cfg);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &old), 0);
	if (rc || fixture_blkdrv(&f, &b, &host_mode, 1, 64 * SECTOR)) {
		CU_FAIL("start");
		return;
	}
	host_full_check(&f, &b, HALF);
	host_end(&f, &b);
	close(fd);
}

/** host_small_child() - a file on a tmpfs of 1 MiB goes to @to. */
static int host_small_child(int to)
{
	const int ns = getuid() ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS;
	struct chan c = {.fd = -1};
	int fd;

	if (unshare(ns) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/tmp", "tmpfs", 0, "size=1m"))
		return 1;
	fd = open("/tmp/image", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, HALF) || chan_init(&c, to))
		return 1;
	return chan_send(&c, 2, 0, NULL, &fd, 1) ? 1 : 0;
}

/** host_small_file() - fd of a sparse file that runs full; -errno. */
static int host_small_file(void)
{
	struct chan c = {.fd = -1};
	struct frame f;
	int pair[2];
	int status = 1;
	int fd = -EIO;
	pid_t pid;

	if (chan_pair(pair) || chan_init(&c, pair[0]))
		return -EIO;
	pid = fork();
	if (pid == 0)
		_exit(host_small_child(pair[1]));
	close(pair[1]);
	waitpid(pid, &status, 0);
	if (status == 0 && chan_recv(&c, &f) == 1) {
		fd = fdset_take(&f.fds, 0);
		fdset_close(&f.fds);
	}
	chan_fini(&c);
	return fd;
}

/* A full file system: ENOSPC until something is given back. */
static void test_full(void)
{
	struct fixture f;
	struct blkdrv b;
	int fd = host_small_file();
	int full = 0;

	if (fd < 0) {
		fprintf(stderr, "(no mount namespace: not run) ");
		return;
	}
	if (host_begin(&f, &b, &(struct fixture_config){.image_fd = fd})) {
		CU_FAIL("start");
		return;
	}
	for (uint64_t at = 0; at < HALF; at += 32768) {
		int status = host_io(&b, VIRTIO_BLK_T_OUT, at, 32768);

		CU_ASSERT(status == VIRTIO_BLK_S_OK ||
			  status == VIRTIO_BLK_S_IOERR);
		full += status == VIRTIO_BLK_S_IOERR;
	}
	CU_ASSERT(full >= 32);
	CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_IN, 0, 32768),
			VIRTIO_BLK_S_OK);
	CU_ASSERT_EQUAL(fallocate(fd,
				  FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
				  HALF / 2),
			0);
	CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_OUT, HALF - 32768, 32768),
			VIRTIO_BLK_S_OK);
	host_end(&f, &b);
	close(fd);
}

/* Whatever was acked, and however the image was opened. */
static void test_read_only(void)
{
	for (int opened_rw = 0; opened_rw < 2; opened_rw++) {
		struct fixture f;
		struct blkdrv b;
		int rc = fixture_prepare(
			&f, &(struct fixture_config){.read_only = !opened_rw});

		f.dev_cfg.read_only = true;
		if (!rc)
			rc = testdev_start(&f.dev, &f.guest, &f.dev_cfg);
		if (rc || fixture_blkdrv(&f, &b, &host_mode, 1, 64 * SECTOR)) {
			CU_FAIL("start");
			return;
		}
		CU_ASSERT(f.dev.features & FIXTURE_BIT(VIRTIO_BLK_F_RO));
		CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_OUT, 0, 4096),
				VIRTIO_BLK_S_IOERR);
		CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_FLUSH, 0, 0),
				VIRTIO_BLK_S_OK);
		CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_IN, 0, 4096),
				VIRTIO_BLK_S_OK);
		CU_ASSERT_EQUAL(memcmp(blkdrv_data(&b, 0), f.shadow, 4096), 0);
		CU_ASSERT_TRUE(fixture_image_equal(&f));
		host_end(&f, &b);
	}
}

/* Bytes that look like another format are bytes. */
static void test_raw(void)
{
	static const uint8_t qcow[] = {'Q', 'F', 'I', 0xfb, 0, 0, 0, 3};

	for (int run = 0; run < 2; run++) {
		static int fd = -1;
		struct fixture f;
		struct blkdrv b;

		if (fd < 0) {
			fd = memfd_create("image", MFD_CLOEXEC);
			CU_ASSERT_EQUAL(ftruncate(fd, HALF), 0);
		}
		if (host_begin(&f, &b,
			       &(struct fixture_config){.image_fd = fd,
							.image_bytes = HALF})) {
			CU_FAIL("start");
			return;
		}
		if (run == 0) {
			memset(blkdrv_data(&b, 0), 0, SECTOR);
			memcpy(blkdrv_data(&b, 0), qcow, sizeof(qcow));
			CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_OUT, 0,
						SECTOR),
					VIRTIO_BLK_S_OK);
		} else {
			CU_ASSERT_EQUAL(host_io(&b, VIRTIO_BLK_T_IN, 0, SECTOR),
					VIRTIO_BLK_S_OK);
			CU_ASSERT_EQUAL(memcmp(blkdrv_data(&b, 0), qcow,
					       sizeof(qcow)),
					0);
		}
		host_end(&f, &b);
		if (run == 1)
			close(fd);
	}
}

/** host_refused() - GRANT with this image ends the process with status 1. */
static void host_refused(int fd, bool read_only)
{
	struct fixture f;
	int rc = fixture_prepare(&f, &(struct fixture_config){.image_fd = fd});

	f.dev_cfg.read_only = read_only;
	CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT_EQUAL(testdev_spawn(&f.dev, &f.guest, &f.dev_cfg), 0);
	CU_ASSERT_NOT_EQUAL(testdev_grant(&f.dev, &f.dev_cfg), 0);
	CU_ASSERT_TRUE(f.dev.exit_seen);
	CU_ASSERT_EQUAL(testdev_wait_exit(&f.dev, 5000), 1);
	fixture_free(&f);
	close(fd);
}

static void test_refused(void)
{
	int pipes[2];

	CU_ASSERT_EQUAL(pipe2(pipes, O_CLOEXEC), 0);
	close(pipes[1]);
	host_refused(pipes[0], true);
	host_refused(open("/tmp", O_RDONLY | O_CLOEXEC), true);
	host_refused(open("/dev/full", O_RDWR | O_CLOEXEC), false);
	host_refused(open("/tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600),
		     true);
	host_refused(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), false);
}

#define FEW_PROCESSES 32u
#define FEW_QUEUES 4u
#define FEW_SLOTS 64u

/** host_thread_cnt() - threads of a process, the kernel's for it as well. */
static uint32_t host_thread_cnt(int pid)
{
	char path[64];
	uint32_t n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n > 2 ? n - 2 : 0;
}

/** host_flood() - writes and flushes; how many came back well. */
static uint32_t host_flood(struct blkdrv *b, uint32_t *threads, int pid)
{
	uint32_t good = 0;

	for (uint32_t i = 0; i < FEW_QUEUES * FEW_SLOTS; i++) {
		bool flush = i % 2;
		struct blkdrv_request r = {
			flush ? VIRTIO_BLK_T_FLUSH : VIRTIO_BLK_T_OUT,
			i / FEW_QUEUES, flush ? 0 : SECTOR, 1};

		if (blkdrv_add(&b[i / FEW_SLOTS], i % FEW_SLOTS, &r) < 0)
			return 0;
		if (i % FEW_SLOTS == FEW_SLOTS - 1)
			drvq_publish(&b[i / FEW_SLOTS].q);
	}
	for (uint32_t i = 0; i < FEW_QUEUES * FEW_SLOTS; i++) {
		struct blkdrv_done d;
		uint32_t n = host_thread_cnt(pid);

		*threads = n > *threads ? n : *threads;
		if (blkdrv_take(&b[i / FEW_SLOTS], false, 10000, &d) == 0 &&
		    d.status == VIRTIO_BLK_S_OK)
			good++;
	}
	return good;
}

/*
 * The kernel's threads for all queues together stay within the processes that
 * the device may have; the kernel cancels requests of a ring that gets none.
 * (It lets root of the first user namespace pass: only the count tells here.)
 */
static void test_few_processes(void)
{
	const struct rlimit few = {FEW_PROCESSES, FEW_PROCESSES};
	struct fixture f;
	struct blkdrv b[FEW_QUEUES];
	uint32_t threads = 0;

	CU_ASSERT_EQUAL_FATAL(fixture_prepare(&f,
					      &(struct fixture_config){
						      .queue_cnt = FEW_QUEUES}),
			      0);
	CU_ASSERT_EQUAL_FATAL(testdev_spawn(&f.dev, &f.guest, &f.dev_cfg), 0);
	CU_ASSERT_EQUAL_FATAL(
		prlimit(f.dev.child.pid, RLIMIT_NPROC, &few, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(testdev_grant(&f.dev, &f.dev_cfg), 0);
	CU_ASSERT_EQUAL_FATAL(testdev_probe(&f.dev), 0);
	CU_ASSERT_EQUAL_FATAL(testdev_features(&f.dev, FIXTURE_FEATURES), 0);
	for (uint32_t i = 0; i < FEW_QUEUES; i++) {
		CU_ASSERT_EQUAL_FATAL(blkdrv_init(&b[i], &f.guest, &host_mode,
						  FEW_SLOTS, SECTOR),
				      0);
		CU_ASSERT_EQUAL_FATAL(blkdrv_attach(&b[i], &f.dev, i), 0);
	}
	for (int n = 0; n < 5; n++)
		CU_ASSERT_EQUAL(host_flood(b, &threads, f.dev.child.pid),
				FEW_QUEUES * FEW_SLOTS);
	CU_ASSERT(threads > FEW_QUEUES + 1);
	CU_ASSERT(threads <= FEW_PROCESSES);
	if (threads > FEW_PROCESSES)
		fprintf(stderr, "%u threads\n", threads);
	for (uint32_t i = 0; i < FEW_QUEUES; i++)
		blkdrv_fini(&b[i]);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

static const struct unit_case host_cases[] = {
	UNIT_CASE(test_cut),        UNIT_CASE(test_sealed),
	UNIT_CASE(test_file_limit), UNIT_CASE(test_full),
	UNIT_CASE(test_read_only),  UNIT_CASE(test_raw),
	UNIT_CASE(test_refused),    UNIT_CASE(test_few_processes),
};

const struct unit_suite unit_suites[] = {
	{"blk host", host_cases, ARRAY_SIZE(host_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
