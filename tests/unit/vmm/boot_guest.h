/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boot_guest.h - guest RAM of any size for the boot tests: a sealed, sparse
 * memfd as the monitor makes it.
 */
#ifndef TESTS_UNIT_VMM_BOOT_GUEST_H
#define TESTS_UNIT_VMM_BOOT_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "vmm/guestmem.h"

#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

struct boot_guest {
	int memfd;
	struct guestmem mem;
};

/* boot_guest_make() - @bytes of RAM around the hole; aborts on failure. */
struct boot_guest boot_guest_make(uint64_t bytes);
void boot_guest_free(struct boot_guest *g);
/* boot_guest_is_untouched() - has no page been written? */
bool boot_guest_is_untouched(const struct boot_guest *g);
/* boot_memfd() - a memfd with @len bytes of @data; aborts on failure. */
int boot_memfd(const void *data, uint64_t len);

#endif
