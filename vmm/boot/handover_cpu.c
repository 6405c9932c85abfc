// SPDX-License-Identifier: Apache-2.0
/*
 * handover_cpu.c - GDT, page tables and registers of the boot CPU. Runs in the
 * vmm; nothing here depends on a guest's bytes.
 * Spec: Linux/x86 boot protocol 2.15 "64-bit Boot Protocol"; Xen docs/misc/pvh;
 * Intel SDM volume 3 chapters 3 and 4.
 */
#include <asm/processor-flags.h>
#include <string.h>

#include "vmm/boot/handover.h"
#include "vmm/layout.h"

#define CPU_EFER_LME (1ULL << 8)
#define CPU_EFER_LMA (1ULL << 10)

/* Segment types: code read/execute accessed, data read/write accessed. */
#define CPU_TYPE_CODE 0xbu
#define CPU_TYPE_DATA 0x3u
/* Busy TSS: VM entry refuses an available one (type 9). */
#define CPU_TYPE_TSS_BUSY 0xbu
#define CPU_TYPE_LDT 0x2u

#define CPU_PAGE_BYTES 4096ULL
#define CPU_PTES 512u
#define CPU_PDS 4u
#define CPU_PTE_PRESENT_WRITE 0x3ULL
/* Large page, accessed and dirty as the CPU would set them. */
#define CPU_PDE_LARGE 0xe3ULL
#define CPU_LARGE_SHIFT 21

_Static_assert(LAYOUT_GDT_GPA + HANDOVER_GDT_ENTRIES * 8ULL <= LAYOUT_IDT_GPA,
	       "the GDT ends before the IDT");
_Static_assert(LAYOUT_PAGE_TABLES_GPA + (2 + CPU_PDS) * CPU_PAGE_BYTES <=
		       LAYOUT_CMDLINE_GPA,
	       "the page tables end before the command line");

/* cpu_segment() - a flat 4 GiB segment. */
static struct kvm_segment cpu_segment(uint16_t selector, uint8_t type,
				      uint8_t is_long)
{
	return (struct kvm_segment){
		.limit = 0xffffffffu,
		.selector = selector,
		.type = type,
		.present = 1,
		.db = !is_long,
		.s = 1,
		.l = is_long,
		.g = 1,
	};
}

/* cpu_segment_task() - an empty, busy task state segment. */
static struct kvm_segment cpu_segment_task(void)
{
	return (struct kvm_segment){
		.limit = HANDOVER_TSS_LIMIT,
		.selector = HANDOVER_TSS,
		.type = CPU_TYPE_TSS_BUSY,
		.present = 1,
	};
}

/* cpu_descriptor() - @s as the CPU reads it from a GDT; base 0. */
static uint64_t cpu_descriptor(const struct kvm_segment *s)
{
	uint64_t limit = s->g ? s->limit >> 12 : s->limit;

	return (limit & 0xffff) | (uint64_t)s->type << 40 |
	       (uint64_t)s->s << 44 | (uint64_t)s->dpl << 45 |
	       (uint64_t)s->present << 47 | (limit >> 16 & 0xf) << 48 |
	       (uint64_t)s->l << 53 | (uint64_t)s->db << 54 |
	       (uint64_t)s->g << 55;
}

/* cpu_tables_write() - the first 4 GiB at their own addresses, 2 MiB pages. */
static int cpu_tables_write(struct guestmem *mem)
{
	const uint64_t pml4 = LAYOUT_PAGE_TABLES_GPA;
	const uint64_t pdpt = pml4 + CPU_PAGE_BYTES;
	const uint64_t pd = pdpt + CPU_PAGE_BYTES;
	uint64_t table[CPU_PTES] = {pdpt | CPU_PTE_PRESENT_WRITE};
	int rc = guestmem_write(mem, pml4, table, sizeof(table));

	for (uint32_t i = 0; i < CPU_PDS; i++)
		table[i] = (pd + i * CPU_PAGE_BYTES) | CPU_PTE_PRESENT_WRITE;
	if (rc == 0)
		rc = guestmem_write(mem, pdpt, table, sizeof(table));
	for (uint64_t i = 0; i < CPU_PDS && rc == 0; i++) {
		for (uint64_t j = 0; j < CPU_PTES; j++)
			table[j] = (i * CPU_PTES + j) << CPU_LARGE_SHIFT |
				   CPU_PDE_LARGE;
		rc = guestmem_write(mem, pd + i * CPU_PAGE_BYTES, table,
				    sizeof(table));
	}
	return rc;
}

int handover_cpu_write(enum boot_protocol protocol, struct guestmem *mem)
{
	bool is_long = protocol == BOOT_PROTOCOL_LINUX64;
	struct kvm_segment cs =
		cpu_segment(HANDOVER_CS, CPU_TYPE_CODE, is_long);
	struct kvm_segment ds = cpu_segment(HANDOVER_DS, CPU_TYPE_DATA, 0);
	struct kvm_segment tr = cpu_segment_task();
	uint64_t gdt[HANDOVER_GDT_ENTRIES] = {
		[HANDOVER_CS / 8] = cpu_descriptor(&cs),
		[HANDOVER_DS / 8] = cpu_descriptor(&ds),
		[HANDOVER_TSS / 8] = cpu_descriptor(&tr),
	};
	int rc = guestmem_write(mem, LAYOUT_GDT_GPA, gdt, sizeof(gdt));

	if (rc == 0 && is_long)
		rc = cpu_tables_write(mem);
	return rc;
}

void boot_vcpu_state(const struct boot_plan *plan, struct kvm_regs *ret_regs,
		     struct kvm_sregs *sregs)
{
	bool is_long = plan->protocol == BOOT_PROTOCOL_LINUX64;

	/* Bit 1 always reads as one; everything else off, interrupts too. */
	*ret_regs = (struct kvm_regs){
		.rip = plan->entry,
		.rflags = X86_EFLAGS_FIXED,
		.rsp = LAYOUT_BOOT_STACK_GPA,
	};
	sregs->cs = cpu_segment(HANDOVER_CS, CPU_TYPE_CODE, is_long);
	sregs->ds = cpu_segment(HANDOVER_DS, CPU_TYPE_DATA, 0);
	sregs->es = sregs->ds;
	sregs->fs = sregs->ds;
	sregs->gs = sregs->ds;
	sregs->ss = sregs->ds;
	sregs->tr = cpu_segment_task();
	sregs->ldt = (struct kvm_segment){.type = CPU_TYPE_LDT, .unusable = 1};
	sregs->gdt = (struct kvm_dtable){.base = LAYOUT_GDT_GPA,
					 .limit = HANDOVER_GDT_ENTRIES * 8 - 1};
	sregs->idt = (struct kvm_dtable){.base = LAYOUT_IDT_GPA};
	sregs->cr2 = 0;
	if (is_long) {
		ret_regs->rsi = LAYOUT_BOOT_PARAMS_GPA;
		sregs->cr0 = X86_CR0_PE | X86_CR0_MP | X86_CR0_ET | X86_CR0_NE |
			     X86_CR0_PG;
		sregs->cr3 = LAYOUT_PAGE_TABLES_GPA;
		sregs->cr4 = X86_CR4_PAE;
		sregs->efer = CPU_EFER_LME | CPU_EFER_LMA;
	} else {
		ret_regs->rbx = LAYOUT_PVH_START_INFO_GPA;
		sregs->cr0 = X86_CR0_PE | X86_CR0_ET;
		sregs->cr3 = 0;
		sregs->cr4 = 0;
		sregs->efer = 0;
	}
}
