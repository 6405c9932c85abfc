/* SPDX-License-Identifier: Apache-2.0 */
/*
 * id_map.h - which users or groups of the outside our user namespace has.
 */
#ifndef MONITOR_HOST_ID_MAP_H
#define MONITOR_HOST_ID_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"

/**
 * struct id_map - what a map says of the ids that were asked for
 * @all: all of them are mapped, by one line
 * @root: id 0 inside is id 0 outside
 */
struct id_map {
	bool all;
	bool root;
};

/**
 * id_map_read() - of /proc/self/uid_map or gid_map, user_namespaces(7)
 * @first, @cnt: the ids, as they are inside
 * Return: 0; -errno, and nobody knows.
 */
MUST_CHECK int id_map_read(const char *path, uint64_t first, uint64_t cnt,
			   struct id_map *ret_map);

#endif
