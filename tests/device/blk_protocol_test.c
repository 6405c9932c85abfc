// SPDX-License-Identifier: Apache-2.0
/*
 * blk_protocol_test.c - a monitor and a vmm that break their protocols: the
 * device ends with status 1, in every state. What may be the guest's doing is
 * answered with an error instead, and the device goes on.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/device/blk_fixture.h"
#include "tests/support/unit/unit.h"

#define OP(name) BULKHEAD__BACKEND__OP__OP_##name

/* How far a vmm gets before it misbehaves. */
enum stage { STAGE_NEW, STAGE_INFO, STAGE_RESET, STAGE_FEATURES, STAGE_RUN };

static const struct drvq_config proto_mode = {16, false, false};

/** proto_reach() - a device whose channel is at @stage. 0 or -errno. */
static int proto_reach(struct fixture *f, struct drvq *q, enum stage stage)
{
	int rc = fixture_prepare(f, &(struct fixture_config){0});

	if (!rc)
		rc = testdev_spawn(&f->dev, &f->guest, &f->dev_cfg);
	if (!rc)
		rc = testdev_grant(&f->dev, &f->dev_cfg);
	if (!rc)
		rc = drvq_init(q, &f->guest, &proto_mode);
	if (!rc && stage >= STAGE_INFO)
		rc = testdev_info(&f->dev);
	if (!rc && stage >= STAGE_RESET)
		rc = testdev_memory(&f->dev);
	if (!rc && stage >= STAGE_FEATURES)
		rc = testdev_features(&f->dev, FIXTURE_FEATURES);
	if (!rc && stage >= STAGE_RUN)
		rc = testdev_queue_set(&f->dev, 0, q, 0);
	if (!rc && stage >= STAGE_RUN)
		rc = testdev_queue_start(&f->dev, 0);
	return rc;
}

/** proto_dead() - the device ended with status 1. */
static bool proto_dead(struct fixture *f, struct drvq *q)
{
	int rc = testdev_wait_exit(&f->dev, 5000);

	drvq_fini(q);
	fixture_free(f);
	if (rc != 1)
		fprintf(stderr, "exit status %d\n", rc);
	return rc == 1;
}

/**
 * struct frame_case - a frame that only a broken vmm sends
 * @magic: XORed into the right one
 * @more: added to the length field
 * @fds: eventfds that come with it
 */
struct frame_case {
	const char *name;
	enum stage stage;
	uint32_t op;
	uint32_t id;
	uint32_t magic;
	uint32_t more;
	int fds;
	const char *payload;
	size_t len;
};

#define PAYLOAD(s) s, sizeof(s) - 1

static const struct frame_case frame_cases[] = {
	{"MEMORY before INFO", STAGE_NEW, OP(MEMORY), 1, 0, 0, 0, PAYLOAD("")},
	{"FEATURES before INFO", STAGE_NEW, OP(FEATURES), 1, 0, 0, 0,
	 PAYLOAD("\x08\x00")},
	{"RESET before INFO", STAGE_NEW, OP(RESET), 1, 0, 0, 0, PAYLOAD("")},
	{"INFO twice", STAGE_INFO, OP(INFO), 1, 0, 0, 0, PAYLOAD("")},
	{"empty memory table", STAGE_INFO, OP(MEMORY), 1, 0, 0, 0, PAYLOAD("")},
	{"another memory table", STAGE_INFO, OP(MEMORY), 1, 0, 0, 0,
	 PAYLOAD("\x0a\x08\x08\x00\x10\x80\x80\x04\x18\x00")},
	{"FEATURES before MEMORY", STAGE_INFO, OP(FEATURES), 1, 0, 0, 0,
	 PAYLOAD("\x08\x00")},
	{"MEMORY twice", STAGE_RESET, OP(MEMORY), 1, 0, 0, 0, PAYLOAD("")},
	{"QUEUE_START before FEATURES", STAGE_RESET, OP(QUEUE_START), 1, 0, 0,
	 0, PAYLOAD("\x08\x00")},
	{"fds on FEATURES", STAGE_RESET, OP(FEATURES), 1, 0, 0, 1,
	 PAYLOAD("\x08\x00")},
	{"QUEUE_SET without fds", STAGE_FEATURES, OP(QUEUE_SET), 1, 0, 0, 0,
	 PAYLOAD("\x08\x00\x10\x10\x18\x01\x20\x01\x28\x01\x30\x00")},
	{"QUEUE_SET with one fd", STAGE_FEATURES, OP(QUEUE_SET), 1, 0, 0, 1,
	 PAYLOAD("\x08\x00\x10\x10\x18\x01\x20\x01\x28\x01\x30\x00")},
	{"QUEUE_SET with three fds", STAGE_FEATURES, OP(QUEUE_SET), 1, 0, 0, 3,
	 PAYLOAD("\x08\x00\x10\x10\x18\x01\x20\x01\x28\x01\x30\x00")},
	{"queue index 64", STAGE_FEATURES, OP(QUEUE_STOP), 1, 0, 0, 0,
	 PAYLOAD("\x08\x40")},
	{"position 65536", STAGE_FEATURES, OP(QUEUE_SET), 1, 0, 0, 2,
	 PAYLOAD("\x08\x00\x10\x10\x18\x01\x20\x01\x28\x01\x30\x80\x80\x04")},
	{"CONFIG_WRITE of nothing", STAGE_FEATURES, OP(CONFIG_WRITE), 1, 0, 0,
	 0, PAYLOAD("\x08\x00\x12\x00")},
	{"CONFIG_WRITE of 9 bytes", STAGE_FEATURES, OP(CONFIG_WRITE), 1, 0, 0,
	 0,
	 PAYLOAD("\x08\x00\x12\x09"
		 "123456789")},
	{"unknown op", STAGE_RUN, 98, 1, 0, 0, 0, PAYLOAD("")},
	{"event of a request", STAGE_RUN, OP(RESET), 0, 0, 0, 0, PAYLOAD("")},
	{"answer to nothing", STAGE_RUN, OP(INFO_REPLY), 1, 0, 0, 0,
	 PAYLOAD("")},
	{"op of our direction", STAGE_RUN, OP(NEEDS_RESET), 0, 0, 0, 0,
	 PAYLOAD("\x0a\x01x")},
	{"unknown field", STAGE_RUN, OP(RESET), 1, 0, 0, 0,
	 PAYLOAD("\x78\x01")},
	{"required field missing", STAGE_RUN, OP(FEATURES), 1, 0, 0, 0,
	 PAYLOAD("")},
	{"garbage", STAGE_RUN, OP(QUEUE_SET), 1, 0, 0, 2,
	 PAYLOAD("\xff\xff\xff\xff")},
	{"bad magic", STAGE_RUN, OP(RESET), 1, 1, 0, 0, PAYLOAD("")},
	{"length over the data", STAGE_RUN, OP(RESET), 1, 0, 1, 0, PAYLOAD("")},
	{"length over the maximum", STAGE_RUN, OP(RESET), 1, 0, 1u << 20, 0,
	 PAYLOAD("")},
};

/** proto_frame_send() - the frame as it stands, right or wrong. */
static bool proto_frame_send(int fd, const struct frame_case *c)
{
	uint8_t bytes[FRAME_HEADER_BYTES + 64];
	_Alignas(struct cmsghdr)
		uint8_t control[CMSG_SPACE(4 * sizeof(int))] = {0};
	uint32_t head[4] = {FRAME_MAGIC ^ c->magic, (uint32_t)c->len + c->more,
			    c->op, c->id};
	struct iovec iov = {bytes, FRAME_HEADER_BYTES + c->len};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	int fds[4] = {-1, -1, -1, -1};
	bool sent;

	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + sizeof(head), c->payload, c->len);
	if (c->fds) {
		/* As CMSG_FIRSTHDR, which could be NULL for other buffers. */
		struct cmsghdr *h = (void *)control;

		m.msg_control = control;
		m.msg_controllen = CMSG_SPACE((size_t)c->fds * sizeof(int));
		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN((size_t)c->fds * sizeof(int));
		for (int i = 0; i < c->fds; i++)
			fds[i] = eventfd(0, EFD_CLOEXEC);
		memcpy(CMSG_DATA(h), fds, (size_t)c->fds * sizeof(int));
	}
	sent = sendmsg(fd, &m, MSG_NOSIGNAL) == (ssize_t)iov.iov_len;
	for (int i = 0; i < c->fds; i++)
		close(fds[i]);
	return sent;
}

static void test_vmm_frames(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(frame_cases); i++) {
		const struct frame_case *c = &frame_cases[i];
		struct fixture f;
		struct drvq q;

		CU_ASSERT_EQUAL_FATAL(proto_reach(&f, &q, c->stage), 0);
		CU_ASSERT_TRUE(proto_frame_send(f.dev.backend.fd, c));
		if (!proto_dead(&f, &q)) {
			fprintf(stderr, "frame: %s\n", c->name);
			CU_FAIL(c->name);
		}
	}
}

/* Kick and call must be eventfds. */
static void test_vmm_fds(void)
{
	Bulkhead__Backend__QueueSet m = BULKHEAD__BACKEND__QUEUE_SET__INIT;
	struct fixture f;
	struct drvq q;

	CU_ASSERT_EQUAL_FATAL(proto_reach(&f, &q, STAGE_FEATURES), 0);
	const int fds[2] = {f.image_fd, q.call_fd};

	m.size = 16;
	m.desc_gpa = q.desc_gpa;
	m.driver_gpa = q.avail_gpa;
	m.device_gpa = q.used_gpa;
	CU_ASSERT_EQUAL(testdev_queue_set_raw(&f.dev, &m, fds), -ECONNRESET);
	CU_ASSERT_TRUE(proto_dead(&f, &q));
}

/* Either end that goes away ends the device. */
static void test_closed(void)
{
	struct fixture f;
	struct drvq q;

	for (int which = 0; which < 2; which++) {
		CU_ASSERT_EQUAL_FATAL(proto_reach(&f, &q, STAGE_RUN), 0);
		chan_fini(which ? &f.dev.control : &f.dev.backend);
		CU_ASSERT_TRUE(proto_dead(&f, &q));
	}
}

/** struct set_case - queue addresses as a guest may write them */
struct set_case {
	const char *name;
	uint32_t index;
	uint32_t size;
	uint64_t desc;
	uint64_t driver;
	uint64_t device;
	int error;
};

static const struct set_case set_cases[] = {
	{"index", 1, 16, 0x10000, 0x20000, 0x30000, -EINVAL},
	{"size 0", 0, 0, 0x10000, 0x20000, 0x30000, -EINVAL},
	{"size 3", 0, 3, 0x10000, 0x20000, 0x30000, -EINVAL},
	{"size 512", 0, 512, 0x10000, 0x20000, 0x30000, -EINVAL},
	{"size 32768", 0, 32768, 0x10000, 0x20000, 0x30000, -EINVAL},
	{"desc 0", 0, 16, 0, 0x20000, 0x30000, -EINVAL},
	{"driver 0", 0, 16, 0x10000, 0, 0x30000, -EINVAL},
	{"device 0", 0, 16, 0x10000, 0x20000, 0, -EINVAL},
	{"desc misaligned", 0, 16, 0x10008, 0x20000, 0x30000, -EINVAL},
	{"driver misaligned", 0, 16, 0x10000, 0x20001, 0x30000, -EINVAL},
	{"device misaligned", 0, 16, 0x10000, 0x20000, 0x30002, -EINVAL},
	{"desc outside", 0, 16, FIXTURE_GUEST_BYTES, 0x20000, 0x30000, -EFAULT},
	{"driver across the end", 0, 16, 0x10000, FIXTURE_GUEST_BYTES - 8,
	 0x30000, -EFAULT},
	{"device wraps", 0, 16, 0x10000, 0x20000, UINT64_MAX - 15, -EFAULT},
};

static void test_queue_refused(void)
{
	struct fixture f;
	struct drvq q;

	CU_ASSERT_EQUAL_FATAL(proto_reach(&f, &q, STAGE_FEATURES), 0);
	const int fds[2] = {q.kick_fd, q.call_fd};

	for (size_t i = 0; i < ARRAY_SIZE(set_cases); i++) {
		const struct set_case *c = &set_cases[i];
		Bulkhead__Backend__QueueSet m =
			BULKHEAD__BACKEND__QUEUE_SET__INIT;
		int rc;

		m.index = c->index;
		m.size = c->size;
		m.desc_gpa = c->desc;
		m.driver_gpa = c->driver;
		m.device_gpa = c->device;
		rc = testdev_queue_set_raw(&f.dev, &m, fds);
		if (!rc)
			rc = testdev_queue_start(&f.dev, c->index);
		if (rc != c->error) {
			fprintf(stderr, "set: %s: %d\n", c->name, rc);
			CU_FAIL(c->name);
		}
	}
	CU_ASSERT_EQUAL(testdev_queue_set(&f.dev, 0, &q, 0), 0);
	CU_ASSERT_EQUAL(testdev_queue_start(&f.dev, 0), 0);
	drvq_fini(&q);
	CU_ASSERT_EQUAL(fixture_end(&f), 0);
}

/* Requests that do not fit the state of the device are answered. */
static void test_order(void)
{
	struct fixture f;
	struct drvq q;
	uint16_t position;
	uint8_t byte = 1;

	CU_ASSERT_EQUAL_FATAL(proto_reach(&f, &q, STAGE_FEATURES), 0);
	CU_ASSERT_EQUAL(testdev_features(&f.dev, UINT64_MAX), -EINVAL);
	CU_ASSERT_EQUAL(testdev_features(&f.dev, FIXTURE_BIT(63)), -EINVAL);
	CU_ASSERT_EQUAL(testdev_queue_start(&f.dev, 0), -EINVAL);
	CU_ASSERT_EQUAL(testdev_queue_start(&f.dev, 63), -EINVAL);
	CU_ASSERT_EQUAL(testdev_queue_stop(&f.dev, 0, &position), -EINVAL);
	CU_ASSERT_EQUAL(testdev_config_write(&f.dev, 0, &byte, 1), -EINVAL);
	CU_ASSERT_EQUAL(testdev_queue_set(&f.dev, 0, &q, 0), 0);
	CU_ASSERT_EQUAL(testdev_queue_stop(&f.dev, 0, &position), -EINVAL);
	CU_ASSERT_EQUAL(testdev_queue_start(&f.dev, 0), 0);
	CU_ASSERT_EQUAL(testdev_queue_start(&f.dev, 0), -EBUSY);
	CU_ASSERT_EQUAL(testdev_queue_set(&f.dev, 0, &q, 0), -EBUSY);
	CU_ASSERT_EQUAL(testdev_features(&f.dev, FIXTURE_FEATURES), -EBUSY);
	CU_ASSERT_EQUAL(testdev_reset(&f.dev), 0);
	CU_ASSERT_EQUAL(testdev_reset(&f.dev), 0);
	/* Features are forgotten: a queue now would be a broken vmm. */
	CU_ASSERT_EQUAL(testdev_queue_set(&f.dev, 0, &q, 0), -ECONNRESET);
	CU_ASSERT_TRUE(proto_dead(&f, &q));
}

/* Memory that could be cut under us, or is not what is said, is refused. */
static void test_memory_refused(void)
{
	for (int which = 0; which < 3; which++) {
		struct fixture f;
		int fd = memfd_create("guest", MFD_CLOEXEC | MFD_ALLOW_SEALING);

		CU_ASSERT_EQUAL_FATAL(
			fixture_prepare(&f, &(struct fixture_config){0}), 0);
		CU_ASSERT_EQUAL(ftruncate(fd, FIXTURE_GUEST_BYTES -
						      (which == 1 ? 4096 : 0)),
				0);
		if (which)
			CU_ASSERT_EQUAL(fcntl(fd, F_ADD_SEALS,
					      which == 1 ? F_SEAL_SHRINK |
								   F_SEAL_GROW
							 : F_SEAL_GROW),
					0);
		close(f.guest.fd);
		f.guest.fd = fd;
		CU_ASSERT_EQUAL(testdev_spawn(&f.dev, &f.guest, &f.dev_cfg), 0);
		CU_ASSERT_NOT_EQUAL(testdev_grant(&f.dev, &f.dev_cfg), 0);
		CU_ASSERT_EQUAL(testdev_wait_exit(&f.dev, 5000), 1);
		fixture_free(&f);
	}
}

/** struct grant_case - a grant of a broken monitor */
struct grant_case {
	uint32_t queue_cnt;
	uint32_t queue_size;
	uint64_t size;
	const char *serial;
};

static const struct grant_case grant_cases[] = {
	{0, 256, 4096, "s"},       {17, 256, 4096, "s"}, {1, 0, 4096, "s"},
	{1, 100, 4096, "s"},       {1, 2048, 4096, "s"}, {1, 256, 0, "s"},
	{1, 256, 1000, "s"},       {1, 256, 4096, ""},   {1, 2, 4096, "s"},
	{1, 256, 1ull << 63, "s"},
};

static void test_grant_refused(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(grant_cases); i++) {
		const struct grant_case *c = &grant_cases[i];
		struct fixture f;

		CU_ASSERT_EQUAL_FATAL(
			fixture_prepare(&f, &(struct fixture_config){0}), 0);
		f.dev_cfg.queue_cnt = c->queue_cnt;
		f.dev_cfg.queue_size = c->queue_size;
		f.dev_cfg.size = c->size;
		f.dev_cfg.serial = c->serial;
		CU_ASSERT_EQUAL(testdev_spawn(&f.dev, &f.guest, &f.dev_cfg), 0);
		CU_ASSERT_NOT_EQUAL(testdev_grant(&f.dev, &f.dev_cfg), 0);
		CU_ASSERT_EQUAL(testdev_wait_exit(&f.dev, 5000), 1);
		fixture_free(&f);
	}
}

/* A second GRANT, and STATS before the first. */
static void test_monitor_order(void)
{
	struct fixture f;
	struct drvq q;
	uint64_t v;

	CU_ASSERT_EQUAL_FATAL(proto_reach(&f, &q, STAGE_RUN), 0);
	CU_ASSERT_NOT_EQUAL(testdev_grant(&f.dev, &f.dev_cfg), 0);
	CU_ASSERT_TRUE(proto_dead(&f, &q));
	CU_ASSERT_EQUAL_FATAL(fixture_prepare(&f, &(struct fixture_config){0}),
			      0);
	CU_ASSERT_EQUAL(testdev_spawn(&f.dev, &f.guest, &f.dev_cfg), 0);
	CU_ASSERT_NOT_EQUAL(testdev_stat(&f.dev, "queue-kicks", &v), 0);
	CU_ASSERT_EQUAL(testdev_wait_exit(&f.dev, 5000), 1);
	fixture_free(&f);
}

static const struct unit_case proto_cases[] = {
	UNIT_CASE(test_vmm_frames),    UNIT_CASE(test_vmm_fds),
	UNIT_CASE(test_closed),        UNIT_CASE(test_queue_refused),
	UNIT_CASE(test_order),         UNIT_CASE(test_memory_refused),
	UNIT_CASE(test_grant_refused), UNIT_CASE(test_monitor_order),
};

const struct unit_suite unit_suites[] = {
	{"blk protocol", proto_cases, ARRAY_SIZE(proto_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
