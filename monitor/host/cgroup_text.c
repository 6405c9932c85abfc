// SPDX-License-Identifier: Apache-2.0
/*
 * cgroup_text.c - parsers of the kernel's files about cgroups. Runs in the
 * monitor. Pure; the kernel is trusted, the names of groups are not ours.
 */
#include "monitor/host/cgroup_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const cgroup_ctl_names[] = {
	[CGROUP_CTL_CPU] = "cpu",
	[CGROUP_CTL_MEMORY] = "memory",
	[CGROUP_CTL_PIDS] = "pids",
	[CGROUP_CTL_IO] = "io",
};
_Static_assert(ARRAY_SIZE(cgroup_ctl_names) == CGROUP_CTL_COUNT,
	       "a name for each controller");

const char *cgroup_ctl_name(enum cgroup_ctl ctl)
{
	return cgroup_ctl_names[ctl];
}

uint32_t cgroup_ctls_parse(const char *text)
{
	uint32_t mask = 0;

	while (*text) {
		size_t len = strcspn(text, " \n");

		for (unsigned i = 0; i < CGROUP_CTL_COUNT; i++) {
			const char *name = cgroup_ctl_names[i];

			if (len == strlen(name) && !strncmp(text, name, len))
				mask |= 1u << i;
		}
		text += len;
		text += strspn(text, " \n");
	}
	return mask;
}

void cgroup_ctls_text(uint32_t mask, const char *sign,
		      char ret_text[CGROUP_CTLS_BYTES])
{
	size_t used = 0;

	ret_text[0] = '\0';
	for (unsigned i = 0; i < CGROUP_CTL_COUNT; i++) {
		if (mask >> i & 1)
			used += (size_t)snprintf(ret_text + used,
						 CGROUP_CTLS_BYTES - used,
						 "%s%s%s", used ? " " : "",
						 sign, cgroup_ctl_names[i]);
	}
}

/* cgroup_line_next() - the line after @line; NULL = that was the last. */
static const char *cgroup_line_next(const char *line)
{
	const char *end = strchr(line, '\n');

	return end && end[1] ? end + 1 : NULL;
}

void cgroup_self_parse(const char *text, struct cgroup_self *ret_self)
{
	ret_self->v1 = false;
	ret_self->path[0] = '\0';
	/* "ID:CONTROLLERS:PATH"; v2 has id 0 and no controllers. */
	for (const char *line = text; line; line = cgroup_line_next(line)) {
		const char *ctls = strchr(line, ':');
		const char *path = ctls ? strchr(ctls + 1, ':') : NULL;
		size_t len = path ? strcspn(path + 1, "\n") : 0;

		if (!path)
			continue;
		/* A v1 hierarchy with nothing but a name controls nothing. */
		if (strncmp(line, "0::", 3) != 0)
			ret_self->v1 |= path > ctls + 1 &&
					strncmp(ctls + 1, "name=", 5) != 0;
		else if (len < sizeof(ret_self->path))
			(void)snprintf(ret_self->path, sizeof(ret_self->path),
				       "%.*s", (int)len, path + 1);
	}
}

/* cgroup_octal() - the byte that three digits stand for. */
static char cgroup_octal(const char *digits)
{
	unsigned code = 0;

	for (int i = 0; i < 3; i++)
		code = code << 3 | (unsigned)(digits[i] - '0');
	return (char)(unsigned char)code;
}

/* cgroup_field() - field @idx of a line of mountinfo, unescaped; cut at @size.
 */
static void cgroup_field(const char *line, unsigned idx, char *ret_text,
			 size_t size)
{
	static const char octal[] = "01234567";
	size_t used = 0;

	for (; idx > 0; idx--) {
		line += strcspn(line, " \n");
		line += *line == ' ';
	}
	while (*line && *line != ' ' && *line != '\n' && used + 1 < size) {
		bool escaped = *line == '\\' && strspn(line + 1, octal) >= 3;

		/* Spaces and the like are written as \ooo. */
		ret_text[used] = *line;
		if (escaped)
			ret_text[used] = cgroup_octal(line + 1);
		used++;
		line += escaped ? 4 : 1;
	}
	ret_text[used] = '\0';
}

/* cgroup_is_mount() - is this line of mountinfo one of a cgroup2? */
static bool cgroup_is_mount(const char *line)
{
	const char *end = line + strcspn(line, "\n");
	const char *type = strstr(line, " - ");

	return type && type < end && !strncmp(type, " - cgroup2 ", 11);
}

/* cgroup_below() - is @path @point or below it? */
static bool cgroup_below(const char *path, const char *point)
{
	size_t len = strlen(point);

	if (len == 1)
		return path[0] == '/';
	return !strncmp(path, point, len) && (!path[len] || path[len] == '/');
}

bool cgroup_mount_parse(const char *text, const char *path,
			struct cgroup_mount *ret_mount)
{
	char point[PATH_MAX];
	bool found = false;

	/* "ID PARENT MAJ:MIN ROOT POINT OPTIONS [FIELD]... - TYPE ..." */
	for (const char *line = text; line; line = cgroup_line_next(line)) {
		if (!cgroup_is_mount(line))
			continue;
		cgroup_field(line, 4, point, sizeof(point));
		if (path && !cgroup_below(path, point))
			continue;
		/* The deepest one; of two at one place, the later is on top. */
		if (found &&
		    (!path || strlen(point) < strlen(ret_mount->point)))
			continue;
		found = true;
		memcpy(ret_mount->point, point, sizeof(point));
		cgroup_field(line, 3, ret_mount->root, sizeof(ret_mount->root));
	}
	return found;
}

int cgroup_path_join(const struct cgroup_mount *mount, const char *group,
		     char ret_path[PATH_MAX])
{
	const char *rest = group;
	int n;

	/* Outside of our cgroup namespace. */
	if (!strncmp(group, "/..", 3) || !strncmp(mount->root, "/..", 3))
		return -ENOENT;
	if (!cgroup_below(group, mount->root))
		return -ENOENT;
	if (mount->root[1])
		rest += strlen(mount->root);
	n = snprintf(ret_path, PATH_MAX, "%s%s", mount->point,
		     !strcmp(rest, "/") ? "" : rest);
	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

bool cgroup_digits_parse(const char **text, uint64_t *ret_value)
{
	const char *c = *text;
	uint64_t value = 0;

	for (; *c >= '0' && *c <= '9'; c++) {
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
			return false;
	}
	if (c == *text)
		return false;
	*text = c;
	*ret_value = value;
	return true;
}

bool cgroup_number_parse(const char *text, uint64_t *ret_value)
{
	if (!strncmp(text, "max", 3)) {
		*ret_value = CGROUP_MAX;
		return true;
	}
	return cgroup_digits_parse(&text, ret_value);
}

bool cgroup_cpu_parse(const char *text, uint64_t *ret_value)
{
	uint64_t quota;
	uint64_t period;

	if (!strncmp(text, "max", 3)) {
		*ret_value = CGROUP_MAX;
		return true;
	}
	if (!cgroup_digits_parse(&text, &quota) || *text++ != ' ' ||
	    !cgroup_digits_parse(&text, &period) || period == 0 ||
	    __builtin_mul_overflow(quota, CGROUP_CPU_WHOLE, &quota))
		return false;
	*ret_value = quota / period;
	return true;
}
