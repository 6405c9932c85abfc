// SPDX-License-Identifier: Apache-2.0
/*
 * launch.c - the start of a machine. Runs in the monitor.
 *
 * Theory of operation: all children are spawned first and then go their way
 * side by side; each one's HELLO is answered by its GRANT. When the last one is
 * READY the monitor goes behind its own walls, and the vmm gets PREPARE, loads
 * the kernel and sets up the devices, then RUN. Every step has a deadline;
 * whatever goes wrong ends the machine with an error that names child and step,
 * and the guest has not run.
 */
#define LOG_MODULE "launch"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ipc/fds.h"
#include "ipc/log.h"
#include "monitor/host/namespaces.h"
#include "monitor/machine/grant.h"
#include "monitor/machine/machine.h"
#include "monitor/machine/timings.h"
#include "monitor/machine/walls.h"

#define LAUNCH_STEP_NS 10000000000ull
/* Allocating memory up front takes time of its own. */
#define LAUNCH_PREFAULT_NS_PER_GIB 2000000000ull

#ifdef BULKHEAD_SANITIZED
#define LAUNCH_SANITIZED true
#else
#define LAUNCH_SANITIZED false
#endif

/* launch_step_ns() - deadline of a step that may touch all memory. */
static uint64_t launch_step_ns(const struct machine *m)
{
	uint64_t gib = (m->cfg->memory_mib + 1023) >> 10;

	return LAUNCH_STEP_NS +
	       (m->cfg->prefault ? gib * LAUNCH_PREFAULT_NS_PER_GIB : 0);
}

/* launch_spawn_failed() - with the likely cause of a refused namespace. */
static void launch_spawn_failed(struct machine *m, const struct child *c,
				const char *step, int error)
{
	char why[NAMESPACES_TEXT_BYTES];

	walls_explain(m, error, why, sizeof(why));
	machine_end(m, false, EXIT_CODE_HOST, "cannot start %s: %s: %s%s%s",
		    role_info(c->role)->program, step, strerror(-error),
		    *why ? "; " : "", why);
}

/* launch_child() - one more process; its number is its place in the table. */
static int launch_child(struct machine *m, enum role role, const char *id)
{
	struct child *c = &m->children[m->child_cnt];
	bool off = walls_mode(m, m->child_cnt) == CONFIG_CONFINE_OFF;
	struct child_start how = {
		.program_fd = m->res->program_fd[role],
		.log_level = m->cfg->log_level,
		.keep_stderr = off || LAUNCH_SANITIZED,
		.cgroup_fd = cgroup_child_fd(m->cgroup, m->child_cnt),
	};
	const char *step = "";
	int ret;

	walls_spawn(m, m->child_cnt, &how);
	c->role = role;
	c->id = id;
	c->events = &launch_events;
	c->owner = m;
	ret = child_start(c, m->loop, &how, &step);
	if (c->proc.pid)
		m->child_cnt++;
	if (ret) {
		launch_spawn_failed(m, c, step, ret);
		return ret;
	}
	log_debug("%s is pid %d", c->name, c->proc.pid);
	child_expect(c, "HELLO", LAUNCH_STEP_NS);
	return 0;
}

/*
 * launch_cgroup() - the groups of all processes, while we still are who started
 * us; removed again behind our walls
 */
static int launch_cgroup(struct machine *m)
{
	struct problem p = {0};
	int ret = cgroup_new(m->cfg, m->res->images, &m->cgroup, &p);

	if (ret) {
		machine_end(m, false, (int)p.code, "%s", p.text);
		return ret;
	}
	if (!m->cgroup)
		return 0;
	phases_mark(m->phases, "cgroup");
	ret = confine_keep_dir(cgroup_dir_fd(m->cgroup), CONFINE_KEEP_DIRS);
	if (ret)
		machine_end(m, false, EXIT_CODE_INTERNAL, "cgroup: %s",
			    strerror(-ret));
	return ret;
}

int launch_start(struct machine *m)
{
	int ret = launch_cgroup(m);

	if (!ret)
		ret = walls_begin(m);
	if (!ret)
		ret = launch_child(m, ROLE_VMM, "vmm");
	for (uint32_t i = 0; i < m->cfg->disk_cnt && !ret; i++) {
		ret = chan_pair(m->backend[i]);
		if (ret)
			machine_end(m, false, EXIT_CODE_HOST, "socketpair: %s",
				    strerror(-ret));
		else
			ret = launch_child(m, ROLE_BLK, m->cfg->disks[i].id);
	}
	cgroup_started(m->cgroup);
	phases_mark(m->phases, "spawn");
	return ret;
}

/* launch_hello() - it gets what it may hold. */
static void launch_hello(struct child *c)
{
	struct machine *m = c->owner;
	uint32_t idx = (uint32_t)(c - m->children);
	int ret = idx ? grant_blk(m, idx - 1) : grant_vmm(m);

	if (m->ending)
		return;
	child_state_set(c, CHILD_STATE_GRANTED);
	child_expect(c, "READY", launch_step_ns(m));
	/* A child that is dead already says better itself why. */
	if (ret && ret != -EPIPE && ret != -ECONNRESET)
		machine_end(m, false, EXIT_CODE_HOST,
			    "cannot grant %s its resources: %s", c->name,
			    strerror(-ret));
}

/* launch_refused() - the vmm says that kernel or machine are not possible. */
static void launch_refused(struct machine *m,
			   const Bulkhead__Child__Prepared *answer)
{
	/* What the user can change is bad input, the rest is the host's. */
	static const uint32_t input[] = {ENOEXEC, E2BIG, ENOSPC, EINVAL};
	int code = EXIT_CODE_HOST;

	for (size_t i = 0; i < ARRAY_SIZE(input); i++) {
		if (answer->error == input[i])
			code = EXIT_CODE_INPUT;
	}
	machine_end(m, false, code, "%s",
		    answer->message && answer->message[0]
			    ? answer->message
			    : strerror((int)answer->error));
}

/* launch_prepared_keep() - for the report; the answer dies with its frame. */
static int launch_prepared_keep(struct machine *m,
				const Bulkhead__Child__Prepared *answer)
{
	size_t len = bulkhead__child__prepared__get_packed_size(answer);
	uint8_t *bytes = malloc(len ? len : 1);

	if (!bytes)
		return -ENOMEM;
	(void)bulkhead__child__prepared__pack(answer, bytes);
	m->prepared = bulkhead__child__prepared__unpack(NULL, len, bytes);
	free(bytes);
	return m->prepared ? 0 : -ENOMEM;
}

/*
 * launch_device_gone() - the vmm may be unprepared because a device has died:
 * then its end decides, which tells how
 */
static bool launch_device_gone(struct machine *m)
{
	for (uint32_t i = 1; i < m->child_cnt; i++) {
		if (!child_hung_up(&m->children[i]))
			continue;
		/* Most are dead already; one that only hung up will be. */
		child_kill(&m->children[i]);
		return true;
	}
	return false;
}

/* launch_prepared() - answer to PREPARE: the guest can run. */
static void launch_prepared(void *ctx, int error, const ProtobufCMessage *msg)
{
	struct machine *m = ctx;
	struct child *vmm = &m->children[0];
	const Bulkhead__Child__Prepared *answer = (const void *)msg;
	Bulkhead__Child__Run run = BULKHEAD__CHILD__RUN__INIT;

	if (m->ending)
		return;
	if (error == -ETIMEDOUT)
		machine_end(m, false, EXIT_CODE_HOST,
			    "%s[%d]: PREPARED did not come in time", vmm->name,
			    vmm->proc.pid);
	if (error)
		return; /* the vmm's end decides */
	phases_mark(m->phases, "prepared");
	if (answer->error) {
		if (!launch_device_gone(m))
			launch_refused(m, answer);
		return;
	}
	if (launch_prepared_keep(m, answer)) {
		machine_end(m, false, EXIT_CODE_HOST, "out of memory");
		return;
	}
	if (m->dry_run) {
		machine_end(m, true, 0, "checked");
		return;
	}
	child_state_set(vmm, CHILD_STATE_RUN);
	child_expect(vmm, "RUNNING", LAUNCH_STEP_NS);
	/* A send that fails is a dead vmm, which is dealt with elsewhere. */
	if (child_send(vmm, BULKHEAD__CHILD__OP__OP_RUN, &run.base, NULL, 0))
		log_debug("RUN was not sent");
}

/*
 * launch_prepare() - everybody is ready. What had to be opened is open; next
 * the vmm parses the tenant's kernel, which may take it over, so our walls come
 * first.
 */
static void launch_prepare(struct machine *m)
{
	Bulkhead__Child__Prepare prepare = BULKHEAD__CHILD__PREPARE__INIT;
	struct peer_call call = {
		.op = BULKHEAD__CHILD__OP__OP_PREPARE,
		.msg = &prepare.base,
		.timeout_ns = launch_step_ns(m),
		.fn = launch_prepared,
		.ctx = m,
	};

	phases_mark(m->phases, "ready");
	timings_begin();
	if (walls_enter(m))
		return;
	phases_mark(m->phases, "confine");
	prepare.dry_run = m->dry_run;
	if (peer_request(&m->children[0].control, &call))
		log_debug("PREPARE was not sent");
}

/* launch_walls_log() - a wall that does not stand is never silent. */
static void launch_walls_log(const struct machine *m, const struct child *c)
{
	for (size_t i = 0; i < c->ready->n_walls; i++) {
		const Bulkhead__Child__Wall *w = c->ready->walls[i];

		if (!w->stands && walls_mode(m, (uint32_t)(c - m->children)) ==
					  CONFIG_CONFINE_ENFORCE)
			log_warn("%s[%d]: wall \"%s\" does not stand: %s",
				 c->name, c->proc.pid, w->name,
				 w->detail ? w->detail : "no reason given");
	}
}

/* launch_ready() - one child more behind its walls. */
static void launch_ready(struct child *c)
{
	struct machine *m = c->owner;

	child_expect_end(c);
	launch_walls_log(m, c);
	if (++m->ready_cnt == m->child_cnt && !m->ending)
		launch_prepare(m);
}

/* launch_running() - the start is over. */
static void launch_running(struct child *c)
{
	struct machine *m = c->owner;

	child_expect_end(c);
	if (m->ending)
		return;
	m->running = true;
	phases_mark(m->phases, "running");
	if (m->res->timings_fd >= 0)
		timings_write(m);
	fd_cleanup(&m->res->timings_fd);
}

/* launch_overdue() - a step's deadline has passed. */
static void launch_overdue(struct child *c)
{
	struct machine *m = c->owner;

	machine_end(m, false, EXIT_CODE_HOST,
		    "%s[%d]: %s did not come in time; it may hang", c->name,
		    c->proc.pid, c->step_name);
}

/* launch_end() - a child ends, or has ended. */
static void launch_end(struct child *c)
{
	ending_consider(c->owner);
}

const struct child_events launch_events = {
	.hello = launch_hello,
	.ready = launch_ready,
	.running = launch_running,
	.exit = launch_end,
	.gone = launch_end,
	.overdue = launch_overdue,
};
