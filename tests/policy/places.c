// SPDX-License-Identifier: Apache-2.0
/*
 * places.c - see places.h. From the functions that the walls themselves ask.
 */
#include "tests/policy/places.h"

#include <unistd.h>

/* place_thread() - kind of thread that loads @filter behind @process. */
static enum confine_thread_kind place_thread(enum policy_filter filter,
					     enum policy_filter process)
{
	enum role role = policy_table(filter)->role;
	unsigned kind = 0;

	policy_variant_choose(process);
	while (kind < CONFINE_THREAD_COUNT &&
	       policy_filter_of_thread(role, (enum confine_thread_kind)kind) !=
		       filter)
		kind++;
	policy_variant_choose(POLICY_FILTER_GPU);
	return (enum confine_thread_kind)kind;
}

struct place place_of(enum policy_filter filter)
{
	struct place p = {.filter = filter,
			  .role = policy_table(filter)->role,
			  .thread = PROBE_NO_THREAD};

	p.process = policy_filter_of_role(p.role);
	if (filter < POLICY_FILTER_VMM_MAIN)
		p.process = filter;
	else if (filter == POLICY_FILTER_GPU_SOFTWARE_QUEUE)
		p.process = POLICY_FILTER_GPU_SOFTWARE;
	if (filter >= POLICY_FILTER_VMM_MAIN)
		p.thread = place_thread(filter, p.process);
	return p;
}

struct probe_request place_request(const struct place *p, enum probe_what what)
{
	return (struct probe_request){.role = p->role,
				      .what = what,
				      .thread = p->thread,
				      .variant = p->process,
				      .monitor = getpid()};
}
