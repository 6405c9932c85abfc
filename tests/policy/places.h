/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.h - where each filter stands, for a walk over all of them.
 */
#ifndef TESTS_POLICY_PLACES_H
#define TESTS_POLICY_PLACES_H

#include "tests/policy/probe.h"

/**
 * struct place - one filter
 * @process: the filter of its process, itself where it is one
 * @thread: kind of thread that loads it, or PROBE_NO_THREAD
 */
struct place {
	enum policy_filter filter;
	enum policy_filter process;
	enum role role;
	enum confine_thread_kind thread;
};

/** place_of() - of a filter below POLICY_FILTER_COUNT. */
struct place place_of(enum policy_filter filter);

/** place_request() - a request for a probe at @p. */
struct probe_request place_request(const struct place *p, enum probe_what what);

#endif
