// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: memory, strings, printing, the test pattern.
 */
#include "lib.h"

/** memcpy - forward copy; native speed in ring 3. */
void *memcpy(void *dst, const void *src, size_t len)
{
	void *d = dst;

	__asm__ volatile("rep movsb" : "+D"(d), "+S"(src), "+c"(len)::"memory");
	return dst;
}

/** memset - fill. */
void *memset(void *dst, int value, size_t len)
{
	void *d = dst;

	__asm__ volatile("rep stosb"
			 : "+D"(d), "+c"(len)
			 : "a"(value)
			 : "memory");
	return dst;
}

/** memcmp - difference of the first bytes that differ. */
int memcmp(const void *a, const void *b, size_t len)
{
	const uint8_t *x = a, *y = b;

	for (size_t i = 0; i < len; i++) {
		if (x[i] != y[i])
			return x[i] - y[i];
	}
	return 0;
}

/** strlen - length without the NUL. */
size_t strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

/** strncmp - compare at most @len characters. */
int strncmp(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (a[i] != b[i])
			return (uint8_t)a[i] - (uint8_t)b[i];
		if (!a[i])
			break;
	}
	return 0;
}

/** str_equal - are both the same string? */
bool str_equal(const char *a, const char *b)
{
	size_t n = strlen(a);

	return n == strlen(b) && !memcmp(a, b, n);
}

/* Where formatted text goes: never past cap - 1. */
struct text {
	char *buf;
	size_t cap, len;
};

/** text_put - one character, dropped when full. */
static void text_put(struct text *t, char c)
{
	if (t->len + 1 < t->cap)
		t->buf[t->len++] = c;
}

/** text_number - unsigned number in @base. */
static void text_number(struct text *t, uint64_t v, unsigned int base)
{
	char tmp[24];
	unsigned int n = 0;

	do {
		tmp[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	while (n)
		text_put(t, tmp[--n]);
}

/** text_arg - one conversion; @lng: the l modifier was there. */
static void text_arg(struct text *t, char conv, bool lng, va_list *ap)
{
	const char *s;
	int64_t d;

	switch (conv) {
	case 's':
		for (s = va_arg(*ap, const char *); *s; s++)
			text_put(t, *s);
		break;
	case 'c':
		text_put(t, (char)va_arg(*ap, int));
		break;
	case 'd':
		d = lng ? va_arg(*ap, long) : va_arg(*ap, int);
		if (d < 0)
			text_put(t, '-');
		text_number(t, d < 0 ? 0 - (uint64_t)d : (uint64_t)d, 10);
		break;
	case 'u':
	case 'x':
		text_number(t,
			    lng ? va_arg(*ap, unsigned long)
				: va_arg(*ap, unsigned int),
			    conv == 'x' ? 16 : 10);
		break;
	default:
		text_put(t, conv);
	}
}

void print_to(char *buf, size_t cap, const char *fmt, va_list ap)
{
	struct text t = {.buf = buf, .cap = cap};
	va_list args;

	va_copy(args, ap);
	for (; *fmt; fmt++) {
		bool lng = false;

		if (*fmt != '%' || !fmt[1]) {
			text_put(&t, *fmt);
			continue;
		}
		fmt++;
		while (*fmt == 'l') {
			lng = true;
			fmt++;
		}
		text_arg(&t, *fmt, lng, &args);
	}
	va_end(args);
	buf[t.len] = 0;
}

void print(const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	print_to(line, sizeof(line), fmt, ap);
	va_end(ap);
	serial_puts(line);
}

/**
 * pattern_word - content of one 8-byte word of a sector.
 *
 * Every word of a disk differs, so that data at a wrong place is seen.
 */
uint64_t pattern_word(uint64_t seed, uint64_t sector, unsigned int word)
{
	return ((seed << 48) ^ (sector * 64 + word)) * 0x9e3779b97f4a7c15ull;
}

void pattern_fill(void *buf, uint64_t seed, uint64_t sector, size_t bytes)
{
	uint64_t *p = buf;

	for (size_t i = 0; i < bytes / 8; i++)
		p[i] = pattern_word(seed, sector + i / 64,
				    (unsigned int)(i % 64));
}

/** pattern_check - offset of the first wrong byte group, -1 if all is well. */
int64_t pattern_check(const void *buf, uint64_t seed, uint64_t sector,
		      size_t bytes)
{
	const uint64_t *p = buf;

	for (size_t i = 0; i < bytes / 8; i++) {
		if (p[i] !=
		    pattern_word(seed, sector + i / 64, (unsigned int)(i % 64)))
			return (int64_t)i * 8;
	}
	return -1;
}
