// SPDX-License-Identifier: Apache-2.0
/*
 * control.c - child.proto as the vmm receives it, and the order of its start:
 * HELLO, GRANT, DEVICE for each device, the walls, READY, PREPARE, RUN.
 *
 * When the channel closes the monitor is gone or has given us up: the process
 * ends at once, and the guest with it.
 */
#include "vmm/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_MODULE "control"
#include "ipc/fds.h"
#include "ipc/log.h"
#include "policy/confine_grant.h"
#include "policy/facts.h"
#include "policy/role.h"

#ifndef BULKHEAD_BUILD
#define BULKHEAD_BUILD "0.1.0"
#endif

/** control_end() - the last word, then the process ends in order. */
static void control_end(struct control *c, Bulkhead__Child__ExitReason reason,
			uint32_t code, const char *message)
{
	int ret = control_send_exit(c, reason, code, message);

	if (ret < 0)
		log_err("cannot say why the machine ends: errno %d", -ret);
	loop_stop(c->loop, 0);
}

/** control_ended() - the machine has stopped */
static void control_ended(void *ctx)
{
	struct control *c = ctx;
	const struct exit_cause *e = &c->machine.exit;

	control_end(c, e->reason, e->code, e->message);
}

/** control_prepared() - PREPARE has its answer */
static void control_prepared(void *ctx)
{
	struct control *c = ctx;
	int ret = control_send_prepared(c);

	if (ret < 0)
		peer_fail(&c->peer, ret, "PREPARED");
	c->peer.state = CONTROL_STATE_PREPARED;
}

/** control_fail() - the monitor is gone, or speaks another protocol */
static void control_fail(struct peer *peer, int error, const char *what)
{
	(void)peer;
	if (error != -ECONNRESET)
		log_err("control channel: %s: errno %d", what, -error);
	/* No flush, no farewell: nobody is there to hear it. */
	_exit(1);
}

/** control_walls() - everything is held that will be; now the walls. */
static int control_walls(struct control *c)
{
	struct confine_report report = {.cnt = 0};
	char message[EXIT_MESSAGE_BYTES];
	int ret = confine_enter(ROLE_VMM, c->mode, &report);

	if (ret < 0) {
		char why[CONFINE_WHY_BYTES];

		confine_explain(&report, ret, why, sizeof(why));
		snprintf(message, sizeof(message),
			 "the vmm cannot confine itself: %s", why);
		control_end(c, BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR, 0,
			    message);
		return 0;
	}
	phase_mark(&c->machine.phases, "confine");
	ret = control_send_ready(c, &report);
	facts_free(report.facts);
	c->peer.state = CONTROL_STATE_READY;
	return ret;
}

/* Where the fd of each kind goes; all but these were refused by the check. */
static int *control_fd_place(struct machine_fds *fds,
			     Bulkhead__Child__FdKind kind)
{
	switch ((int)kind) {
	case BULKHEAD__CHILD__FD_KIND__FD_MEMORY:
		return &fds->memory;
	case BULKHEAD__CHILD__FD_KIND__FD_KVM:
		return &fds->kvm;
	case BULKHEAD__CHILD__FD_KIND__FD_KERNEL:
		return &fds->kernel;
	case BULKHEAD__CHILD__FD_KIND__FD_INITRD:
		return &fds->initrd;
	case BULKHEAD__CHILD__FD_KIND__FD_CONSOLE_IN:
		return &fds->console_in;
	case BULKHEAD__CHILD__FD_KIND__FD_CONSOLE_OUT:
		return &fds->console_out;
	default:
		return NULL;
	}
}

/** control_image_check() - a regular file that we can only read */
static void control_image_check(struct machine *m, int fd, const char *what)
{
	struct stat st;
	int flags;

	if (fd < 0)
		return;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		machine_fault(m, -EINVAL, "%s: not a regular file", what);
		return;
	}
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) != O_RDONLY)
		machine_fault(m, -EINVAL, "%s: not opened read-only", what);
}

/** control_take_fds() - the frame's fds, one for each kind named */
static int control_take_fds(struct machine *m, const Bulkhead__Child__Grant *g,
			    struct fdset *fds)
{
	if (fds->cnt != g->n_fds)
		return -EPROTO;
	for (size_t i = 0; i < g->n_fds; i++) {
		int *place = control_fd_place(&m->fds, g->fds[i]);

		if (!place)
			return -EPROTO;
		*place = fdset_take(fds, i);
	}
	control_image_check(m, m->fds.kernel, "kernel");
	control_image_check(m, m->fds.initrd, "initrd");
	return 0;
}

static const enum boot_protocol control_boot[] = {
	[BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_AUTO] = BOOT_PROTOCOL_AUTO,
	[BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_LINUX64] = BOOT_PROTOCOL_LINUX64,
	[BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_PVH] = BOOT_PROTOCOL_PVH,
};

/** control_take_config() - GRANT's values; enums were checked by dispatch */
static int control_take_config(struct machine *m,
			       const Bulkhead__Child__Grant *g)
{
	const Bulkhead__Child__VmmGrant *v = g->vmm;
	struct machine_config *cfg = &m->cfg;
	int ret = memtable_from_proto(g->memory->regions, g->memory->n_regions,
				      g->memory->size, &cfg->table);

	if (ret < 0)
		return ret;
	cfg->cmdline = calloc(1, v->cmdline.len + 1);
	if (!cfg->cmdline)
		return -ENOMEM;
	if (v->cmdline.len)
		memcpy(cfg->cmdline, v->cmdline.data, v->cmdline.len);
	cfg->cmdline_len = (uint32_t)v->cmdline.len;
	cfg->cpus = v->cpus;
	cfg->boot = control_boot[v->boot];
	cfg->serial = v->serial;
	cfg->console_escape = v->console_escape;
	cfg->debug_exit = v->debug_exit;
	cfg->pvpanic = v->pvpanic;
	cfg->device_cnt = v->device_cnt;
	cfg->memory.page_size = g->memory->page_size;
	cfg->memory.transparent_huge = g->memory->transparent_huge;
	cfg->memory.prefault = g->memory->prefault;
	return 0;
}

/** control_grant() - GRANT: memory, VM and vCPUs are made at once. */
static int control_grant(struct peer *peer, uint32_t id,
			 const ProtobufCMessage *msg, struct fdset *fds)
{
	const Bulkhead__Child__Grant *g = (const void *)msg;
	struct control *c = peer->ctx;
	int ret = control_take_config(&c->machine, g);

	(void)id;
	if (ret == 0)
		ret = control_take_fds(&c->machine, g, fds);
	if (ret == 0)
		ret = confine_grant_take(g, &c->mode);
	if (ret < 0)
		return ret;
	machine_setup(&c->machine);
	peer->state = CONTROL_STATE_GRANTED;
	return c->machine.cfg.device_cnt == 0 ? control_walls(c) : 0;
}

/** control_device() - DEVICE: its channel; after the last one, the walls. */
static int control_device(struct peer *peer, uint32_t id,
			  const ProtobufCMessage *msg, struct fdset *fds)
{
	const Bulkhead__Child__Device *d = (const void *)msg;
	struct control *c = peer->ctx;
	int ret = machine_device_add(&c->machine, d->id, d->slot,
				     fdset_take(fds, 0));

	(void)id;
	if (ret < 0)
		return ret;
	if (c->machine.device_cnt < c->machine.cfg.device_cnt)
		return 0;
	return control_walls(c);
}

/** control_prepare() - PREPARE: answered when the devices have answered. */
static int control_prepare(struct peer *peer, uint32_t id,
			   const ProtobufCMessage *msg, struct fdset *fds)
{
	const Bulkhead__Child__Prepare *p = (const void *)msg;
	struct control *c = peer->ctx;

	(void)fds;
	c->prepare_id = id;
	machine_prepare(&c->machine, p->dry_run);
	return 0;
}

/**
 * control_run() - RUN: RUNNING is sent first, so that its times are true; the
 * guest runs only once the main thread has its narrow filter
 */
static int control_run(struct peer *peer, uint32_t id,
		       const ProtobufCMessage *msg, struct fdset *fds)
{
	struct control *c = peer->ctx;
	const char *step = "start the console";
	int ret;

	(void)id;
	(void)msg;
	(void)fds;
	if (c->machine.error || c->machine.dry_run)
		return -EPROTO;
	peer->state = CONTROL_STATE_RUNNING;
	ret = control_send_running(c);
	if (ret < 0)
		return ret;
	ret = machine_console_start(&c->machine);
	if (ret == 0) {
		step = "confine the main thread";
		ret = confine_thread(CONFINE_THREAD_MAIN);
	}
	if (ret == 0)
		machine_run(&c->machine);
	else
		exit_request(&c->machine.exit,
			     BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR, 0,
			     "cannot %s: %s", step, strerrordesc_np(-ret));
	return 0;
}

/** control_power_button() - POWER_BUTTON */
static int control_power_button(struct peer *peer, uint32_t id,
				const ProtobufCMessage *msg, struct fdset *fds)
{
	struct control *c = peer->ctx;

	(void)id;
	(void)msg;
	(void)fds;
	power_button_press(&c->machine.button);
	return 0;
}

/** control_stop() - STOP: in order, at any time */
static int control_stop(struct peer *peer, uint32_t id,
			const ProtobufCMessage *msg, struct fdset *fds)
{
	struct control *c = peer->ctx;

	(void)id;
	(void)msg;
	(void)fds;
	exit_request(&c->machine.exit,
		     BULKHEAD__CHILD__EXIT_REASON__EXIT_STOPPED, 0, NULL);
	return 0;
}

/** control_stats() - STATS */
static int control_stats(struct peer *peer, uint32_t id,
			 const ProtobufCMessage *msg, struct fdset *fds)
{
	(void)msg;
	(void)fds;
	return control_send_stats(peer->ctx, id);
}

#define CONTROL_IN(state) (1u << CONTROL_STATE_##state)
#define CONTROL_READY_ON \
	(CONTROL_IN(READY) | CONTROL_IN(PREPARED) | CONTROL_IN(RUNNING))
#define CONTROL_ANY (CONTROL_IN(NEW) | CONTROL_IN(GRANTED) | CONTROL_READY_ON)

static const struct dispatch_row control_rows[] = {
	{.op = BULKHEAD__CHILD__OP__OP_GRANT,
	 .name = "GRANT",
	 .kind = DISPATCH_EVENT,
	 .min_fds = 3,
	 .max_fds = 6,
	 .states = CONTROL_IN(NEW),
	 .once = true,
	 .desc = &bulkhead__child__grant__descriptor,
	 .check = control_grant_check,
	 .handle = control_grant},
	{.op = BULKHEAD__CHILD__OP__OP_DEVICE,
	 .name = "DEVICE",
	 .kind = DISPATCH_EVENT,
	 .min_fds = 1,
	 .max_fds = 1,
	 .states = CONTROL_IN(GRANTED),
	 .desc = &bulkhead__child__device__descriptor,
	 .check = control_device_check,
	 .handle = control_device},
	{.op = BULKHEAD__CHILD__OP__OP_PREPARE,
	 .name = "PREPARE",
	 .kind = DISPATCH_REQUEST,
	 .states = CONTROL_IN(READY),
	 .once = true,
	 .desc = &bulkhead__child__prepare__descriptor,
	 .handle = control_prepare},
	{.op = BULKHEAD__CHILD__OP__OP_RUN,
	 .name = "RUN",
	 .kind = DISPATCH_EVENT,
	 .states = CONTROL_IN(PREPARED),
	 .once = true,
	 .desc = &bulkhead__child__run__descriptor,
	 .handle = control_run},
	{.op = BULKHEAD__CHILD__OP__OP_POWER_BUTTON,
	 .name = "POWER_BUTTON",
	 .kind = DISPATCH_EVENT,
	 .states = CONTROL_IN(RUNNING),
	 .desc = &bulkhead__child__power_button__descriptor,
	 .handle = control_power_button},
	{.op = BULKHEAD__CHILD__OP__OP_STOP,
	 .name = "STOP",
	 .kind = DISPATCH_EVENT,
	 .states = CONTROL_ANY,
	 .desc = &bulkhead__child__stop__descriptor,
	 .handle = control_stop},
	{.op = BULKHEAD__CHILD__OP__OP_STATS,
	 .name = "STATS",
	 .kind = DISPATCH_REQUEST,
	 .states = CONTROL_READY_ON,
	 .desc = &bulkhead__child__stats__descriptor,
	 .handle = control_stats},
};

static const struct dispatch_table control_table = {
	.name = "child",
	.rows = control_rows,
	.cnt = ARRAY_SIZE(control_rows),
};

/** control_hello() - version and role, for the monitor to compare */
static int control_hello(struct control *c)
{
	Bulkhead__Child__Hello m = BULKHEAD__CHILD__HELLO__INIT;
	char build[] = BULKHEAD_BUILD;

	m.version = PROTOCOL_VERSION;
	m.role = BULKHEAD__CHILD__ROLE__ROLE_VMM;
	m.build = build;
	return peer_event(&c->peer, BULKHEAD__CHILD__OP__OP_HELLO, &m.base,
			  NULL, 0);
}

int control_start(struct control *c, struct loop *loop, int fd)
{
	const struct machine_events events = {
		.prepared = control_prepared, .ended = control_ended, .ctx = c};
	int ret;

	c->loop = loop;
	machine_init(&c->machine, loop, &events);
	c->peer.name = "monitor";
	c->peer.table = &control_table;
	c->peer.state = CONTROL_STATE_NEW;
	c->peer.ctx = c;
	c->peer.on_fail = control_fail;
	ret = peer_init(&c->peer, loop, fd);
	return ret < 0 ? ret : control_hello(c);
}
