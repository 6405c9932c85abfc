// SPDX-License-Identifier: Apache-2.0
/*
 * Tests of the machine itself: entry, ACPI, memory map, CPUs.
 */
#include "acpi.h"
#include "test.h"

#define FOUR_GIB (1ull << 32)
#define TOUCH_STEP (64ull << 20)
#define TOUCH_MAX 512

extern uint8_t guest_end[];

/** t_acpi - hardware-reduced ACPI as our VMM promises it; elsewhere less. */
static int t_acpi(void)
{
	CHECK(acpi.s5_type >= 0, "no \\_S5 in the DSDT");
	CHECK(acpi.reset_ok, "FADT: no reset register");
	CHECK(acpi.ecam, "no ECAM");
	if (!test_strict())
		return TEST_OK;
	CHECK(acpi.have_xsdt, "no XSDT");
	CHECK(acpi.hw_reduced, "FADT: not hardware-reduced");
	CHECK(acpi.sleep_control.addr, "FADT: no SLEEP_CONTROL_REG");
	CHECK(acpi.sleep_status.addr, "FADT: no SLEEP_STATUS_REG");
	CHECK(acpi.iapc_boot_arch & 1u << 5,
	      "IAPC_BOOT_ARCH: the missing CMOS RTC is not told");
	CHECK(!(acpi.iapc_boot_arch & 1u << 1), "IAPC_BOOT_ARCH: an 8042");
	CHECK(acpi.ioapic_cnt == 1, "%u IOAPICs", acpi.ioapic_cnt);
	return TEST_OK;
}

/** ranges_overlap - any two of the memory map. */
static bool ranges_overlap(void)
{
	for (unsigned int i = 0; i < boot.range_cnt; i++) {
		const struct boot_range *a = &boot.range[i];

		for (unsigned int j = i + 1; j < boot.range_cnt; j++) {
			const struct boot_range *b = &boot.range[j];

			if (a->addr < b->addr + b->bytes &&
			    b->addr < a->addr + a->bytes)
				return true;
		}
	}
	return false;
}

/** t_memmap - the map fits what else is known; memory-mib= the size. */
static int t_memmap(void)
{
	uint64_t ram = 0, mib = args_u64("memory-mib", 0);

	CHECK(boot.range_cnt, "empty memory map");
	CHECK(!ranges_overlap(), "ranges overlap");
	for (unsigned int i = 0; i < boot.range_cnt; i++) {
		const struct boot_range *r = &boot.range[i];

		if (r->type != BOOT_RAM)
			continue;
		ram += r->bytes;
		CHECK(r->addr >= FOUR_GIB || r->addr + r->bytes <= 0xe0000000,
		      "RAM at %lx + %lx reaches into the hole", r->addr,
		      r->bytes);
	}
	CHECK(boot_is(0x100000, addr_of(guest_end) - 0x100000, BOOT_RAM),
	      "the guest does not lie in RAM");
	CHECK(boot_is(AP_TRAMPOLINE, 4096, BOOT_RAM), "no RAM at 32 KiB");
	CHECK(!boot_is(acpi.ecam, 4096, BOOT_RAM), "ECAM lies in RAM");
	if (test_strict())
		CHECK(boot_is(acpi.ecam, 1 << 20, BOOT_RESERVED),
		      "ECAM is not reserved");
	CHECK(!mib || (ram <= mib << 20 && ram + (2 << 20) >= mib << 20),
	      "%lu KiB of RAM, expected %lu MiB", ram >> 10, mib);
	return TEST_OK;
}

static struct {
	volatile uint64_t *at;
	uint64_t was;
} touched[TOUCH_MAX];

/** touch - note one place to try, unless something lies there. */
static bool touch(unsigned int *cnt, uint64_t addr)
{
	if (addr < addr_of(guest_end) || *cnt == TOUCH_MAX)
		return true;
	if (boot.initrd_bytes && addr + 4096 > boot.initrd &&
	    addr < boot.initrd + boot.initrd_bytes)
		return true;
	if (!page_map(addr, 8, false))
		return false;
	touched[(*cnt)++].at = at_addr(addr);
	return true;
}

/** t_memory - RAM is there from end to end, and nowhere twice. */
static int t_memory(void)
{
	unsigned int cnt = 0, bad = 0;

	for (unsigned int i = 0; i < boot.range_cnt; i++) {
		const struct boot_range *r = &boot.range[i];

		if (r->type != BOOT_RAM || r->bytes < 8192)
			continue;
		for (uint64_t o = 0; o < r->bytes; o += TOUCH_STEP)
			CHECK(touch(&cnt, r->addr + o), "no page tables left");
		CHECK(touch(&cnt, (r->addr + r->bytes - 4096) & ~7ull),
		      "no page tables left");
	}
	for (unsigned int i = 0; i < cnt; i++) {
		touched[i].was = *touched[i].at;
		*touched[i].at = addr_of(touched[i].at) ^ 0x5a5a5a5a00ff00ffull;
	}
	for (unsigned int i = 0; i < cnt; i++)
		bad += *touched[i].at !=
		       (addr_of(touched[i].at) ^ 0x5a5a5a5a00ff00ffull);
	for (unsigned int i = cnt; i-- > 0;)
		*touched[i].at = touched[i].was;
	CHECK(cnt, "no place to try");
	CHECK(!bad, "%u of %u places do not keep their value", bad, cnt);
	return TEST_OK;
}

/** t_initrd - initrd-bytes= and initrd-fnv= (FNV-1a, 64 bit) of the module. */
static int t_initrd(void)
{
	uint64_t want = args_u64("initrd-bytes", 0), h = 0xcbf29ce484222325ull;
	const uint8_t *p = at_addr(boot.initrd);

	CHECK(boot.initrd_bytes == want, "%lu bytes, expected %lu",
	      boot.initrd_bytes, want);
	CHECK(page_map(boot.initrd, boot.initrd_bytes, false), "not mappable");
	for (uint64_t i = 0; i < boot.initrd_bytes; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	CHECK(h == args_u64("initrd-fnv", 0), "content differs: %lx", h);
	return TEST_OK;
}

struct cpu_report {
	uint32_t apic_id, id1, cnt1, type0, id_b, shift, cnt_b, share, cores;
	bool has_b;
};

static struct cpu_report reports[CPU_MAX];

/**
 * ring0_collect - ring 0: the CPUID leaves that tell topology.
 *
 * Not in ring 3: a KVM that runs it unaided cannot make CPUID trap there, and
 * the host's own answer comes.
 */
static void ring0_collect(uint64_t arg)
{
	struct cpu_report *r = at_addr(arg);
	uint32_t max = cpuid_read(0, 0).eax;
	struct cpuid_regs c = cpuid_read(1, 0);

	r->id1 = c.ebx >> 24;
	r->cnt1 = c.edx & 1u << 28 ? c.ebx >> 16 & 0xff : 1;
	if (max >= 4) {
		c = cpuid_read(4, 0);
		r->cores = c.eax & 31 ? (c.eax >> 26) + 1 : 0;
		r->share = c.eax & 31 ? (c.eax >> 14 & 0xfff) + 1 : 0;
	}
	for (uint32_t i = 0; max >= 0xb && i < 8; i++) {
		c = cpuid_read(0xb, i);
		if (!(c.ecx >> 8 & 0xff) || !c.ebx)
			break;
		r->has_b = true;
		r->id_b = c.edx;
		r->shift = c.eax & 31;
		r->cnt_b = c.ebx & 0xffff;
	}
}

/** collect - on each CPU: who am I, and how many are we? */
static void collect(unsigned int cpu, void *arg)
{
	(void)arg;
	reports[cpu].apic_id = lapic_id();
	cpu_ring0(ring0_collect, addr_of(&reports[cpu]));
}

/** check_cpu - one CPU's report against the MADT. */
static int check_cpu(unsigned int cpu, uint32_t room)
{
	const struct cpu_report *r = &reports[cpu];

	CHECK(r->apic_id == smp_apic_id(cpu), "CPU %u: LAPIC id %u, was %u",
	      cpu, r->apic_id, smp_apic_id(cpu));
	CHECK(r->id1 == (r->apic_id & 0xff), "CPU %u: leaf 1 says APIC id %u",
	      cpu, r->id1);
	CHECK(r->cnt1 <= room, "CPU %u: leaf 1 counts %u CPUs", cpu, r->cnt1);
	CHECK(cpu_cnt == 1 || !test_strict() || r->cnt1 >= cpu_cnt,
	      "CPU %u: leaf 1 counts %u CPUs", cpu, r->cnt1);
	CHECK(r->has_b || !test_strict(), "CPU %u: no leaf 0xb", cpu);
	CHECK(!r->has_b || r->id_b == r->apic_id,
	      "CPU %u: leaf 0xb says APIC id %u", cpu, r->id_b);
	CHECK(!r->has_b || (r->cnt_b <= room && 1u << r->shift >= r->cnt_b),
	      "CPU %u: leaf 0xb counts %u CPUs, shift %u", cpu, r->cnt_b,
	      r->shift);
	CHECK(!r->has_b || !test_strict() || r->cnt_b == cpu_cnt,
	      "CPU %u: leaf 0xb counts %u CPUs", cpu, r->cnt_b);
	CHECK(!test_strict() || (r->cores <= room && r->share <= room),
	      "CPU %u: leaf 4 tells %u cores, L1 shared by %u", cpu, r->cores,
	      r->share);
	return TEST_OK;
}

/** t_cpuid - topology leaves, MADT and LAPIC tell the same. */
static int t_cpuid(void)
{
	uint32_t room = 1;

	while (room < acpi.cpu_cnt)
		room *= 2;
	CHECK(smp_run(collect, NULL, 5000), "a CPU does not answer");
	for (unsigned int i = 0; i < cpu_cnt; i++) {
		int r = check_cpu(i, room);

		if (r != TEST_OK)
			return r;
	}
	return TEST_OK;
}

/** count_up - on each CPU: locked increments of one word. */
static void count_up(unsigned int cpu, void *arg)
{
	(void)cpu;
	for (int i = 0; i < 100000; i++)
		__atomic_add_fetch((uint32_t *)arg, 1, __ATOMIC_SEQ_CST);
}

/** t_smp - all CPUs of the MADT run, at the same memory. */
static int t_smp(void)
{
	uint64_t want = args_u64("cpus", acpi.cpu_cnt);
	uint32_t word = 0;

	CHECK(acpi.cpu_cnt == want, "MADT has %u CPUs, expected %lu",
	      acpi.cpu_cnt, want);
	CHECK(cpu_cnt == acpi.cpu_cnt, "%u CPUs of %u run", cpu_cnt,
	      acpi.cpu_cnt);
	for (unsigned int i = 0; i < cpu_cnt; i++) {
		for (unsigned int j = 0; j < i; j++)
			CHECK(smp_apic_id(i) != smp_apic_id(j),
			      "CPUs %u and %u have one APIC id", i, j);
	}
	CHECK(smp_run(count_up, &word, 10000), "a CPU does not finish");
	CHECK(word == 100000 * cpu_cnt, "%u counted", word);
	return TEST_OK;
}

/** t_timer - the LAPIC's tick arrives, halted and not. */
static int t_timer(void)
{
	uint32_t n = irq_count[VEC_TIMER];
	uint64_t end = deadline_ms(1000);

	while (irq_count[VEC_TIMER] - n < 3 && !deadline_over(end))
		cpu_relax();
	CHECK(irq_count[VEC_TIMER] - n >= 3, "no tick while running");
	n = irq_count[VEC_TIMER];
	for (int i = 0; i < 3 && irq_count[VEC_TIMER] == n; i++)
		cpu_wait(&irq_count[VEC_TIMER], n);
	CHECK(irq_count[VEC_TIMER] != n, "no tick while halted");
	return TEST_OK;
}

#define UART 0x3f8
#define UART_PIN 4

/** t_uart - the transmitter's interrupt, as drivers of the 8250 want it. */
static int t_uart(void)
{
	for (int i = 0; i < 3; i++) {
		uint32_t seen = irq_count[VEC_UART];
		uint64_t end = deadline_ms(1000);
		uint8_t iir;

		ioapic_route(UART_PIN, VEC_UART, false);
		out8(UART + 1, 2); /* IER: transmitter empty */
		while (irq_count[VEC_UART] == seen && !deadline_over(end))
			cpu_wait(&irq_count[VEC_UART], seen);
		iir = in8(UART + 2);
		out8(UART + 1, 0);
		ioapic_route(UART_PIN, VEC_UART, true);
		CHECK(irq_count[VEC_UART] != seen, "no interrupt at pin 4");
		CHECK((iir & 0xf) == 2, "IIR reads %x", iir);
		CHECK((in8(UART + 2) & 1) == 1, "IIR: pending with IER 0");
	}
	out8(UART + 7, 0xa6);
	CHECK(in8(UART + 7) == 0xa6, "scratch register reads %x",
	      in8(UART + 7));
	CHECK((in8(UART + 5) & 0x60) == 0x60, "LSR reads %x", in8(UART + 5));
	return TEST_OK;
}

const struct test tests_machine[] = {
	{"acpi", t_acpi, 0},     {"memmap", t_memmap, 0},
	{"memory", t_memory, 0}, {"initrd", t_initrd, TEST_ASKED},
	{"cpuid", t_cpuid, 0},   {"smp", t_smp, 0},
	{"timer", t_timer, 0},   {"uart", t_uart, 0},
	{NULL, NULL, 0},
};
