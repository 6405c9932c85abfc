// SPDX-License-Identifier: Apache-2.0
/*
 * boot.c - loads a machine's kernel, initrd and command line. Runs in the
 * confined vmm; all three are a tenant's and not trusted.
 *
 * Theory of operation. First everything is parsed and placed (kernel.c,
 * initrd.c, e820.c), without a write to guest RAM: what is refused has started
 * nothing. Then the bytes are read to their places, straight into RAM, and the
 * structures of the entry protocol are written (handover_*.c).
 */
#include "vmm/boot/boot.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "vmm/boot/e820.h"
#include "vmm/boot/handover.h"
#include "vmm/boot/initrd.h"
#include "vmm/boot/kernel.h"
#include "vmm/boot/message.h"
#include "vmm/layout.h"

/* Boot structures and at least something behind them. */
#define BOOT_RAM_MIN (LAYOUT_HIMEM_GPA + 0x100000ULL)

/* boot_ram_low_end() - end of the RAM that begins at 0 and is below 4 GiB. */
static int boot_ram_low_end(const struct memtable *table, uint64_t *ret_end,
			    char *ret_message)
{
	uint64_t end = 0;

	if (table->cnt > 0 && table->region[0].gpa == 0)
		end = table->region[0].size;
	if (end > MEMTABLE_LOW_END)
		end = MEMTABLE_LOW_END;
	if (end < BOOT_RAM_MIN)
		return boot_refuse(ret_message, -ENOSPC,
				   "machine has %" PRIu64 " bytes of RAM from "
				   "address 0 on; at least %llu are needed",
				   end, BOOT_RAM_MIN);
	*ret_end = end;
	return 0;
}

/* boot_cmdline_check() - sets the limit; -E2BIG or -EINVAL. */
static int boot_cmdline_check(const struct boot_request *req,
			      const struct boot_kernel *k,
			      struct boot_plan *plan, char *ret_message)
{
	const void *nul = NULL;

	plan->cmdline_limit = k->cmdline_limit;
	if (plan->cmdline_limit > LAYOUT_CMDLINE_MAX - 1)
		plan->cmdline_limit = (uint32_t)LAYOUT_CMDLINE_MAX - 1;
	if (req->cmdline_len > plan->cmdline_limit)
		return boot_refuse(ret_message, -E2BIG,
				   "command line has %u bytes; this kernel "
				   "accepts at most %u",
				   req->cmdline_len, plan->cmdline_limit);
	if (req->cmdline_len > 0)
		nul = memchr(req->cmdline, 0, req->cmdline_len);
	if (nul)
		return boot_refuse(ret_message, -EINVAL,
				   "command line has a NUL byte at %td of %u",
				   (const char *)nul - req->cmdline,
				   req->cmdline_len);
	return 0;
}

/* boot_initrd_plan() - opens and places the initrd, if there is one. */
static int boot_initrd_plan(const struct boot_request *req,
			    const struct boot_kernel *k, uint64_t low_end,
			    struct boot_plan *plan, char *ret_message)
{
	struct boot_image image;
	int rc;

	plan->initrd_limit =
		k->initrd_limit < low_end - 1 ? k->initrd_limit : low_end - 1;
	if (req->initrd_fd < 0)
		return 0;
	rc = boot_image_open(req->initrd_fd, "initrd", &image, ret_message);
	if (rc < 0)
		return rc == -ENOEXEC ? -EINVAL : rc;
	plan->initrd_size = image.bytes;
	return initrd_place(k, image.bytes, low_end, &plan->initrd_start,
			    ret_message);
}

/* boot_initrd_load() - reads it to its place. */
static int boot_initrd_load(const struct boot_request *req,
			    const struct boot_plan *plan, struct guestmem *mem,
			    char *ret_message)
{
	int rc;

	if (plan->initrd_size == 0)
		return 0;
	rc = guestmem_pread(mem, plan->initrd_start, req->initrd_fd, 0,
			    plan->initrd_size);
	if (rc == -ENODATA)
		return boot_refuse(ret_message, -EIO,
				   "initrd file became shorter while it was "
				   "read");
	if (rc < 0)
		return boot_refuse(ret_message, -EIO,
				   "initrd cannot be read: %s",
				   strerrordesc_np(-rc));
	return 0;
}

/* boot_plan_make() - everything that can be refused, before any write. */
static int boot_plan_make(const struct boot_request *req,
			  const struct boot_image *image,
			  const struct memtable *table, struct boot_kernel *k,
			  struct boot_plan *plan, char *ret_message)
{
	uint64_t low_end = 0;
	int rc = boot_ram_low_end(table, &low_end, ret_message);

	if (rc == 0)
		rc = boot_kernel_parse(image, req->protocol, k, ret_message);
	if (rc == 0)
		rc = boot_cmdline_check(req, k, plan, ret_message);
	if (rc == 0)
		rc = boot_kernel_fit(k, low_end, ret_message);
	if (rc == 0)
		rc = boot_initrd_plan(req, k, low_end, plan, ret_message);
	if (rc < 0)
		return rc;
	rc = e820_build(table, plan->e820);
	if (rc < 0)
		return boot_refuse(ret_message, rc,
				   "machine has too many RAM regions (%u)",
				   table->cnt);
	plan->e820_cnt = (uint32_t)rc;
	memcpy(plan->format, k->format, sizeof(plan->format));
	plan->protocol = k->protocol;
	plan->entry = k->entry;
	plan->kernel_start = k->start;
	plan->kernel_end = k->end;
	return 0;
}

/* boot_handover_write() - command line and the entry's structures. */
static int boot_handover_write(const struct boot_request *req,
			       const struct boot_kernel *k,
			       const struct boot_plan *plan,
			       struct guestmem *mem)
{
	const uint64_t gpa = LAYOUT_CMDLINE_GPA;
	int rc = guestmem_write(mem, gpa + req->cmdline_len, "", 1);

	if (rc == 0 && req->cmdline_len > 0)
		rc = guestmem_write(mem, gpa, req->cmdline, req->cmdline_len);
	if (rc == 0)
		rc = handover_cpu_write(plan->protocol, mem);
	if (rc < 0)
		return rc;
	return plan->protocol == BOOT_PROTOCOL_PVH
		       ? handover_pvh_write(req, plan, mem)
		       : handover_params_write(req, k, plan, mem);
}

int boot_load(const struct boot_request *req, struct guestmem *mem,
	      struct boot_plan *ret_plan, char *ret_message)
{
	struct boot_plan plan = {.protocol = BOOT_PROTOCOL_AUTO};
	struct boot_image image;
	struct boot_kernel k = {.segment_cnt = 0};
	int rc;

	ret_message[0] = '\0';
	rc = boot_image_open(req->kernel_fd, "kernel", &image, ret_message);
	if (rc == 0)
		rc = boot_plan_make(req, &image, &mem->table, &k, &plan,
				    ret_message);
	if (rc == 0)
		rc = boot_kernel_load(&k, &image, mem, ret_message);
	if (rc == 0)
		rc = boot_initrd_load(req, &plan, mem, ret_message);
	if (rc < 0)
		return rc;
	rc = boot_handover_write(req, &k, &plan, mem);
	if (rc < 0)
		return boot_refuse(ret_message, -ENOSPC,
				   "boot structures do not fit into RAM");
	*ret_plan = plan;
	return 0;
}
