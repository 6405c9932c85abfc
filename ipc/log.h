/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - records to the log channel (children) or to stderr (monitor,
 * tests). No locale, no time zone file, no allocation; callable from every
 * thread. Text is escaped to printable ASCII.
 */
#ifndef IPC_LOG_H
#define IPC_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/compiler.h"

/* Longest text and module name of a record, with the NUL; more is cut. */
#define LOG_TEXT_MAX 1024
#define LOG_MODULE_MAX 32

enum log_level {
	LOG_LEVEL_ERR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG
};

/** log_to_stderr() - records go to fd 2 as lines; @role is borrowed. */
void log_to_stderr(const char *role);
/** log_to_channel() - records go as LOG frames to @fd (borrowed). */
void log_to_channel(const char *role, int fd);
/** log_set_level() - records above @level are dropped. */
void log_set_level(enum log_level level);

/**
 * struct log_limit - rate limit of one call site: 10 records in 5 s, then one
 * that counts what was dropped
 */
struct log_limit {
	uint64_t window_ns;
	uint32_t cnt;
	uint32_t dropped;
};

void log_write(enum log_level level, const char *module, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
void log_write_limited(struct log_limit *limit, enum log_level level,
		       const char *module, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/**
 * log_line_format() - one line as the monitor prints it
 * "2026-11-30T21:24:11.123456Z role[pid] module: level: text\n"
 * Return: bytes written, without the NUL; always terminated.
 */
size_t log_line_format(char *buf, size_t size, uint64_t realtime_ns,
		       const char *role, int pid, enum log_level level,
		       const char *module, const char *text);

/**
 * log_fd_write() - a line to stderr or wherever lines go, without waiting for
 * whoever reads there; lines that were lost are counted in the next that is not
 * @len: at most PIPE_BUF
 * Return: was it written?
 */
bool log_fd_write(int fd, const char *line, size_t len);

/**
 * log_text_escape() - copies @text; what is not printable ASCII becomes \xHH
 * A backslash is left as it is, so that to escape twice changes nothing.
 * @size: bytes at @buf, > 0; what does not fit is cut between escapes
 * Return: bytes written, without the NUL; always terminated.
 */
size_t log_text_escape(char *buf, size_t size, const char *text);

/* Each .c file defines LOG_MODULE before it includes this header. */
#define log_err(...) log_write(LOG_LEVEL_ERR, LOG_MODULE, __VA_ARGS__)
#define log_warn(...) log_write(LOG_LEVEL_WARN, LOG_MODULE, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, LOG_MODULE, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, LOG_MODULE, __VA_ARGS__)
/* For whatever a guest or a peer can trigger. */
#define log_guest(level, ...)                                               \
	do {                                                                \
		static struct log_limit limit_;                             \
		log_write_limited(&limit_, level, LOG_MODULE, __VA_ARGS__); \
	} while (0)

#endif
