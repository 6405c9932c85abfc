// SPDX-License-Identifier: Apache-2.0
/*
 * bpf_run.c - the part of classic BPF that seccomp filters use: loads of the
 * call's data, jumps on constants, AND, scratch memory, return. A second
 * opinion on what libseccomp generated from our rows.
 */
#include "tests/unit/policy/bpf_run.h"

#include <string.h>

/* bpf_jump() - does the condition hold? */
static bool bpf_jump(unsigned op, uint32_t a, uint32_t k)
{
	switch (op) {
	case BPF_JEQ:
		return a == k;
	case BPF_JGT:
		return a > k;
	case BPF_JGE:
		return a >= k;
	case BPF_JSET:
		return (a & k) != 0;
	default:
		return false;
	}
}

uint32_t bpf_run(const struct policy_bpf *bpf, const struct seccomp_data *data)
{
	uint32_t a = 0, mem[BPF_MEMWORDS] = {0};

	for (uint32_t pc = 0; pc < bpf->cnt; pc++) {
		const struct sock_filter *i = &bpf->insn[pc];

		switch (BPF_CLASS(i->code)) {
		case BPF_LD:
			if (BPF_MODE(i->code) == BPF_MEM)
				a = mem[i->k % BPF_MEMWORDS];
			else if (i->k + 4 <= sizeof(*data))
				memcpy(&a, (const char *)data + i->k, 4);
			else
				return BPF_RUN_BAD;
			break;
		case BPF_ST:
			mem[i->k % BPF_MEMWORDS] = a;
			break;
		case BPF_ALU:
			if (BPF_OP(i->code) != BPF_AND)
				return BPF_RUN_BAD;
			a &= i->k;
			break;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_JA)
				pc += i->k;
			else
				pc += bpf_jump(BPF_OP(i->code), a, i->k)
					      ? i->jt
					      : i->jf;
			break;
		case BPF_RET:
			return i->k;
		default:
			return BPF_RUN_BAD;
		}
	}
	return BPF_RUN_BAD;
}
