// SPDX-License-Identifier: Apache-2.0
/*
 * control_check.c - bounds of child.proto messages that the vmm receives. Pure;
 * fuzzed.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "ipc/fds.h"
#include "vmm/control.h"

#define CONTROL_CMDLINE_MAX 32768u

/** control_id_ok() - 1..DEVPROXY_ID_MAX printable bytes */
static bool control_id_ok(const char *id)
{
	size_t len = strnlen(id, DEVPROXY_ID_MAX + 1);

	if (len == 0 || len > DEVPROXY_ID_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (id[i] < 0x21 || id[i] > 0x7e)
			return false;
	}
	return true;
}

#define CONTROL_FD_BIT(kind) (1u << BULKHEAD__CHILD__FD_KIND__##kind)
#define CONTROL_FDS_NEEDED                                    \
	(CONTROL_FD_BIT(FD_MEMORY) | CONTROL_FD_BIT(FD_KVM) | \
	 CONTROL_FD_BIT(FD_KERNEL))
#define CONTROL_FDS_ALLOWED                               \
	(CONTROL_FDS_NEEDED | CONTROL_FD_BIT(FD_INITRD) | \
	 CONTROL_FD_BIT(FD_CONSOLE_IN) | CONTROL_FD_BIT(FD_CONSOLE_OUT))

/** control_fds_ok() - each kind once, all needed, none that is not ours */
static bool control_fds_ok(const Bulkhead__Child__Grant *m)
{
	uint32_t seen = 0;

	if (m->n_fds > FDSET_MAX)
		return false;
	for (size_t i = 0; i < m->n_fds; i++) {
		uint32_t kind = (uint32_t)m->fds[i];
		uint32_t bit = kind < 32 ? 1u << kind : 0;

		if (!(CONTROL_FDS_ALLOWED & bit) || (seen & bit))
			return false;
		seen |= bit;
	}
	return (seen & CONTROL_FDS_NEEDED) == CONTROL_FDS_NEEDED;
}

/** control_page_ok() - a page size that x86-64 has */
static bool control_page_ok(uint64_t bytes)
{
	return bytes == 4096 || bytes == 2ULL << 20 || bytes == 1ULL << 30;
}

int control_grant_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Child__Grant *m = (const void *)msg;

	if (!control_fds_ok(m) || !m->vmm || m->blk || m->memory->size == 0 ||
	    m->memory->n_regions == 0 ||
	    m->memory->n_regions > MEMTABLE_REGIONS_MAX ||
	    !control_page_ok(m->memory->page_size) || m->vmm->cpus == 0 ||
	    m->vmm->cpus > LAYOUT_CPUS_MAX ||
	    m->vmm->device_cnt > MACHINE_DEVICES_MAX ||
	    m->vmm->cmdline.len > CONTROL_CMDLINE_MAX)
		return -EPROTO;
	return 0;
}

int control_device_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Child__Device *m = (const void *)msg;

	if (!control_id_ok(m->id) || m->slot == 0 || m->slot >= PCI_SLOTS ||
	    m->role <= BULKHEAD__CHILD__ROLE__ROLE_VMM)
		return -EPROTO;
	return 0;
}
