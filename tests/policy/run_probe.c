// SPDX-License-Identifier: Apache-2.0
/*
 * run_probe.c - see run_probe.h. A probe that says nothing for 10 s fails.
 */
#include "tests/policy/run_probe.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/frame.h"
#include "policy/facts.h"
#include "proto/child.pb-c.h"
#include "tests/policy/escapes.h"

#define PROBE_TIMEOUT_MS 10000

static int probe_program = -1;

int probe_program_open(void)
{
	const char *path = getenv("BULKHEAD_TEST_PROBE");

	/* Elsewhere in the bed and in a chroot of another Debian. */
	probe_program = open(path ? path : PROBE_PROGRAM, O_PATH | O_CLOEXEC);
	return probe_program < 0 ? -errno : 0;
}

/* probe_receive() - one datagram of that size; false at the channel's end. */
static bool probe_receive(int fd, void *buf, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (poll(&p, 1, PROBE_TIMEOUT_MS) != 1) {
		CU_FAIL("probe does not answer");
		return false;
	}
	return recv(fd, buf, size, MSG_DONTWAIT) == (ssize_t)size;
}

/* probe_facts_receive() - one datagram: the packed message. */
static void probe_facts_receive(struct probe_run *run)
{
	static uint8_t bytes[FRAME_PAYLOAD_MAX];
	struct pollfd p = {.fd = run->control, .events = POLLIN};
	ssize_t len = -1;

	if (poll(&p, 1, PROBE_TIMEOUT_MS) == 1)
		len = recv(run->control, bytes, sizeof(bytes), MSG_DONTWAIT);
	CU_ASSERT_FATAL(len > 0);
	run->facts = bulkhead__facts__facts__unpack(NULL, (size_t)len, bytes);
}

void probe_start(struct probe_run *run, const struct probe_request *req,
		 uint64_t without)
{
	char role[8];
	char name[] = "probe";
	char *argv[] = {name, role, NULL};
	int control[2], logs[2];
	const char *step = NULL;
	int ret;

	memset(run, 0, sizeof(*run));
	snprintf(role, sizeof(role), "%d", req->role);
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC,
					 0, control),
			      0);
	CU_ASSERT_EQUAL_FATAL(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, logs), 0);

	/* The last one is a mistake that confine_early() must put right. */
	const struct spawn_fd fds[] = {{control[1], CHILD_FD_CONTROL},
				       {logs[1], CHILD_FD_LOG},
				       {logs[1], ESCAPE_EXTRA_FD}};
	const struct spawn_request spawn = {
		.path_fd = probe_program,
		.argv = argv,
		.fds = fds,
		/* The monitor takes whatever its user's shell has open. */
		.fd_cnt = req->role == ROLE_MONITOR ? 2 : 3,
		.own_uid = geteuid(),
		.own_gid = getegid(),
		.clone_flags = role_info(req->role)->clone_flags & ~without,
		.keep_stderr = true,
	};

	ret = spawn_child_start(&spawn, &run->child, &step);
	if (ret < 0)
		printf("\nspawn: %s: %s ", step, strerror(-ret));
	CU_ASSERT_EQUAL_FATAL(ret, 0);
	close(control[1]);
	close(logs[1]);
	run->control = control[0];
	run->log = logs[0];
	CU_ASSERT_EQUAL(send(run->control, req, sizeof(*req), MSG_NOSIGNAL),
			sizeof(*req));
	run->got_report =
		probe_receive(run->control, &run->report, sizeof(run->report));
	/* Only whether there is one: the pointer is the probe's. */
	if (run->got_report && run->report.report.facts)
		probe_facts_receive(run);
	if (run->got_report && run->report.ret == 0)
		run->got_result = probe_receive(run->control, &run->result,
						sizeof(run->result));
}

/* probe_log_text() - what is no frame: the monitor's own words on its fd 2. */
static bool probe_log_text(struct probe_run *run, const uint8_t *bytes,
			   size_t len)
{
	snprintf(run->text, sizeof(run->text), "%.*s",
		 (int)strcspn((const char *)bytes, "\n"), (const char *)bytes);
	CU_ASSERT_EQUAL(bytes[len - 1], '\n');
	run->log_cnt++;
	return true;
}

/* probe_log_read() - one LOG frame; false when there is none. */
static bool probe_log_read(struct probe_run *run)
{
	uint8_t bytes[4096];
	struct frame_header h;
	Bulkhead__Child__Log *log;
	uint32_t magic;
	ssize_t len = recv(run->log, bytes, sizeof(bytes) - 1, MSG_DONTWAIT);

	if (len <= 0)
		return false;
	bytes[len] = '\0';
	memcpy(&magic, bytes, sizeof(magic));
	if (magic != FRAME_MAGIC)
		return probe_log_text(run, bytes, (size_t)len);
	CU_ASSERT_EQUAL_FATAL(frame_decode(bytes, (size_t)len, &h), 0);
	log = bulkhead__child__log__unpack(NULL, h.length,
					   bytes + FRAME_HEADER_BYTES);
	CU_ASSERT_PTR_NOT_NULL_FATAL(log);
	snprintf(run->text, sizeof(run->text), "%s", log->text);
	bulkhead__child__log__free_unpacked(log, NULL);
	run->log_cnt++;
	return true;
}

void probe_end(struct probe_run *run)
{
	fd_cleanup(&run->control);
	facts_free(run->facts);
	run->facts = NULL;
	CU_ASSERT_EQUAL(waitpid(run->child.pid, &run->status, 0),
			run->child.pid);
	while (probe_log_read(run))
		;
	fd_cleanup(&run->log);
	fd_cleanup(&run->child.pidfd);
}
