/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall.h - the walls, one function each; private to policy/. confine.c calls
 * them in the order of its theory of operation.
 */
#ifndef POLICY_WALL_H
#define POLICY_WALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ipc/compiler.h"
#include "policy/confine.h"

/* A sanitizer's run-time makes calls of its own: no filter in such builds. */
#ifdef BULKHEAD_SANITIZED
#define WALL_SANITIZED true
#else
#define WALL_SANITIZED false
#endif

/** wall_set() - writes one row of the report. */
void wall_set(struct confine_report *r, enum confine_wall_id id, bool stands,
	      const char *fmt, ...) PRINTF_LIKE(4, 5);

/* wall_early.c */
MUST_CHECK int wall_dumpable_build(void);
MUST_CHECK int wall_pdeathsig_build(void);
MUST_CHECK int wall_fds_build(void);
MUST_CHECK int wall_nnp_build(void);

/* wall_namespaces.c: the monitor's; is @now of wall @id another than before? */
MUST_CHECK int wall_namespaces_build(uint32_t may_miss);
bool wall_namespace_left(enum confine_wall_id id, ino_t now);
/* wall_root.c: *ret_stacked: the old root could not be left, only covered */
MUST_CHECK int wall_root_build(bool *ret_stacked);
/* does AppArmor keep user namespaces from mounting? while there is a /proc */
bool wall_root_apparmor(void);
/* wall_caps.c */
MUST_CHECK int wall_caps_build(void);
/* may we make namespaces without one for users? */
bool wall_caps_admin(void);
/* wall_ids.c: another user and group, all capabilities kept; only CAP_KILL */
MUST_CHECK int wall_ids_build(uid_t uid, gid_t gid);
MUST_CHECK int wall_ids_keep_kill(void);
/* wall_rlimits.c: @own_userns: counted per user namespace, NPROC can be set */
MUST_CHECK int wall_rlimits_build(enum role role, bool own_userns);
/* wall_landlock.c: @dirs: from which something may be removed */
struct wall_dir {
	int fd;
	enum confine_keep what;
};
MUST_CHECK int wall_landlock_build(enum role role, const struct wall_dir *dirs,
				   size_t dir_cnt);
/* wall_seccomp.c */
MUST_CHECK int wall_seccomp_build(enum role role, enum confine_mode mode);

/* report.c: what the kernel says. _before reads /proc, so before wall_root. */
void report_init(struct confine_report *r);
void report_namespaces(struct confine_report *r, enum role role);
/* from r->facts; @kept: directories that are meant to be open */
void report_fds(struct confine_report *r, size_t kept);
void report_early(struct confine_report *r, enum role role);
void report_root(struct confine_report *r, bool stacked);
/* @keep_kill: CAP_KILL is meant to be held */
void report_caps(struct confine_report *r, bool keep_kill);
void report_rlimits(struct confine_report *r, enum role role, bool own_userns);
void report_landlock(struct confine_report *r, enum role role);
void report_seccomp(struct confine_report *r, enum confine_mode mode);

/*
 * facts_own.c: r->facts. _begin while there is a /proc; _read when all walls
 * but Landlock and seccomp stand; _landlock after that wall; _end after
 * seccomp.
 */
struct landlock_attr;
void report_facts_begin(void);
void report_facts_read(struct confine_report *r);
void report_facts_landlock(struct confine_report *r, int abi,
			   const struct landlock_attr *attr, bool enforced);
void report_facts_end(struct confine_report *r);
/** report_threads() - threads of this process; 0 if /proc does not say. */
unsigned report_threads(void);

#endif
