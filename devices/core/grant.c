// SPDX-License-Identifier: Apache-2.0
/*
 * grant.c - checks and copies GRANT. Runs in every device process, before its
 * walls. The monitor is trusted by design, but a device does not rely on it:
 * a wrong grant ends the process with a reason.
 */
#include "devices/core/grant.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "policy/confine_grant.h"

/** grant_slot() - where the fd of a kind belongs; NULL for one not ours. */
static int *grant_slot(struct grant *g, const struct backend_ops *ops,
		       Bulkhead__Child__FdKind kind)
{
	if (kind == BULKHEAD__CHILD__FD_KIND__FD_MEMORY)
		return &g->memory_fd;
	if (kind == BULKHEAD__CHILD__FD_KIND__FD_BACKEND)
		return &g->backend_fd;
	for (size_t i = 0; i < ops->fd_cnt; i++) {
		if (ops->fds[i].kind == kind)
			return &g->fds[i];
	}
	return NULL;
}

void grant_init(struct grant *g)
{
	*g = (struct grant){.memory_fd = -1, .backend_fd = -1};
	for (size_t i = 0; i < BACKEND_FDS_MAX; i++)
		g->fds[i] = -1;
}

void grant_fini(struct grant *g)
{
	fd_cleanup(&g->memory_fd);
	fd_cleanup(&g->backend_fd);
	for (size_t i = 0; i < BACKEND_FDS_MAX; i++)
		fd_cleanup(&g->fds[i]);
}

/** grant_id_ok() - 1..GRANT_ID_MAX printable characters. */
static bool grant_id_ok(const char *id)
{
	size_t len = strnlen(id, GRANT_ID_MAX + 1);

	if (len == 0 || len > GRANT_ID_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (id[i] <= ' ' || id[i] > '~')
			return false;
	}
	return true;
}

int grant_check(const ProtobufCMessage *msg)
{
	const Bulkhead__Child__Grant *m = (const void *)msg;

	if (!grant_id_ok(m->id) || m->n_fds > FDSET_MAX)
		return -EPROTO;
	if (m->memory->size == 0 || m->memory->n_regions == 0 ||
	    m->memory->n_regions > MEMTABLE_REGIONS_MAX)
		return -EPROTO;
	/* Which device part is there is for the device to say. */
	return m->vmm ? -EPROTO : 0;
}

/** grant_fds_take() - each fd into its slot. 0 or -EPROTO. */
static int grant_fds_take(struct grant *g, const struct backend_ops *ops,
			  const Bulkhead__Child__Grant *msg, struct fdset *fds)
{
	if (msg->n_fds != fds->cnt)
		return -EPROTO;
	for (size_t i = 0; i < msg->n_fds; i++) {
		int *slot = grant_slot(g, ops, msg->fds[i]);

		if (!slot || *slot >= 0)
			return -EPROTO;
		*slot = fdset_take(fds, i);
	}
	if (g->memory_fd < 0 || g->backend_fd < 0)
		return -EPROTO;
	for (size_t i = 0; i < ops->fd_cnt; i++) {
		if (ops->fds[i].required && g->fds[i] < 0)
			return -EPROTO;
	}
	return 0;
}

int grant_take(struct grant *g, const struct backend_ops *ops,
	       const Bulkhead__Child__Grant *msg, struct fdset *fds)
{
	int rc = memtable_from_proto(msg->memory->regions,
				     msg->memory->n_regions, msg->memory->size,
				     &g->memory);

	if (rc < 0)
		return rc;
	memcpy(g->id, msg->id, strlen(msg->id) + 1);
	g->memory_bytes = msg->memory->size;
	g->transparent_huge = msg->memory->transparent_huge;
	g->prefault = msg->memory->prefault;
	rc = confine_grant_take(msg, &g->confine);
	if (rc < 0)
		return rc;
	return grant_fds_take(g, ops, msg, fds);
}
