// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: ring 0 set-up of one CPU (gates, TSS with all ports open) and
 * what ring 3 needs of pages and faults.
 *
 * ring0_init and what it calls run in ring 0, where some hosts emulate every
 * instruction: keep it short, general registers only.
 */
#include "cpu.h"

#define IO_BITMAP_BYTES 8192
#define GATE_RING0 0x8e00u
#define GATE_RING3 0xee00u
#define SPARE_TABLES 16

struct gate {
	uint16_t off_lo, sel, flags, off_mid;
	uint32_t off_hi, zero;
};

struct tss {
	uint32_t reserved0;
	uint64_t rsp0, rsp1, rsp2, reserved1, ist[7], reserved2;
	uint16_t reserved3, io_base;
	uint8_t io_bitmap[IO_BITMAP_BYTES + 1];
} __attribute__((packed));

struct table_ptr {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

/* start.S */
extern uint64_t gdt[];
extern uint64_t page_pml4[512], page_pdpt[512];
extern uint8_t kernel_stacks[], irq_stubs[], exc_stubs[], irq_spurious[];
extern uint8_t call_gate[];
extern uint64_t fault_info[6];

volatile uint32_t irq_count[256];
volatile uint32_t irq_where[256];

static struct gate idt[256] __attribute__((aligned(16)));
static struct tss tss[CPU_MAX];
static uint64_t spare[SPARE_TABLES][512] __attribute__((aligned(4096)));
static unsigned int spare_used;

/** gate_set - ring 0; code is below 4 GiB. */
static void gate_set(unsigned int vec, const uint8_t *code)
{
	uint64_t a = addr_of(code);

	idt[vec] = (struct gate){.off_lo = (uint16_t)a,
				 .sel = KERNEL_CS,
				 .flags = GATE_RING0,
				 .off_mid = (uint16_t)(a >> 16)};
}

/** ring0_gates - ring 0, once: exceptions, device vectors, spurious. */
static void ring0_gates(void)
{
	for (unsigned int i = 0; i < 32; i++)
		gate_set(i, exc_stubs + 16 * i);
	for (unsigned int i = 0; i < VEC_COUNT; i++)
		gate_set(VEC_FIRST + i, irq_stubs + 32 * i);
	gate_set(VEC_SPURIOUS, irq_spurious);
	gate_set(3, call_gate);
	idt[3].flags = GATE_RING3;
	out8(0x21, 0xff); /* no interrupts from a PIC */
	out8(0xa1, 0xff);
}

void ring0_init(uint32_t cpu)
{
	struct table_ptr p = {sizeof(idt) - 1, addr_of(idt)};
	uint64_t base = addr_of(&tss[cpu]);

	if (cpu == 0)
		ring0_gates();
	tss[cpu].rsp0 =
		addr_of(kernel_stacks) + (uint64_t)(cpu + 1) * KERNEL_STACK;
	tss[cpu].io_base = offsetof(struct tss, io_bitmap);
	tss[cpu].io_bitmap[IO_BITMAP_BYTES] = 0xff;
	gdt[8 + 2 * cpu] = (sizeof(struct tss) - 1) | (base & 0xffffff) << 16 |
			   0x89ull << 40 | (base >> 24 & 0xff) << 56;
	gdt[9 + 2 * cpu] = base >> 32;
	__asm__ volatile("lidt %0" ::"m"(p));
	__asm__ volatile("ltr %w0" ::"r"(TSS_SEL(cpu)));
}

/** table_below - the table that @entry points to, made if need be. */
static uint64_t *table_below(uint64_t *entry)
{
	if (!(*entry & 1)) {
		if (spare_used == SPARE_TABLES)
			return NULL;
		*entry = addr_of(spare[spare_used++]) | 0x67;
	}
	return at_addr(*entry & ~0xfffull);
}

bool page_map(uint64_t addr, uint64_t bytes, bool uncached)
{
	uint64_t last = addr + bytes - 1;

	if (last >> 47 || last < addr)
		return false;
	for (uint64_t a = addr & ~0x1fffffull; a <= last; a += 0x200000) {
		uint64_t *t = table_below(&page_pml4[a >> 39]);

		t = t ? table_below(&t[a >> 30 & 511]) : NULL;
		if (!t)
			return false;
		if (!(t[a >> 21 & 511] & 1))
			t[a >> 21 & 511] = a | (uncached ? 0xff : 0xe7);
	}
	return true;
}

/** fault_report - an exception that no test asked for ends the guest. */
void fault_report(void)
{
	print("\nFAIL fault vector=%lu error=%lx rip=%lx cs=%lx rsp=%lx "
	      "cr2=%lx\n",
	      fault_info[0], fault_info[1], fault_info[2], fault_info[3],
	      fault_info[4], fault_info[5]);
	for (;;) {
		out8(0xf4, 0x23);
		cpu_relax();
	}
}
