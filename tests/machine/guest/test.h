/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: what a test is, and what tests share.
 *
 * A test returns test_ok, or what test_fail or test_skip gave it. Each starts
 * the device anew, so that order does not matter.
 */
#ifndef GUEST_TEST_H
#define GUEST_TEST_H

#include "blk.h"
#include "boot.h"
#include "cpu.h"

#define TEST_DISK 1u  /* needs a virtio-blk device */
#define TEST_ASKED 2u /* runs only when named */

struct test {
	const char *name;
	int (*run)(void);
	unsigned int flags;
};

enum { TEST_OK = 0, TEST_FAILED = -1, TEST_SKIPPED = 1 };

/* One table a file, ended by a NULL name; tests.c lists the tables. */
extern const struct test tests_machine[], tests_pci[], tests_transport[];
extern const struct test tests_blk[], tests_irq[], tests_queue[];
extern const struct test tests_hostile[];

int test_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int test_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define CHECK(cond, ...)                               \
	do {                                           \
		if (!(cond))                           \
			return test_fail(__VA_ARGS__); \
	} while (0)

/* Is a rule meant that only our own VMM promises? (strict=1) */
bool test_strict(void);
/* Does the command line want the data tests with MSI-X? (mode=msix) */
bool test_mode_irq(void);

/* Sectors that tests may write, and with which seed: image.py knows too. */
#define SEED_DISK 1
#define SEED_WRITE 2
#define SEED_SMP 3 /* + CPU */
#define WRITE_SECTOR 2048
#define WRITE_SECTORS 256
#define SMP_SECTOR 4096
#define SMP_SECTORS 64

#define DMA_BYTES 0x400000u
extern uint8_t dma[DMA_BYTES];

extern struct blk disk;

/* Starts the disk in the command line's mode; NULL or what is wrong. */
const char *disk_start(void);
/* Reads one sector by queue 0 and compares: is the device alive and right? */
const char *disk_alive(void);
/* Reads and compares; NULL or what is wrong. */
const char *disk_read_check(struct vq *q, struct blk_io io);

/* ending.c: how the guest ends; never returns. */
_Noreturn void ending_run(unsigned int failed);

#endif
