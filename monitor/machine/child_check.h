/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child_check.h - pure checks of what a child may say, beyond what its message
 * type says. Fuzzed.
 */
#ifndef MONITOR_MACHINE_CHILD_CHECK_H
#define MONITOR_MACHINE_CHILD_CHECK_H

#include <protobuf-c/protobuf-c.h>

#include "ipc/compiler.h"

/* Counts and lengths that are accepted. */
#define CHILD_CHECK_WALLS_MAX 32u
#define CHILD_CHECK_PHASES_MAX 32u
#define CHILD_CHECK_E820_MAX 64u
#define CHILD_CHECK_DEVICES_MAX 31u
#define CHILD_CHECK_NAME_MAX 64u
#define CHILD_CHECK_TEXT_MAX 512u
#define CHILD_CHECK_LOG_MAX 1024u

/* Return: 0; -EPROTO a count, length or value out of range. */
MUST_CHECK int child_check_hello(const ProtobufCMessage *msg);
MUST_CHECK int child_check_ready(const ProtobufCMessage *msg);
MUST_CHECK int child_check_prepared(const ProtobufCMessage *msg);
MUST_CHECK int child_check_running(const ProtobufCMessage *msg);
MUST_CHECK int child_check_exit(const ProtobufCMessage *msg);
MUST_CHECK int child_check_log(const ProtobufCMessage *msg);

#endif
