// SPDX-License-Identifier: Apache-2.0
/*
 * child.c - life of one child. Runs in the monitor. The child is not trusted: a
 * frame that is wrong in any way ends it.
 *
 * Theory of operation: a dead child is not "gone" before the frames that it had
 * sent were read, because the last of them says why it died. Its channels
 * close when it dies, so reading to their end is enough; should somebody else
 * hold them open, a short deadline ends the wait.
 */
#define LOG_MODULE "child"
#include "monitor/machine/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/log.h"
#include "monitor/machine/child_check.h"

#define CHILD_DRAIN_NS 50000000ull
/* For the end of a killed child when the monitor ends itself. */
#define CHILD_FINI_MS 1000

#define STATE(name) (1u << CHILD_STATE_##name)
#define STATE_ANY ((1u << CHILD_STATE_COUNT) - 1)

/* child_copy() - a message that outlives its frame; NULL = out of memory. */
static ProtobufCMessage *child_copy(const ProtobufCMessage *msg)
{
	size_t len = protobuf_c_message_get_packed_size(msg);
	uint8_t *bytes = malloc(len ? len : 1);
	ProtobufCMessage *copy;

	if (!bytes)
		return NULL;
	(void)protobuf_c_message_pack(msg, bytes);
	copy = protobuf_c_message_unpack(msg->descriptor, NULL, len, bytes);
	free(bytes);
	return copy;
}

/* child_hello() - version and role must be what we started. */
static int child_hello(struct peer *peer, uint32_t id,
		       const ProtobufCMessage *msg, struct fdset *fds)
{
	struct child *c = peer->ctx;
	const Bulkhead__Child__Hello *m = (const void *)msg;

	(void)id;
	(void)fds;
	if (m->version != PROTOCOL_VERSION || (uint32_t)m->role != c->role) {
		(void)snprintf(c->fault, sizeof(c->fault),
			       "is another version or program: protocol %u, "
			       "role %d",
			       m->version, (int)m->role);
		return -EPROTO;
	}
	c->events->hello(c);
	return 0;
}

/* child_ready() - keeps the confinement report. */
static int child_ready(struct peer *peer, uint32_t id,
		       const ProtobufCMessage *msg, struct fdset *fds)
{
	struct child *c = peer->ctx;

	(void)id;
	(void)fds;
	c->ready = (Bulkhead__Child__Ready *)(void *)child_copy(msg);
	if (!c->ready)
		return -ENOMEM;
	child_state_set(c, CHILD_STATE_READY);
	c->events->ready(c);
	return 0;
}

/* child_running() - the guest's first instruction is next. */
static int child_running(struct peer *peer, uint32_t id,
			 const ProtobufCMessage *msg, struct fdset *fds)
{
	struct child *c = peer->ctx;

	(void)id;
	(void)fds;
	c->running = (Bulkhead__Child__Running *)(void *)child_copy(msg);
	if (!c->running)
		return -ENOMEM;
	c->events->running(c);
	return 0;
}

/* child_exit() - it will end, and says why. */
static int child_exit(struct peer *peer, uint32_t id,
		      const ProtobufCMessage *msg, struct fdset *fds)
{
	struct child *c = peer->ctx;

	(void)id;
	(void)fds;
	c->exit = (Bulkhead__Child__Exit *)(void *)child_copy(msg);
	if (!c->exit)
		return -ENOMEM;
	c->events->exit(c);
	return 0;
}

/* child_log() - a record on the log channel. */
static int child_log(struct peer *peer, uint32_t id,
		     const ProtobufCMessage *msg, struct fdset *fds)
{
	struct child *c = peer->ctx;

	(void)id;
	(void)fds;
	log_sink_write(&c->sink, (const void *)msg, loop_now_ns());
	return 0;
}

#define EVENT(op_, name_, states_, once_)                           \
	.op = BULKHEAD__CHILD__OP__OP_##op_, .name = #op_,          \
	.kind = DISPATCH_EVENT, .states = (states_), .once = once_, \
	.desc = &bulkhead__child__##name_##__descriptor,            \
	.check = child_check_##name_, .handle = child_##name_

static const struct dispatch_row child_rows[] = {
	{EVENT(HELLO, hello, STATE(STARTED), true)},
	{EVENT(READY, ready, STATE(GRANTED), true)},
	{EVENT(RUNNING, running, STATE(RUN), true)},
	{EVENT(EXIT, exit, STATE_ANY, true)},
	{.op = BULKHEAD__CHILD__OP__OP_PREPARED,
	 .name = "PREPARED",
	 .kind = DISPATCH_ANSWER,
	 .states = STATE(READY),
	 .once = true,
	 .desc = &bulkhead__child__prepared__descriptor,
	 .check = child_check_prepared},
};
static const struct dispatch_table child_table = {"child", child_rows,
						  ARRAY_SIZE(child_rows)};

static const struct dispatch_row child_log_rows[] = {
	{EVENT(LOG, log, STATE_ANY, false)},
};
static const struct dispatch_table child_log_table = {
	"child log", child_log_rows, ARRAY_SIZE(child_log_rows)};

bool child_silent(const struct child *c)
{
	return c->control_done;
}

/* child_gone_test() - tells the owner once nothing more can come. */
static void child_gone_test(struct child *c)
{
	if (c->gone || !c->exited || !c->control_done || !c->log_done)
		return;
	c->gone = true;
	loop_deadline_disarm(c->loop, &c->drain);
	loop_deadline_disarm(c->loop, &c->step);
	c->events->gone(c);
}

/* child_drained() - its channels did not close in time. */
static void child_drained(void *ctx)
{
	struct child *c = ctx;

	c->control_done = true;
	c->log_done = true;
	child_gone_test(c);
}

/* child_control_failed() - closed, or it broke the protocol. */
static void child_control_failed(struct peer *peer, int error, const char *what)
{
	struct child *c = peer->ctx;

	c->control_done = true;
	if (error != -ECONNRESET) {
		if (!c->fault[0])
			(void)snprintf(c->fault, sizeof(c->fault),
				       "broke the protocol at %s: %s", what,
				       strerror(-error));
		log_err("%s[%d]: %s", c->name, c->proc.pid, c->fault);
	}
	/* A child without a channel is of no use; most are dead already. */
	if (error != -ECONNRESET)
		child_kill(c);
	child_gone_test(c);
}

/* child_log_failed() - closed; nonsense on it only ends the log. */
static void child_log_failed(struct peer *peer, int error, const char *what)
{
	struct child *c = peer->ctx;

	if (error != -ECONNRESET)
		log_warn("%s[%d]: log channel closed: %s: %s", c->name,
			 c->proc.pid, what, strerror(-error));
	c->log_done = true;
	child_gone_test(c);
}

/* child_exited() - the pidfd is readable: reap. */
static void child_exited(void *ctx, uint32_t events)
{
	struct child *c = ctx;
	siginfo_t info = {0};

	(void)events;
	if (waitid(P_PIDFD, (id_t)c->proc.pidfd, &info, WEXITED | WNOHANG) <
		    0 ||
	    info.si_pid == 0)
		return;
	loop_del(c->loop, &c->pidfd_source);
	c->exited = true;
	c->end_code = info.si_code;
	c->end_value = info.si_status;
	loop_deadline_arm(c->loop, &c->drain, CHILD_DRAIN_NS);
	child_gone_test(c);
}

/* child_overdue() - the step's deadline has passed. */
static void child_overdue(void *ctx)
{
	struct child *c = ctx;

	c->events->overdue(c);
}

/* child_watch() - the loop's sources; @fds: our ends, owned from here on. */
static int child_watch(struct child *c, int control_fd, int log_fd)
{
	int ret;

	c->step = (struct deadline){.fn = child_overdue, .ctx = c};
	c->drain = (struct deadline){.fn = child_drained, .ctx = c};
	c->sink.name = c->name;
	c->sink.pid = c->proc.pid;
	c->control.name = c->name;
	c->control.table = &child_table;
	c->control.ctx = c;
	c->control.on_fail = child_control_failed;
	c->log.name = c->name;
	c->log.table = &child_log_table;
	c->log.ctx = c;
	c->log.on_fail = child_log_failed;
	ret = peer_init(&c->control, c->loop, control_fd);
	if (ret) {
		fd_cleanup(&log_fd);
		return ret;
	}
	ret = peer_init(&c->log, c->loop, log_fd);
	if (ret)
		return ret;
	c->pidfd_source = (struct loop_source){.fd = c->proc.pidfd,
					       .events = EPOLLIN,
					       .fn = child_exited,
					       .ctx = c};
	return loop_add(c->loop, &c->pidfd_source);
}

int child_start(struct child *c, struct loop *l, const struct child_start *how,
		const char **ret_step)
{
	const struct role_info *info = role_info(c->role);
	char program[32];
	char *argv[] = {program, NULL};
	int control[2] = {-1, -1};
	int log[2] = {-1, -1};
	int ret;

	(void)snprintf(program, sizeof(program), "%s", info->program);
	(void)snprintf(c->name, sizeof(c->name), "%s%s%s", info->name,
		       c->role == ROLE_VMM ? "" : "/",
		       c->role == ROLE_VMM ? "" : c->id);
	c->loop = l;
	c->started_ns = loop_now_ns();
	c->proc.pidfd = -1;
	c->sink.level = how->log_level;
	*ret_step = "socketpair";
	ret = chan_pair(control);
	if (!ret)
		ret = chan_pair(log);
	if (!ret) {
		struct spawn_fd fds[] = {{control[1], CHILD_FD_CONTROL},
					 {log[1], CHILD_FD_LOG}};
		struct spawn_request req = {
			.path_fd = how->program_fd,
			.argv = argv,
			.fds = fds,
			.fd_cnt = ARRAY_SIZE(fds),
			.clone_flags = how->namespaces,
			.own_uid = how->uid,
			.own_gid = how->gid,
			.keep_stderr = how->keep_stderr,
			.in_cgroup = how->cgroup_fd >= 0,
			.cgroup_fd = how->cgroup_fd,
		};

		ret = spawn_child_start(&req, &c->proc, ret_step);
	}
	fd_cleanup(&control[1]);
	fd_cleanup(&log[1]);
	if (ret) {
		fd_cleanup(&control[0]);
		fd_cleanup(&log[0]);
		c->proc = (struct spawn_child){.pidfd = -1};
		return ret;
	}
	*ret_step = "watch";
	return child_watch(c, control[0], log[0]);
}

void child_fini(struct child *c)
{
	if (!c->loop)
		return;
	if (child_alive(c)) {
		struct pollfd p = {.fd = c->proc.pidfd, .events = POLLIN};
		siginfo_t info;

		child_kill(c);
		/* One that hangs in the kernel is init's to reap. */
		if (poll(&p, 1, CHILD_FINI_MS) > 0)
			(void)waitid(P_PIDFD, (id_t)c->proc.pidfd, &info,
				     WEXITED | WNOHANG);
	}
	loop_deadline_disarm(c->loop, &c->step);
	loop_deadline_disarm(c->loop, &c->drain);
	loop_del(c->loop, &c->pidfd_source);
	peer_fini(&c->control);
	peer_fini(&c->log);
	fd_cleanup(&c->proc.pidfd);
	bulkhead__child__ready__free_unpacked(c->ready, NULL);
	bulkhead__child__running__free_unpacked(c->running, NULL);
	bulkhead__child__exit__free_unpacked(c->exit, NULL);
	c->loop = NULL;
}

void child_expect(struct child *c, const char *name, uint64_t ns)
{
	c->step_name = name;
	loop_deadline_arm(c->loop, &c->step, ns);
}

void child_expect_end(struct child *c)
{
	loop_deadline_disarm(c->loop, &c->step);
}

void child_state_set(struct child *c, enum child_state state)
{
	c->control.state = (uint32_t)state;
}

enum child_state child_state(const struct child *c)
{
	return (enum child_state)c->control.state;
}

int child_send(struct child *c, uint32_t op, const ProtobufCMessage *msg,
	       const int *fds, size_t fd_cnt)
{
	return peer_event(&c->control, op, msg, fds, fd_cnt);
}

void child_kill(struct child *c)
{
	if (child_alive(c))
		(void)syscall(SYS_pidfd_send_signal, c->proc.pidfd, SIGKILL,
			      NULL, 0);
}

bool child_alive(const struct child *c)
{
	return c->loop && c->proc.pidfd >= 0 && !c->exited;
}

bool child_ending(const struct child *c)
{
	struct pollfd p = {.fd = c->proc.pidfd, .events = POLLIN};

	return !child_alive(c) || poll(&p, 1, 0) > 0;
}

bool child_hung_up(const struct child *c)
{
	struct pollfd p = {.fd = c->control.chan.fd, .events = POLLRDHUP};

	return child_ending(c) || c->control_done || poll(&p, 1, 0) > 0;
}

void child_end_describe(const struct child *c, char *ret_text, size_t size)
{
	const char *message = c->exit ? c->exit->message : NULL;
	const char *said = c->fault[0] ? c->fault : message;
	const char *sig = sigabbrev_np(c->end_value);
	char how[80];

	if (!c->exited)
		(void)snprintf(how, sizeof(how), "did not end");
	else if (c->end_code == CLD_EXITED)
		(void)snprintf(how, sizeof(how), "exited with status %d",
			       c->end_value);
	else
		(void)snprintf(how, sizeof(how),
			       "was killed by signal %d "
			       "(SIG%s%s)",
			       c->end_value, sig ? sig : "?",
			       c->end_value == SIGSYS
				       ? ": a system call outside its policy"
				       : "");
	(void)snprintf(ret_text, size, "%s[%d] %s%s%s", c->name, c->proc.pid,
		       how, said && *said ? ": " : "",
		       said && *said ? said : "");
}
