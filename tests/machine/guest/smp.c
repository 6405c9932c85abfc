// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: starts the other CPUs by INIT and SIPI, hands work to them.
 */
#include "acpi.h"
#include "cpu.h"

#define ICR_INIT 0x4500u
#define ICR_STARTUP 0x4600u
#define ICR_FIXED 0x4000u
#define TICK_US 20000
#define START_MS 3000

extern uint8_t ap_trampoline[], ap_trampoline_end[];
extern volatile uint32_t ap_boot_cpu;

struct smp_slot {
	volatile uint32_t online;
	volatile uint32_t apic_id; /* as its LAPIC says */
	volatile uint32_t asked, done;
};

unsigned int cpu_cnt = 1;
static struct smp_slot slots[CPU_MAX];
static void (*volatile work_fn)(unsigned int cpu, void *arg);
static void *volatile work_arg;

uint32_t smp_apic_id(unsigned int cpu)
{
	return slots[cpu].apic_id;
}

/** ap_main - an AP's life in ring 3. */
void ap_main(uint32_t cpu)
{
	struct smp_slot *s = &slots[cpu];

	lapic_init();
	lapic_timer(TICK_US);
	s->apic_id = lapic_id();
	s->online = 1;
	for (;;) {
		uint32_t seen = s->done;

		while (s->asked == seen)
			cpu_wait(&s->asked, seen);
		work_fn(cpu, work_arg);
		s->done = seen + 1;
	}
}

/** smp_start_one - true once the AP runs in ring 3. */
static bool smp_start_one(unsigned int cpu, uint32_t apic_id)
{
	uint64_t end = deadline_ms(START_MS);

	ap_boot_cpu = cpu;
	lapic_ipi(apic_id, ICR_INIT);
	delay_us(200);
	lapic_ipi(apic_id, ICR_STARTUP | AP_TRAMPOLINE >> 12);
	while (!slots[cpu].online && !deadline_over(end))
		cpu_relax();
	return slots[cpu].online != 0;
}

/**
 * smp_start - BSP's LAPIC and clock, then each enabled CPU of the MADT.
 *
 * Return: false if one did not start; cpu_cnt counts those that did.
 */
bool smp_start(void)
{
	bool all = true;

	lapic_init();
	lapic_calibrate();
	lapic_timer(TICK_US);
	slots[0].apic_id = lapic_id();
	slots[0].online = 1;
	memcpy(at_addr(AP_TRAMPOLINE), ap_trampoline,
	       (size_t)(ap_trampoline_end - ap_trampoline));
	for (unsigned int i = 0; i < acpi.cpu_cnt && cpu_cnt < CPU_MAX; i++) {
		if (acpi.apic_id[i] == slots[0].apic_id)
			continue;
		if (!smp_start_one(cpu_cnt, acpi.apic_id[i])) {
			all = false;
			continue;
		}
		cpu_cnt++;
	}
	return all;
}

/** smp_run - fn on every CPU at once; false when one does not finish. */
bool smp_run(void (*fn)(unsigned int cpu, void *arg), void *arg,
	     uint64_t timeout_ms)
{
	uint64_t end = deadline_ms(timeout_ms);

	work_fn = fn;
	work_arg = arg;
	mem_fence();
	for (unsigned int i = 1; i < cpu_cnt; i++) {
		slots[i].asked = slots[i].done + 1;
		lapic_ipi(slots[i].apic_id, ICR_FIXED | VEC_IPI);
	}
	fn(0, arg);
	for (unsigned int i = 1; i < cpu_cnt; i++) {
		while (slots[i].done != slots[i].asked) {
			if (deadline_over(end))
				return false;
			cpu_relax();
		}
	}
	return true;
}
