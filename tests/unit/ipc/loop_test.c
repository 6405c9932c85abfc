// SPDX-License-Identifier: Apache-2.0
/*
 * loop_test.c - sources, deadlines and posted work; guards the rules that a
 * source may go away in any callback and that no post is lost.
 */
#include "ipc/loop.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/support/unit/unit.h"
#include "tests/unit/ipc/support.h"

static struct loop *loop;

static void loop_begin(void)
{
	CU_ASSERT_EQUAL_FATAL(loop_new(&loop), 0);
}

/**
 * struct ready - a source on the heap that kills another one, or itself
 */
struct ready {
	struct loop_source source;
	struct ready **victim;
	unsigned *calls;
};

static struct ready *ready_new(struct ready **victim, unsigned *calls);

static void ready_free(struct ready **r)
{
	if (!*r)
		return;
	loop_del(loop, &(*r)->source);
	close((*r)->source.fd);
	free(*r);
	*r = NULL;
}

static void ready_fire(void *ctx, uint32_t events)
{
	struct ready *r = ctx;

	CU_ASSERT(events & EPOLLIN);
	(*r->calls)++;
	if (r->victim)
		ready_free(r->victim);
}

static struct ready *ready_new(struct ready **victim, unsigned *calls)
{
	struct ready *r = calloc(1, sizeof(*r));

	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	r->victim = victim;
	r->calls = calls;
	r->source = (struct loop_source){
		.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK),
		.events = EPOLLIN,
		.fn = ready_fire,
		.ctx = r,
	};
	CU_ASSERT_EQUAL_FATAL(loop_add(loop, &r->source), 0);
	return r;
}

/* Both are ready in one round; the first frees the second, and vice versa. */
static void loop_del_of_another_in_callback(void)
{
	struct ready *pair[2];
	unsigned calls = 0;

	loop_begin();
	pair[0] = ready_new(&pair[1], &calls);
	pair[1] = ready_new(&pair[0], &calls);
	CU_ASSERT_EQUAL(test_loop_run(loop, 5), -ETIME);
	/* Whichever came first is alone and level-triggered. */
	CU_ASSERT((pair[0] == NULL) != (pair[1] == NULL));
	CU_ASSERT(calls >= 1);
	ready_free(&pair[0]);
	ready_free(&pair[1]);
	loop_free(loop);
}

static void loop_del_of_itself_in_callback(void)
{
	struct ready *self;
	unsigned calls = 0;

	loop_begin();
	self = ready_new(&self, &calls);
	CU_ASSERT_EQUAL(test_loop_run(loop, 5), -ETIME);
	CU_ASSERT_PTR_NULL(self);
	CU_ASSERT_EQUAL(calls, 1);
	loop_free(loop);
}

static void loop_del_of_what_was_never_added(void)
{
	struct loop_source never = {.fd = -1};
	struct loop_source bad = {.fd = 1000000, .events = EPOLLIN};

	loop_begin();
	loop_del(loop, &never);
	CU_ASSERT_EQUAL(loop_add(loop, &bad), -EBADF);
	loop_del(loop, &bad);
	loop_free(loop);
	loop_free(NULL);
}

static void loop_mod_changes_events(void)
{
	unsigned calls = 0;
	struct ready *r;

	loop_begin();
	r = ready_new(NULL, &calls);
	CU_ASSERT_EQUAL(loop_mod(loop, &r->source, 0), 0);
	CU_ASSERT_EQUAL(test_loop_run(loop, 5), -ETIME);
	CU_ASSERT_EQUAL(calls, 0);
	CU_ASSERT_EQUAL(loop_mod(loop, &r->source, EPOLLIN), 0);
	CU_ASSERT_EQUAL(test_loop_run(loop, 5), -ETIME);
	CU_ASSERT(calls > 0);
	ready_free(&r);
	loop_free(loop);
}

/**
 * struct timed - a deadline that writes down when it came
 */
struct timed {
	struct deadline deadline;
	struct timed *disarm; /* this one must not come any more */
	uint64_t rearm_ns;
	unsigned order;
	unsigned calls;
};

static unsigned timed_order;

static void timed_fire(void *ctx)
{
	struct timed *t = ctx;

	t->calls++;
	t->order = ++timed_order;
	if (t->disarm)
		loop_deadline_disarm(loop, &t->disarm->deadline);
	if (t->rearm_ns)
		loop_deadline_arm(loop, &t->deadline, t->rearm_ns);
}

static void timed_arm(struct timed *t, unsigned ms)
{
	t->deadline.fn = timed_fire;
	t->deadline.ctx = t;
	loop_deadline_arm(loop, &t->deadline, ms * MS_NS);
}

static void loop_deadlines_in_order(void)
{
	struct timed a = {0};
	struct timed b = {0};
	struct timed c = {0};
	struct timed never = {0};
	uint64_t start = loop_now_ns();

	timed_order = 0;
	loop_begin();
	timed_arm(&c, 30);
	timed_arm(&a, 10);
	timed_arm(&b, 20);
	timed_arm(&never, 15);
	loop_deadline_disarm(loop, &never.deadline);
	loop_deadline_disarm(loop, &never.deadline);
	CU_ASSERT_EQUAL(test_loop_run(loop, 60), -ETIME);
	CU_ASSERT(loop_now_ns() - start >= 60 * MS_NS);
	CU_ASSERT_EQUAL(a.order, 1);
	CU_ASSERT_EQUAL(b.order, 2);
	CU_ASSERT_EQUAL(c.order, 3);
	CU_ASSERT_EQUAL(never.calls, 0);
	loop_free(loop);
}

static void loop_deadline_is_not_early(void)
{
	uint64_t start = loop_now_ns();

	loop_begin();
	CU_ASSERT_EQUAL(test_loop_run(loop, 20), -ETIME);
	CU_ASSERT(loop_now_ns() - start >= 20 * MS_NS);
	loop_free(loop);
}

static void loop_deadline_rearmed_moves(void)
{
	struct timed t = {0};

	loop_begin();
	timed_arm(&t, 5);
	timed_arm(&t, 10000);
	CU_ASSERT_EQUAL(test_loop_run(loop, 20), -ETIME);
	CU_ASSERT_EQUAL(t.calls, 0);
	/* As far away as can be asked for: saturates, does not wrap. */
	loop_deadline_arm(loop, &t.deadline, UINT64_MAX);
	CU_ASSERT_EQUAL(test_loop_run(loop, 5), -ETIME);
	CU_ASSERT_EQUAL(t.calls, 0);
	loop_free(loop);
}

static void loop_deadline_in_callback(void)
{
	struct timed again = {.rearm_ns = 2 * MS_NS};
	struct timed victim = {0};
	struct timed killer = {.disarm = &victim};

	loop_begin();
	timed_arm(&again, 1);
	timed_arm(&killer, 3);
	timed_arm(&victim, 3);
	CU_ASSERT_EQUAL(test_loop_run(loop, 30), -ETIME);
	CU_ASSERT(again.calls >= 2);
	CU_ASSERT_EQUAL(killer.calls, 1);
	CU_ASSERT_EQUAL(victim.calls, 0);
	loop_free(loop);
}

/* A busy source must not starve deadlines. */
static void loop_deadline_beside_busy_source(void)
{
	unsigned calls = 0;
	struct ready *busy;

	loop_begin();
	busy = ready_new(NULL, &calls);
	CU_ASSERT_EQUAL(test_loop_run(loop, 10), -ETIME);
	CU_ASSERT(calls > 1);
	ready_free(&busy);
	loop_free(loop);
}

#define POSTERS 4
#define POSTS 20000

/**
 * struct poster - a thread that posts its own work again and again
 */
struct poster {
	struct loop_work work;
	pthread_t thread;
	unsigned wanted; /* atomic: how often the thread has asked */
	unsigned seen;   /* what fn saw of it at its last run */
	bool again;
};

static void poster_run(void *ctx)
{
	struct poster *p = ctx;

	p->seen = __atomic_load_n(&p->wanted, __ATOMIC_RELAXED);
	if (p->again) {
		p->again = false;
		loop_post(loop, &p->work);
	}
}

static void *poster_main(void *ctx)
{
	struct poster *p = ctx;

	for (unsigned i = 0; i < POSTS; i++) {
		__atomic_add_fetch(&p->wanted, 1, __ATOMIC_RELAXED);
		loop_post(loop, &p->work);
	}
	return NULL;
}

static unsigned posters_behind(struct poster *p)
{
	unsigned cnt = 0;

	for (unsigned i = 0; i < POSTERS; i++)
		cnt += p[i].seen != POSTS;
	return cnt;
}

/* The last post of each thread is seen, however they race. */
static void loop_post_loses_nothing(void)
{
	struct poster p[POSTERS] = {0};

	loop_begin();
	for (unsigned i = 0; i < POSTERS; i++) {
		p[i].work = (struct loop_work){.fn = poster_run, .ctx = &p[i]};
		CU_ASSERT_EQUAL_FATAL(pthread_create(&p[i].thread, NULL,
						     poster_main, &p[i]),
				      0);
	}
	for (unsigned i = 0; i < 1000 && posters_behind(p); i++)
		CU_ASSERT_EQUAL(test_loop_run(loop, 5), -ETIME);
	CU_ASSERT_EQUAL(posters_behind(p), 0);
	for (unsigned i = 0; i < POSTERS; i++)
		pthread_join(p[i].thread, NULL);
	loop_free(loop);
}

static unsigned post_log[4];
static unsigned post_cnt;

static void post_note(void *ctx)
{
	if (post_cnt < ARRAY_SIZE(post_log))
		post_log[post_cnt] = *(unsigned *)ctx;
	post_cnt++;
}

static void loop_post_twice_runs_once_in_order(void)
{
	unsigned names[] = {1, 2, 3};
	struct loop_work w[3] = {0};

	loop_begin();
	post_cnt = 0;
	for (unsigned i = 0; i < 3; i++) {
		w[i] = (struct loop_work){.fn = post_note, .ctx = &names[i]};
		loop_post(loop, &w[i]);
		loop_post(loop, &w[i]);
	}
	CU_ASSERT_EQUAL(test_loop_run(loop, 5), -ETIME);
	CU_ASSERT_EQUAL(post_cnt, 3);
	for (unsigned i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(post_log[i], i + 1);
	loop_post(loop, &w[0]);
	CU_ASSERT_EQUAL(test_loop_run(loop, 5), -ETIME);
	CU_ASSERT_EQUAL(post_cnt, 4);
	loop_free(loop);
}

static void loop_post_from_its_own_callback(void)
{
	struct poster p = {.again = true, .wanted = 7};

	loop_begin();
	p.work = (struct loop_work){.fn = poster_run, .ctx = &p};
	loop_post(loop, &p.work);
	CU_ASSERT_EQUAL(test_loop_run(loop, 5), -ETIME);
	CU_ASSERT_FALSE(p.again);
	CU_ASSERT_FALSE(p.work.queued);
	loop_free(loop);
}

static void stop_fire(void *ctx)
{
	loop_stop(loop, *(int *)ctx);
}

static void loop_stop_gives_the_value(void)
{
	int value = 42;
	struct loop_work w = {.fn = stop_fire, .ctx = &value};
	size_t before = test_fd_cnt();

	loop_begin();
	for (int i = 0; i < 3; i++) {
		loop_post(loop, &w);
		CU_ASSERT_EQUAL(loop_run(loop), 42);
	}
	loop_free(loop);
	CU_ASSERT_EQUAL(test_fd_cnt(), before);
}

static const struct unit_case loop_cases[] = {
	UNIT_CASE(loop_del_of_another_in_callback),
	UNIT_CASE(loop_del_of_itself_in_callback),
	UNIT_CASE(loop_del_of_what_was_never_added),
	UNIT_CASE(loop_mod_changes_events),
	UNIT_CASE(loop_deadlines_in_order),
	UNIT_CASE(loop_deadline_is_not_early),
	UNIT_CASE(loop_deadline_rearmed_moves),
	UNIT_CASE(loop_deadline_in_callback),
	UNIT_CASE(loop_deadline_beside_busy_source),
	UNIT_CASE(loop_post_loses_nothing),
	UNIT_CASE(loop_post_twice_runs_once_in_order),
	UNIT_CASE(loop_post_from_its_own_callback),
	UNIT_CASE(loop_stop_gives_the_value),
};

const struct unit_suite unit_suites[] = {
	{"loop", loop_cases, ARRAY_SIZE(loop_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
