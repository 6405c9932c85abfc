/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boot.h - puts a kernel, its initrd and command line into guest RAM and says
 * how the first vCPU starts. Runs in the confined vmm: the images are a
 * tenant's and not trusted. Linux/x86 boot protocol 2.15, PVH (Xen direct
 * boot).
 */
#ifndef VMM_BOOT_BOOT_H
#define VMM_BOOT_BOOT_H

#include <linux/kvm.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/guestmem.h"

enum boot_protocol {
	BOOT_PROTOCOL_AUTO,
	BOOT_PROTOCOL_LINUX64,
	BOOT_PROTOCOL_PVH
};

#define BOOT_E820_MAX 16
#define BOOT_MESSAGE_BYTES 256

struct boot_e820 {
	uint64_t addr;
	uint64_t size;
	uint32_t type; /* 1 RAM, 2 reserved, 3 ACPI reclaimable */
};

/**
 * struct boot_request - what to load
 * @kernel_fd: borrowed, read with pread only
 * @initrd_fd: borrowed, or -1
 * @cmdline: @cmdline_len bytes without NUL; NUL inside is refused
 * @protocol: AUTO picks by the image's format
 * @rsdp_gpa: where acpi_build put the RSDP
 */
struct boot_request {
	int kernel_fd;
	int initrd_fd;
	const char *cmdline;
	uint32_t cmdline_len;
	enum boot_protocol protocol;
	uint64_t rsdp_gpa;
};

/**
 * struct boot_plan - what was done
 * @format: for example "bzImage, protocol 2.15, 64-bit entry"
 * @protocol: LINUX64 or PVH
 * @entry: guest-physical address of the first instruction
 * @kernel_start: first byte used by the kernel
 * @kernel_end: behind the last byte, with init_size or bss
 * @initrd_start: 0 without one
 * @initrd_limit: highest address that the kernel accepts for its last byte
 * @cmdline_limit: longest command line it accepts, without NUL
 */
struct boot_plan {
	char format[96];
	enum boot_protocol protocol;
	uint64_t entry;
	uint64_t kernel_start;
	uint64_t kernel_end;
	uint64_t initrd_start;
	uint64_t initrd_size;
	uint64_t initrd_limit;
	uint32_t cmdline_limit;
	struct boot_e820 e820[BOOT_E820_MAX];
	uint32_t e820_cnt;
};

/**
 * boot_load() - checks and loads everything; writes nothing outside RAM
 * @ret_message: BOOT_MESSAGE_BYTES; on error one sentence for the user that
 * names what was found and what is accepted, with numbers
 * Return: 0; -ENOEXEC kernel not of an accepted format; -E2BIG command line
 * over the limit; -EINVAL a NUL in it, or an initrd that is empty or no regular
 * file; -ENOSPC kernel or initrd does not fit; -EIO a read failed. After an
 * error other than -EIO guest RAM is as it was.
 */
MUST_CHECK int boot_load(const struct boot_request *req, struct guestmem *mem,
			 struct boot_plan *ret_plan, char *ret_message);

/**
 * boot_vcpu_state() - registers of the boot CPU for @plan's protocol
 * @sregs: in: as KVM_GET_SREGS gave them; out: to set
 */
void boot_vcpu_state(const struct boot_plan *plan, struct kvm_regs *ret_regs,
		     struct kvm_sregs *sregs);

#endif
