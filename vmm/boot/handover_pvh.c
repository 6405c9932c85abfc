// SPDX-License-Identifier: Apache-2.0
/*
 * handover_pvh.c - the start info of a PVH kernel. Runs in the confined vmm.
 * Spec: Xen public/arch-x86/hvm/start_info.h, version 1.
 */
#include <string.h>

#include "vmm/boot/handover.h"
#include "vmm/layout.h"

#define PVH_MAGIC 0x336ec578u
#define PVH_VERSION 1u

struct pvh_start_info {
	uint32_t magic;
	uint32_t version;
	uint32_t flags;
	uint32_t module_cnt;
	uint64_t modlist_gpa;
	uint64_t cmdline_gpa;
	uint64_t rsdp_gpa;
	uint64_t memmap_gpa;
	uint32_t memmap_cnt;
	uint32_t reserved;
};

struct pvh_module {
	uint64_t gpa;
	uint64_t bytes;
	uint64_t cmdline_gpa;
	uint64_t reserved;
};

struct pvh_memmap {
	uint64_t gpa;
	uint64_t bytes;
	uint32_t type;
	uint32_t reserved;
};

_Static_assert(sizeof(struct pvh_start_info) == 56, "as specified");
_Static_assert(sizeof(struct pvh_module) == 32, "as specified");
_Static_assert(sizeof(struct pvh_memmap) == 24, "as specified");

/* All of it, as it lies at LAYOUT_PVH_START_INFO_GPA. */
struct pvh_page {
	struct pvh_start_info info;
	struct pvh_module module;
	struct pvh_memmap memmap[BOOT_E820_MAX];
};

_Static_assert(sizeof(struct pvh_page) <=
		       LAYOUT_BOOT_PARAMS_GPA - LAYOUT_PVH_START_INFO_GPA,
	       "below the boot_params");

int handover_pvh_write(const struct boot_request *req,
		       const struct boot_plan *plan, struct guestmem *mem)
{
	const uint64_t gpa = LAYOUT_PVH_START_INFO_GPA;
	struct pvh_page page;

	memset(&page, 0, sizeof(page));
	page.info = (struct pvh_start_info){
		.magic = PVH_MAGIC,
		.version = PVH_VERSION,
		.cmdline_gpa = LAYOUT_CMDLINE_GPA,
		.rsdp_gpa = req->rsdp_gpa,
		.memmap_gpa = gpa + offsetof(struct pvh_page, memmap),
		.memmap_cnt = plan->e820_cnt,
	};
	if (plan->initrd_size > 0) {
		page.info.module_cnt = 1;
		page.info.modlist_gpa = gpa + offsetof(struct pvh_page, module);
		page.module.gpa = plan->initrd_start;
		page.module.bytes = plan->initrd_size;
	}
	/* The types are e820's. */
	for (uint32_t i = 0; i < plan->e820_cnt; i++) {
		page.memmap[i].gpa = plan->e820[i].addr;
		page.memmap[i].bytes = plan->e820[i].size;
		page.memmap[i].type = plan->e820[i].type;
	}
	return guestmem_write(mem, gpa, &page, sizeof(page));
}
