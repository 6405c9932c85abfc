// SPDX-License-Identifier: Apache-2.0
/*
 * msix.c - MSI-X table, pending bits and irqfds. Runs on vCPU threads under the
 * function's lock; offsets and values come from the guest.
 */
#include "vmm/pci/msix.h"

#include <stddef.h>
#include <unistd.h>

#define LOG_MODULE "msix"
#include "ipc/log.h"

#define MSIX_CTRL_MASKED 1u

void msix_init(struct msix *m, const struct msix_ops *ops, void *ctx,
	       uint32_t vector_cnt, uint32_t gsi_base)
{
	BUG_ON(vector_cnt == 0 || vector_cnt > MSIX_VECTORS_MAX);
	*m = (struct msix){.ops = ops,
			   .ctx = ctx,
			   .vector_cnt = vector_cnt,
			   .gsi_base = gsi_base};
	for (uint32_t v = 0; v < vector_cnt; v++) {
		m->entry[v].ctrl = MSIX_CTRL_MASKED;
		m->routed[v].ctrl = MSIX_CTRL_MASKED;
	}
}

void msix_source_add(struct msix *m, int fd)
{
	BUG_ON(m->source_cnt == MSIX_SOURCES_MAX);
	m->source[m->source_cnt++] = (struct msix_source){
		.fd = fd, .vector = MSIX_NO_VECTOR, .gsi = MSIX_GSI_NONE};
}

/** msix_vector_live() - would this vector fire now? */
static bool msix_vector_live(const struct msix *m, uint32_t vector)
{
	return m->enabled && !m->function_masked && m->bus_master &&
	       vector < m->vector_cnt &&
	       !(m->entry[vector].ctrl & MSIX_CTRL_MASKED);
}

/** msix_route_update() - tells KVM a vector's message if it has another. */
static int msix_route_update(struct msix *m, uint32_t vector)
{
	const struct msix_entry *e = &m->entry[vector];
	struct msix_entry *r = &m->routed[vector];
	int ret;

	if (!(r->ctrl & MSIX_CTRL_MASKED) && r->addr_lo == e->addr_lo &&
	    r->addr_hi == e->addr_hi && r->data == e->data)
		return 0;
	ret = m->ops->route(m->ctx, m->gsi_base + vector,
			    (uint64_t)e->addr_hi << 32 | e->addr_lo, e->data);
	if (ret < 0) {
		log_guest(LOG_LEVEL_WARN, "vector=%u: message refused: %d",
			  vector, ret);
		return ret;
	}
	*r = *e;
	return 0;
}

/** msix_source_detach() - the eventfd keeps what comes from here on. */
static void msix_source_detach(struct msix *m, struct msix_source *s)
{
	int ret;

	if (s->gsi == MSIX_GSI_NONE)
		return;
	ret = m->ops->irqfd(m->ctx, s->gsi, s->fd, false);
	if (ret < 0)
		log_err("gsi=%u: cannot end irqfd: %d", s->gsi, ret);
	s->gsi = MSIX_GSI_NONE;
}

/** msix_source_sync() - makes the irqfd what the registers say. */
static void msix_source_sync(struct msix *m, struct msix_source *s)
{
	uint32_t gsi = MSIX_GSI_NONE;
	int ret;

	if (msix_vector_live(m, s->vector) &&
	    msix_route_update(m, s->vector) == 0)
		gsi = m->gsi_base + s->vector;
	if (gsi == s->gsi)
		return;
	msix_source_detach(m, s);
	if (gsi == MSIX_GSI_NONE)
		return;
	ret = m->ops->irqfd(m->ctx, gsi, s->fd, true);
	if (ret < 0)
		log_err("gsi=%u: cannot make irqfd: %d", gsi, ret);
	else
		s->gsi = gsi;
}

/** msix_vector_sync() - after a change of one table entry. */
static void msix_vector_sync(struct msix *m, uint32_t vector)
{
	for (uint32_t i = 0; i < m->source_cnt; i++) {
		if (m->source[i].vector == vector)
			msix_source_sync(m, &m->source[i]);
	}
}

void msix_source_set(struct msix *m, uint32_t source, uint16_t vector)
{
	struct msix_source *s = &m->source[source];

	BUG_ON(source >= m->source_cnt);
	s->vector = vector < m->vector_cnt ? vector : MSIX_NO_VECTOR;
	msix_source_sync(m, s);
}

void msix_control(struct msix *m, bool enabled, bool function_masked,
		  bool bus_master)
{
	if (m->enabled == enabled && m->function_masked == function_masked &&
	    m->bus_master == bus_master)
		return;
	m->enabled = enabled;
	m->function_masked = function_masked;
	m->bus_master = bus_master;
	for (uint32_t i = 0; i < m->source_cnt; i++)
		msix_source_sync(m, &m->source[i]);
}

void msix_reset(struct msix *m)
{
	for (uint32_t i = 0; i < m->source_cnt; i++) {
		struct msix_source *s = &m->source[i];
		uint64_t cnt;

		msix_source_detach(m, s);
		s->vector = MSIX_NO_VECTOR;
		/* Non-blocking: empty is as good as emptied. */
		if (read(s->fd, &cnt, sizeof(cnt)) < 0)
			continue;
	}
}

/** msix_word() - the 32-bit word at word index @idx of the table. */
static uint32_t *msix_word(struct msix_entry *e, uint64_t idx)
{
	switch (idx & 3) {
	case 0:
		return &e->addr_lo;
	case 1:
		return &e->addr_hi;
	case 2:
		return &e->data;
	default:
		return &e->ctrl;
	}
}

uint64_t msix_table_read(const struct msix *m, uint64_t offset, uint32_t len)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < len; i++) {
		uint64_t at = offset + i;
		struct msix_entry e;

		if (at / MSIX_ENTRY_BYTES >= m->vector_cnt)
			break;
		e = m->entry[at / MSIX_ENTRY_BYTES];
		value |= (uint64_t)((*msix_word(&e, at / 4) >> (at % 4 * 8)) &
				    0xff)
			 << (i * 8);
	}
	return value;
}

void msix_table_write(struct msix *m, uint64_t offset, uint32_t len,
		      uint64_t value)
{
	uint64_t vector = offset / MSIX_ENTRY_BYTES;
	struct msix_entry *e;

	if ((len != 4 && len != 8) || offset % len != 0 ||
	    vector >= m->vector_cnt)
		return;
	e = &m->entry[vector];
	*msix_word(e, offset / 4) = (uint32_t)value;
	if (len == 8)
		*msix_word(e, offset / 4 + 1) = (uint32_t)(value >> 32);
	/* Address bits 1:0 are reserved, as is all of ctrl but the mask. */
	e->addr_lo &= ~3u;
	e->ctrl &= MSIX_CTRL_MASKED;
	msix_vector_sync(m, (uint32_t)vector);
}

/**
 * msix_fd_pending() - is the counter of an eventfd that KVM does not watch
 * above 0? Looking takes it, so it is put back; others may only add to it.
 */
static bool msix_fd_pending(int fd)
{
	uint64_t cnt = 0;

	if (read(fd, &cnt, sizeof(cnt)) != (ssize_t)sizeof(cnt) || cnt == 0)
		return false;
	/* Refused only if it is full already: pending all the same. */
	if (write(fd, &cnt, sizeof(cnt)) < 0)
		log_guest(LOG_LEVEL_DEBUG, "pending counter is full");
	return true;
}

/** msix_pending() - has a source of this vector fired unseen? */
static bool msix_pending(const struct msix *m, uint32_t vector)
{
	for (uint32_t i = 0; i < m->source_cnt; i++) {
		const struct msix_source *s = &m->source[i];

		if (s->vector == vector && s->gsi == MSIX_GSI_NONE &&
		    msix_fd_pending(s->fd))
			return true;
	}
	return false;
}

uint64_t msix_pba_read(const struct msix *m, uint64_t offset, uint32_t len)
{
	uint64_t value = 0;

	for (uint32_t bit = 0; bit < len * 8; bit++) {
		uint64_t vector = offset * 8 + bit;

		if (vector >= m->vector_cnt)
			break;
		if (msix_pending(m, (uint32_t)vector))
			value |= 1ULL << bit;
	}
	return value;
}
