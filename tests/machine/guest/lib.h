/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: what a C library would give: memory, strings, port and memory
 * mapped I/O, time, printing. Ring 3 unless said otherwise.
 */
#ifndef GUEST_LIB_H
#define GUEST_LIB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SECTOR_BYTES 512u

void *memcpy(void *dst, const void *src, size_t len);
void *memset(void *dst, int value, size_t len);
int memcmp(const void *a, const void *b, size_t len);
size_t strlen(const char *s);
int strncmp(const char *a, const char *b, size_t len);
bool str_equal(const char *a, const char *b);

/* printf to the serial line: %s %c %u %d %x with l; widths are ignored. */
void print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void print_to(char *buf, size_t cap, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/* serial.c: 16550 at 0x3f8, polled. */
void serial_init(void);
void serial_puts(const char *s);
int serial_getc(void);

/* args.c: the command line, words KEY=VALUE parted by blanks. */
void args_set(const char *line);
const char *args_line(void);
bool args_get(const char *key, char *value, size_t cap);
uint64_t args_u64(const char *key, uint64_t otherwise);
bool args_list_has(const char *key, const char *word);

/* The content that the host side wrote: see tests/machine/image.py. */
uint64_t pattern_word(uint64_t seed, uint64_t sector, unsigned int word);
void pattern_fill(void *buf, uint64_t seed, uint64_t sector, size_t bytes);
int64_t pattern_check(const void *buf, uint64_t seed, uint64_t sector,
		      size_t bytes);

/* Addresses are identity mapped: guest physical = pointer. */
static inline uint64_t addr_of(const volatile void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static inline void *at_addr(uint64_t addr)
{
	return (void *)(uintptr_t)addr; /* NOLINT */
}

static inline void out8(uint16_t port, uint8_t v)
{
	__asm__ volatile("outb %0, %1" ::"a"(v), "Nd"(port));
}

static inline uint8_t in8(uint16_t port)
{
	uint8_t v;

	__asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

static inline void out16(uint16_t port, uint16_t v)
{
	__asm__ volatile("outw %0, %1" ::"a"(v), "Nd"(port));
}

static inline void out32(uint16_t port, uint32_t v)
{
	__asm__ volatile("outl %0, %1" ::"a"(v), "Nd"(port));
}

/* Plain moves only: some hosts emulate the access. */
static inline uint8_t mmio_r8(const volatile void *p)
{
	uint8_t v;

	__asm__ volatile("movb (%1), %0" : "=q"(v) : "r"(p) : "memory");
	return v;
}

static inline uint16_t mmio_r16(const volatile void *p)
{
	uint16_t v;

	__asm__ volatile("movw (%1), %0" : "=r"(v) : "r"(p) : "memory");
	return v;
}

static inline uint32_t mmio_r32(const volatile void *p)
{
	uint32_t v;

	__asm__ volatile("movl (%1), %0" : "=r"(v) : "r"(p) : "memory");
	return v;
}

static inline void mmio_w8(volatile void *p, uint8_t v)
{
	__asm__ volatile("movb %0, (%1)" ::"q"(v), "r"(p) : "memory");
}

static inline void mmio_w16(volatile void *p, uint16_t v)
{
	__asm__ volatile("movw %0, (%1)" ::"r"(v), "r"(p) : "memory");
}

static inline void mmio_w32(volatile void *p, uint32_t v)
{
	__asm__ volatile("movl %0, (%1)" ::"r"(v), "r"(p) : "memory");
}

static inline uint64_t tsc_read(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi)::"memory");
	return (uint64_t)hi << 32 | lo;
}

static inline void cpu_relax(void)
{
	__asm__ volatile("pause" ::: "memory");
}

/* Full fence: pairs with the other side's fence around ring indices. */
static inline void mem_fence(void)
{
	__asm__ volatile("lock addl $0, -4(%%rsp)" ::: "memory", "cc");
}

struct cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid_regs cpuid_read(uint32_t leaf, uint32_t sub)
{
	struct cpuid_regs r;

	__asm__ volatile("cpuid"
			 : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
			 : "a"(leaf), "c"(sub));
	return r;
}

#endif
