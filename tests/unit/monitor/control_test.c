// SPDX-License-Identifier: Apache-2.0
/*
 * control_test.c - the control socket's rules: where it lies, what may be asked
 * and answered. The socket at work is tested in tests/machine/cli.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "monitor/control/control_check.h"
#include "monitor/control/control_error.h"
#include "monitor/control/control_place.h"
#include "monitor/control/control_status.h"
#include "monitor/machine/machine.h"
#include "proto/control.pb-c.h"
#include "tests/unit/monitor/suites.h"

static char text_buf[2048];

/* text() - of @len letters; valid until the next call. */
static char *text(size_t len)
{
	memset(text_buf, 'x', len);
	text_buf[len] = '\0';
	return text_buf;
}

static void control_place_automatic(void)
{
	static const struct {
		struct control_who who;
		const char *path, *base, *dir;
		uid_t owner;
	} rows[] = {
		{{1000, 1000, 7, "/run/user/1000"},
		 "/run/user/1000/bulkhead/7.sock",
		 "",
		 "/run/user/1000/bulkhead",
		 1000},
		{{0, 720896, 4194304, "/run/user/0"},
		 "/run/bulkhead/720896/4194304.sock",
		 "/run/bulkhead",
		 "/run/bulkhead/720896",
		 720896},
		{{0, 5, 1, NULL},
		 "/run/bulkhead/5/1.sock",
		 "/run/bulkhead",
		 "/run/bulkhead/5",
		 5},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct control_place place;
		struct problem p = {0};

		CU_ASSERT_EQUAL(control_place_find(i % 2 ? NULL : "auto",
						   &rows[i].who, &place, &p),
				0);
		CU_ASSERT_STRING_EQUAL(place.path, rows[i].path);
		CU_ASSERT_STRING_EQUAL(place.base, rows[i].base);
		CU_ASSERT_STRING_EQUAL(place.dir, rows[i].dir);
		CU_ASSERT_STRING_EQUAL(place.name,
				       strrchr(rows[i].path, '/') + 1);
		CU_ASSERT_EQUAL(place.owner, rows[i].owner);
		CU_ASSERT(place.make);
	}
}

static void control_place_none(void)
{
	struct control_who who = {1000, 1000, 7, NULL};
	struct control_place place;
	struct problem p = {0};

	CU_ASSERT_EQUAL(control_place_find(NULL, &who, &place, &p), -ENOENT);
	CU_ASSERT_STRING_EQUAL(place.path, "");
	who.runtime_dir = "run/user"; /* not absolute: as if not set */
	CU_ASSERT_EQUAL(control_place_find("auto", &who, &place, &p), -ENOENT);
	who.runtime_dir = "/run/user/1000";
	CU_ASSERT_EQUAL(control_place_find("none", &who, &place, &p), 0);
	CU_ASSERT_STRING_EQUAL(place.path, "");
	CU_ASSERT_EQUAL(p.error, 0);
}

static void control_place_given(void)
{
	static const struct {
		const char *asked, *dir, *name;
	} good[] = {
		{"/tmp/a.sock", "/tmp", "a.sock"},
		{"/a", "/", "a"},
		{"./a", ".", "a"},
		{"x/y/z", "x/y", "z"},
		{"x/..y", "x", "..y"},
	};
	static const char *const bad[] = {"/", "a/", "/tmp/.", "a/.."};
	const struct control_who who = {1000, 1000, 7, NULL};
	struct control_place place;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct problem p = {0};

		CU_ASSERT_EQUAL(
			control_place_find(good[i].asked, &who, &place, &p), 0);
		CU_ASSERT_STRING_EQUAL(place.path, good[i].asked);
		CU_ASSERT_STRING_EQUAL(place.dir, good[i].dir);
		CU_ASSERT_STRING_EQUAL(place.name, good[i].name);
		CU_ASSERT(!place.make);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct problem p = {0};

		CU_ASSERT_EQUAL(control_place_find(bad[i], &who, &place, &p),
				-EINVAL);
		CU_ASSERT_EQUAL(p.code, EXIT_CODE_INPUT);
		CU_ASSERT_PTR_NOT_NULL(strstr(p.text, bad[i]));
	}
}

/* 107 bytes are what a socket address holds beside its NUL. */
static void control_place_lengths(void)
{
	struct control_who who = {1000, 1000, 1234567, NULL};
	struct control_place place;
	struct problem p = {0};
	char path[256];

	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[107] = '\0';
	CU_ASSERT_EQUAL(control_place_find(path, &who, &place, &p), 0);
	CU_ASSERT_STRING_EQUAL(place.path, path);
	path[107] = 'x';
	path[108] = '\0';
	CU_ASSERT_EQUAL(control_place_find(path, &who, &place, &p),
			-ENAMETOOLONG);
	CU_ASSERT_PTR_NOT_NULL(strstr(p.text, "107"));
	CU_ASSERT_STRING_EQUAL(place.path, "");
	/* "/bulkhead/1234567.sock" are 22 more. */
	path[107 - 22] = '\0';
	who.runtime_dir = path;
	p = (struct problem){0};
	CU_ASSERT_EQUAL(control_place_find(NULL, &who, &place, &p), 0);
	CU_ASSERT_EQUAL(strlen(place.path), 107);
	path[107 - 22] = 'x';
	path[108 - 22] = '\0';
	CU_ASSERT_EQUAL(control_place_find(NULL, &who, &place, &p),
			-ENAMETOOLONG);
	CU_ASSERT_EQUAL(p.code, EXIT_CODE_INPUT);
}

static void control_place_pids(void)
{
	static const struct {
		const char *name;
		pid_t pid;
	} rows[] = {
		{"1.sock", 1},
		{"4194304.sock", 4194304},
		{"4194305.sock", 0},
		{"99999999999999999999.sock", 0},
		{"0.sock", 0},
		{"-1.sock", 0},
		{" 1.sock", 0},
		{"1.sockx", 0},
		{"1", 0},
		{".sock", 0},
		{"", 0},
		{"x.sock", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CU_ASSERT_EQUAL(control_place_pid(rows[i].name), rows[i].pid);
}

static void control_asks(void)
{
	Bulkhead__Control__Hello hello = BULKHEAD__CONTROL__HELLO__INIT;
	Bulkhead__Control__Confinement c = BULKHEAD__CONTROL__CONFINEMENT__INIT;

	hello.program = text(CONTROL_CHECK_NAME_MAX);
	CU_ASSERT_EQUAL(control_check_hello(&hello.base), 0);
	hello.program = text(CONTROL_CHECK_NAME_MAX + 1);
	CU_ASSERT_EQUAL(control_check_hello(&hello.base), -EPROTO);
	hello.program = text(0);
	CU_ASSERT_EQUAL(control_check_hello(&hello.base), -EPROTO);

	CU_ASSERT_EQUAL(control_check_confinement(&c.base), -EPROTO);
	c.has_index = 1;
	CU_ASSERT_EQUAL(control_check_confinement(&c.base), 0);
	c.name = text(CONTROL_CHECK_NAME_MAX);
	CU_ASSERT_EQUAL(control_check_confinement(&c.base), -EPROTO);
	c.has_index = 0;
	CU_ASSERT_EQUAL(control_check_confinement(&c.base), 0);
	c.name = text(CONTROL_CHECK_NAME_MAX + 1);
	CU_ASSERT_EQUAL(control_check_confinement(&c.base), -EPROTO);
	c.name = text(0);
	CU_ASSERT_EQUAL(control_check_confinement(&c.base), -EPROTO);
}

/* A reply has one part, and the command believes no monitor. */
static void control_answers(void)
{
	Bulkhead__Control__Reply r = BULKHEAD__CONTROL__REPLY__INIT;
	Bulkhead__Control__Error e = BULKHEAD__CONTROL__ERROR__INIT;
	Bulkhead__Control__HelloReply h = BULKHEAD__CONTROL__HELLO_REPLY__INIT;
	char code[] = "not-now";

	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
	h.build = code;
	h.pid = CONTROL_CHECK_PID_MAX;
	r.hello = &h;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), 0);
	h.pid++;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
	e.code = code;
	e.message = text(CONTROL_CHECK_TEXT_MAX);
	r.hello = NULL;
	r.error = &e;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), 0);
	e.message = text(CONTROL_CHECK_TEXT_MAX + 1);
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
}

static void control_answers_status(void)
{
	Bulkhead__Control__Reply r = BULKHEAD__CONTROL__REPLY__INIT;
	Bulkhead__Control__StatusReply s =
		BULKHEAD__CONTROL__STATUS_REPLY__INIT;
	Bulkhead__Control__Ending ending = BULKHEAD__CONTROL__ENDING__INIT;
	Bulkhead__Control__Process a = BULKHEAD__CONTROL__PROCESS__INIT;
	Bulkhead__Control__Process b = BULKHEAD__CONTROL__PROCESS__INIT;
	Bulkhead__Control__Process *both[] = {&a, &b};
	char name[] = "vmm";

	a.name = b.name = a.id = b.id = name;
	a.pid = b.pid = 7;
	b.index = 1;
	s.phase = BULKHEAD__CONTROL__PHASE__PHASE_RUNNING;
	s.processes = both;
	r.status = &s;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO); /* nobody */
	s.n_processes = 2;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), 0);
	b.index = 2;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
	b.index = 1;
	b.pid = 0;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
	b.pid = 8;
	b.ended = name; /* without STATE_ENDED */
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
	b.state = BULKHEAD__CONTROL__STATE__STATE_ENDED;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), 0);
	ending.why = name;
	s.ending = &ending; /* without PHASE_ENDING */
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
	s.phase = BULKHEAD__CONTROL__PHASE__PHASE_ENDING;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), 0);
	ending.code = 256;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
	s.ending = NULL;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
}

static void control_answers_confinement(void)
{
	Bulkhead__Control__Reply r = BULKHEAD__CONTROL__REPLY__INIT;
	Bulkhead__Control__ConfinementReply c =
		BULKHEAD__CONTROL__CONFINEMENT_REPLY__INIT;
	Bulkhead__Control__Process process = BULKHEAD__CONTROL__PROCESS__INIT;
	Bulkhead__Child__Wall wall = BULKHEAD__CHILD__WALL__INIT;
	Bulkhead__Child__Wall *walls[CONTROL_CHECK_WALLS_MAX + 1];
	char name[] = "vmm";

	for (size_t i = 0; i < ARRAY_SIZE(walls); i++)
		walls[i] = &wall;
	wall.name = process.name = process.id = name;
	process.pid = 7;
	c.process = &process;
	c.walls = walls;
	r.confinement = &c;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), 0);
	c.n_walls = CONTROL_CHECK_WALLS_MAX; /* not reported, but there */
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
	c.reported = 1;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), 0);
	c.n_walls++;
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
	c.n_walls = 1;
	wall.detail = text(CONTROL_CHECK_TEXT_MAX + 1);
	CU_ASSERT_EQUAL(control_check_reply(&r.base), -EPROTO);
}

/* A machine of one vmm that ends: no process is needed to tell of it. */
static void control_tells_the_end(void)
{
	static struct config cfg;
	static struct machine m;
	static struct control_status s;
	struct control c = {.machine = &m, .pid = 7};
	Bulkhead__Control__Reply r = BULKHEAD__CONTROL__REPLY__INIT;
	Bulkhead__Control__Confinement asked =
		BULKHEAD__CONTROL__CONFINEMENT__INIT;

	m.cfg = &cfg;
	m.child_cnt = 1;
	m.children[0] = (struct child){
		.role = ROLE_VMM, .id = "vmm", .name = "vmm", .proc.pid = 8};
	r.status = &s.msg;
	control_status_fill(&c, &s);
	CU_ASSERT_EQUAL(s.msg.phase, BULKHEAD__CONTROL__PHASE__PHASE_STARTING);
	CU_ASSERT_PTR_NULL(s.msg.ending);
	CU_ASSERT_EQUAL(control_check_reply(&r.base), 0);
	m.running = true;
	control_status_fill(&c, &s);
	CU_ASSERT_EQUAL(s.msg.phase, BULKHEAD__CONTROL__PHASE__PHASE_RUNNING);
	m.ending = true;
	m.code = 13;
	(void)snprintf(m.why, sizeof(m.why), "vmm process died");
	m.children[0].exited = true;
	m.children[0].end_code = CLD_KILLED;
	m.children[0].end_value = SIGKILL;
	control_status_fill(&c, &s);
	CU_ASSERT_EQUAL(s.msg.phase, BULKHEAD__CONTROL__PHASE__PHASE_ENDING);
	CU_ASSERT_EQUAL(s.msg.ending->code, 13);
	CU_ASSERT_STRING_EQUAL(s.msg.ending->why, "vmm process died");
	CU_ASSERT_EQUAL(s.process[1].msg.state,
			BULKHEAD__CONTROL__STATE__STATE_ENDED);
	CU_ASSERT_PTR_NOT_NULL(strstr(s.process[1].msg.ended, "SIGKILL"));
	CU_ASSERT_EQUAL(control_check_reply(&r.base), 0);
	/* The longest reason of a machine must pass the check as well. */
	memset(m.why, 'y', sizeof(m.why) - 1);
	CU_ASSERT_EQUAL(control_check_reply(&r.base), 0);
	asked.has_index = 1;
	asked.index = 1;
	CU_ASSERT_EQUAL(control_process_find(&c, &asked), 1);
	asked.index = 2;
	CU_ASSERT_EQUAL(control_process_find(&c, &asked), -ENOENT);
}

/* Programs test the codes: a change breaks them. */
static void control_error_codes_are_stable(void)
{
	static const char *const codes[] = {
		[CONTROL_ERROR_VERSION] = "version",
		[CONTROL_ERROR_HELLO_FIRST] = "hello-first",
		[CONTROL_ERROR_NOT_NOW] = "not-now",
		[CONTROL_ERROR_UNKNOWN_OP] = "unknown-op",
		[CONTROL_ERROR_BAD_REQUEST] = "bad-request",
		[CONTROL_ERROR_NO_PROCESS] = "no-such-process",
		[CONTROL_ERROR_TOO_LARGE] = "too-large",
	};

	CU_ASSERT_EQUAL(ARRAY_SIZE(codes), CONTROL_ERROR_COUNT);
	for (unsigned i = 0; i < CONTROL_ERROR_COUNT; i++)
		CU_ASSERT_STRING_EQUAL(
			control_error_code((enum control_error)i), codes[i]);
}

const struct unit_case cases_control[11] = {
	UNIT_CASE(control_place_automatic),
	UNIT_CASE(control_place_none),
	UNIT_CASE(control_place_given),
	UNIT_CASE(control_place_lengths),
	UNIT_CASE(control_place_pids),
	UNIT_CASE(control_asks),
	UNIT_CASE(control_answers),
	UNIT_CASE(control_answers_status),
	UNIT_CASE(control_answers_confinement),
	UNIT_CASE(control_tells_the_end),
	UNIT_CASE(control_error_codes_are_stable),
};
