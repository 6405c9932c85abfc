/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_locate.h - the line of a key path in JSON text. jansson keeps no
 * positions of values, so this walks the text once more, for errors only. Pure.
 */
#ifndef MONITOR_CONFIG_CONFIG_LOCATE_H
#define MONITOR_CONFIG_CONFIG_LOCATE_H

#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"

/* Nesting that is followed; deeper text is skipped. */
#define LOCATE_DEPTH_MAX 8
#define LOCATE_PATH_BYTES 192

/**
 * locate_line() - the line on which @path stands
 * @text: @len bytes that jansson accepted; any bytes are safe
 * @path: for example "disks[1].path"; of a path that is not there, the nearest
 * parent that is counts
 * Return: 1-based line; 1 if nothing of @path was found.
 */
uint32_t locate_line(const char *text, size_t len, const char *path);

/**
 * locate_path() - the last key path that begins at or before byte @pos
 * @ret_path: terminated; "" if there is none
 */
void locate_path(const char *text, size_t len, size_t pos,
		 char ret_path[LOCATE_PATH_BYTES]);

#endif
