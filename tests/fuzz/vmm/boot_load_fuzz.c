// SPDX-License-Identifier: Apache-2.0
/*
 * boot_load_fuzz.c - a tenant's kernel file of any bytes into a guest of 36
 * MiB: no crash, no access outside of RAM, a message with every refusal, and a
 * plan that holds together.
 *
 * Input: one byte of options (initrd, protocol), then the kernel file. A file
 * that ends early is continued with zeroes when the options ask for it, so
 * that images of a real size can be described in few bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vmm/boot/boot.h"
#include "vmm/layout.h"

#define FUZZ_RAM (36ULL << 20)
#define FUZZ_PADDED (1 << 20)
#define FUZZ_INITRD 5000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct guestmem mem;
static int kernel_fd = -1;
static int initrd_fd = -1;

/* fuzz_setup() - guest RAM and the two files, once. */
static void fuzz_setup(void)
{
	const struct guestmem_options opts = {.page_size = 4096};
	int fd = memfd_create("ram", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct memtable table;

	BUG_ON(ftruncate(fd, FUZZ_RAM) < 0);
	BUG_ON(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0);
	memtable_layout(FUZZ_RAM, &table);
	BUG_ON(guestmem_map(fd, &table, &opts, &mem) < 0);
	close(fd);
	kernel_fd = memfd_create("kernel", MFD_CLOEXEC);
	initrd_fd = memfd_create("initrd", MFD_CLOEXEC);
	BUG_ON(ftruncate(initrd_fd, FUZZ_INITRD) < 0);
}

/* fuzz_plan_check() - what every accepted image must satisfy. */
static void fuzz_plan_check(const struct boot_plan *p)
{
	uint64_t initrd_end = p->initrd_start + p->initrd_size;
	struct kvm_sregs sregs = {0};
	struct kvm_regs regs;

	BUG_ON(p->kernel_start < LAYOUT_HIMEM_GPA);
	BUG_ON(p->kernel_end > FUZZ_RAM || p->kernel_start >= p->kernel_end);
	BUG_ON(p->entry < p->kernel_start || p->entry >= p->kernel_end);
	BUG_ON(initrd_end > FUZZ_RAM);
	BUG_ON(p->initrd_size > 0 && initrd_end > p->kernel_start &&
	       p->initrd_start < p->kernel_end);
	BUG_ON(p->initrd_size > 0 && initrd_end - 1 > p->initrd_limit);
	BUG_ON(p->e820_cnt == 0 || p->e820_cnt > BOOT_E820_MAX);
	BUG_ON(!memchr(p->format, 0, sizeof(p->format)));
	boot_vcpu_state(p, &regs, &sregs);
	BUG_ON(regs.rip != p->entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct boot_request req = {.initrd_fd = -1, .cmdline = "quiet"};
	char message[BOOT_MESSAGE_BYTES];
	struct boot_plan plan;
	int rc;

	if (kernel_fd < 0)
		fuzz_setup();
	if (size == 0 || size > FUZZ_PADDED)
		return 0;
	BUG_ON(ftruncate(kernel_fd, 0) < 0);
	BUG_ON(pwrite(kernel_fd, data + 1, size - 1, 0) != (ssize_t)(size - 1));
	if (data[0] & 1)
		BUG_ON(ftruncate(kernel_fd, FUZZ_PADDED) < 0);
	req.kernel_fd = kernel_fd;
	req.initrd_fd = data[0] & 2 ? initrd_fd : -1;
	req.protocol =
		(enum boot_protocol)((data[0] >> 2) % (BOOT_PROTOCOL_PVH + 1));
	req.cmdline_len = 5;
	memset(message, 'x', sizeof(message));
	rc = boot_load(&req, &mem, &plan, message);
	BUG_ON(!memchr(message, 0, sizeof(message)));
	if (rc == 0)
		fuzz_plan_check(&plan);
	else
		BUG_ON(message[0] == '\0');
	return 0;
}
