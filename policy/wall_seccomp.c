// SPDX-License-Identifier: Apache-2.0
/*
 * wall_seccomp.c - loads the filters that policygen made of the tables.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ipc/spawn.h"
#include "policy/filters.h"
#include "policy/violation.h"
#include "policy/wall.h"

/* Set by wall_seccomp_build(), constant afterwards. */
static struct {
	bool built;
	enum role role;
	enum confine_mode mode;
} seccomp_state;

/* Room for the longest filter and the opening of log mode. */
#define SECCOMP_INSNS_MAX 1024
#define SECCOMP_OPENING_INSNS 5

/**
 * seccomp_opening() - log mode: what comes from violation_stub() is allowed
 * Writes SECCOMP_OPENING_INSNS instructions, which precede the filter.
 */
static void seccomp_opening(struct sock_filter *insn)
{
	uint64_t ip = violation_stub_ip();
	uint32_t at = offsetof(struct seccomp_data, instruction_pointer);
	const struct sock_filter opening[SECCOMP_OPENING_INSNS] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)ip, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(ip >> 32), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	memcpy(insn, opening, sizeof(opening));
}

/* seccomp_load() - puts one filter on the calling thread. */
static int seccomp_load(enum policy_filter filter, enum confine_mode mode)
{
	const struct policy_bpf *bpf = &policy_filters[filter];
	struct sock_filter insn[SECCOMP_INSNS_MAX];
	struct sock_fprog prog = {.filter = insn};
	unsigned short head = 0;

	if (bpf->cnt > SECCOMP_INSNS_MAX - SECCOMP_OPENING_INSNS)
		return -E2BIG;
	if (mode == CONFINE_MODE_LOG) {
		seccomp_opening(insn);
		head = SECCOMP_OPENING_INSNS;
	}
	memcpy(insn + head, bpf->insn, bpf->cnt * sizeof(*insn));
	prog.len = (unsigned short)(head + bpf->cnt);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0
		       ? -errno
		       : 0;
}

/**
 * wall_seccomp_build() - the calls of the role's table and no other
 *
 * Should: be the last wall; its filter refuses what the others are built with.
 * Install the handler first, or a violation would go unreported.
 * Mustn't: come after a thread was made, which would be without it.
 * Return: 0; -ENOTSUP no table for this role yet, or a sanitizer build, whose
 * run-time makes calls of its own; other -errno.
 */
int wall_seccomp_build(enum role role, enum confine_mode mode)
{
	enum policy_filter filter = policy_filter_of_role(role);
	int ret;

	if (filter == POLICY_FILTER_COUNT || WALL_SANITIZED)
		return -ENOTSUP;
	ret = violation_init(policy_table(filter), mode,
			     role == ROLE_MONITOR ? 2 : CHILD_FD_LOG);
	if (ret < 0)
		return ret;
	ret = seccomp_load(filter, mode);
	if (ret < 0)
		return ret;
	seccomp_state.built = true;
	seccomp_state.role = role;
	seccomp_state.mode = mode;
	return 0;
}

int confine_thread(enum confine_thread_kind kind)
{
	enum policy_filter filter;
	int ret;

	if (!seccomp_state.built)
		return 0;
	filter = policy_filter_of_thread(seccomp_state.role, kind);
	if (filter == POLICY_FILTER_COUNT)
		return 0;
	/* A worker may have been made with all signals blocked. */
	ret = violation_unblock();
	if (ret < 0)
		return ret;
	violation_thread_set(policy_table(filter));
	return seccomp_load(filter, seccomp_state.mode);
}
