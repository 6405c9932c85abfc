// SPDX-License-Identifier: Apache-2.0
/*
 * handover_params.c - struct boot_params for the 64-bit entry. Runs in the
 * confined vmm. The setup header comes from the tenant's image; the fields
 * that a boot loader owns are overwritten.
 * Spec: Linux/x86 boot protocol 2.15, "Details of Header Fields" and the zero
 * page (Documentation/arch/x86/zero-page.rst).
 */
#include <asm/bootparam.h>
#include <string.h>

#include "vmm/boot/handover.h"
#include "vmm/layout.h"

_Static_assert(sizeof(struct boot_params) == 4096, "one page");
_Static_assert(offsetof(struct boot_params, hdr) == BOOT_HDR_START,
	       "the header stands where it stands in the image");

/* A loader without a number of its own. */
#define PARAMS_LOADER 0xffu
#define PARAMS_BOOT_FLAG 0xaa55u
#define PARAMS_MAGIC 0x53726448u
#define PARAMS_ELF_ALIGNMENT 0x1000000u
#define PARAMS_VGA_NORMAL 0xffffu

/* params_header_set() - the loader's fields of the setup header. */
static void params_header_set(struct setup_header *h,
			      const struct boot_kernel *k)
{
	if (h->header != PARAMS_MAGIC) {
		h->boot_flag = PARAMS_BOOT_FLAG;
		h->header = PARAMS_MAGIC;
		h->kernel_alignment = PARAMS_ELF_ALIGNMENT;
		h->cmdline_size = k->cmdline_limit;
		h->loadflags = LOADED_HIGH;
	}
	h->type_of_loader = PARAMS_LOADER;
	h->ext_loader_type = 0;
	h->ext_loader_ver = 0;
	h->loadflags &= (__u8) ~(CAN_USE_HEAP | KASLR_FLAG);
	h->heap_end_ptr = 0;
	h->vid_mode = PARAMS_VGA_NORMAL;
	h->code32_start = (uint32_t)k->start;
	h->setup_data = 0;
	h->hardware_subarch = X86_SUBARCH_PC;
	h->hardware_subarch_data = 0;
}

int handover_params_write(const struct boot_request *req,
			  const struct boot_kernel *k,
			  const struct boot_plan *plan, struct guestmem *mem)
{
	struct boot_params bp;

	memset(&bp, 0, sizeof(bp));
	memcpy((uint8_t *)&bp + BOOT_HDR_START, k->hdr, sizeof(k->hdr));
	params_header_set(&bp.hdr, k);
	bp.hdr.cmd_line_ptr = (uint32_t)LAYOUT_CMDLINE_GPA;
	/* Placed below 4 GiB (initrd_place): the high halves stay 0. */
	bp.hdr.ramdisk_image = (uint32_t)plan->initrd_start;
	bp.hdr.ramdisk_size = (uint32_t)plan->initrd_size;
	bp.acpi_rsdp_addr = req->rsdp_gpa;
	for (uint32_t i = 0; i < plan->e820_cnt; i++) {
		bp.e820_table[i].addr = plan->e820[i].addr;
		bp.e820_table[i].size = plan->e820[i].size;
		bp.e820_table[i].type = plan->e820[i].type;
	}
	bp.e820_entries = (uint8_t)plan->e820_cnt;
	return guestmem_write(mem, LAYOUT_BOOT_PARAMS_GPA, &bp, sizeof(bp));
}
