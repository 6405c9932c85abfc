// SPDX-License-Identifier: Apache-2.0
/*
 * Test guest: the command line. It chooses tests and says what to expect.
 */
#include "lib.h"

#define LINE_MAX 4096

static char line[LINE_MAX];

void args_set(const char *text)
{
	size_t i;

	for (i = 0; i + 1 < LINE_MAX && text[i]; i++)
		line[i] = text[i];
	line[i] = 0;
}

const char *args_line(void)
{
	return line;
}

/** args_find - the value after "key=", or NULL. */
static const char *args_find(const char *key)
{
	size_t n = strlen(key);

	for (const char *p = line; *p;) {
		while (*p == ' ')
			p++;
		if (!strncmp(p, key, n) && p[n] == '=')
			return p + n + 1;
		while (*p && *p != ' ')
			p++;
	}
	return NULL;
}

bool args_get(const char *key, char *value, size_t cap)
{
	const char *p = args_find(key);
	size_t n = 0;

	if (!p || !cap)
		return false;
	while (*p && *p != ' ' && n + 1 < cap)
		value[n++] = *p++;
	value[n] = 0;
	return true;
}

uint64_t args_u64(const char *key, uint64_t otherwise)
{
	const char *p = args_find(key);
	uint64_t v = 0, base = 10;

	if (!p)
		return otherwise;
	if (p[0] == '0' && p[1] == 'x') {
		base = 16;
		p += 2;
	}
	for (; *p && *p != ' '; p++) {
		char c = (char)(*p | 0x20);

		if (c >= '0' && c <= '9')
			v = v * base + (uint64_t)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			v = v * base + (uint64_t)(c - 'a') + 10;
		else
			return otherwise;
	}
	return v;
}

/** args_list_has - is @word in the comma list KEY=a,b,c? */
bool args_list_has(const char *key, const char *word)
{
	const char *p = args_find(key);
	size_t n = strlen(word);

	while (p && *p && *p != ' ') {
		if (!strncmp(p, word, n) &&
		    (p[n] == ',' || p[n] == ' ' || !p[n]))
			return true;
		while (*p && *p != ' ' && *p != ',')
			p++;
		if (*p == ',')
			p++;
	}
	return false;
}
