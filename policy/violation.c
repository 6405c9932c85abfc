// SPDX-License-Identifier: Apache-2.0
/*
 * violation.c - the SIGSYS handler. Runs in every confined process, in whatever
 * state a compromised or merely newer program has brought it, so everything
 * here is async-signal-safe: no lock, no allocation, no stdio.
 *
 * Theory of operation
 *
 * The filters answer every call that they do not allow with SECCOMP_RET_TRAP.
 * The handler looks the call up in the same table that the filter was made of:
 *  - a row says REFUSE: libc's unasked call is counted and gets its error;
 *  - no row, enforcing: one report on the log channel, then a call that the
 *    filter answers with KILL_PROCESS. Not a raised signal: as init of its pid
 *    namespace the process would ignore it;
 *  - no row, logging: one report per call and form, then the call is made from
 *    violation_stub(), whose address the filter lets through in this mode.
 * A thread that blocks SIGSYS is killed by the kernel without a report.
 */
#include "policy/violation.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "ipc/frame.h"
#include "ipc/spawn.h"

#ifndef SYS_SECCOMP
#define SYS_SECCOMP 1 /* si_code of a trapped call */
#endif

#define VIOLATION_SEEN_MAX 256

/* Set before the filter is loaded, constant afterwards. */
static struct {
	const struct policy_table *table;
	enum confine_mode mode;
	int fd;
	void (*farewell)(void);
} violation_state;

static _Thread_local const struct policy_table *violation_thread;
static atomic_uint_fast64_t violation_refused;
/* Log mode: keys of what was reported; 0 is free. */
static atomic_uint_fast64_t violation_seen[VIOLATION_SEEN_MAX];

/*
 * The arguments come as an array, since the caller's registers are in use. The
 * label is the address that the kernel hands to the filter.
 */
__asm__(".text\n"
	".globl violation_stub\n"
	".type violation_stub, @function\n"
	"violation_stub:\n"
	"	endbr64\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rcx\n"
	"	mov (%rcx), %rdi\n"
	"	mov 8(%rcx), %rsi\n"
	"	mov 16(%rcx), %rdx\n"
	"	mov 24(%rcx), %r10\n"
	"	mov 32(%rcx), %r8\n"
	"	mov 40(%rcx), %r9\n"
	"	syscall\n"
	"violation_stub_after:\n"
	"	ret\n"
	".size violation_stub, . - violation_stub\n");
extern const char violation_stub_after[];

uint64_t violation_stub_ip(void)
{
	return (uint64_t)(uintptr_t)violation_stub_after;
}

uint64_t confine_refusals(void)
{
	return atomic_load_explicit(&violation_refused, memory_order_relaxed);
}

void confine_on_violation(void (*fn)(void))
{
	violation_state.farewell = fn;
}

void violation_thread_set(const struct policy_table *t)
{
	violation_thread = t;
}

/* violation_report() - one record; a full or closed channel loses it. */
static void violation_report(const struct violation *v)
{
	char text[VIOLATION_TEXT_MAX];
	uint8_t frame[VIOLATION_TEXT_MAX + 128];
	struct timespec now = {0};
	size_t len = violation_format(v, text);
	ssize_t ret;

	if (violation_state.fd != CHILD_FD_LOG) {
		struct pollfd p = {.fd = violation_state.fd, .events = POLLOUT};

		text[len++] = '\n';
		/* A reader who stopped must not keep it alive. */
		ret = poll(&p, 1, 0) == 1 ? write(p.fd, text, len) : -1;
	} else {
		(void)clock_gettime(CLOCK_REALTIME, &now);
		len = violation_frame(text, len,
				      (uint64_t)now.tv_sec * 1000000000u +
					      (uint64_t)now.tv_nsec,
				      frame, sizeof(frame));
		ret = write(violation_state.fd, frame, len);
	}
	(void)ret;
}

/**
 * violation_is_new() - was this call in this form reported before?
 * A full table stays silent: a report each time would be a flood.
 */
static bool violation_is_new(const struct violation *v)
{
	uint_fast64_t key = (uint_fast64_t)(uint32_t)v->number + 1;

	if (v->number == SYS_ioctl || v->number == SYS_fcntl ||
	    v->number == SYS_futex)
		key |= v->args[1] << 32;
	else if (v->number == SYS_prctl || v->number == SYS_clone)
		key |= v->args[0] << 32;
	else if (v->number == SYS_madvise || v->number == SYS_tgkill)
		key |= v->args[2] << 32;
	for (size_t i = 0; i < VIOLATION_SEEN_MAX; i++) {
		uint_fast64_t old = 0;

		if (atomic_compare_exchange_strong(&violation_seen[i], &old,
						   key))
			return true;
		if (old == key)
			return false;
	}
	return false;
}

/* violation_pass() - log mode: what the call would have returned. */
static long violation_pass(const struct violation *v)
{
	if (violation_is_new(v))
		violation_report(v);
	/* A child of these would return onto a stack that is not the stub's. */
	if (v->number == SYS_clone || v->number == SYS_clone3 ||
	    v->number == SYS_vfork || v->number == SYS_fork)
		return -ENOSYS;
	return violation_stub(v->number, v->args);
}

/* violation_kill() - ends the process by SIGSYS, by the kernel's own hand. */
static void violation_kill(const struct violation *v)
{
	static const uint64_t none[6];

	void (*farewell)(void) = violation_state.farewell;

	violation_report(v);
	/* Once: what it does may be refused, too. */
	violation_state.farewell = NULL;
	if (farewell)
		farewell();
	(void)violation_stub(POLICY_KILL_CALL, none);
	/* Not reached with a filter of ours in place. */
	_exit(128 + SIGSYS);
}

/**
 * violation_row() - the row that decided
 * @ret_filter: name of the table that had no row for it
 * Return: NULL if one of the two tables has none.
 */
static const struct policy_row *
violation_row(int number, const uint64_t args[6], const char **ret_filter)
{
	const struct policy_row *row =
		policy_match(violation_state.table, number, args);

	*ret_filter = violation_state.table->name;
	if (!row || row->action != POLICY_ALLOW || !violation_thread)
		return row;
	*ret_filter = violation_thread->name;
	return policy_match(violation_thread, number, args);
}

/* violation_handle() - see the theory of operation above. */
static void violation_handle(int sig, siginfo_t *info, void *ctx)
{
	int saved = errno;
	greg_t *regs = ((ucontext_t *)ctx)->uc_mcontext.gregs;
	const uint64_t args[6] = {
		(uint64_t)regs[REG_RDI], (uint64_t)regs[REG_RSI],
		(uint64_t)regs[REG_RDX], (uint64_t)regs[REG_R10],
		(uint64_t)regs[REG_R8],  (uint64_t)regs[REG_R9],
	};
	struct violation v = {.number = info->si_syscall,
			      .args = args,
			      .mode = violation_state.mode};
	const struct policy_row *row;

	(void)sig;
	if (info->si_code != SYS_SECCOMP)
		return; /* sent by somebody, not by the filter */
	row = violation_row(v.number, args, &v.filter);
	if (row && row->action != POLICY_ALLOW) {
		atomic_fetch_add_explicit(&violation_refused, 1,
					  memory_order_relaxed);
		regs[REG_RAX] = -row->error;
	} else if (v.mode == CONFINE_MODE_LOG) {
		regs[REG_RAX] = violation_pass(&v);
	} else {
		violation_kill(&v);
	}
	errno = saved;
}

int violation_unblock(void)
{
	sigset_t set;

	if (sigemptyset(&set) < 0 || sigaddset(&set, SIGSYS) < 0)
		return -errno;
	return -pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int violation_init(const struct policy_table *t, enum confine_mode mode, int fd)
{
	struct sigaction sa = {.sa_sigaction = violation_handle,
			       .sa_flags = SA_SIGINFO};

	violation_state.table = t;
	violation_state.mode = mode;
	violation_state.fd = fd;
	if (sigemptyset(&sa.sa_mask) < 0 || sigaction(SIGSYS, &sa, NULL) < 0)
		return -errno;
	return violation_unblock();
}
