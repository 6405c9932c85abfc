/* SPDX-License-Identifier: Apache-2.0 */
/*
 * initrd.h - where the initrd goes.
 */
#ifndef VMM_BOOT_INITRD_H
#define VMM_BOOT_INITRD_H

#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/boot/kernel.h"

/**
 * initrd_place() - as high as the kernel and RAM allow, else below the kernel
 * @bytes: > 0
 * @low_end: end of RAM below 4 GiB
 * @ret_gpa: page aligned, clear of the kernel and of everything below 1 MiB
 * Return: 0; -ENOSPC no room; then the message has both numbers.
 */
MUST_CHECK int initrd_place(const struct boot_kernel *k, uint64_t bytes,
			    uint64_t low_end, uint64_t *ret_gpa,
			    char *ret_message);

#endif
