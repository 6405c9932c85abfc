// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: the local APIC through its memory mapped registers (Intel SDM
 * volume 3, "Advanced Programmable Interrupt Controller"), the IOAPIC, time.
 */
#include "cpu.h"

#define LAPIC 0xfee00000u
#define IOAPIC 0xfec00000u
#define IOAPIC_PIN(n) (0x10 + 2 * (n))
#define IOAPIC_MASKED 0x10000u
#define LAPIC_ID 0x20
#define LAPIC_TPR 0x80
#define LAPIC_SVR 0xf0
#define LAPIC_ICR_LO 0x300
#define LAPIC_ICR_HI 0x310
#define LAPIC_LVT_TIMER 0x320
#define LAPIC_LVT_LINT0 0x350
#define LAPIC_TIMER_INIT 0x380
#define LAPIC_TIMER_NOW 0x390
#define LAPIC_TIMER_DIV 0x3e0
#define LVT_MASKED 0x10000u
#define LVT_PERIODIC 0x20000u
/* KVM's LAPIC timer counts nanoseconds at divide by 1. */
#define TIMER_HZ 1000000000ull

uint64_t tsc_per_ms = 1000000;

/** lapic_r - register read. */
static uint32_t lapic_r(unsigned int reg)
{
	return mmio_r32(at_addr(LAPIC + reg));
}

/** lapic_w - register write. */
static void lapic_w(unsigned int reg, uint32_t v)
{
	mmio_w32(at_addr(LAPIC + reg), v);
}

void lapic_init(void)
{
	lapic_w(LAPIC_TPR, 0);
	lapic_w(LAPIC_LVT_LINT0, LVT_MASKED);
	lapic_w(LAPIC_LVT_TIMER, LVT_MASKED);
	lapic_w(LAPIC_TIMER_DIV, 0xb);
	lapic_w(LAPIC_SVR, 0x100 | VEC_SPURIOUS);
}

uint32_t lapic_id(void)
{
	return lapic_r(LAPIC_ID) >> 24;
}

/** calibrate_once - TSC ticks of a millisecond, against the LAPIC timer. */
static uint64_t calibrate_once(void)
{
	uint32_t c0, c1;
	uint64_t t0, t1;

	lapic_w(LAPIC_TIMER_INIT, 0xffffffff);
	c0 = lapic_r(LAPIC_TIMER_NOW);
	t0 = tsc_read();
	do {
		c1 = lapic_r(LAPIC_TIMER_NOW);
		t1 = tsc_read();
	} while (c0 - c1 < TIMER_HZ / 500);
	lapic_w(LAPIC_TIMER_INIT, 0);
	return (t1 - t0) * (TIMER_HZ / 1000) / (c0 - c1);
}

/** lapic_calibrate - the median of three: being preempted spoils one. */
void lapic_calibrate(void)
{
	uint64_t a = calibrate_once(), b = calibrate_once(),
		 c = calibrate_once();
	uint64_t low = a < b ? a : b, high = a < b ? b : a;

	tsc_per_ms = c < low ? low : c > high ? high : c;
}

/** lapic_timer - periodic tick on this CPU, 0 = none. It bounds all waits. */
void lapic_timer(uint32_t period_us)
{
	lapic_w(LAPIC_LVT_TIMER,
		period_us ? LVT_PERIODIC | VEC_TIMER : LVT_MASKED);
	lapic_w(LAPIC_TIMER_INIT, period_us * (uint32_t)(TIMER_HZ / 1000000));
}

void lapic_ipi(uint32_t id, uint32_t command)
{
	lapic_w(LAPIC_ICR_HI, id << 24);
	lapic_w(LAPIC_ICR_LO, command);
	for (int i = 0; i < 1000 && lapic_r(LAPIC_ICR_LO) & 0x1000; i++)
		cpu_relax();
}

/** ioapic_w - register write. */
static void ioapic_w(unsigned int reg, uint32_t v)
{
	mmio_w32(at_addr(IOAPIC), reg);
	mmio_w32(at_addr(IOAPIC + 0x10), v);
}

void ioapic_route(unsigned int pin, uint8_t vec, bool masked)
{
	ioapic_w(IOAPIC_PIN(pin) + 1, smp_apic_id(0) << 24);
	ioapic_w(IOAPIC_PIN(pin), vec | (masked ? IOAPIC_MASKED : 0));
}

void delay_us(uint64_t us)
{
	uint64_t end = tsc_read() + us * tsc_per_ms / 1000;

	while (!deadline_over(end))
		cpu_relax();
}
