// SPDX-License-Identifier: Apache-2.0
/*
 * backend.c - the life of a device process, in one order for every device.
 *
 * Theory of operation (each step is one function below):
 *  1. backend_open: early walls, log, channel; HELLO.
 *  2. backend_granted: waits for GRANT, which names every fd that we will hold.
 *  3. backend_prepare: maps guest memory and closes its fd; the device looks at
 *     its own fds; rings are made, restricted and still disabled.
 *  4. backend_confine: the rest of the walls.
 *  5. backend_serve: workers, which inherit the walls; READY; only now is the
 *     vmm's channel read, and with it the first thing a guest controls.
 *  6. backend_close: workers end, then everything is freed.
 * An error before the end of 6 is said on the log channel and in EXIT, and the
 * process ends with status 1 without freeing: a worker may be inside a ring.
 */
#include "devices/core/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "devices/core/runtime.h"
#include "ipc/frame.h"
#include "ipc/spawn.h"
#include "policy/confine.h"
#include "policy/facts.h"

#define LOG_MODULE "backend"
#include "ipc/log.h"

/** backend_phase() - notes that a step of the start has ended. */
static void backend_phase(struct runtime *rt, const char *name)
{
	struct timespec cpu;
	struct timespec mono;

	if (rt->phase_cnt == RUNTIME_PHASES_MAX)
		return;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	rt->phases[rt->phase_cnt++] = (struct runtime_phase){
		.name = name,
		.cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u +
			  (uint64_t)cpu.tv_nsec,
		.mono_ns = (uint64_t)mono.tv_sec * 1000000000u +
			   (uint64_t)mono.tv_nsec,
	};
}

/** backend_end() - leaves the loop; @what is the reason of the EXIT message. */
static void backend_end(struct runtime *rt, const char *what)
{
	if (rt->failed)
		return;
	rt->failed = what;
	if (rt->loop)
		loop_stop(rt->loop, -1);
}

void runtime_fail(struct runtime *rt, int error, const char *what)
{
	log_err("%s: %s (errno=%d)", what, strerrordesc_np(-error), -error);
	backend_end(rt, what);
}

/** backend_peer_failed() - monitor or vmm is gone or broke its protocol. */
static void backend_peer_failed(struct peer *p, int error, const char *what)
{
	struct runtime *rt = p->ctx;

	if (error == -ECONNRESET) {
		/* How every machine ends: who closed it has said why. */
		log_info("%s has closed its channel", p->name);
		rt->peer_gone = !rt->failed;
		backend_end(rt, "a channel was closed");
		return;
	}
	log_err("%s: channel failed at %s", p->name, what);
	runtime_fail(rt, error, "a channel failed");
}

/** backend_hello() - the first message. 0 or -errno. */
static int backend_hello(struct runtime *rt)
{
	Bulkhead__Child__Hello m = BULKHEAD__CHILD__HELLO__INIT;
	char build[] = BULKHEAD_VERSION;

	m.version = PROTOCOL_VERSION;
	m.role = (Bulkhead__Child__Role)rt->ops->role;
	m.build = build;
	return peer_event(&rt->control, BULKHEAD__CHILD__OP__OP_HELLO, &m.base,
			  NULL, 0);
}

/** backend_open() - step 1. 0 or -errno. */
static int backend_open(struct runtime *rt)
{
	int rc = confine_early(rt->ops->role);

	if (rc < 0)
		return rc;
	log_to_channel(rt->ops->name, CHILD_FD_LOG);
	rt->state = calloc(1, rt->ops->state_bytes);
	if (!rt->state)
		return -ENOMEM;
	rc = loop_new(&rt->loop);
	if (rc < 0)
		return rc;
	rt->control.name = "monitor";
	rt->control.table = &child_table;
	rt->control.ctx = rt;
	rt->control.on_fail = backend_peer_failed;
	rc = peer_init(&rt->control, rt->loop, CHILD_FD_CONTROL);
	return rc < 0 ? rc : backend_hello(rt);
}

/** backend_granted() - step 2. 0 or -errno. */
static int backend_granted(struct runtime *rt)
{
	int rc = loop_run(rt->loop);

	if (rc < 0 && !rt->failed)
		return rc;
	return rt->failed ? -ECANCELED : 0;
}

/** backend_queues_init() - rings and eventfds of all queues. 0 or -errno. */
static int backend_queues_init(struct runtime *rt)
{
	const struct backend_shape *s = &rt->shape;

	BUG_ON(s->queue_cnt == 0 || s->queue_cnt > BACKEND_QUEUES_MAX);
	rt->queues = calloc(s->queue_cnt, sizeof(*rt->queues));
	if (!rt->queues)
		return -ENOMEM;
	rt->queue_cnt = s->queue_cnt;
	for (uint32_t i = 0; i < s->queue_cnt; i++) {
		int rc = queue_init(&rt->queues[i], rt, i);

		if (rc < 0)
			return rc;
	}
	log_debug("rings: cnt=%u depth=%u setup-flags=%#x", s->queue_cnt,
		  s->queue_size, uring_flags(rt->queues[0].pub.uring));
	return 0;
}

/** backend_prepare() - step 3. 0 or -errno; *@ret_what says what failed. */
static int backend_prepare(struct runtime *rt, const char **ret_what)
{
	struct gmem_request req = {
		.fd = rt->grant.memory_fd,
		.size = rt->grant.memory_bytes,
		.table = &rt->grant.memory,
		.transparent_huge = rt->grant.transparent_huge,
		.prefault = rt->grant.prefault,
	};
	int rc = gmem_map(&rt->mem, &req);

	*ret_what = "guest memory";
	if (rc < 0)
		return rc;
	fd_cleanup(&rt->grant.memory_fd);
	backend_phase(rt, "memory");
	*ret_what = "device init";
	rc = rt->ops->init(rt->state, rt->grant.fds, &rt->shape);
	if (rc < 0)
		return rc;
	*ret_what = "io_uring";
	rc = backend_queues_init(rt);
	backend_phase(rt, "device");
	return rc;
}

/** backend_confine() - step 4. 0 or -errno, and @ret_what says why. */
static int backend_confine(struct runtime *rt, struct confine_report *ret_rep,
			   const char **ret_what)
{
	static char why[CONFINE_WHY_BYTES];
	int rc = confine_enter(rt->ops->role, rt->grant.confine, ret_rep);

	if (rc < 0) {
		confine_explain(ret_rep, rc, why, sizeof(why));
		*ret_what = why;
	}
	backend_phase(rt, "confine");
	return rc;
}

/** backend_ready() - READY with walls, phases and facts. 0 or -errno. */
static int backend_ready(struct runtime *rt, const struct confine_report *rep)
{
	Bulkhead__Child__Ready m = BULKHEAD__CHILD__READY__INIT;
	Bulkhead__Child__Wall wall[CONFINE_WALLS_MAX];
	Bulkhead__Child__Wall *walls[CONFINE_WALLS_MAX];
	Bulkhead__Child__Phase phase[RUNTIME_PHASES_MAX];
	Bulkhead__Child__Phase *phases[RUNTIME_PHASES_MAX];
	char names[CONFINE_WALLS_MAX][32];
	char details[CONFINE_WALLS_MAX][sizeof(rep->wall[0].detail)];
	char steps[RUNTIME_PHASES_MAX][32];

	for (size_t i = 0; i < rep->cnt; i++) {
		bulkhead__child__wall__init(&wall[i]);
		strncpy(names[i], rep->wall[i].name, sizeof(names[i]) - 1);
		names[i][sizeof(names[i]) - 1] = 0;
		memcpy(details[i], rep->wall[i].detail, sizeof(details[i]));
		wall[i].name = names[i];
		wall[i].stands = rep->wall[i].stands;
		wall[i].detail = details[i];
		walls[i] = &wall[i];
	}
	for (size_t i = 0; i < rt->phase_cnt; i++) {
		bulkhead__child__phase__init(&phase[i]);
		strncpy(steps[i], rt->phases[i].name, sizeof(steps[i]) - 1);
		steps[i][sizeof(steps[i]) - 1] = 0;
		phase[i].name = steps[i];
		phase[i].cpu_ns = rt->phases[i].cpu_ns;
		phase[i].mono_ns = rt->phases[i].mono_ns;
		phases[i] = &phase[i];
	}
	m.n_walls = rep->cnt;
	m.walls = walls;
	m.n_phases = rt->phase_cnt;
	m.phases = phases;
	m.facts = rep->facts;
	return peer_event(&rt->control, BULKHEAD__CHILD__OP__OP_READY, &m.base,
			  NULL, 0);
}

/** backend_workers_begin() - all threads that there will ever be. */
static int backend_workers_begin(struct runtime *rt)
{
	for (uint32_t i = 0; i < rt->queue_cnt; i++) {
		int rc = queue_thread_begin(&rt->queues[i]);

		if (rc < 0)
			return rc;
	}
	return confine_thread(CONFINE_THREAD_MAIN);
}

/** backend_serve() - step 5. 0 or -errno. */
static int backend_serve(struct runtime *rt, struct confine_report *rep)
{
	int rc = backend_workers_begin(rt);

	if (rc < 0)
		return rc;
	backend_phase(rt, "ready");
	rc = backend_ready(rt, rep);
	if (rc < 0)
		return rc;
	facts_free(rep->facts);
	rep->facts = NULL;
	rt->vmm.name = "vmm";
	rt->vmm.table = &vmm_table;
	rt->vmm.ctx = rt;
	rt->vmm.on_fail = backend_peer_failed;
	rt->vmm.state = VMM_STATE_NEW;
	rc = peer_init(&rt->vmm, rt->loop, fd_steal(&rt->grant.backend_fd));
	if (rc < 0)
		return rc;
	rt->serving = true;
	if (rt->ending)
		return 0;
	rc = loop_run(rt->loop);
	return rc < 0 && !rt->failed ? rc : 0;
}

/** backend_close() - step 6. */
static void backend_close(struct runtime *rt)
{
	for (uint32_t i = 0; i < rt->queue_cnt; i++)
		queue_thread_end(&rt->queues[i]);
	rt->ops->fini(rt->state);
	for (uint32_t i = 0; i < rt->queue_cnt; i++)
		queue_fini(&rt->queues[i]);
	free(rt->queues);
	peer_fini(&rt->vmm);
	child_exit_send(rt);
	peer_fini(&rt->control);
	loop_free(rt->loop);
	gmem_fini(&rt->mem);
	grant_fini(&rt->grant);
	free(rt->state);
}

/** backend_die() - ends at once with status 1; see the file's head. */
static NORETURN void backend_die(struct runtime *rt, int error,
				 const char *what)
{
	if (!rt->failed)
		runtime_fail(rt, error, what);
	if (rt->loop)
		child_exit_send(rt);
	_exit(1);
}

int backend_main(int argc, char **argv, const struct backend_ops *ops)
{
	static struct runtime rt;
	struct confine_report report;
	const char *what;
	int rc;

	(void)argc;
	(void)argv;
	rt.ops = ops;
	grant_init(&rt.grant);
	rc = backend_open(&rt);
	if (rc < 0)
		backend_die(&rt, rc, "start");
	backend_phase(&rt, "exec");
	rc = backend_granted(&rt);
	if (rc < 0)
		backend_die(&rt, rc, "GRANT");
	rc = backend_prepare(&rt, &what);
	if (rc < 0)
		backend_die(&rt, rc, what);
	rc = backend_confine(&rt, &report, &what);
	if (rc < 0)
		backend_die(&rt, rc, what);
	rc = backend_serve(&rt, &report);
	if (rc < 0 || rt.failed)
		backend_die(&rt, rc, "serving");
	backend_close(&rt);
	return 0;
}
