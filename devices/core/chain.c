// SPDX-License-Identifier: Apache-2.0
/*
 * chain.c - copies in and out of a popped chain. Runs in every device process,
 * on the thread that serves the queue. The guest writes the memory behind the
 * iovecs at any time: each byte is read once, into memory of ours.
 */
#include "devices/core/chain.h"

#include <errno.h>
#include <string.h>

void chain_iov_skip(struct iovec **iov, uint16_t *cnt, uint64_t len)
{
	while (len > 0 && *cnt > 0) {
		struct iovec *v = *iov;

		if (len < v->iov_len) {
			v->iov_base = (uint8_t *)v->iov_base + len;
			v->iov_len -= len;
			return;
		}
		len -= v->iov_len;
		(*iov)++;
		(*cnt)--;
	}
}

int chain_get(struct chain *c, void *ret_buf, size_t len)
{
	uint8_t *to = ret_buf;
	size_t left = len;

	if (len > c->out_bytes)
		return -EMSGSIZE;
	for (uint16_t i = 0; left > 0; i++) {
		size_t n = c->out[i].iov_len < left ? c->out[i].iov_len : left;

		memcpy(to, c->out[i].iov_base, n);
		to += n;
		left -= n;
	}
	chain_iov_skip(&c->out, &c->out_cnt, len);
	c->out_bytes -= len;
	return 0;
}

int chain_put(struct chain *c, const void *buf, size_t len)
{
	const uint8_t *from = buf;
	size_t left = len;

	if (len > c->in_bytes)
		return -EMSGSIZE;
	for (uint16_t i = 0; left > 0; i++) {
		size_t n = c->in[i].iov_len < left ? c->in[i].iov_len : left;

		memcpy(c->in[i].iov_base, from, n);
		from += n;
		left -= n;
	}
	chain_iov_skip(&c->in, &c->in_cnt, len);
	c->in_bytes -= len;
	return 0;
}

int chain_tail_cut(struct chain *c)
{
	struct iovec *last;

	if (c->in_bytes == 0)
		return -EMSGSIZE;
	last = &c->in[c->in_cnt - 1];
	last->iov_len--;
	c->tail = (uint8_t *)last->iov_base + last->iov_len;
	if (last->iov_len == 0)
		c->in_cnt--;
	c->in_bytes--;
	return 0;
}

void chain_tail_put(struct chain *c, uint8_t value)
{
	BUG_ON(!c->tail);
	*(volatile uint8_t *)c->tail = value;
}
