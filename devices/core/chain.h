/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.h - one descriptor chain after it was copied and translated: what the
 * guest may no longer change. Data goes in and out of guest memory through the
 * copy helpers here or through the iovecs, which devices hand to the kernel and
 * never dereference. VIRTIO 1.2 section 2.6.4 (message framing): no layout of
 * the buffers is assumed.
 */
#ifndef DEVICES_CORE_CHAIN_H
#define DEVICES_CORE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "ipc/compiler.h"

/**
 * struct chain - a popped chain
 * @idx: slot in its queue, 0..size-1; devices index their own records with it
 * @generation: of the slot, changes each time it is popped into
 * @head: descriptor to return
 * @out: out[0..out_cnt), what the device may read, in order
 * @out_bytes: sum of @out
 * @in: in[0..in_cnt), what the device may write, in order
 * @in_bytes: sum of @in
 * @tail: last writable byte after chain_tail_cut, else NULL
 * @busy: popped and not pushed yet
 */
struct chain {
	uint16_t idx;
	uint16_t head;
	uint16_t out_cnt;
	uint16_t in_cnt;
	uint32_t generation;
	struct iovec *out;
	struct iovec *in;
	uint64_t out_bytes;
	uint64_t in_bytes;
	uint8_t *tail;
	bool busy;
};

/**
 * chain_get() - copies the next @len readable bytes out and consumes them
 * Return: 0; -EMSGSIZE fewer are left (nothing is consumed).
 */
MUST_CHECK int chain_get(struct chain *c, void *ret_buf, size_t len);

/**
 * chain_put() - copies @len bytes into the next writable ones, consumes them
 * Return: 0; -EMSGSIZE fewer are left (nothing is written).
 */
MUST_CHECK int chain_put(struct chain *c, const void *buf, size_t len);

/**
 * chain_tail_cut() - takes the last writable byte away from @in and keeps it
 * Return: 0; -EMSGSIZE there is no writable byte.
 */
MUST_CHECK int chain_tail_cut(struct chain *c);
/** chain_tail_put() - writes the byte that chain_tail_cut kept. */
void chain_tail_put(struct chain *c, uint8_t value);

/**
 * chain_iov_skip() - consumes @len bytes at the front of an iovec array
 * @len: at most the sum of the array
 */
void chain_iov_skip(struct iovec **iov, uint16_t *cnt, uint64_t len);

#endif
