// SPDX-License-Identifier: Apache-2.0
/*
 * id_map.c - reads the maps of a user namespace. Runs in the monitor; the text
 * is the kernel's.
 */
#include "monitor/host/id_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/fds.h"

/* The kernel has at most 340 lines of three numbers of ten digits. */
#define ID_MAP_BYTES 16384u

/* id_map_parse() - lines of "inside outside count". */
static struct id_map id_map_parse(char *at, uint64_t first, uint64_t cnt)
{
	struct id_map map = {0};

	while (*at) {
		uint64_t inside = strtoull(at, &at, 10);
		uint64_t outside = strtoull(at, &at, 10);
		uint64_t mapped = strtoull(at, &at, 10);

		if (first >= inside && first + cnt <= inside + mapped)
			map.all = true;
		if (inside == 0 && outside == 0)
			map.root = true;
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return map;
}

int id_map_read(const char *path, uint64_t first, uint64_t cnt,
		struct id_map *ret_map)
{
	CLEANUP(fd_cleanup) int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[ID_MAP_BYTES];
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	/* A long map comes in pieces. */
	do {
		n = read(fd, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	if (n < 0)
		return -errno;
	text[len] = '\0';
	*ret_map = id_map_parse(text, first, cnt);
	return 0;
}
