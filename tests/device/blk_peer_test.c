// SPDX-License-Identifier: Apache-2.0
/*
 * blk_peer_test.c - a hostile vmm, and a monitor that ends the device at bad
 * times: fds that are no eventfds, a call eventfd that is full, fds without
 * room for them, requests that nobody waits for, a channel that closes at each
 * step, STOP at each step. The device ends soon, or goes on; it never hangs.
 * CASES.md C5 and C27; proto/PROTOCOL.md, QUEUE_SET.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/device/blk_fixture.h"
#include "tests/support/unit/unit.h"

#define OP(name) BULKHEAD__BACKEND__OP__OP_##name
#define SECTOR 512u
#define DEPTH 32u
#define DATA (64u * SECTOR)
#define END_MS 5000

static const struct drvq_config peer_mode = {64, true, true};
static const struct fixture_config peer_disk = {.direct = true};

/** peer_begin() - a device with features and a driver, not attached yet. */
static bool peer_begin(struct fixture *f, struct blkdrv *b)
{
	if (fixture_start(f, &peer_disk) ||
	    testdev_features(&f->dev, FIXTURE_FEATURES) ||
	    blkdrv_init(b, &f->guest, &peer_mode, DEPTH, DATA)) {
		CU_FAIL("start");
		return false;
	}
	return true;
}

/** peer_fill() - @DEPTH reads or writes in flight. */
static void peer_fill(struct blkdrv *b, uint32_t type)
{
	for (uint32_t i = 0; i < DEPTH; i++) {
		struct blkdrv_request r = {type, i * 64, DATA, 4};

		CU_ASSERT_EQUAL(blkdrv_add(b, i, &r), 0);
	}
	drvq_publish(&b->q);
}

/** peer_dead() - the device ended by itself, with status @want. */
static void peer_dead(struct fixture *f, struct blkdrv *b, int want,
		      const char *name)
{
	int rc = testdev_wait_exit(&f->dev, END_MS);

	blkdrv_fini(b);
	fixture_free(f);
	if (rc != want) {
		fprintf(stderr, "%s: exit status %d\n", name, rc);
		CU_FAIL(name);
	}
}

/* Makers of fds that are not a non-blocking eventfd. */
static int fd_file(void)
{
	return open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static int fd_memfd(void)
{
	return memfd_create("call", MFD_CLOEXEC);
}

static int fd_null(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

static int fd_pipe(void)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	close(p[0]);
	return p[1];
}

static int fd_socket(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static int fd_blocking(void)
{
	return eventfd(0, EFD_CLOEXEC);
}

static int fd_epoll(void)
{
	return epoll_create1(EPOLL_CLOEXEC);
}

static int fd_timer(void)
{
	return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

static int fd_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int fd_inotify(void)
{
	return inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
}

static int fd_pid(void)
{
	return (int)syscall(SYS_pidfd_open, getpid(), O_NONBLOCK);
}

static const struct fd_case {
	const char *name;
	int (*make)(void);
} fd_cases[] = {
	{"file", fd_file},       {"memfd", fd_memfd},
	{"/dev/null", fd_null},  {"pipe", fd_pipe},
	{"socket", fd_socket},   {"blocking eventfd", fd_blocking},
	{"epoll", fd_epoll},     {"timerfd", fd_timer},
	{"signalfd", fd_signal}, {"inotify", fd_inotify},
	{"pidfd", fd_pid},
};

/* Kick and call must be eventfds that cannot hold the device. */
static void test_fd_kinds(void)
{
	for (size_t i = 0; i < 2 * ARRAY_SIZE(fd_cases); i++) {
		const struct fd_case *c = &fd_cases[i / 2];
		Bulkhead__Backend__QueueSet m =
			BULKHEAD__BACKEND__QUEUE_SET__INIT;
		struct fixture f;
		struct blkdrv b;
		int fd = c->make();

		if (fd < 0 || !peer_begin(&f, &b)) {
			CU_FAIL(c->name);
			return;
		}
		const int fds[2] = {i % 2 ? fd : b.q.kick_fd,
				    i % 2 ? b.q.call_fd : fd};

		m.size = 64;
		m.desc_gpa = b.q.desc_gpa;
		m.driver_gpa = b.q.avail_gpa;
		m.device_gpa = b.q.used_gpa;
		if (testdev_queue_set_raw(&f.dev, &m, fds) != -ECONNRESET) {
			fprintf(stderr, "accepted: %s\n", c->name);
			CU_FAIL(c->name);
			testdev_kill(&f.dev);
			blkdrv_fini(&b);
			fixture_free(&f);
		} else {
			peer_dead(&f, &b, 1, c->name);
		}
		close(fd);
	}
}

/* One eventfd for both directions and for two queues: nobody spins. */
static void test_fd_shared(void)
{
	struct fixture f;
	struct blkdrv b;
	uint64_t before = 0;
	uint64_t after = 0;

	if (!peer_begin(&f, &b))
		return;
	CU_ASSERT_EQUAL(dup2(b.q.kick_fd, b.q.call_fd), b.q.call_fd);
	CU_ASSERT_EQUAL(blkdrv_attach(&b, &f.dev, 0), 0);
	for (int n = 0; n < 50; n++) {
		struct blkdrv_done d;

		peer_fill(&b, VIRTIO_BLK_T_IN);
		for (uint32_t i = 0; i < DEPTH; i++)
			CU_ASSERT_EQUAL(blkdrv_take(&b, false, END_MS, &d), 0);
	}
	CU_ASSERT_EQUAL(testdev_stat(&f.dev, "queue-wakes", &before), 0);
	usleep(50000);
	CU_ASSERT_EQUAL(testdev_stat(&f.dev, "queue-wakes", &after), 0);
	CU_ASSERT(after - before < 10);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/* A full call eventfd holds no request and no command. */
static void test_call_full(void)
{
	const uint64_t most = UINT64_MAX - 1;
	struct fixture f;
	struct blkdrv b;
	struct blkdrv_done d;
	uint16_t position;

	if (!peer_begin(&f, &b))
		return;
	CU_ASSERT_EQUAL(write(b.q.call_fd, &most, sizeof(most)), sizeof(most));
	CU_ASSERT_EQUAL(blkdrv_attach(&b, &f.dev, 0), 0);
	for (int n = 0; n < 20; n++) {
		peer_fill(&b, VIRTIO_BLK_T_IN);
		for (uint32_t i = 0; i < DEPTH; i++)
			CU_ASSERT_EQUAL(blkdrv_take(&b, false, END_MS, &d), 0);
	}
	CU_ASSERT_EQUAL(testdev_queue_stop(&f.dev, 0, &position), 0);
	CU_ASSERT_EQUAL(testdev_reset(&f.dev), 0);
	blkdrv_fini(&b);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/* A vmm that closes with each request open and reads and writes in flight. */
static void test_close_open(void)
{
	static const uint32_t ops[] = {0, OP(QUEUE_STOP), OP(RESET),
				       OP(FEATURES), OP(QUEUE_START)};

	for (size_t i = 0; i < 4 * ARRAY_SIZE(ops); i++) {
		Bulkhead__Backend__QueueStop stop =
			BULKHEAD__BACKEND__QUEUE_STOP__INIT;
		Bulkhead__Backend__Reset reset = BULKHEAD__BACKEND__RESET__INIT;
		uint32_t op = ops[i / 4];
		struct fixture f;
		struct blkdrv b;

		if (!peer_begin(&f, &b))
			return;
		CU_ASSERT_EQUAL(blkdrv_attach(&b, &f.dev, 0), 0);
		peer_fill(&b, i % 2 ? VIRTIO_BLK_T_IN : VIRTIO_BLK_T_OUT);
		if (op)
			CU_ASSERT_EQUAL(chan_send(&f.dev.backend, op, 900,
						  op == OP(RESET) ? &reset.base
								  : &stop.base,
						  NULL, 0),
					0);
		/* Half of them while the device cannot answer. */
		if (i % 4 >= 2)
			kill(f.dev.child.pid, SIGSTOP);
		chan_fini(&f.dev.backend);
		if (i % 4 >= 2)
			kill(f.dev.child.pid, SIGCONT);
		peer_dead(&f, &b, 1, "close with requests open");
	}
}

/** peer_stop_send() - STOP, without waiting. */
static void peer_stop_send(struct testdev *t)
{
	Bulkhead__Child__Stop m = BULKHEAD__CHILD__STOP__INIT;

	CU_ASSERT_EQUAL(chan_send(&t->control, BULKHEAD__CHILD__OP__OP_STOP, 0,
				  &m.base, NULL, 0),
			0);
}

/* STOP that comes with GRANT, before the device serves, is not forgotten. */
static void test_stop_early(void)
{
	for (int n = 0; n < 4; n++) {
		struct fixture f;
		struct blkdrv b = {.q = {.kick_fd = -1, .call_fd = -1}};

		CU_ASSERT_EQUAL_FATAL(fixture_prepare(&f, &peer_disk), 0);
		CU_ASSERT_EQUAL_FATAL(
			testdev_spawn(&f.dev, &f.guest, &f.dev_cfg), 0);
		/* It reads both at once, or one after the other. */
		if (n % 2)
			kill(f.dev.child.pid, SIGSTOP);
		CU_ASSERT_EQUAL(testdev_grant_begin(&f.dev, &f.dev_cfg), 0);
		peer_stop_send(&f.dev);
		if (n >= 2)
			peer_stop_send(&f.dev);
		if (n % 2)
			kill(f.dev.child.pid, SIGCONT);
		peer_dead(&f, &b, 0, "STOP with GRANT");
		CU_ASSERT_TRUE(f.dev.exit_seen);
	}
}

/* STOP while a queue stops and a reset is under way, twice. */
static void test_stop_busy(void)
{
	for (int n = 0; n < 8; n++) {
		Bulkhead__Backend__QueueStop stop =
			BULKHEAD__BACKEND__QUEUE_STOP__INIT;
		Bulkhead__Backend__Reset reset = BULKHEAD__BACKEND__RESET__INIT;
		struct fixture f;
		struct blkdrv b;

		if (!peer_begin(&f, &b))
			return;
		CU_ASSERT_EQUAL(blkdrv_attach(&b, &f.dev, 0), 0);
		peer_fill(&b, VIRTIO_BLK_T_IN);
		kill(f.dev.child.pid, SIGSTOP);
		if (n & 1)
			CU_ASSERT_EQUAL(chan_send(&f.dev.backend,
						  OP(QUEUE_STOP), 900,
						  &stop.base, NULL, 0),
					0);
		if (n & 2)
			CU_ASSERT_EQUAL(chan_send(&f.dev.backend, OP(RESET),
						  901, &reset.base, NULL, 0),
					0);
		peer_stop_send(&f.dev);
		if (n & 4)
			peer_stop_send(&f.dev);
		kill(f.dev.child.pid, SIGCONT);
		peer_dead(&f, &b, 0, "STOP while stopping");
		CU_ASSERT_TRUE(f.dev.exit_seen);
	}
}

/* A vmm that asks and asks and does not read the answers. */
static void test_no_reader(void)
{
	Bulkhead__Backend__Features m = BULKHEAD__BACKEND__FEATURES__INIT;
	struct fixture f;
	struct blkdrv b;
	int rc = 0;

	if (!peer_begin(&f, &b))
		return;
	m.acked = FIXTURE_FEATURES;
	for (uint32_t id = 100; id < 1000000 && rc != -EPIPE; id++) {
		rc = chan_send(&f.dev.backend, OP(FEATURES), id, &m.base, NULL,
			       0);
		if (rc == -EAGAIN)
			usleep(100);
	}
	CU_ASSERT_EQUAL(rc, -EPIPE);
	peer_dead(&f, &b, 1, "answers not read");
}

/* More fds than the device has numbers for: it ends, and leaks nothing. */
static void test_no_numbers(void)
{
	struct fixture f;
	struct blkdrv b;
	struct rlimit lim;

	for (int room = 0; room < 2; room++) {
		if (!peer_begin(&f, &b))
			return;
		lim.rlim_cur =
			(rlim_t)fixture_fd_cnt(f.dev.child.pid) + (rlim_t)room;
		lim.rlim_max = lim.rlim_cur;
		CU_ASSERT_EQUAL_FATAL(
			prlimit(f.dev.child.pid, RLIMIT_NOFILE, &lim, NULL), 0);
		CU_ASSERT_EQUAL(testdev_queue_set(&f.dev, 0, &b.q, 0),
				-ECONNRESET);
		peer_dead(&f, &b, 1, "no fd numbers");
	}
}

static const struct unit_case peer_cases[] = {
	UNIT_CASE(test_fd_kinds),   UNIT_CASE(test_fd_shared),
	UNIT_CASE(test_call_full),  UNIT_CASE(test_close_open),
	UNIT_CASE(test_stop_early), UNIT_CASE(test_stop_busy),
	UNIT_CASE(test_no_reader),  UNIT_CASE(test_no_numbers),
};

const struct unit_suite unit_suites[] = {
	{"blk peer", peer_cases, ARRAY_SIZE(peer_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
