// SPDX-License-Identifier: Apache-2.0
/*
 * checks_test.c - the pure checks of messages that the vmm receives: one change
 * to a good message at a time must be refused.
 */
#include <errno.h>
#include <linux/virtio_config.h>
#include <string.h>

#include "proto/backend.pb-c.h"
#include "tests/support/unit/unit.h"
#include "vmm/control.h"
#include "vmm/virtio/devproxy_check.h"

/* A GRANT that is good, with the parts that it points to. */
static struct {
	Bulkhead__Child__Grant g;
	Bulkhead__Child__Memory mem;
	Bulkhead__Child__VmmGrant vmm;
	Bulkhead__Child__FdKind kinds[8];
	Bulkhead__Memory__Region region;
	Bulkhead__Memory__Region *regions[9];
	char id[8];
} w;

static void grant_good(void)
{
	bulkhead__child__grant__init(&w.g);
	bulkhead__child__memory__init(&w.mem);
	bulkhead__child__vmm_grant__init(&w.vmm);
	bulkhead__memory__region__init(&w.region);
	strcpy(w.id, "vmm");
	w.kinds[0] = BULKHEAD__CHILD__FD_KIND__FD_MEMORY;
	w.kinds[1] = BULKHEAD__CHILD__FD_KIND__FD_KVM;
	w.kinds[2] = BULKHEAD__CHILD__FD_KIND__FD_KERNEL;
	w.kinds[3] = BULKHEAD__CHILD__FD_KIND__FD_CONSOLE_OUT;
	for (size_t i = 0; i < ARRAY_SIZE(w.regions); i++)
		w.regions[i] = &w.region;
	w.mem.size = 64 << 20;
	w.mem.n_regions = 1;
	w.mem.regions = w.regions;
	w.mem.page_size = 4096;
	w.vmm.cpus = 1;
	w.g.id = w.id;
	w.g.n_fds = 4;
	w.g.fds = w.kinds;
	w.g.memory = &w.mem;
	w.g.vmm = &w.vmm;
}

#define GRANT_BAD(change)                                                 \
	do {                                                              \
		grant_good();                                             \
		change;                                                   \
		CU_ASSERT_EQUAL(control_grant_check(&w.g.base), -EPROTO); \
	} while (0)

static void test_grant(void)
{
	Bulkhead__Child__BlkGrant blk = BULKHEAD__CHILD__BLK_GRANT__INIT;

	grant_good();
	CU_ASSERT_EQUAL(control_grant_check(&w.g.base), 0);
	w.vmm.cpus = 32;
	w.vmm.device_cnt = 31;
	CU_ASSERT_EQUAL(control_grant_check(&w.g.base), 0);
	GRANT_BAD(w.vmm.cpus = 0);
	GRANT_BAD(w.vmm.cpus = 33);
	GRANT_BAD(w.vmm.device_cnt = 32);
	GRANT_BAD(w.vmm.cmdline.len = 32769);
	GRANT_BAD(w.g.vmm = NULL);
	GRANT_BAD(w.g.blk = &blk);
	GRANT_BAD(w.mem.size = 0);
	GRANT_BAD(w.mem.n_regions = 0);
	GRANT_BAD(w.mem.n_regions = 9);
	GRANT_BAD(w.mem.page_size = 8192);
	GRANT_BAD(w.g.n_fds = 2);
	GRANT_BAD(w.g.n_fds = 9);
	GRANT_BAD(w.kinds[2] = BULKHEAD__CHILD__FD_KIND__FD_INITRD);
	GRANT_BAD(w.kinds[3] = BULKHEAD__CHILD__FD_KIND__FD_KERNEL);
	GRANT_BAD(w.kinds[3] = BULKHEAD__CHILD__FD_KIND__FD_IMAGE);
	GRANT_BAD(w.kinds[3] = BULKHEAD__CHILD__FD_KIND__FD_BACKEND);
	GRANT_BAD(w.kinds[3] = (Bulkhead__Child__FdKind)-1);
}

static void test_device(void)
{
	Bulkhead__Child__Device d = BULKHEAD__CHILD__DEVICE__INIT;
	char id[80] = "disk0";

	d.id = id;
	d.role = BULKHEAD__CHILD__ROLE__ROLE_BLK;
	d.slot = 1;
	CU_ASSERT_EQUAL(control_device_check(&d.base), 0);
	d.slot = 31;
	CU_ASSERT_EQUAL(control_device_check(&d.base), 0);
	d.slot = 0;
	CU_ASSERT_EQUAL(control_device_check(&d.base), -EPROTO);
	d.slot = 32;
	CU_ASSERT_EQUAL(control_device_check(&d.base), -EPROTO);
	d.slot = 1;
	d.role = BULKHEAD__CHILD__ROLE__ROLE_VMM;
	CU_ASSERT_EQUAL(control_device_check(&d.base), -EPROTO);
	d.role = BULKHEAD__CHILD__ROLE__ROLE_NET;
	id[0] = '\0';
	CU_ASSERT_EQUAL(control_device_check(&d.base), -EPROTO);
	strcpy(id, "a b");
	CU_ASSERT_EQUAL(control_device_check(&d.base), -EPROTO);
	memset(id, 'a', 65);
	id[65] = '\0';
	CU_ASSERT_EQUAL(control_device_check(&d.base), -EPROTO);
	id[64] = '\0';
	CU_ASSERT_EQUAL(control_device_check(&d.base), 0);
}

static uint32_t sizes[65];
static Bulkhead__Backend__InfoReply info;

static void info_good(void)
{
	bulkhead__backend__info_reply__init(&info);
	info.virtio_id = 2;
	info.features = 1ULL << VIRTIO_F_VERSION_1;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		sizes[i] = 256;
	info.n_queue_sizes = 1;
	info.queue_sizes = sizes;
	info.config.len = 60;
}

#define INFO_BAD(change)                                                   \
	do {                                                               \
		info_good();                                               \
		change;                                                    \
		CU_ASSERT_EQUAL(devproxy_info_check(&info.base), -EPROTO); \
	} while (0)

static void test_info(void)
{
	info_good();
	CU_ASSERT_EQUAL(devproxy_info_check(&info.base), 0);
	info.n_queue_sizes = 64;
	info.config.len = 256;
	info.config_writable = 256;
	sizes[63] = 32768;
	CU_ASSERT_EQUAL(devproxy_info_check(&info.base), 0);
	INFO_BAD(info.virtio_id = 0);
	INFO_BAD(info.virtio_id = 64);
	INFO_BAD(info.features = 1);
	INFO_BAD(info.n_queue_sizes = 0);
	INFO_BAD(info.n_queue_sizes = 65);
	INFO_BAD(sizes[0] = 0);
	INFO_BAD(sizes[0] = 3);
	INFO_BAD(sizes[0] = 65536);
	INFO_BAD(info.config.len = 257);
	INFO_BAD(info.config_writable = 61);
}

static void test_replies(void)
{
	Bulkhead__Backend__Reply r = BULKHEAD__BACKEND__REPLY__INIT;
	Bulkhead__Backend__QueueStopReply s =
		BULKHEAD__BACKEND__QUEUE_STOP_REPLY__INIT;
	Bulkhead__Backend__ConfigPush p = BULKHEAD__BACKEND__CONFIG_PUSH__INIT;
	Bulkhead__Backend__NeedsReset n = BULKHEAD__BACKEND__NEEDS_RESET__INIT;
	char reason[202];

	CU_ASSERT_EQUAL(devproxy_reply_check(&r.base), 0);
	r.error = 4096;
	CU_ASSERT_EQUAL(devproxy_reply_check(&r.base), -EPROTO);
	CU_ASSERT_EQUAL(devproxy_stop_check(&s.base), -EPROTO);
	s.has_position = 1;
	s.position = 65535;
	CU_ASSERT_EQUAL(devproxy_stop_check(&s.base), 0);
	s.position = 65536;
	CU_ASSERT_EQUAL(devproxy_stop_check(&s.base), -EPROTO);
	s.position = 0;
	s.error = EINVAL;
	CU_ASSERT_EQUAL(devproxy_stop_check(&s.base), -EPROTO);
	s.has_position = 0;
	CU_ASSERT_EQUAL(devproxy_stop_check(&s.base), 0);
	p.config.len = 257;
	CU_ASSERT_EQUAL(devproxy_push_check(&p.base), -EPROTO);
	memset(reason, 'a', sizeof(reason));
	reason[201] = '\0';
	n.reason = reason;
	CU_ASSERT_EQUAL(devproxy_needs_reset_check(&n.base), -EPROTO);
	reason[200] = '\0';
	CU_ASSERT_EQUAL(devproxy_needs_reset_check(&n.base), 0);
}

static const struct unit_case cases[] = {
	UNIT_CASE(test_grant),
	UNIT_CASE(test_device),
	UNIT_CASE(test_info),
	UNIT_CASE(test_replies),
};
const struct unit_suite unit_suites[] = {{"checks", cases, ARRAY_SIZE(cases)}};
const size_t unit_suite_cnt = 1;
