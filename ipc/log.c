// SPDX-License-Identifier: Apache-2.0
/*
 * log.c - log records. Every process runs it; texts may hold bytes of a guest
 * or a peer, so all output is printable ASCII. In a child a record is one LOG
 * frame on fd 4 (proto/PROTOCOL.md); it works behind seccomp (sendto, no
 * allocation, no file) and never waits: what does not fit is counted.
 */
#include "ipc/log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ipc/frame.h"
#include "proto/child.pb-c.h"

#define LOG_NS_PER_S 1000000000ULL
#define LOG_LIMIT_WINDOW_NS (5 * LOG_NS_PER_S)
#define LOG_LIMIT_CNT 10

/* Room for module, text and numbers of a record as it is packed. */
#define LOG_PAYLOAD_BYTES (LOG_TEXT_MAX + LOG_MODULE_MAX + 64)
#define LOG_LINE_BYTES (LOG_TEXT_MAX + 256)

/* A byte that is not printable becomes \xHH. */
#define LOG_ESCAPE_BYTES 4

/**
 * struct log_state - where records go; set before threads start
 * @role: borrowed
 * @fd: borrowed; log channel or 2
 * @channel: frames, not lines
 * @level: highest that is kept, atomic
 * @lost: records that the full channel did not take, atomic
 */
static struct {
	const char *role;
	int fd;
	bool channel;
	int level;
	uint32_t lost;
} log_state = {.role = "bulkhead", .fd = 2, .level = LOG_LEVEL_INFO};

/**
 * struct log_record - one record on its way out
 * @suppressed: like records that the rate limit dropped before it
 */
struct log_record {
	enum log_level level;
	const char *module;
	const char *text;
	uint32_t suppressed;
};

static const char *const log_level_names[] = {
	[LOG_LEVEL_ERR] = "err",
	[LOG_LEVEL_WARN] = "warn",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

_Static_assert(ARRAY_SIZE(log_level_names) == LOG_LEVEL_DEBUG + 1,
	       "a name for each level");
_Static_assert((int)LOG_LEVEL_DEBUG ==
		       (int)BULKHEAD__CHILD__LOG_LEVEL__LOG_DEBUG,
	       "levels are on the wire as they are here");

void log_to_stderr(const char *role)
{
	log_state.role = role;
	log_state.fd = 2;
	log_state.channel = false;
}

void log_to_channel(const char *role, int fd)
{
	log_state.role = role;
	log_state.fd = fd;
	log_state.channel = true;
}

void log_set_level(enum log_level level)
{
	__atomic_store_n(&log_state.level, (int)level, __ATOMIC_RELAXED);
}

size_t log_text_escape(char *buf, size_t size, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	size_t len = 0;

	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;
		bool plain = byte >= 0x20 && byte < 0x7f;
		size_t need = plain ? 1 : LOG_ESCAPE_BYTES;

		if (size - len <= need)
			break;
		if (plain) {
			buf[len++] = (char)byte;
			continue;
		}
		buf[len++] = '\\';
		buf[len++] = 'x';
		buf[len++] = hex[byte >> 4];
		buf[len++] = hex[byte & 0xf];
	}
	buf[len] = '\0';
	return len;
}

/**
 * struct log_date - a UTC time in the Gregorian calendar
 */
struct log_date {
	uint64_t year;
	uint32_t month;
	uint32_t day;
	uint32_t second_of_day;
};

/*
 * Seconds since 1970 to a date, without libc, whose gmtime_r opens the time
 * zone file. Counts in years that begin in March, so that a leap day is the
 * last day of its year; 719468 days lie between 0000-03-01 and 1970-01-01.
 */
static struct log_date log_date_from(uint64_t seconds)
{
	uint64_t days = seconds / 86400 + 719468;
	uint64_t era = days / 146097; /* 400 years */
	uint64_t in_era = days % 146097;
	uint64_t year =
		(in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) /
		365;
	uint64_t in_year = in_era - (365 * year + year / 4 - year / 100);
	uint64_t month = (5 * in_year + 2) / 153; /* 0 = March */

	return (struct log_date){
		.year = era * 400 + year + (month >= 10),
		.month = (uint32_t)(month < 10 ? month + 3 : month - 9),
		.day = (uint32_t)(in_year - (153 * month + 2) / 5 + 1),
		.second_of_day = (uint32_t)(seconds % 86400),
	};
}

/* NOLINTNEXTLINE(readability-function-size): what a line holds */
size_t log_line_format(char *buf, size_t size, uint64_t realtime_ns,
		       const char *role, int pid, enum log_level level,
		       const char *module, const char *text)
{
	char safe_text[LOG_TEXT_MAX];
	char safe_module[LOG_MODULE_MAX];
	struct log_date d = log_date_from(realtime_ns / LOG_NS_PER_S);
	uint32_t s = d.second_of_day;
	unsigned lvl = (unsigned)level;
	const char *name =
		lvl < ARRAY_SIZE(log_level_names) ? log_level_names[lvl] : "?";

	log_text_escape(safe_text, sizeof(safe_text), text);
	log_text_escape(safe_module, sizeof(safe_module), module);

	int n = snprintf(
		buf, size,
		"%04llu-%02u-%02uT%02u:%02u:%02u.%06lluZ "
		"%s[%d] %s: %s: %s\n",
		(unsigned long long)d.year, d.month, d.day, s / 3600,
		s / 60 % 60, s % 60,
		(unsigned long long)(realtime_ns % LOG_NS_PER_S / 1000), role,
		pid, safe_module, name, safe_text);

	if (n < 0 || size == 0)
		return 0;
	if ((size_t)n < size)
		return (size_t)n;
	/* Cut, but still a line. */
	if (size >= 2)
		buf[size - 2] = '\n';
	return size - 1;
}

/* CLOCK_REALTIME in ns. */
static uint64_t log_realtime_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * LOG_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/*
 * A pipe that is writable has room for PIPE_BUF bytes, so a line no longer than
 * that does not wait for a reader who takes nothing.
 */
_Static_assert(LOG_LINE_BYTES <= PIPE_BUF, "one line fits what poll promises");

bool log_fd_write(int fd, const char *line, size_t len)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	static uint32_t lost; /* the monitor has one thread */
	char note[64];

	if (poll(&p, 1, 0) != 1 || !(p.revents & POLLOUT)) {
		lost++;
		return false;
	}
	if (lost) {
		int n = snprintf(note, sizeof(note),
				 "(%u lines lost: nobody read them)\n", lost);

		lost = 0;
		if (write(fd, note, (size_t)n) < 0 || poll(&p, 1, 0) != 1 ||
		    !(p.revents & POLLOUT)) {
			lost++;
			return false;
		}
	}
	return write(fd, line, len) >= 0;
}

/* One line to stderr, in one write. */
static void log_line_out(const struct log_record *r)
{
	char text[LOG_TEXT_MAX];
	char line[LOG_LINE_BYTES];
	size_t len;

	if (r->suppressed)
		snprintf(text, sizeof(text), "%s (%u like it dropped)", r->text,
			 r->suppressed);
	len = log_line_format(line, sizeof(line), log_realtime_ns(),
			      log_state.role, (int)getpid(), r->level,
			      r->module, r->suppressed ? text : r->text);
	(void)log_fd_write(log_state.fd, line, len);
}

/*
 * One LOG frame. Strings of the message are only read by the packing.
 * Return: was it sent?
 */
static bool log_frame_out(const struct log_record *r)
{
	uint8_t bytes[FRAME_HEADER_BYTES + LOG_PAYLOAD_BYTES];
	char module[LOG_MODULE_MAX];
	char text[LOG_TEXT_MAX];
	Bulkhead__Child__Log msg = BULKHEAD__CHILD__LOG__INIT;
	struct frame_header h = {.op = BULKHEAD__CHILD__OP__OP_LOG};

	log_text_escape(module, sizeof(module), r->module);
	log_text_escape(text, sizeof(text), r->text);
	msg.level = (Bulkhead__Child__LogLevel)r->level;
	msg.realtime_ns = log_realtime_ns();
	msg.module = module;
	msg.text = text;
	msg.has_suppressed = r->suppressed != 0;
	msg.suppressed = r->suppressed;

	size_t len = bulkhead__child__log__get_packed_size(&msg);

	if (len > LOG_PAYLOAD_BYTES)
		return false;
	h.length = (uint32_t)len;
	frame_encode(&h, bytes);
	bulkhead__child__log__pack(&msg, bytes + FRAME_HEADER_BYTES);
	return send(log_state.fd, bytes, FRAME_HEADER_BYTES + len,
		    MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

/* A frame, and before it one that counts what was lost, if any was. */
static void log_channel_out(const struct log_record *r)
{
	uint32_t lost =
		__atomic_exchange_n(&log_state.lost, 0, __ATOMIC_RELAXED);

	if (lost) {
		char text[64];
		struct log_record note = {LOG_LEVEL_WARN, "log", text, 0};

		snprintf(text, sizeof(text),
			 "%u records lost, the log channel was full", lost);
		if (!log_frame_out(&note))
			__atomic_add_fetch(&log_state.lost, lost,
					   __ATOMIC_RELAXED);
	}
	if (!log_frame_out(r))
		__atomic_add_fetch(&log_state.lost, 1, __ATOMIC_RELAXED);
}

/* Formats and sends a record; keeps errno. */
PRINTF_LIKE(4, 0)
static void log_vwrite(enum log_level level, uint32_t suppressed,
		       const char *module, const char *fmt, va_list args)
{
	int saved = errno;
	char text[LOG_TEXT_MAX];
	struct log_record r = {level, module, text, suppressed};

	/* %m and the like in @fmt mean the caller's errno. */
	if (vsnprintf(text, sizeof(text), fmt, args) < 0)
		text[0] = '\0';
	if (log_state.channel)
		log_channel_out(&r);
	else
		log_line_out(&r);
	errno = saved;
}

/* Are records of this level kept? */
static bool log_wanted(enum log_level level)
{
	return (int)level <=
	       __atomic_load_n(&log_state.level, __ATOMIC_RELAXED);
}

void log_write(enum log_level level, const char *module, const char *fmt, ...)
{
	va_list args;

	if (!log_wanted(level))
		return;
	va_start(args, fmt);
	log_vwrite(level, 0, module, fmt, args);
	va_end(args);
}

/*
 * May one more record pass? Threads may race at a window's edge: then a few
 * records more pass, or are counted in the next window.
 */
static bool log_limit_pass(struct log_limit *l, uint32_t *ret_suppressed)
{
	struct timespec ts;
	uint64_t start = __atomic_load_n(&l->window_ns, __ATOMIC_RELAXED);
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (uint64_t)ts.tv_sec * LOG_NS_PER_S + (uint64_t)ts.tv_nsec;
	*ret_suppressed = 0;
	if ((start == 0 || now - start >= LOG_LIMIT_WINDOW_NS) &&
	    __atomic_compare_exchange_n(&l->window_ns, &start, now, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		__atomic_store_n(&l->cnt, 1, __ATOMIC_RELAXED);
		*ret_suppressed =
			__atomic_exchange_n(&l->dropped, 0, __ATOMIC_RELAXED);
		return true;
	}
	/* Only grows to the limit, so it cannot wrap. */
	if (__atomic_load_n(&l->cnt, __ATOMIC_RELAXED) < LOG_LIMIT_CNT) {
		__atomic_add_fetch(&l->cnt, 1, __ATOMIC_RELAXED);
		return true;
	}
	__atomic_add_fetch(&l->dropped, 1, __ATOMIC_RELAXED);
	return false;
}

void log_write_limited(struct log_limit *limit, enum log_level level,
		       const char *module, const char *fmt, ...)
{
	uint32_t suppressed;
	va_list args;

	if (!log_wanted(level) || !log_limit_pass(limit, &suppressed))
		return;
	va_start(args, fmt);
	log_vwrite(level, suppressed, module, fmt, args);
	va_end(args);
}
