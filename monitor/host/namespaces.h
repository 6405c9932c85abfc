/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespaces.h - which namespaces this host lets us make, and what to do about
 * those that it does not.
 */
#ifndef MONITOR_HOST_NAMESPACES_H
#define MONITOR_HOST_NAMESPACES_H

#include <stddef.h>
#include <stdint.h>

#define NAMESPACES_TEXT_BYTES 512

/**
 * namespaces_refused() - tries each kind in a child that ends at once
 * @wanted: CLONE_NEW... flags
 * Return: those of @wanted that cannot be made; without CLONE_NEWUSER in it the
 * others were tried inside a user namespace.
 */
uint64_t namespaces_refused(uint64_t wanted);

/** namespaces_of_missing() - CLONE_NEW... flags of "confine-missing" bits. */
uint64_t namespaces_of_missing(uint32_t missing);

/**
 * namespaces_explain() - "user (sysctl user.max_user_namespaces is 0), ..."
 * and the words of "confine-missing" that would do without them
 */
void namespaces_explain(uint64_t refused, char *ret_text, size_t size);

#endif
