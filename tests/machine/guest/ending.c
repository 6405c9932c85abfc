// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: the ways to end, chosen by end= on the command line.
 *
 * exit      debug-exit port, 0x21 when all tests passed, else 0x22 (default)
 * poweroff  ACPI: SLEEP_CONTROL (or PM1a) with the type of \_S5
 * reset     the FADT's reset register
 * panic     pvpanic port, event "panicked"
 * triple    a fault with no gates: triple fault
 * halt      ring 0 halts with interrupts off, for ever
 * idle      ring 3 waits halted, the tick goes on
 * spin      ring 3 loops, for ever
 * io        reads sectors for ever
 * button    waits for the power button (pin button-gsi=), then powers off;
 *           its pin stays masked for the first button-late-ms=
 * echo      sends back what comes in on the serial line, until "quit"
 */
#include "acpi.h"
#include "test.h"

#define PORT_DEBUG_EXIT 0xf4
#define PORT_PVPANIC 0x505
#define EXIT_OK 0x21
#define EXIT_FAILED 0x22
#define SLEEP_ENABLE_HW 0x20u
#define SLEEP_ENABLE_PM1 0x2000u
#define ENDING_MS 3000

/** end_poweroff - ACPI 6.4 section 4.8.3.7 (hardware-reduced) or 4.8.3.2.1. */
static void end_poweroff(void)
{
	uint32_t type = (uint32_t)acpi.s5_type;

	if (acpi.s5_type < 0) {
		print("FAIL poweroff no \\_S5 in the DSDT\n");
		return;
	}
	if (acpi.sleep_control.addr)
		acpi_gas_write(&acpi.sleep_control,
			       type << 2 | SLEEP_ENABLE_HW);
	else
		out16(acpi.pm1a_cnt, (uint16_t)(type << 10 | SLEEP_ENABLE_PM1));
}

/** end_reset - the FADT's reset register. */
static void end_reset(void)
{
	if (acpi.reset_ok)
		acpi_gas_write(&acpi.reset, acpi.reset_value);
	else
		print("FAIL reset no reset register in the FADT\n");
}

/** end_panic - pvpanic's port, bit 0: panicked. */
static void end_panic(void)
{
	out8(PORT_PVPANIC, 1);
}

/** ring0_no_gates - ring 0: an IDT of no entries. */
static void ring0_no_gates(uint64_t arg)
{
	struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) none = {0, arg};

	__asm__ volatile("lidt %0" ::"m"(none));
}

/** end_triple - a fault that finds no gate, nor does the double fault. */
static void end_triple(void)
{
	cpu_ring0(ring0_no_gates, 0);
	__asm__ volatile("ud2");
}

/** ring0_halt - ring 0: no interrupts, halted. */
static void ring0_halt(uint64_t arg)
{
	for (;;)
		__asm__ volatile("cli; hlt" ::"r"(arg));
}

/** end_halt - this CPU never wakes. */
static void end_halt(void)
{
	cpu_ring0(ring0_halt, 0);
}

/** end_idle - halted but for the tick. */
static void end_idle(void)
{
	for (;;)
		cpu_wait(&irq_count[0], irq_count[0]);
}

/** end_spin - one CPU at full speed. */
static void end_spin(void)
{
	for (;;)
		cpu_relax();
}

/** end_io - requests without end. */
static void end_io(void)
{
	const char *bad = disk_start();

	for (uint64_t n = 0; !bad; n++)
		bad = disk_alive();
	print("FAIL io %s\n", bad);
}

/** end_button - the generic event device's edge, then off. */
static void end_button(void)
{
	unsigned int pin = (unsigned int)args_u64("button-gsi", 5);
	uint64_t late_ms = args_u64("button-late-ms", 0);
	uint32_t seen = irq_count[VEC_BUTTON];

	if (late_ms) {
		print("the power button's pin is masked\n");
		delay_us(late_ms * 1000);
	}
	ioapic_route(pin, VEC_BUTTON, false);
	print("waiting for the power button\n");
	while (irq_count[VEC_BUTTON] == seen)
		cpu_wait(&irq_count[VEC_BUTTON], seen);
	print("power button pressed\n");
	end_poweroff();
}

/** end_echo - lines that come in go out again. */
static void end_echo(void)
{
	char line[128];
	size_t n = 0;

	for (;;) {
		int c = serial_getc();

		if (c < 0) {
			cpu_wait(&irq_count[0], irq_count[0]);
			continue;
		}
		if (c != '\n' && c != '\r') {
			if (n + 1 < sizeof(line))
				line[n++] = (char)c;
			continue;
		}
		line[n] = 0;
		n = 0;
		print("echo %s\n", line);
		if (str_equal(line, "quit"))
			return;
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} endings[] = {
	{"poweroff", end_poweroff}, {"reset", end_reset},
	{"panic", end_panic},       {"triple", end_triple},
	{"halt", end_halt},         {"idle", end_idle},
	{"spin", end_spin},         {"io", end_io},
	{"button", end_button},     {"echo", end_echo},
};

void ending_run(unsigned int failed)
{
	uint64_t end;

	for (unsigned int i = 0; i < ARRAY_SIZE(endings) && !failed; i++) {
		if (!args_list_has("end", endings[i].name))
			continue;
		print("end %s\n", endings[i].name);
		endings[i].run();
		end = deadline_ms(ENDING_MS);
		while (!str_equal(endings[i].name, "echo") &&
		       !deadline_over(end))
			cpu_relax();
		if (str_equal(endings[i].name, "echo"))
			break;
		print("FAIL end %s had no effect\n", endings[i].name);
		failed = 1;
	}
	for (;;) {
		out8(PORT_DEBUG_EXIT, failed ? EXIT_FAILED : EXIT_OK);
		cpu_relax();
	}
}
