// SPDX-License-Identifier: Apache-2.0
/*
 * devproxy.c - sends what virtio_pci wants a device process to know, one
 * request at a time, each with a deadline, and brings back what it says. Runs
 * on the main loop; the device process is not trusted.
 *
 * Whatever fails here - a missed deadline, a closed channel, a broken message,
 * a refusal to stop - fails the device: the guest sees DEVICE_NEEDS_RESET.
 */
#include "vmm/virtio/devproxy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proto/backend.pb-c.h"
#include "vmm/layout.h"
#include "vmm/virtio/devproxy_check.h"

#define LOG_MODULE "devproxy"
#include "ipc/log.h"

#define DEVPROXY_SECOND_NS 1000000000ULL

/** devproxy_push() - the device's config space changed */
static int devproxy_push(struct peer *peer, uint32_t id,
			 const ProtobufCMessage *msg, struct fdset *fds)
{
	const Bulkhead__Backend__ConfigPush *m = (const void *)msg;
	struct devproxy *d = peer->ctx;

	(void)id;
	(void)fds;
	if (!d->have_info)
		return -EPROTO;
	return virtio_pci_config_push(&d->vp, m->config.data, m->config.len);
}

/** devproxy_needs_reset() - the device cannot go on */
static int devproxy_needs_reset(struct peer *peer, uint32_t id,
				const ProtobufCMessage *msg, struct fdset *fds)
{
	const Bulkhead__Backend__NeedsReset *m = (const void *)msg;
	struct devproxy *d = peer->ctx;

	(void)id;
	(void)fds;
	if (!d->have_info)
		return -EPROTO;
	log_guest(LOG_LEVEL_WARN, "%s: needs reset: %s", d->id, m->reason);
	virtio_pci_needs_reset(&d->vp);
	return 0;
}

#define DEVPROXY_ANSWER(op_, desc_, check_, once_)                   \
	{                                                            \
		.op = BULKHEAD__BACKEND__OP__OP_##op_, .name = #op_, \
		.kind = DISPATCH_ANSWER, .states = 1, .once = once_, \
		.desc = &bulkhead__backend__##desc_##__descriptor,   \
		.check = check_,                                     \
	}
#define DEVPROXY_EVENT(op_, desc_, check_, handle_)                  \
	{                                                            \
		.op = BULKHEAD__BACKEND__OP__OP_##op_, .name = #op_, \
		.kind = DISPATCH_EVENT, .states = 1,                 \
		.desc = &bulkhead__backend__##desc_##__descriptor,   \
		.check = check_, .handle = handle_,                  \
	}

static const struct dispatch_row devproxy_rows[] = {
	DEVPROXY_ANSWER(INFO_REPLY, info_reply, devproxy_info_check, true),
	DEVPROXY_ANSWER(MEMORY_REPLY, reply, devproxy_reply_check, true),
	DEVPROXY_ANSWER(FEATURES_REPLY, reply, devproxy_reply_check, false),
	DEVPROXY_ANSWER(QUEUE_SET_REPLY, reply, devproxy_reply_check, false),
	DEVPROXY_ANSWER(QUEUE_START_REPLY, reply, devproxy_reply_check, false),
	DEVPROXY_ANSWER(QUEUE_STOP_REPLY, queue_stop_reply, devproxy_stop_check,
			false),
	DEVPROXY_ANSWER(RESET_REPLY, reply, devproxy_reply_check, false),
	DEVPROXY_ANSWER(CONFIG_WRITE_REPLY, reply, devproxy_reply_check, false),
	DEVPROXY_EVENT(CONFIG_PUSH, config_push, devproxy_push_check,
		       devproxy_push),
	DEVPROXY_EVENT(NEEDS_RESET, needs_reset, devproxy_needs_reset_check,
		       devproxy_needs_reset),
};

static const struct dispatch_table devproxy_table = {
	.name = "backend",
	.rows = devproxy_rows,
	.cnt = ARRAY_SIZE(devproxy_rows),
};

/** devproxy_die() - once; the guest is told, then the machine. */
static void devproxy_die(struct devproxy *d, const char *why)
{
	if (d->dead)
		return;
	d->dead = true;
	log_info("%s: %s", d->id, why);
	if (d->have_info)
		virtio_pci_fail(&d->vp);
	d->env->failed(d->env->ctx, d, why);
}

/** devproxy_peer_failed() - in the user's words */
static void devproxy_peer_failed(struct peer *peer, int error, const char *what)
{
	struct devproxy *d = peer->ctx;
	char why[DEVPROXY_MESSAGE_BYTES];

	switch (-error) {
	case ECONNRESET:
		snprintf(why, sizeof(why), "its process closed the channel");
		break;
	case ETIMEDOUT:
		snprintf(why, sizeof(why),
			 "its process did not answer in time");
		break;
	case EAGAIN:
		snprintf(why, sizeof(why), "its process does not read");
		break;
	default:
		snprintf(why, sizeof(why),
			 "its process broke the protocol at %s (errno %d)",
			 what, -error);
		break;
	}
	devproxy_die(d, why);
}

static void devproxy_pump(void *ctx);

/* What the messages of a job are called, and how long an answer may take. */
static const struct {
	uint32_t op;
	uint64_t timeout_ns;
} devproxy_jobs[] = {
	[VIRTIO_JOB_FEATURES] = {BULKHEAD__BACKEND__OP__OP_FEATURES,
				 5 * DEVPROXY_SECOND_NS},
	[VIRTIO_JOB_QUEUE_SET] = {BULKHEAD__BACKEND__OP__OP_QUEUE_SET,
				  5 * DEVPROXY_SECOND_NS},
	[VIRTIO_JOB_QUEUE_START] = {BULKHEAD__BACKEND__OP__OP_QUEUE_START,
				    5 * DEVPROXY_SECOND_NS},
	/* These two wait for what is in flight. */
	[VIRTIO_JOB_QUEUE_STOP] = {BULKHEAD__BACKEND__OP__OP_QUEUE_STOP,
				   40 * DEVPROXY_SECOND_NS},
	[VIRTIO_JOB_RESET] = {BULKHEAD__BACKEND__OP__OP_RESET,
			      40 * DEVPROXY_SECOND_NS},
	[VIRTIO_JOB_CONFIG_WRITE] = {BULKHEAD__BACKEND__OP__OP_CONFIG_WRITE,
				     5 * DEVPROXY_SECOND_NS},
};

/** devproxy_answer_error() - errno of a Reply or a QueueStopReply */
static uint32_t devproxy_answer_error(const struct devproxy *d,
				      const ProtobufCMessage *msg)
{
	if (d->job.kind == VIRTIO_JOB_QUEUE_STOP)
		return ((const Bulkhead__Backend__QueueStopReply
				 *)(const void *)msg)
			->error;
	return ((const Bulkhead__Backend__Reply *)(const void *)msg)->error;
}

/** devproxy_job_answered() - the result of d->job is here */
static void devproxy_job_answered(void *ctx, int error,
				  const ProtobufCMessage *msg)
{
	struct devproxy *d = ctx;
	uint32_t refused;
	char why[DEVPROXY_MESSAGE_BYTES];

	/* on_fail follows and says why. */
	if (error)
		return;
	refused = devproxy_answer_error(d, msg);
	if (virtio_pci_job_done(&d->vp, &d->job, refused) < 0) {
		snprintf(why, sizeof(why), "its process cannot stop (errno %u)",
			 refused);
		devproxy_die(d, why);
		return;
	}
	devproxy_pump(d);
}

/** devproxy_call() - a request with its deadline; a failure is the peer's */
static void devproxy_call(struct devproxy *d, const struct peer_call *call)
{
	int ret = peer_request(&d->peer, call);

	stats_add(d->env->virtio.stats, STAT_DEVICE_REQUEST, 1);
	/* After -EAGAIN and -EPIPE the peer fails from the loop. */
	if (ret < 0 && ret != -EAGAIN && ret != -EPIPE)
		peer_fail(&d->peer, ret, "send");
}

/** devproxy_send() - the request for d->job with message @msg */
static void devproxy_send(struct devproxy *d, const ProtobufCMessage *msg)
{
	const int fds[] = {d->job.kick_fd, d->job.call_fd};
	struct peer_call call = {
		.op = devproxy_jobs[d->job.kind].op,
		.msg = msg,
		.timeout_ns = devproxy_jobs[d->job.kind].timeout_ns,
		.fn = devproxy_job_answered,
		.ctx = d,
	};

	if (d->job.kind == VIRTIO_JOB_QUEUE_SET) {
		call.fds = fds;
		call.fd_cnt = ARRAY_SIZE(fds);
	}
	devproxy_call(d, &call);
}

/** devproxy_send_queue_set() - rings and eventfds of a queue */
static void devproxy_send_queue_set(struct devproxy *d)
{
	Bulkhead__Backend__QueueSet m = BULKHEAD__BACKEND__QUEUE_SET__INIT;

	m.index = d->job.queue;
	m.size = d->job.size;
	m.desc_gpa = d->job.ring[VIRTIO_RING_DESC];
	m.driver_gpa = d->job.ring[VIRTIO_RING_DRIVER];
	m.device_gpa = d->job.ring[VIRTIO_RING_DEVICE];
	m.position = 0;
	devproxy_send(d, &m.base);
}

/** devproxy_send_job() - d->job as a message */
static void devproxy_send_job(struct devproxy *d)
{
	Bulkhead__Backend__Features features =
		BULKHEAD__BACKEND__FEATURES__INIT;
	Bulkhead__Backend__QueueStart start =
		BULKHEAD__BACKEND__QUEUE_START__INIT;
	Bulkhead__Backend__QueueStop stop = BULKHEAD__BACKEND__QUEUE_STOP__INIT;
	Bulkhead__Backend__Reset reset = BULKHEAD__BACKEND__RESET__INIT;
	Bulkhead__Backend__ConfigWrite config =
		BULKHEAD__BACKEND__CONFIG_WRITE__INIT;

	switch (d->job.kind) {
	case VIRTIO_JOB_FEATURES:
		features.acked = d->job.features;
		devproxy_send(d, &features.base);
		break;
	case VIRTIO_JOB_QUEUE_SET:
		devproxy_send_queue_set(d);
		break;
	case VIRTIO_JOB_QUEUE_START:
		start.index = d->job.queue;
		devproxy_send(d, &start.base);
		break;
	case VIRTIO_JOB_QUEUE_STOP:
		stop.index = d->job.queue;
		devproxy_send(d, &stop.base);
		break;
	case VIRTIO_JOB_RESET:
		devproxy_send(d, &reset.base);
		break;
	case VIRTIO_JOB_CONFIG_WRITE:
		config.offset = d->job.write.offset;
		config.data.len = d->job.write.len;
		config.data.data = d->job.write.data;
		devproxy_send(d, &config.base);
		break;
	}
}

/** devproxy_pump() - the next job, if none is open */
static void devproxy_pump(void *ctx)
{
	struct devproxy *d = ctx;

	if (d->dead || !devproxy_is_ready(d))
		return;
	if (virtio_pci_job_next(&d->vp, &d->job))
		devproxy_send_job(d);
}

/** devproxy_post() - from a vCPU thread: there may be a job */
static void devproxy_post(void *ctx)
{
	struct devproxy *d = ctx;

	loop_post(d->env->loop, &d->work);
}

/** devproxy_attach() - INFO became a function on the bus. 0 or -errno. */
static int devproxy_attach(struct devproxy *d,
			   const Bulkhead__Backend__InfoReply *m)
{
	struct virtio_pci_env env = d->env->virtio;
	struct virtio_pci_desc desc = {
		.virtio_id = m->virtio_id,
		.features = m->features,
		.queue_cnt = (uint32_t)m->n_queue_sizes,
		.config_len = (uint32_t)m->config.len,
		.config_writable = m->config_writable,
		.bar_gpa = (uint32_t)LAYOUT_MMIO32_GPA +
			   d->slot * VIRTIO_PCI_BAR_BYTES,
	};
	int ret;

	memcpy(desc.queue_size, m->queue_sizes,
	       m->n_queue_sizes * sizeof(desc.queue_size[0]));
	if (m->config.len)
		memcpy(desc.config, m->config.data, m->config.len);
	ret = irq_gsi_alloc(d->env->irq, desc.queue_cnt + 1, &desc.gsi_base);
	if (ret < 0)
		return ret;
	env.post = devproxy_post;
	env.post_ctx = d;
	ret = virtio_pci_init(&d->vp, d->id, &desc, &env);
	if (ret == 0)
		ret = pci_bus_attach(d->env->bus, &d->vp.func, d->slot);
	if (ret < 0) {
		virtio_pci_fini(&d->vp);
		return ret;
	}
	d->have_info = true;
	return 0;
}

/** devproxy_info_answered() - what it is */
static void devproxy_info_answered(void *ctx, int error,
				   const ProtobufCMessage *msg)
{
	struct devproxy *d = ctx;
	char why[DEVPROXY_MESSAGE_BYTES];
	int ret;

	if (error)
		return;
	ret = devproxy_attach(d, (const void *)msg);
	if (ret < 0) {
		snprintf(why, sizeof(why), "cannot be put in PCI slot %u: %s",
			 d->slot, strerrordesc_np(-ret));
		devproxy_die(d, why);
		return;
	}
	if (devproxy_is_ready(d))
		d->env->ready(d->env->ctx, d);
}

/** devproxy_memory_answered() - it has mapped guest RAM */
static void devproxy_memory_answered(void *ctx, int error,
				     const ProtobufCMessage *msg)
{
	const Bulkhead__Backend__Reply *m = (const void *)msg;
	struct devproxy *d = ctx;
	char why[DEVPROXY_MESSAGE_BYTES];

	if (error)
		return;
	if (m->error) {
		snprintf(why, sizeof(why),
			 "its process refused the guest's memory: %s",
			 strerrordesc_np((int)m->error));
		devproxy_die(d, why);
		return;
	}
	d->have_memory = true;
	if (devproxy_is_ready(d))
		d->env->ready(d->env->ctx, d);
}

/** devproxy_send_memory() - the table of guest RAM */
static void devproxy_send_memory(struct devproxy *d)
{
	const struct memtable *ram = d->env->virtio.ram;
	Bulkhead__Memory__Region region[MEMTABLE_REGIONS_MAX];
	Bulkhead__Memory__Region *ptr[MEMTABLE_REGIONS_MAX];
	Bulkhead__Backend__MemoryTable table =
		BULKHEAD__BACKEND__MEMORY_TABLE__INIT;
	struct peer_call call = {.op = BULKHEAD__BACKEND__OP__OP_MEMORY,
				 .msg = &table.base,
				 .timeout_ns = 10 * DEVPROXY_SECOND_NS,
				 .fn = devproxy_memory_answered,
				 .ctx = d};

	for (uint32_t i = 0; i < ram->cnt; i++) {
		bulkhead__memory__region__init(&region[i]);
		region[i].gpa = ram->region[i].gpa;
		region[i].size = ram->region[i].size;
		region[i].offset = ram->region[i].offset;
		ptr[i] = &region[i];
	}
	table.n_regions = ram->cnt;
	table.regions = ptr;
	devproxy_call(d, &call);
}

void devproxy_start(struct devproxy *d)
{
	Bulkhead__Backend__Info info = BULKHEAD__BACKEND__INFO__INIT;
	struct peer_call call = {.op = BULKHEAD__BACKEND__OP__OP_INFO,
				 .msg = &info.base,
				 .timeout_ns = 10 * DEVPROXY_SECOND_NS,
				 .fn = devproxy_info_answered,
				 .ctx = d};

	devproxy_call(d, &call);
	devproxy_send_memory(d);
}

int devproxy_new(const struct devproxy_env *env, const char *id, uint32_t slot,
		 int fd, struct devproxy **ret_dev)
{
	struct devproxy *d = calloc(1, sizeof(*d));
	int ret;

	if (!d) {
		fd_cleanup(&fd);
		return -ENOMEM;
	}
	snprintf(d->id, sizeof(d->id), "%s", id);
	d->slot = slot;
	d->env = env;
	d->work.fn = devproxy_pump;
	d->work.ctx = d;
	d->vp.config_fd = -1;
	d->peer.name = d->id;
	d->peer.table = &devproxy_table;
	d->peer.ctx = d;
	d->peer.on_fail = devproxy_peer_failed;
	ret = peer_init(&d->peer, env->loop, fd);
	if (ret < 0) {
		free(d);
		return ret;
	}
	*ret_dev = d;
	return 0;
}

void devproxy_free(struct devproxy *d)
{
	if (!d)
		return;
	peer_fini(&d->peer);
	if (d->have_info)
		virtio_pci_fini(&d->vp);
	free(d);
}
