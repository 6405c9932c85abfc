// SPDX-License-Identifier: Apache-2.0
/*
 * loop.c - the event loop of every process.
 *
 * Theory of operation: one round waits for fds or for the next deadline, then
 * calls the sources that are ready, then the deadlines that have passed. A
 * source that is deleted while a round is under way is struck out of the events
 * still to be handled, so its memory may go at once. Work from other threads
 * is pushed on a lock-free stack and an eventfd; the loop takes the whole
 * stack with one exchange, so no element is ever popped while it is pushed.
 */
#include "ipc/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "ipc/fds.h"

#define LOOP_EVENTS_MAX 32
#define LOOP_NS_PER_MS 1000000u
/* Longest single wait; a later deadline just waits again. */
#define LOOP_WAIT_MS_MAX 3600000u

/**
 * struct loop - private
 * @epoll_fd: owned
 * @wake_fd: owned eventfd that loop_post writes
 * @wake: its source
 * @posted: stack of work, newest first; atomic
 * @deadlines: armed ones, earliest first
 * @events: the round's events; data.ptr is NULL where the source was deleted
 * @event_cnt: how many of them
 * @stopped: loop_stop was called
 * @value: what loop_run is to return
 */
struct loop {
	int epoll_fd;
	int wake_fd;
	struct loop_source wake;
	struct loop_work *posted;
	struct deadline *deadlines;
	struct epoll_event events[LOOP_EVENTS_MAX];
	int event_cnt;
	bool stopped;
	int value;
};

uint64_t loop_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Oldest first, as posted. */
static struct loop_work *loop_work_reverse(struct loop_work *w)
{
	struct loop_work *head = NULL;

	while (w) {
		struct loop_work *next = w->next;

		w->next = head;
		head = w;
		w = next;
	}
	return head;
}

/* Runs everything that was posted so far. */
static void loop_wake(void *ctx, uint32_t events)
{
	struct loop *l = ctx;
	uint64_t cnt;

	(void)events;
	/* Before the stack is taken: a post after that writes again. */
	if (read(l->wake_fd, &cnt, sizeof(cnt)) < 0 && errno != EAGAIN)
		return;

	/* Pairs with the release in loop_post. */
	struct loop_work *w = loop_work_reverse(
		__atomic_exchange_n(&l->posted, NULL, __ATOMIC_ACQUIRE));

	while (w) {
		struct loop_work *next = w->next;

		/* From here on it may be posted again, even by its own fn.
		 * An exchange, so that what the last poster wrote is seen. */
		(void)__atomic_exchange_n(&w->queued, false, __ATOMIC_ACQ_REL);
		w->fn(w->ctx);
		w = next;
	}
}

void loop_post(struct loop *l, struct loop_work *w)
{
	const uint64_t one = 1;

	if (__atomic_exchange_n(&w->queued, true, __ATOMIC_ACQ_REL))
		return;
	w->next = __atomic_load_n(&l->posted, __ATOMIC_RELAXED);
	/* Pairs with the acquire in loop_wake. */
	while (!__atomic_compare_exchange_n(&l->posted, &w->next, w, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	/* A full counter also wakes the loop, so no result matters. */
	if (write(l->wake_fd, &one, sizeof(one)) < 0)
		return;
}

int loop_new(struct loop **ret_loop)
{
	struct loop *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->wake_fd = -1;
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll_fd >= 0)
		l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = l->wake_fd < 0 ? -errno : 0;
	if (!err) {
		l->wake = (struct loop_source){
			.fd = l->wake_fd,
			.events = EPOLLIN,
			.fn = loop_wake,
			.ctx = l,
		};
		err = loop_add(l, &l->wake);
	}
	if (err) {
		loop_free(l);
		return err;
	}
	*ret_loop = l;
	return 0;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	fd_cleanup(&l->wake_fd);
	fd_cleanup(&l->epoll_fd);
	free(l);
}

/* epoll_ctl with the source as the event's data. */
static int loop_control(struct loop *l, int op, struct loop_source *src)
{
	struct epoll_event e = {.events = src->events, .data.ptr = src};

	return epoll_ctl(l->epoll_fd, op, src->fd, &e) < 0 ? -errno : 0;
}

int loop_add(struct loop *l, struct loop_source *src)
{
	int err = loop_control(l, EPOLL_CTL_ADD, src);

	src->live = err == 0;
	return err;
}

int loop_mod(struct loop *l, struct loop_source *src, uint32_t events)
{
	src->events = events;
	return loop_control(l, EPOLL_CTL_MOD, src);
}

void loop_del(struct loop *l, struct loop_source *src)
{
	if (!src->live)
		return;
	src->live = false;
	/* Fails when the owner closed the fd first: then it is gone already. */
	(void)loop_control(l, EPOLL_CTL_DEL, src);
	for (int i = 0; i < l->event_cnt; i++) {
		if (l->events[i].data.ptr == src)
			l->events[i].data.ptr = NULL;
	}
}

void loop_deadline_disarm(struct loop *l, struct deadline *d)
{
	struct deadline **link = &l->deadlines;

	if (!d->armed)
		return;
	while (*link && *link != d)
		link = &(*link)->next;
	BUG_ON(!*link);
	*link = d->next;
	d->next = NULL;
	d->armed = false;
}

void loop_deadline_arm(struct loop *l, struct deadline *d, uint64_t in_ns)
{
	struct deadline **link = &l->deadlines;

	loop_deadline_disarm(l, d);
	if (__builtin_add_overflow(loop_now_ns(), in_ns, &d->at_ns))
		d->at_ns = UINT64_MAX;
	while (*link && (*link)->at_ns <= d->at_ns)
		link = &(*link)->next;
	d->next = *link;
	*link = d;
	d->armed = true;
}

/* How long the next wait may last; -1 for ever. */
static int loop_wait_ms(const struct loop *l)
{
	uint64_t now = loop_now_ns();

	if (!l->deadlines)
		return -1;
	if (l->deadlines->at_ns <= now)
		return 0;

	/* Rounded up, so that the wait does not end just before it. */
	uint64_t ms = (l->deadlines->at_ns - now - 1) / LOOP_NS_PER_MS + 1;

	return (int)(ms < LOOP_WAIT_MS_MAX ? ms : LOOP_WAIT_MS_MAX);
}

/* Calls the deadlines that have passed, at most until the time now. */
static void loop_deadlines_run(struct loop *l)
{
	uint64_t now;

	if (!l->deadlines)
		return;
	now = loop_now_ns();
	while (l->deadlines && l->deadlines->at_ns <= now) {
		struct deadline *d = l->deadlines;

		loop_deadline_disarm(l, d);
		d->fn(d->ctx);
	}
}

/* One wait and the callbacks that it leads to. */
static int loop_round(struct loop *l)
{
	int n = epoll_wait(l->epoll_fd, l->events, LOOP_EVENTS_MAX,
			   loop_wait_ms(l));

	if (n < 0 && errno != EINTR)
		return -errno;
	l->event_cnt = n < 0 ? 0 : n;
	for (int i = 0; i < l->event_cnt; i++) {
		struct loop_source *src = l->events[i].data.ptr;

		if (src)
			src->fn(src->ctx, l->events[i].events);
	}
	l->event_cnt = 0;
	loop_deadlines_run(l);
	return 0;
}

int loop_run(struct loop *l)
{
	while (!l->stopped) {
		int err = loop_round(l);

		if (err)
			return err;
	}
	l->stopped = false;
	return l->value;
}

void loop_stop(struct loop *l, int value)
{
	l->stopped = true;
	l->value = value;
}
