/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: CPUs, interrupts, page tables, LAPIC.
 */
#ifndef GUEST_CPU_H
#define GUEST_CPU_H

#include "layout.h"
#include "lib.h"

/* Interrupts taken so far, by vector, all CPUs together. */
extern volatile uint32_t irq_count[256];
/* LAPIC id << 24 of the CPU that took the last one (from VEC_WHERE on). */
extern volatile uint32_t irq_where[256];

extern uint64_t tsc_per_ms;
extern unsigned int cpu_cnt; /* CPUs that run, BSP included */

/* Ring 0 entry of each CPU, called by start.S only. */
void ring0_init(uint32_t cpu);
_Noreturn void user_main(uint32_t data, uint32_t how);
_Noreturn void ap_main(uint32_t cpu);
_Noreturn void fault_report(void);

/* Halts until an interrupt arrives, unless *word is no longer @old. */
static inline void cpu_wait(const volatile uint32_t *word, uint32_t old)
{
	uint64_t rax = 0;

	__asm__ volatile("int3"
			 : "+a"(rax)
			 : "D"(word), "S"(old)
			 : "memory", "cc");
}

/* Runs fn(arg) in ring 0, interrupts off. */
static inline void cpu_ring0(void (*fn)(uint64_t), uint64_t arg)
{
	uint64_t rax = 1;

	__asm__ volatile("int3"
			 : "+a"(rax), "+D"(fn), "+S"(arg)
			 :
			 : "rcx", "r11", "rdx", "r8", "r9", "r10", "memory",
			   "cc");
}

/* Identity map beyond 4 GiB; false when the spare tables are used up. */
bool page_map(uint64_t addr, uint64_t bytes, bool uncached);

void lapic_init(void);
void lapic_calibrate(void);
uint32_t lapic_id(void);
void lapic_ipi(uint32_t id, uint32_t command);
void lapic_timer(uint32_t period_us);
/* One edge-triggered pin of the first IOAPIC to this vector of the BSP. */
void ioapic_route(unsigned int pin, uint8_t vec, bool masked);

static inline uint64_t deadline_ms(uint64_t ms)
{
	return tsc_read() + ms * tsc_per_ms;
}

static inline bool deadline_over(uint64_t deadline)
{
	return (int64_t)(tsc_read() - deadline) >= 0;
}

void delay_us(uint64_t us);

/* smp.c: APs wait halted for work. fn gets its CPU number. */
bool smp_start(void);
bool smp_run(void (*fn)(unsigned int cpu, void *arg), void *arg,
	     uint64_t timeout_ms);
uint32_t smp_apic_id(unsigned int cpu);

#endif
