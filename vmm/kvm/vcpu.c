// SPDX-License-Identifier: Apache-2.0
/*
 * vcpu.c - vCPU threads: made up front, held at a gate, let go together, and
 * brought out of the guest again.
 *
 * Stopping: a thread looks at the stop flag and then enters KVM_RUN; a signal
 * between the two would be lost. So the signal's handler sets immediate_exit,
 * with which KVM_RUN returns at once, and the signal is sent again until the
 * thread says that it is out.
 */
#include "vmm/kvm/vcpu.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>

#define LOG_MODULE "vcpu"
#include "ipc/log.h"
#include "policy/confine.h"

#define VCPU_STACK_BYTES ((size_t)128 * 1024)
#define VCPU_KICK_SIGNAL SIGUSR1
#define VCPU_KICK_AGAIN_NS 2000000

/* The run area of this thread's vCPU, for the signal handler. */
static __thread struct kvm_run *vcpu_own_run;

/** vcpu_kicked() - signal handler: the next KVM_RUN returns at once */
static void vcpu_kicked(int sig)
{
	(void)sig;
	if (vcpu_own_run)
		vcpu_own_run->immediate_exit = 1;
}

int vcpu_signal_init(void)
{
	struct sigaction sa = {.sa_handler = vcpu_kicked};

	sigemptyset(&sa.sa_mask);
	return sigaction(VCPU_KICK_SIGNAL, &sa, NULL) < 0 ? -errno : 0;
}

void vcpu_set_init(struct vcpu_set *s)
{
	pthread_condattr_t attr;

	memset(s, 0, sizeof(*s));
	for (uint32_t i = 0; i < LAYOUT_CPUS_MAX; i++)
		s->vcpu[i].fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &attr);
	pthread_condattr_destroy(&attr);
}

/** vcpu_enter() - one KVM_RUN. Return: false when the thread is to end. */
static bool vcpu_enter(struct vcpu *v)
{
	struct vcpu_set *s = v->set;

	if (ioctl(v->fd, KVM_RUN, 0) == 0) {
		vcpu_exit_handle(v);
		return !exit_requested(s->exit);
	}
	switch (errno) {
	case EINTR:
		/* Cleared before the stop flag is looked at, never after. */
		v->run->immediate_exit = 0;
		stats_add(s->stats, STAT_EXIT_SIGNAL, 1);
		return true;
	case EAGAIN:
		/* A CPU that waits for INIT or SIPI was woken. */
		stats_add(s->stats, STAT_EXIT_AGAIN, 1);
		return true;
	default:
		exit_request(s->exit, BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR,
			     0, "vCPU %u: KVM_RUN: %s", v->index,
			     strerrordesc_np(errno));
		return false;
	}
}

/** vcpu_gate_wait() - until the machine runs, or is to end before */
static void vcpu_gate_wait(struct vcpu_set *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->gate == VCPU_GATE_SHUT && !atomic_load(&s->stop))
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

/** vcpu_main() - a vCPU thread */
static void *vcpu_main(void *arg)
{
	struct vcpu *v = arg;
	struct vcpu_set *s = v->set;
	char name[] = "vcpu00";
	int ret;

	name[4] = (char)('0' + v->index / 10);
	name[5] = (char)('0' + v->index % 10);
	if (prctl(PR_SET_NAME, name) < 0)
		log_debug("no thread name: errno %d", errno);
	vcpu_own_run = v->run;
	ret = confine_thread(CONFINE_THREAD_VCPU);
	if (ret < 0)
		exit_request(s->exit, BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR,
			     0, "vCPU %u: cannot confine its thread: %s",
			     v->index, strerrordesc_np(-ret));
	vcpu_gate_wait(s);
	while (ret == 0 && !atomic_load(&s->stop)) {
		if (!vcpu_enter(v))
			break;
	}
	pthread_mutex_lock(&s->lock);
	v->out = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int vcpu_set_start(struct vcpu_set *s)
{
	pthread_attr_t attr;
	int ret = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, VCPU_STACK_BYTES);
	for (uint32_t i = 0; i < s->cnt && ret == 0; i++) {
		ret = pthread_create(&s->vcpu[i].thread, &attr, vcpu_main,
				     &s->vcpu[i]);
		s->vcpu[i].started = ret == 0;
	}
	pthread_attr_destroy(&attr);
	return -ret;
}

void vcpu_set_run(struct vcpu_set *s)
{
	pthread_mutex_lock(&s->lock);
	s->gate = VCPU_GATE_OPEN;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

/** vcpu_kick() - one signal; also sets what its handler would */
static void vcpu_kick(struct vcpu *v)
{
	v->run->immediate_exit = 1;
	(void)pthread_kill(v->thread, VCPU_KICK_SIGNAL);
}

/** vcpu_out_wait() - a moment for @v to come out; lock held */
static void vcpu_out_wait(struct vcpu_set *s)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_nsec += VCPU_KICK_AGAIN_NS;
	if (ts.tv_nsec >= 1000000000L) {
		ts.tv_nsec -= 1000000000L;
		ts.tv_sec++;
	}
	(void)pthread_cond_timedwait(&s->changed, &s->lock, &ts);
}

void vcpu_set_stop(struct vcpu_set *s)
{
	atomic_store(&s->stop, true);
	pthread_mutex_lock(&s->lock);
	pthread_cond_broadcast(&s->changed);
	for (uint32_t i = 0; i < s->cnt; i++) {
		struct vcpu *v = &s->vcpu[i];

		while (v->started && !v->out) {
			vcpu_kick(v);
			vcpu_out_wait(s);
		}
	}
	pthread_mutex_unlock(&s->lock);
	for (uint32_t i = 0; i < s->cnt; i++) {
		if (s->vcpu[i].started)
			pthread_join(s->vcpu[i].thread, NULL);
		s->vcpu[i].started = false;
	}
}
