// SPDX-License-Identifier: Apache-2.0
/*
 * testdev.c - starts a device process as the monitor would, and ends it; see
 * testdev.h. Runs in tests and benchmarks.
 */
#include "tests/support/ring/testdev.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policy/role.h"
#include "tests/support/ring/testdev_recv.h"

void testdev_log_drain(struct testdev *t)
{
	struct frame f;

	while (t->log.fd >= 0 && chan_recv(&t->log, &f) == 1) {
		Bulkhead__Child__Log *m = bulkhead__child__log__unpack(
			NULL, f.header.length, f.payload);

		fdset_close(&f.fds);
		if (!m)
			continue;
		snprintf(t->last_log, sizeof(t->last_log), "%s", m->text);
		if (getenv("BULKHEAD_TEST_LOG"))
			fprintf(stderr, "[%s] %s\n", m->module, m->text);
		bulkhead__child__log__free_unpacked(m, NULL);
	}
}

int testdev_recv(struct testdev *t, struct chan *c, int ms, struct frame *ret)
{
	struct pollfd p[2] = {{.fd = c->fd, .events = POLLIN},
			      {.fd = t->log.fd, .events = POLLIN}};
	int rc;

	for (;;) {
		rc = chan_recv(c, ret);
		if (rc == 0)
			rc = -ECONNRESET;
		if (rc != -EAGAIN)
			return rc < 0 ? rc : 0;
		if (poll(p, 2, ms) <= 0)
			return -ETIMEDOUT;
		testdev_log_drain(t);
		/* A log channel that was closed would end every poll. */
		if (p[1].revents & POLLHUP)
			p[1].fd = -1;
	}
}

/** testdev_expect() - the next control frame must be @op. 0 or -errno. */
static int testdev_expect(struct testdev *t, uint32_t op, struct frame *ret)
{
	int rc = testdev_recv(t, &t->control, TESTDEV_WAIT_MS, ret);

	if (rc < 0)
		return rc;
	if (ret->header.op == BULKHEAD__CHILD__OP__OP_EXIT)
		t->exit_seen = true;
	return ret->header.op == op ? 0 : -EPROTO;
}

/** testdev_exec() - the process with its two fixed channels. 0 or -errno. */
static int testdev_exec(struct testdev *t, const struct testdev_config *cfg,
			int control, int log)
{
	CLEANUP(fd_cleanup) int path = open(cfg->program, O_PATH | O_CLOEXEC);
	char name[] = "bulkhead-blk";
	char *argv[] = {name, NULL};
	const struct spawn_fd map[] = {
		{.from = control, .to = CHILD_FD_CONTROL},
		{.from = log, .to = CHILD_FD_LOG},
	};
	struct spawn_request req = {
		.path_fd = path,
		.argv = argv,
		.fds = map,
		.fd_cnt = ARRAY_SIZE(map),
		.clone_flags = cfg->no_namespaces
				       ? 0
				       : role_info(ROLE_BLK)->clone_flags,
		.own_uid = geteuid(),
		.own_gid = getegid(),
		.map_uid = getuid(),
		.map_gid = getgid(),
		.keep_stderr = cfg->leave_stderr,
	};
	const char *step = "";
	int rc;

	if (path < 0)
		return -errno;
	rc = spawn_child_start(&req, &t->child, &step);
	if (rc < 0)
		fprintf(stderr, "spawn: %s: %s\n", step, strerror(-rc));
	return rc;
}

int testdev_spawn(struct testdev *t, struct guest *g,
		  const struct testdev_config *cfg)
{
	CLEANUP(fd_cleanup) int control = -1;
	CLEANUP(fd_cleanup) int log = -1;
	int pair[2];
	struct frame f;
	int rc;

	*t = (struct testdev){.control.fd = -1,
			      .backend.fd = -1,
			      .log.fd = -1,
			      .child = {.pid = -1, .pidfd = -1},
			      .guest = g};
	rc = chan_pair(pair);
	if (rc < 0)
		return rc;
	control = pair[1];
	rc = chan_init(&t->control, pair[0]);
	if (!rc)
		rc = chan_pair(pair);
	if (rc < 0)
		return rc;
	log = pair[1];
	rc = chan_init(&t->log, pair[0]);
	if (!rc)
		rc = testdev_exec(t, cfg, control, log);
	if (rc < 0)
		return rc;
	fd_cleanup(&control);
	fd_cleanup(&log);
	rc = testdev_expect(t, BULKHEAD__CHILD__OP__OP_HELLO, &f);
	if (!rc)
		fdset_close(&f.fds);
	return rc;
}

/** testdev_grant_send() - GRANT with memory, channel and image. */
static int testdev_grant_send(struct testdev *t,
			      const struct testdev_config *cfg, int backend)
{
	Bulkhead__Child__Grant m = BULKHEAD__CHILD__GRANT__INIT;
	Bulkhead__Child__Memory mem = BULKHEAD__CHILD__MEMORY__INIT;
	Bulkhead__Child__BlkGrant blk = BULKHEAD__CHILD__BLK_GRANT__INIT;
	Bulkhead__Child__FdKind kinds[] = {
		BULKHEAD__CHILD__FD_KIND__FD_MEMORY,
		BULKHEAD__CHILD__FD_KIND__FD_BACKEND,
		BULKHEAD__CHILD__FD_KIND__FD_IMAGE,
	};
	const int fds[] = {t->guest->fd, backend, cfg->image_fd};
	struct testdev_regions r;
	char id[] = "disk0";
	uint8_t serial[20];
	size_t len = strnlen(cfg->serial, sizeof(serial));

	testdev_regions_fill(&r, &t->guest->table);
	memcpy(serial, cfg->serial, len);
	mem.size = t->guest->bytes;
	mem.n_regions = t->guest->table.cnt;
	mem.regions = r.ptr;
	mem.page_size = 4096;
	blk.read_only = cfg->read_only;
	blk.serial = (ProtobufCBinaryData){.len = len, .data = serial};
	blk.size = cfg->size;
	blk.queue_cnt = cfg->queue_cnt;
	blk.queue_size = cfg->queue_size;
	m.id = id;
	m.n_fds = ARRAY_SIZE(kinds);
	m.fds = kinds;
	m.memory = &mem;
	m.confine = cfg->confine;
	m.blk = &blk;
	return chan_send(&t->control, BULKHEAD__CHILD__OP__OP_GRANT, 0, &m.base,
			 fds, ARRAY_SIZE(fds));
}

/** testdev_ready() - READY, and how many walls do not stand. */
static int testdev_ready(struct testdev *t)
{
	Bulkhead__Child__Ready *m;
	struct frame f;
	int rc = testdev_expect(t, BULKHEAD__CHILD__OP__OP_READY, &f);

	if (rc < 0)
		return rc;
	m = bulkhead__child__ready__unpack(NULL, f.header.length, f.payload);
	fdset_close(&f.fds);
	if (!m)
		return -EBADMSG;
	for (size_t i = 0; i < m->n_walls; i++) {
		if (!m->walls[i]->stands)
			t->walls_down++;
		if (getenv("BULKHEAD_TEST_LOG"))
			fprintf(stderr, "wall %s: %s %s\n", m->walls[i]->name,
				m->walls[i]->stands ? "stands" : "MISSING",
				m->walls[i]->detail);
	}
	bulkhead__child__ready__free_unpacked(m, NULL);
	return 0;
}

int testdev_grant_begin(struct testdev *t, const struct testdev_config *cfg)
{
	CLEANUP(fd_cleanup) int theirs = -1;
	int pair[2];
	int rc = chan_pair(pair);

	if (rc < 0)
		return rc;
	theirs = pair[1];
	/* A second GRANT, by a test of refusals. */
	chan_fini(&t->backend);
	rc = chan_init(&t->backend, pair[0]);
	if (!rc)
		rc = testdev_grant_send(t, cfg, theirs);
	return rc;
}

int testdev_grant(struct testdev *t, const struct testdev_config *cfg)
{
	int rc = testdev_grant_begin(t, cfg);

	return rc < 0 ? rc : testdev_ready(t);
}

int testdev_probe(struct testdev *t)
{
	int rc = testdev_info(t);

	return rc < 0 ? rc : testdev_memory(t);
}

int testdev_start(struct testdev *t, struct guest *g,
		  const struct testdev_config *cfg)
{
	int rc = testdev_spawn(t, g, cfg);

	if (!rc)
		rc = testdev_grant(t, cfg);
	if (!rc)
		rc = testdev_probe(t);
	if (rc < 0) {
		testdev_log_drain(t);
		if (t->last_log[0])
			fprintf(stderr, "device: %s\n", t->last_log);
		testdev_kill(t);
	}
	return rc;
}

/** testdev_free() - channels and pidfd; the process was reaped. */
static void testdev_free(struct testdev *t)
{
	testdev_log_drain(t);
	chan_fini(&t->control);
	chan_fini(&t->backend);
	chan_fini(&t->log);
	fd_cleanup(&t->child.pidfd);
	t->child.pid = -1;
}

/** testdev_reap() - status as a shell has it. */
static int testdev_reap(struct testdev *t)
{
	int status = 0;

	while (waitpid(t->child.pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

/** testdev_exit_take() - looks for EXIT among the last control frames. */
static void testdev_exit_take(struct testdev *t)
{
	struct frame f;

	while (chan_recv(&t->control, &f) == 1) {
		Bulkhead__Child__Exit *m;

		fdset_close(&f.fds);
		if (f.header.op != BULKHEAD__CHILD__OP__OP_EXIT)
			continue;
		m = bulkhead__child__exit__unpack(NULL, f.header.length,
						  f.payload);
		if (!m)
			continue;
		t->exit_seen = true;
		t->exit_reason = (uint32_t)m->reason;
		bulkhead__child__exit__free_unpacked(m, NULL);
	}
}

int testdev_wait_exit(struct testdev *t, int ms)
{
	struct pollfd p = {.fd = t->child.pidfd, .events = POLLIN};
	int rc;

	if (t->child.pid < 0)
		return -ESRCH;
	if (poll(&p, 1, ms) <= 0) {
		testdev_kill(t);
		return -ETIMEDOUT;
	}
	rc = testdev_reap(t);
	testdev_exit_take(t);
	testdev_free(t);
	return rc;
}

int testdev_end(struct testdev *t)
{
	Bulkhead__Child__Stop m = BULKHEAD__CHILD__STOP__INIT;

	/* A device that is gone already says so by its status. */
	(void)!chan_send(&t->control, BULKHEAD__CHILD__OP__OP_STOP, 0, &m.base,
			 NULL, 0);
	return testdev_wait_exit(t, TESTDEV_WAIT_MS);
}

void testdev_kill(struct testdev *t)
{
	if (t->child.pid > 0) {
		kill(t->child.pid, SIGKILL);
		(void)testdev_reap(t);
	}
	testdev_free(t);
}
