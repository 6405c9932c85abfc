// SPDX-License-Identifier: Apache-2.0
/*
 * dispatch_test.c - what a row lets in and what decoding refuses: unknown
 * fields and enum values at any depth, broken and oversize messages.
 */
#include "ipc/dispatch.h"

#include <errno.h>
#include <string.h>

#include "proto/child.pb-c.h"
#include "tests/support/unit/unit.h"

enum state { STATE_NEW, STATE_OPEN, STATE_COUNT };

#define ONLY(state) (1u << (state))

/* The row's own check: slot 31 is the highest. */
static int device_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Child__Device *d = (const void *)msg;

	return d->slot >= 1 && d->slot <= 31 ? 0 : -ERANGE;
}

static int no_handle(struct peer *peer, uint32_t id,
		     const ProtobufCMessage *msg, struct fdset *fds)
{
	(void)peer;
	(void)id;
	(void)msg;
	(void)fds;
	return 0;
}

enum { ROW_HELLO, ROW_GRANT, ROW_DEVICE, ROW_READY, ROW_STATS, ROW_ANSWER };

static const struct dispatch_row rows[] = {
	[ROW_HELLO] = {.op = 2,
		       .name = "HELLO",
		       .states = ONLY(STATE_NEW),
		       .once = true,
		       .desc = &bulkhead__child__hello__descriptor,
		       .handle = no_handle},
	[ROW_GRANT] = {.op = 4,
		       .name = "GRANT",
		       .min_fds = 1,
		       .max_fds = FDSET_MAX,
		       .states = ONLY(STATE_NEW) | ONLY(STATE_OPEN),
		       .desc = &bulkhead__child__grant__descriptor,
		       .handle = no_handle},
	[ROW_DEVICE] = {.op = 6,
			.name = "DEVICE",
			.min_fds = 1,
			.max_fds = 1,
			.states = ONLY(STATE_NEW),
			.desc = &bulkhead__child__device__descriptor,
			.check = device_check,
			.handle = no_handle},
	[ROW_READY] = {.op = 8,
		       .name = "READY",
		       .states = ONLY(STATE_NEW),
		       .desc = &bulkhead__child__ready__descriptor,
		       .handle = no_handle},
	[ROW_STATS] = {.op = 22,
		       .name = "STATS",
		       .kind = DISPATCH_REQUEST,
		       .states = ONLY(STATE_OPEN),
		       .desc = &bulkhead__child__stats__descriptor,
		       .handle = no_handle},
	[ROW_ANSWER] = {.op = 23,
			.name = "STATS_REPLY",
			.kind = DISPATCH_ANSWER,
			.states = ONLY(STATE_OPEN),
			.desc = &bulkhead__child__stats_reply__descriptor},
};

static const struct dispatch_table table = {"test", rows, ARRAY_SIZE(rows)};

static void dispatch_finds_rows(void)
{
	for (uint32_t i = 0; i < table.cnt; i++)
		CU_ASSERT_PTR_EQUAL(dispatch_find(&table, rows[i].op),
				    &rows[i]);
	CU_ASSERT_PTR_NULL(dispatch_find(&table, 0));
	CU_ASSERT_PTR_NULL(dispatch_find(&table, 3));
	CU_ASSERT_PTR_NULL(dispatch_find(&table, UINT32_MAX));
}

/* dispatch_admit for one frame. */
static int admit(unsigned row, uint32_t id, size_t fd_cnt, uint32_t state,
		 uint64_t seen)
{
	struct frame f = {.header = {.op = rows[row].op, .id = id},
			  .fds = {.cnt = fd_cnt}};

	return dispatch_admit(&table, &rows[row], &f, state, seen);
}

static void dispatch_admits_by_state(void)
{
	CU_ASSERT_EQUAL(admit(ROW_HELLO, 0, 0, STATE_NEW, 0), 0);
	CU_ASSERT_EQUAL(admit(ROW_HELLO, 0, 0, STATE_OPEN, 0), -EPROTO);
	CU_ASSERT_EQUAL(admit(ROW_STATS, 1, 0, STATE_OPEN, 0), 0);
	CU_ASSERT_EQUAL(admit(ROW_STATS, 1, 0, STATE_NEW, 0), -EPROTO);
	CU_ASSERT_EQUAL(admit(ROW_STATS, 1, 0, 31, 0), -EPROTO);
}

static void dispatch_admits_by_id(void)
{
	CU_ASSERT_EQUAL(admit(ROW_HELLO, 1, 0, STATE_NEW, 0), -EPROTO);
	CU_ASSERT_EQUAL(admit(ROW_STATS, 0, 0, STATE_OPEN, 0), -EPROTO);
	CU_ASSERT_EQUAL(admit(ROW_ANSWER, 0, 0, STATE_OPEN, 0), -EPROTO);
	CU_ASSERT_EQUAL(admit(ROW_ANSWER, UINT32_MAX, 0, STATE_OPEN, 0), 0);
}

static void dispatch_admits_by_fds(void)
{
	CU_ASSERT_EQUAL(admit(ROW_HELLO, 0, 1, STATE_NEW, 0), -EPROTO);
	CU_ASSERT_EQUAL(admit(ROW_DEVICE, 0, 0, STATE_NEW, 0), -EPROTO);
	CU_ASSERT_EQUAL(admit(ROW_DEVICE, 0, 1, STATE_NEW, 0), 0);
	CU_ASSERT_EQUAL(admit(ROW_DEVICE, 0, 2, STATE_NEW, 0), -EPROTO);
	CU_ASSERT_EQUAL(admit(ROW_GRANT, 0, FDSET_MAX, STATE_NEW, 0), 0);
}

static void dispatch_admits_once(void)
{
	CU_ASSERT_EQUAL(admit(ROW_HELLO, 0, 0, STATE_NEW, 1u << ROW_HELLO),
			-EPROTO);
	CU_ASSERT_EQUAL(admit(ROW_HELLO, 0, 0, STATE_NEW, ~1ull), 0);
	CU_ASSERT_EQUAL(admit(ROW_DEVICE, 0, 1, STATE_NEW, ~0ull), 0);
}

static uint8_t wire[FRAME_PAYLOAD_MAX];
static size_t wire_len;

static void wire_set(const ProtobufCMessage *msg)
{
	wire_len = protobuf_c_message_get_packed_size(msg);
	CU_ASSERT_FATAL(wire_len <= sizeof(wire));
	protobuf_c_message_pack(msg, wire);
}

static void wire_add(const void *bytes, size_t len)
{
	CU_ASSERT_FATAL(wire_len + len <= sizeof(wire));
	memcpy(wire + wire_len, bytes, len);
	wire_len += len;
}

/* Decodes wire[] as @row's message. */
static int decode(unsigned row)
{
	const ProtobufCMessage *msg = NULL;
	struct arena a;
	int err;

	CU_ASSERT_EQUAL_FATAL(arena_init(&a), 0);
	err = dispatch_decode(&rows[row], wire, wire_len, &a, &msg);
	CU_ASSERT_EQUAL(msg != NULL, err == 0);
	arena_fini(&a);
	return err;
}

/* A GRANT for the vmm with one of everything. */
static void grant_make(Bulkhead__Child__FdKind kind,
		       Bulkhead__Child__BootProtocol boot)
{
	Bulkhead__Child__Grant g = BULKHEAD__CHILD__GRANT__INIT;
	Bulkhead__Child__Memory m = BULKHEAD__CHILD__MEMORY__INIT;
	Bulkhead__Child__VmmGrant v = BULKHEAD__CHILD__VMM_GRANT__INIT;
	Bulkhead__Memory__Region r = BULKHEAD__MEMORY__REGION__INIT;
	Bulkhead__Memory__Region *regions[] = {&r};
	Bulkhead__Child__FdKind kinds[] = {BULKHEAD__CHILD__FD_KIND__FD_MEMORY,
					   kind};
	char id[] = "vmm";

	m.n_regions = 1;
	m.regions = regions;
	v.boot = boot;
	g.id = id;
	g.n_fds = 2;
	g.fds = kinds;
	g.memory = &m;
	g.confine = BULKHEAD__CHILD__CONFINE__CONFINE_ENFORCE;
	g.vmm = &v;
	wire_set(&g.base);
}

static void dispatch_decodes_good_messages(void)
{
	grant_make(BULKHEAD__CHILD__FD_KIND__FD_KVM,
		   BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_PVH);
	CU_ASSERT_EQUAL(decode(ROW_GRANT), 0);
	wire_len = 0;
	CU_ASSERT_EQUAL(decode(ROW_STATS), 0);
}

static void dispatch_refuses_broken_messages(void)
{
	grant_make(BULKHEAD__CHILD__FD_KIND__FD_KVM,
		   BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_PVH);
	/* Cut anywhere, it is cut inside a field or lacks a required one; only
	 * the optional last field may be missing whole. */
	const size_t vmm_bytes = 18;
	const size_t full = wire_len;

	while (wire_len-- > 0) {
		int want = wire_len == full - vmm_bytes ? 0 : -EBADMSG;

		CU_ASSERT_EQUAL(decode(ROW_GRANT), want);
	}
	wire_len = 0;
	CU_ASSERT_EQUAL(decode(ROW_HELLO), -EBADMSG);
}

/* Field 1000, varint 1. */
static const uint8_t unknown[] = {0xc0, 0x3e, 0x01};

static void dispatch_refuses_unknown_fields(void)
{
	wire_len = 0;
	wire_add(unknown, sizeof(unknown));
	CU_ASSERT_EQUAL(decode(ROW_STATS), -EPROTO);

	/* Inside a repeated submessage: the last Wall of READY. */
	static const uint8_t walls[] = {
		0x0a, 4, 0x0a, 0, 0x10, 1,                   /* good */
		0x0a, 7, 0x0a, 0, 0x10, 1, 0xc0, 0x3e, 0x01, /* one more */
	};

	wire_len = 0;
	wire_add(walls, 6);
	CU_ASSERT_EQUAL(decode(ROW_READY), 0);
	wire_add(walls + 6, sizeof(walls) - 6);
	CU_ASSERT_EQUAL(decode(ROW_READY), -EPROTO);

	/* Inside a region inside memory inside a grant: merged into it. */
	static const uint8_t region[] = {0x12, 9, 8,    0,    0x10, 1,
					 0x18, 0, 0xc0, 0x3e, 1};
	static const uint8_t size[] = {0x08, 1, 0x18, 0, 0x20, 0, 0x28, 1};
	const uint8_t memory[] = {0x1a, sizeof(region) + sizeof(size)};

	grant_make(BULKHEAD__CHILD__FD_KIND__FD_KVM,
		   BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_PVH);
	wire_add(memory, sizeof(memory));
	wire_add(region, sizeof(region));
	wire_add(size, sizeof(size));
	CU_ASSERT_EQUAL(decode(ROW_GRANT), -EPROTO);
}

static void dispatch_refuses_bad_enums(void)
{
	Bulkhead__Child__Hello h = BULKHEAD__CHILD__HELLO__INIT;
	char build[] = "";

	h.build = build;
	h.role = BULKHEAD__CHILD__ROLE__ROLE_GPU;
	wire_set(&h.base);
	CU_ASSERT_EQUAL(decode(ROW_HELLO), 0);
	h.role = (Bulkhead__Child__Role)6;
	wire_set(&h.base);
	CU_ASSERT_EQUAL(decode(ROW_HELLO), -EPROTO);
	h.role = (Bulkhead__Child__Role)-1;
	wire_set(&h.base);
	CU_ASSERT_EQUAL(decode(ROW_HELLO), -EPROTO);
}

static void dispatch_refuses_bad_enums_nested(void)
{
	grant_make(BULKHEAD__CHILD__FD_KIND__FD_KVM,
		   (Bulkhead__Child__BootProtocol)3);
	CU_ASSERT_EQUAL(decode(ROW_GRANT), -EPROTO);
}

static void dispatch_refuses_bad_enums_repeated(void)
{
	/* Two more kinds, packed: one that is there, one that is not. */
	static const uint8_t packed[] = {0x12, 2, 8, 99};

	grant_make((Bulkhead__Child__FdKind)0,
		   BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_PVH);
	CU_ASSERT_EQUAL(decode(ROW_GRANT), -EPROTO);
	grant_make(BULKHEAD__CHILD__FD_KIND__FD_KVM,
		   BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_PVH);
	wire_add(packed, sizeof(packed));
	CU_ASSERT_EQUAL(decode(ROW_GRANT), -EPROTO);
	wire[wire_len - 1] = 7;
	CU_ASSERT_EQUAL(decode(ROW_GRANT), 0);
}

/* Small on the wire, large in memory: the arena says when. */
static void dispatch_refuses_oversize(void)
{
	static const uint8_t wall[] = {0x0a, 4, 0x0a, 0, 0x10, 1};
	static const uint8_t kind[] = {0x10, 1};

	wire_len = 0;
	for (unsigned i = 0; i < 100; i++)
		wire_add(wall, sizeof(wall));
	CU_ASSERT_EQUAL(decode(ROW_READY), 0);
	while (wire_len + sizeof(wall) <= FRAME_PAYLOAD_MAX)
		wire_add(wall, sizeof(wall));
	CU_ASSERT_EQUAL(decode(ROW_READY), -EBADMSG);

	grant_make(BULKHEAD__CHILD__FD_KIND__FD_KVM,
		   BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_PVH);
	while (wire_len + sizeof(kind) <= FRAME_PAYLOAD_MAX)
		wire_add(kind, sizeof(kind));
	CU_ASSERT_EQUAL(decode(ROW_GRANT), -EBADMSG);
}

static void dispatch_runs_the_rows_check(void)
{
	Bulkhead__Child__Device d = BULKHEAD__CHILD__DEVICE__INIT;
	char id[] = "disk0";

	d.id = id;
	d.slot = 31;
	wire_set(&d.base);
	CU_ASSERT_EQUAL(decode(ROW_DEVICE), 0);
	d.slot = 32;
	wire_set(&d.base);
	CU_ASSERT_EQUAL(decode(ROW_DEVICE), -ERANGE);
}

/* Is a table with this one row well-formed? */
static bool row_ok(struct dispatch_row row)
{
	struct dispatch_table t = {"one", &row, 1};

	return dispatch_table_ok(&t);
}

static void dispatch_knows_bad_tables(void)
{
	struct dispatch_row twice[] = {rows[0], rows[1], rows[0]};
	struct dispatch_table t = {"twice", twice, 3};
	struct dispatch_row r = rows[ROW_HELLO];

	CU_ASSERT(dispatch_table_ok(&table));
	CU_ASSERT(row_ok(r));
	CU_ASSERT_FALSE(dispatch_table_ok(&t));
	t.cnt = 0;
	CU_ASSERT_FALSE(dispatch_table_ok(&t));
	t = (struct dispatch_table){"long", rows, DISPATCH_ROWS_MAX + 1};
	CU_ASSERT_FALSE(dispatch_table_ok(&t));
	r.op = 3;
	CU_ASSERT_FALSE(row_ok(r));
	r = rows[ROW_ANSWER];
	r.op = 22;
	CU_ASSERT_FALSE(row_ok(r));
	r = rows[ROW_DEVICE];
	r.max_fds = 0;
	CU_ASSERT_FALSE(row_ok(r));
	r.max_fds = FDSET_MAX + 1;
	CU_ASSERT_FALSE(row_ok(r));
	r = rows[ROW_STATS];
	r.handle = NULL;
	CU_ASSERT_FALSE(row_ok(r));
	r = rows[ROW_STATS];
	r.states = 0;
	CU_ASSERT_FALSE(row_ok(r));
}

static const struct unit_case dispatch_cases[] = {
	UNIT_CASE(dispatch_finds_rows),
	UNIT_CASE(dispatch_admits_by_state),
	UNIT_CASE(dispatch_admits_by_id),
	UNIT_CASE(dispatch_admits_by_fds),
	UNIT_CASE(dispatch_admits_once),
	UNIT_CASE(dispatch_decodes_good_messages),
	UNIT_CASE(dispatch_refuses_broken_messages),
	UNIT_CASE(dispatch_refuses_unknown_fields),
	UNIT_CASE(dispatch_refuses_bad_enums),
	UNIT_CASE(dispatch_refuses_bad_enums_nested),
	UNIT_CASE(dispatch_refuses_bad_enums_repeated),
	UNIT_CASE(dispatch_refuses_oversize),
	UNIT_CASE(dispatch_runs_the_rows_check),
	UNIT_CASE(dispatch_knows_bad_tables),
};

const struct unit_suite unit_suites[] = {
	{"dispatch", dispatch_cases, ARRAY_SIZE(dispatch_cases)},
};
const size_t unit_suite_cnt = ARRAY_SIZE(unit_suites);
