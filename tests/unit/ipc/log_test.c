// SPDX-License-Identifier: Apache-2.0
/*
 * log_test.c - the calendar, escaping, the frames on the log channel, the rate
 * limit, and a channel that is full.
 */
#define LOG_MODULE "test"
#include "ipc/log.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ipc/chan.h"
#include "proto/child.pb-c.h"
#include "tests/support/unit/unit.h"
#include "tests/unit/ipc/support.h"

#define S_NS 1000000000ull

/* The time part of a line for @seconds. */
static void log_time_is(uint64_t seconds, const char *want)
{
	char line[128];

	log_line_format(line, sizeof(line), seconds * S_NS + 123456789, "r", 1,
			LOG_LEVEL_INFO, "m", "t");
	line[strlen(want)] = '\0';
	CU_ASSERT_STRING_EQUAL(line, want);
}

static void log_knows_the_calendar(void)
{
	log_time_is(0, "1970-01-01T00:00:00.123456Z ");
	log_time_is(951782399, "2000-02-28T23:59:59.123456Z ");
	log_time_is(951782400, "2000-02-29T00:00:00.123456Z ");
	log_time_is(951868800, "2000-03-01T00:00:00.123456Z ");
	log_time_is(1796073851, "2026-11-30T21:24:11.123456Z ");
	log_time_is(4107542400, "2100-03-01T00:00:00.123456Z "); /* not leap */
	log_time_is(4107542399, "2100-02-28T23:59:59.123456Z ");
	log_time_is(13574649599, "2400-02-29T23:59:59.123456Z ");
}

/* Every 17th hour of 240 years, beside what libc says. */
static void log_agrees_with_libc(void)
{
	unsigned differ = 0;

	for (time_t t = 0; t < 240LL * 366 * 86400; t += 17 * 3600 + 1) {
		char want[64];
		char got[64];
		struct tm tm;

		gmtime_r(&t, &tm);
		strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S", &tm);
		log_line_format(got, sizeof(got), (uint64_t)t * S_NS, "r", 1,
				LOG_LEVEL_INFO, "m", "t");
		differ += strncmp(want, got, strlen(want)) != 0;
	}
	CU_ASSERT_EQUAL(differ, 0);
}

static void log_line_layout(void)
{
	char line[128];
	size_t len = log_line_format(line, sizeof(line), 0, "blk", 77,
				     LOG_LEVEL_WARN, "uring", "disk=a b");

	CU_ASSERT_STRING_EQUAL(line, "1970-01-01T00:00:00.000000Z blk[77] "
				     "uring: warn: disk=a b\n");
	CU_ASSERT_EQUAL(len, strlen(line));
	/* A level that a peer made up, and bytes that a terminal would obey. */
	log_line_format(line, sizeof(line), 0, "blk", 1, (enum log_level)9,
			"u\n", "\x1b[2J\n\x7f\xc3\xa4");
	CU_ASSERT_STRING_EQUAL(line,
			       "1970-01-01T00:00:00.000000Z blk[1] "
			       "u\\x0a: ?: \\x1b[2J\\x0a\\x7f\\xc3\\xa4\n");
}

static void log_line_is_cut_but_a_line(void)
{
	char line[64];

	for (size_t size = 1; size < sizeof(line); size++) {
		memset(line, 'Z', sizeof(line));

		size_t len = log_line_format(line, size, 0, "role", 1,
					     LOG_LEVEL_INFO, "module",
					     "a text that does not fit");

		CU_ASSERT_EQUAL(len, size - 1);
		CU_ASSERT_EQUAL(line[size - 1], '\0');
		CU_ASSERT_EQUAL(line[size], 'Z');
		CU_ASSERT(size < 2 || line[size - 2] == '\n');
	}
	CU_ASSERT_EQUAL(log_line_format(line, 0, 0, "r", 1, LOG_LEVEL_INFO, "m",
					"t"),
			0);
}

static void log_escape_is_bounded_and_idempotent(void)
{
	char once[64];
	char twice[64];

	CU_ASSERT_EQUAL(log_text_escape(once, sizeof(once), "a\tb\\"), 7);
	CU_ASSERT_STRING_EQUAL(once, "a\\x09b\\");
	log_text_escape(twice, sizeof(twice), once);
	CU_ASSERT_STRING_EQUAL(once, twice);
	/* No escape is cut in half. */
	CU_ASSERT_EQUAL(log_text_escape(once, 5, "\n\n"), 4);
	CU_ASSERT_EQUAL(log_text_escape(once, 8, "\n\n"), 4);
	CU_ASSERT_EQUAL(log_text_escape(once, 4, "\n\n"), 0);
	CU_ASSERT_EQUAL(log_text_escape(once, 1, "x"), 0);
	CU_ASSERT_EQUAL(once[0], '\0');
}

static struct chan log_end;
static int log_fd;

static void log_channel_begin(void)
{
	int fds[2];

	CU_ASSERT_EQUAL_FATAL(chan_pair(fds), 0);
	CU_ASSERT_EQUAL_FATAL(chan_init(&log_end, fds[0]), 0);
	log_fd = fds[1];
	log_to_channel("test", log_fd);
	log_set_level(LOG_LEVEL_INFO);
}

static void log_channel_end(void)
{
	log_to_stderr("test");
	close(log_fd);
	chan_fini(&log_end);
}

/* The next record, to be freed; NULL if there is none. */
static Bulkhead__Child__Log *log_next(void)
{
	struct frame f;

	if (chan_recv(&log_end, &f) != 1)
		return NULL;
	CU_ASSERT_EQUAL(f.header.op, BULKHEAD__CHILD__OP__OP_LOG);
	CU_ASSERT_EQUAL(f.header.id, 0);
	return bulkhead__child__log__unpack(NULL, f.header.length, f.payload);
}

static void log_free(Bulkhead__Child__Log *r)
{
	bulkhead__child__log__free_unpacked(r, NULL);
}

static void log_record_on_the_channel(void)
{
	struct timespec ts;
	Bulkhead__Child__Log *r;

	log_channel_begin();
	errno = ENOTTY;
	log_warn("key=%d %s", 5, "a\nb");
	CU_ASSERT_EQUAL(errno, ENOTTY);
	r = log_next();
	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	clock_gettime(CLOCK_REALTIME, &ts);
	CU_ASSERT_EQUAL(r->level, BULKHEAD__CHILD__LOG_LEVEL__LOG_WARN);
	CU_ASSERT_STRING_EQUAL(r->module, "test");
	CU_ASSERT_STRING_EQUAL(r->text, "key=5 a\\x0ab");
	CU_ASSERT_FALSE(r->has_suppressed);
	CU_ASSERT(r->realtime_ns / S_NS + 60 > (uint64_t)ts.tv_sec);
	log_free(r);
	CU_ASSERT_PTR_NULL(log_next());
	log_channel_end();
}

static void log_level_filters(void)
{
	log_channel_begin();
	log_debug("%s", "not wanted");
	CU_ASSERT_PTR_NULL(log_next());
	log_set_level(LOG_LEVEL_DEBUG);
	log_debug("%s", "wanted");

	Bulkhead__Child__Log *r = log_next();

	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	log_free(r);
	log_channel_end();
}

/* The longest text, all of it to be escaped, still fits one frame. */
static void log_longest_record(void)
{
	static char text[8192];
	static char module[256];

	memset(text, 0xff, sizeof(text) - 1);
	memset(module, 0xff, sizeof(module) - 1);
	log_channel_begin();
	log_write(LOG_LEVEL_ERR, module, "%s", text);

	Bulkhead__Child__Log *r = log_next();

	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	CU_ASSERT(strlen(r->text) < LOG_TEXT_MAX);
	CU_ASSERT(strlen(r->text) > LOG_TEXT_MAX - 8);
	CU_ASSERT(strlen(r->module) < LOG_MODULE_MAX);
	log_free(r);
	log_channel_end();
}

/* Nothing blocks; what was lost is said as soon as there is room. */
static void log_full_channel_counts(void)
{
	unsigned got = 0;
	Bulkhead__Child__Log *r;

	log_channel_begin();
	for (unsigned i = 0; i < 5000; i++)
		log_info("%u", i);
	while ((r = log_next())) {
		got++;
		log_free(r);
	}
	CU_ASSERT(got > 10 && got < 5000);
	log_info("%s", "after");
	r = log_next();
	CU_ASSERT_PTR_NOT_NULL_FATAL(r);

	unsigned lost = 0;

	CU_ASSERT_EQUAL(sscanf(r->text, "%u records lost", &lost), 1);
	CU_ASSERT_EQUAL(lost, 5000 - got);
	log_free(r);
	r = log_next();
	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	CU_ASSERT_STRING_EQUAL(r->text, "after");
	log_free(r);
	log_channel_end();
	/* Nor does a closed channel: it must not raise SIGPIPE. */
	log_channel_begin();
	chan_fini(&log_end);
	log_info("%s", "nobody");
	log_channel_end();
}

/* Whoever reads our stderr may have stopped: a line is lost, we go on. */
static void log_line_never_waits(void)
{
	static const char line[] = "a line\n";
	char buf[PIPE_BUF];
	uint32_t written = 0;
	int fds[2];
	ssize_t n;

	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	/* Blocking: this would hang where it waited. */
	while (log_fd_write(fds[1], line, strlen(line)))
		written++;
	CU_ASSERT(written > 1000);
	CU_ASSERT_FALSE(log_fd_write(fds[1], line, strlen(line)));
	for (uint32_t left = written * (uint32_t)strlen(line); left > 0;
	     left -= (uint32_t)n) {
		n = read(fds[0], buf, left < sizeof(buf) ? left : sizeof(buf));
		CU_ASSERT_FATAL(n > 0);
	}
	CU_ASSERT_TRUE(log_fd_write(fds[1], line, strlen(line)));
	n = read(fds[0], buf, sizeof(buf) - 1);
	CU_ASSERT_FATAL(n > 0);
	buf[n] = '\0';
	CU_ASSERT_STRING_EQUAL(buf,
			       "(2 lines lost: nobody read them)\na line\n");
	close(fds[0]);
	close(fds[1]);
}

static void log_rate_is_limited(void)
{
	struct log_limit limit = {0};
	unsigned got = 0;
	Bulkhead__Child__Log *r;

	log_channel_begin();
	/* The record that empties the counter of lost ones, see above. */
	log_info("%s", "flush");
	while ((r = log_next()))
		log_free(r);
	for (unsigned i = 0; i < 100; i++)
		log_write_limited(&limit, LOG_LEVEL_INFO, "m", "%u", i);
	while ((r = log_next())) {
		got++;
		log_free(r);
	}
	CU_ASSERT_EQUAL(got, 10);
	CU_ASSERT_EQUAL(limit.dropped, 90);
	/* The window is over. */
	limit.window_ns -= 5 * S_NS;
	log_write_limited(&limit, LOG_LEVEL_INFO, "m", "%s", "next");
	r = log_next();
	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	CU_ASSERT(r->has_suppressed);
	CU_ASSERT_EQUAL(r->suppressed, 90);
	CU_ASSERT_STRING_EQUAL(r->text, "next");
	log_free(r);
	log_channel_end();
}

static const struct unit_case log_cases[] = {
	UNIT_CASE(log_knows_the_calendar),
	UNIT_CASE(log_agrees_with_libc),
	UNIT_CASE(log_line_layout),
	UNIT_CASE(log_line_is_cut_but_a_line),
	UNIT_CASE(log_escape_is_bounded_and_idempotent),
	UNIT_CASE(log_record_on_the_channel),
	UNIT_CASE(log_level_filters),
	UNIT_CASE(log_longest_record),
	UNIT_CASE(log_full_channel_counts),
	UNIT_CASE(log_line_never_waits),
	UNIT_CASE(log_rate_is_limited),
};

const struct unit_suite unit_suites[] = {
	{"log", log_cases, ARRAY_SIZE(log_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
