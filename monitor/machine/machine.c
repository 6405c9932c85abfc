// SPDX-License-Identifier: Apache-2.0
/*
 * machine.c - life of a machine, and the monitor's signals. Runs in the
 * monitor, on one thread: children die with it (PDEATHSIG), so it is the thread
 * that spawns them and it stays to the end.
 */
#define LOG_MODULE "machine"
#include "monitor/machine/machine.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/log.h"
#include "monitor/host/console.h"
#include "policy/facts.h"

/* Signals that ask for an end; the event loop takes them. */
static const int machine_signals[] = {SIGTERM, SIGINT, SIGHUP};

/* machine_signalled() - one of machine_signals came. */
static void machine_signalled(void *ctx, uint32_t events)
{
	struct machine *m = ctx;
	struct signalfd_siginfo info;
	const char *name;

	(void)events;
	if (read(m->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	name = sigabbrev_np((int)info.ssi_signo);
	log_info("SIG%s from pid %u", name ? name : "?", info.ssi_pid);
	ending_ask(m, name ? name : "?");
}

/* machine_signals_take() - from now on they come by the loop. */
static int machine_signals_take(struct machine *m)
{
	sigset_t set;

	/*
	 * Whoever started us may have ignored it, which exec keeps: then the
	 * kernel would reap our children and nobody could say how they ended.
	 */
	if (signal(SIGCHLD, SIG_DFL) == SIG_ERR)
		return -errno;
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(machine_signals); i++) {
		struct sigaction was;

		/* nohup, and a shell's background: ignored is ignored. */
		if (sigaction(machine_signals[i], NULL, &was) < 0)
			return -errno;
		if (was.sa_handler != SIG_IGN)
			sigaddset(&set, machine_signals[i]);
	}
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	m->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (m->signal_fd < 0)
		return -errno;
	m->signal_source = (struct loop_source){.fd = m->signal_fd,
						.events = EPOLLIN,
						.fn = machine_signalled,
						.ctx = m};
	return loop_add(m->loop, &m->signal_source);
}

/* machine_init() - loop, signals, deadlines, control socket. */
static int machine_init(struct machine *m)
{
	int ret;

	m->signal_fd = -1;
	for (size_t i = 0; i < CONFIG_DISKS_MAX; i++)
		m->backend[i][0] = m->backend[i][1] = -1;
	ret = loop_new(&m->loop);
	if (ret)
		return ret;
	ending_init(m);
	ret = machine_signals_take(m);
	if (!ret)
		ret = control_start(&m->control, m->loop, m, &m->res->control);
	return ret;
}

int machine_run(struct machine *m)
{
	int ret = machine_init(m);

	if (!ret && m->res->console.tty && !m->dry_run)
		ret = console_tty_raw();
	if (ret) {
		machine_end(m, false, EXIT_CODE_HOST, "cannot start: %s",
			    strerror(-ret));
		return m->code;
	}
	ret = launch_start(m);
	/* After a failed start the loop only waits for what was begun. */
	if (!ret || m->child_cnt)
		ret = loop_run(m->loop);
	if (ret < 0 && !m->ending)
		machine_end(m, false, EXIT_CODE_INTERNAL, "event loop: %s",
			    strerror(-ret));
	console_tty_restore();
	return m->code;
}

void machine_fini(struct machine *m)
{
	console_tty_restore();
	for (uint32_t i = 0; i < m->child_cnt; i++)
		child_kill(&m->children[i]);
	for (uint32_t i = 0; i < m->child_cnt; i++)
		child_fini(&m->children[i]);
	cgroup_free(m->cgroup);
	for (size_t i = 0; i < CONFIG_DISKS_MAX; i++) {
		fd_cleanup(&m->backend[i][0]);
		fd_cleanup(&m->backend[i][1]);
	}
	bulkhead__child__prepared__free_unpacked(m->prepared, NULL);
	control_stop(&m->control);
	facts_free(m->walls.facts);
	if (m->loop)
		loop_del(m->loop, &m->signal_source);
	fd_cleanup(&m->signal_fd);
	loop_free(m->loop);
}
