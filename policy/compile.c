// SPDX-License-Identifier: Apache-2.0
/*
 * compile.c - rows to BPF by libseccomp, of which this is the only user. Runs
 * at build time.
 */
#include "policy/compile.h"

#include <errno.h>
#include <seccomp.h>

/* compile_test() - our test as libseccomp's comparison. */
static struct scmp_arg_cmp compile_test(const struct policy_test *t)
{
	struct scmp_arg_cmp cmp = {.arg = t->arg, .op = SCMP_CMP_MASKED_EQ};

	switch (t->op) {
	case POLICY_EQ16:
		cmp.datum_a = UINT16_MAX;
		cmp.datum_b = t->value;
		break;
	case POLICY_EQ32:
		cmp.datum_a = UINT32_MAX;
		cmp.datum_b = t->value;
		break;
	case POLICY_EQ64:
		cmp.op = SCMP_CMP_EQ;
		cmp.datum_a = t->value;
		break;
	case POLICY_CLEAR:
		cmp.datum_a = t->value;
		cmp.datum_b = 0;
		break;
	case POLICY_ONLY32:
		cmp.datum_a = ~t->value & UINT32_MAX;
		cmp.datum_b = 0;
		break;
	case POLICY_ANY:
	case POLICY_OP_COUNT:
		BUG_ON(true);
	}
	return cmp;
}

/* compile_row() - one rule; rows whose refusal is counted stay with the trap */
static int compile_row(scmp_filter_ctx ctx, const struct policy_row *row)
{
	struct scmp_arg_cmp cmp[POLICY_TESTS_MAX];
	unsigned cnt = 0;
	uint32_t action = SCMP_ACT_ALLOW;

	if (row->action == POLICY_REFUSE)
		return 0;
	if (row->action == POLICY_REFUSE_QUIET)
		action = SCMP_ACT_ERRNO((uint32_t)row->error);
	while (cnt < POLICY_TESTS_MAX && row->test[cnt].op != POLICY_ANY) {
		cmp[cnt] = compile_test(&row->test[cnt]);
		cnt++;
	}
	return seccomp_rule_add_array(ctx, action, row->number, cnt, cmp);
}

/* compile_rows() - all rules of @t, and the call that ends the process. */
static int compile_rows(scmp_filter_ctx ctx, const struct policy_table *t,
			const struct policy_row **ret_row)
{
	for (size_t s = 0; s < POLICY_SETS_MAX && t->sets[s]; s++) {
		for (size_t i = 0; i < t->sets[s]->cnt; i++) {
			int ret = compile_row(ctx, &t->sets[s]->rows[i]);

			*ret_row = &t->sets[s]->rows[i];
			if (ret < 0)
				return ret;
		}
	}
	*ret_row = NULL;
	return seccomp_rule_add(ctx, SCMP_ACT_KILL_PROCESS, POLICY_KILL_CALL,
				0);
}

/* compile_cleanup() - for CLEANUP(). */
static void compile_cleanup(scmp_filter_ctx *ctx)
{
	if (*ctx)
		seccomp_release(*ctx);
}

/* compile_export() - builds and hands to one of libseccomp's writers. */
static int compile_export(const struct policy_table *t, int fd,
			  const struct policy_row **ret_row,
			  int (*writer)(scmp_filter_ctx, int))
{
	CLEANUP(compile_cleanup)
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_TRAP);
	int ret;

	*ret_row = NULL;
	if (!ctx)
		return -ENOMEM;
	/* A tree over the numbers, so that the last row costs as the first. */
	ret = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (ret < 0)
		return ret;
	/* Another architecture's calls have other numbers. */
	ret = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
			       SCMP_ACT_KILL_PROCESS);
	if (ret < 0)
		return ret;
	ret = compile_rows(ctx, t, ret_row);
	if (ret < 0)
		return ret;
	return writer(ctx, fd);
}

int policy_compile_bpf(const struct policy_table *t, int fd,
		       const struct policy_row **ret_row)
{
	return compile_export(t, fd, ret_row, seccomp_export_bpf);
}

int policy_compile_pfc(const struct policy_table *t, int fd,
		       const struct policy_row **ret_row)
{
	return compile_export(t, fd, ret_row, seccomp_export_pfc);
}

int policy_name_resolve(const char *name)
{
	return seccomp_syscall_resolve_name(name);
}

char *policy_number_resolve(int number)
{
	return seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, number);
}
