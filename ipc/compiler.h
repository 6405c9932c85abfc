/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiler.h - the few macros that every module uses.
 */
#ifndef IPC_COMPILER_H
#define IPC_COMPILER_H

#include <stddef.h>
#include <stdlib.h>

/* The caller must look at the result. */
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define NORETURN __attribute__((noreturn))
/* Runs @fn on the variable's address when it leaves its scope. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member) \
	((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/*
 * A mistake of ours, never of a guest or a peer: stays in release builds.
 * Not for values that came over a channel or out of guest memory.
 */
#define BUG_ON(cond)                               \
	do {                                       \
		if (__builtin_expect(!!(cond), 0)) \
			abort();                   \
	} while (0)

#endif
