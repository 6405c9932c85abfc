/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handover.h - the structures in low RAM that a kernel's entry expects. Each
 * writer fills its page wholly, so nothing of an earlier boot remains.
 */
#ifndef VMM_BOOT_HANDOVER_H
#define VMM_BOOT_HANDOVER_H

#include <stdint.h>

#include "ipc/compiler.h"
#include "vmm/boot/boot.h"
#include "vmm/boot/kernel.h"

/* Selectors: __BOOT_CS and __BOOT_DS of the boot protocol, and the task's. */
#define HANDOVER_CS 0x10u
#define HANDOVER_DS 0x18u
#define HANDOVER_TSS 0x20u
#define HANDOVER_GDT_ENTRIES 6u
/* An empty task state segment. */
#define HANDOVER_TSS_LIMIT 0x67u

/** handover_cpu_write() - GDT, and page tables for LINUX64. 0 or -EFAULT. */
MUST_CHECK int handover_cpu_write(enum boot_protocol protocol,
				  struct guestmem *mem);
/** handover_params_write() - boot_params ("zero page"). 0 or -EFAULT. */
MUST_CHECK int handover_params_write(const struct boot_request *req,
				     const struct boot_kernel *k,
				     const struct boot_plan *plan,
				     struct guestmem *mem);
/** handover_pvh_write() - hvm_start_info and its tables. 0 or -EFAULT. */
MUST_CHECK int handover_pvh_write(const struct boot_request *req,
				  const struct boot_plan *plan,
				  struct guestmem *mem);

#endif
