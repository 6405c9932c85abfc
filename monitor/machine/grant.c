// SPDX-License-Identifier: Apache-2.0
/*
 * grant.c - builds the GRANT frames. Runs in the monitor. The table of what a
 * role may hold is in ARCHITECTURE.md section 1; nothing else is sent.
 */
#include "monitor/machine/grant.h"

#include <stdio.h>
#include <string.h>

#include "ipc/fds.h"
#include "monitor/machine/walls.h"

/* Slot 0 is the host bridge. */
#define GRANT_SLOT_FIRST 1u

/**
 * struct grant_fds - the fds of one frame and their kinds
 */
struct grant_fds {
	int fd[FDSET_MAX];
	Bulkhead__Child__FdKind kind[FDSET_MAX];
	size_t cnt;
};

/* grant_add() - @fd (borrowed), if there is one. */
static void grant_add(struct grant_fds *fds, Bulkhead__Child__FdKind kind,
		      int fd)
{
	if (fd < 0)
		return;
	BUG_ON(fds->cnt == FDSET_MAX);
	fds->fd[fds->cnt] = fd;
	fds->kind[fds->cnt++] = kind;
}

/**
 * struct grant_memory - the memory part, with the arrays that it points to
 */
struct grant_memory {
	Bulkhead__Child__Memory msg;
	Bulkhead__Memory__Region region[MEMTABLE_REGIONS_MAX];
	Bulkhead__Memory__Region *ptr[MEMTABLE_REGIONS_MAX];
};

/* grant_memory_fill() - @g->msg points into @g. */
static void grant_memory_fill(const struct machine *m, struct grant_memory *g)
{
	const struct memory *mem = &m->res->memory;

	bulkhead__child__memory__init(&g->msg);
	for (uint32_t i = 0; i < mem->table.cnt; i++) {
		bulkhead__memory__region__init(&g->region[i]);
		g->region[i].gpa = mem->table.region[i].gpa;
		g->region[i].size = mem->table.region[i].size;
		g->region[i].offset = mem->table.region[i].offset;
		g->ptr[i] = &g->region[i];
	}
	g->msg.size = mem->size_bytes;
	g->msg.n_regions = mem->table.cnt;
	g->msg.regions = g->ptr;
	g->msg.transparent_huge = mem->transparent_huge;
	g->msg.prefault = m->cfg->prefault;
	g->msg.page_size = mem->page_bytes;
}

/* By enum config_boot. */
static const Bulkhead__Child__BootProtocol grant_boot[] = {
	[CONFIG_BOOT_AUTO] = BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_AUTO,
	[CONFIG_BOOT_LINUX64] = BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_LINUX64,
	[CONFIG_BOOT_PVH] = BULKHEAD__CHILD__BOOT_PROTOCOL__BOOT_PVH,
};

/* grant_send() - the common part, then the frame; exactly one of vmm, blk. */
static int grant_send(struct machine *m, struct child *c, struct grant_fds *fds,
		      Bulkhead__Child__VmmGrant *vmm,
		      Bulkhead__Child__BlkGrant *blk)
{
	Bulkhead__Child__Grant grant = BULKHEAD__CHILD__GRANT__INIT;
	struct grant_memory memory;
	struct walls_grant walls;
	char id[CONFIG_ID_MAX + 1];

	(void)snprintf(id, sizeof(id), "%s", c->id);
	grant_memory_fill(m, &memory);
	grant.id = id;
	grant.n_fds = fds->cnt;
	grant.fds = fds->kind;
	grant.memory = &memory.msg;
	walls_grant(m, (uint32_t)(c - m->children), &walls, &grant);
	grant.vmm = vmm;
	grant.blk = blk;
	return child_send(c, BULKHEAD__CHILD__OP__OP_GRANT, &grant.base,
			  fds->fd, fds->cnt);
}

/* grant_device() - disk @idx and the vmm's end of its channel. */
static int grant_device(struct machine *m, uint32_t idx)
{
	Bulkhead__Child__Device device = BULKHEAD__CHILD__DEVICE__INIT;
	char id[CONFIG_ID_MAX + 1];
	int ret;

	(void)snprintf(id, sizeof(id), "%s", m->cfg->disks[idx].id);
	device.id = id;
	device.role = BULKHEAD__CHILD__ROLE__ROLE_BLK;
	device.slot = GRANT_SLOT_FIRST + idx;
	ret = child_send(&m->children[0], BULKHEAD__CHILD__OP__OP_DEVICE,
			 &device.base, &m->backend[idx][0], 1);
	/* A copy here would keep the device from seeing the vmm's end. */
	fd_cleanup(&m->backend[idx][0]);
	return ret;
}

int grant_vmm(struct machine *m)
{
	Bulkhead__Child__VmmGrant vmm = BULKHEAD__CHILD__VMM_GRANT__INIT;
	struct resources *res = m->res;
	struct grant_fds fds = {.cnt = 0};
	char *cmdline = m->cfg->cmdline;
	int ret;

	grant_add(&fds, BULKHEAD__CHILD__FD_KIND__FD_MEMORY, res->memory.fd);
	grant_add(&fds, BULKHEAD__CHILD__FD_KIND__FD_KVM, res->kvm.fd);
	grant_add(&fds, BULKHEAD__CHILD__FD_KIND__FD_KERNEL, res->kernel_fd);
	grant_add(&fds, BULKHEAD__CHILD__FD_KIND__FD_INITRD, res->initrd_fd);
	grant_add(&fds, BULKHEAD__CHILD__FD_KIND__FD_CONSOLE_IN,
		  res->console.in);
	grant_add(&fds, BULKHEAD__CHILD__FD_KIND__FD_CONSOLE_OUT,
		  res->console.out);
	vmm.cpus = (uint32_t)m->cfg->cpus;
	vmm.cmdline.data = (uint8_t *)cmdline;
	vmm.cmdline.len = cmdline ? strlen(cmdline) : 0;
	vmm.device_cnt = m->cfg->disk_cnt;
	vmm.boot = grant_boot[m->cfg->boot];
	vmm.serial = m->cfg->console_mode != CONFIG_CONSOLE_NONE;
	vmm.console_escape = res->console.tty;
	vmm.debug_exit = m->cfg->debug_exit;
	vmm.pvpanic = m->cfg->pvpanic;
	ret = grant_send(m, &m->children[0], &fds, &vmm, NULL);
	/* The monitor keeps no KVM fd and none of the kernel's files. */
	fd_cleanup(&res->kvm.fd);
	fd_cleanup(&res->kernel_fd);
	fd_cleanup(&res->initrd_fd);
	fd_cleanup(&res->console.in);
	fd_cleanup(&res->console.out);
	for (uint32_t i = 0; i < m->cfg->disk_cnt && !ret; i++)
		ret = grant_device(m, i);
	return ret;
}

int grant_blk(struct machine *m, uint32_t idx)
{
	Bulkhead__Child__BlkGrant blk = BULKHEAD__CHILD__BLK_GRANT__INIT;
	const struct image *image = &m->res->images[idx];
	struct grant_fds fds = {.cnt = 0};
	uint32_t cpus = (uint32_t)m->cfg->cpus;
	int ret;

	grant_add(&fds, BULKHEAD__CHILD__FD_KIND__FD_MEMORY, m->res->memory.fd);
	grant_add(&fds, BULKHEAD__CHILD__FD_KIND__FD_IMAGE, image->fd);
	grant_add(&fds, BULKHEAD__CHILD__FD_KIND__FD_BACKEND,
		  m->backend[idx][1]);
	blk.read_only = m->cfg->disks[idx].readonly;
	blk.serial.data = (uint8_t *)m->res->serial[idx];
	blk.serial.len = strlen(m->res->serial[idx]);
	blk.size = image->size_bytes;
	blk.queue_cnt =
		cpus < GRANT_BLK_QUEUES_MAX ? cpus : GRANT_BLK_QUEUES_MAX;
	blk.queue_size = GRANT_BLK_QUEUE_SIZE;
	ret = grant_send(m, &m->children[1 + idx], &fds, NULL, &blk);
	fd_cleanup(&m->backend[idx][1]);
	return ret;
}
