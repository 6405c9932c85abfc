/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_check.h - bounds of control.proto's messages: pure, fuzzed. Return: 0
 * or -EPROTO.
 */
#ifndef MONITOR_CONTROL_CONTROL_CHECK_H
#define MONITOR_CONTROL_CONTROL_CHECK_H

#include <protobuf-c/protobuf-c.h>

#include "ipc/compiler.h"
#include "monitor/control/control_place.h"

#define CONTROL_CHECK_NAME_MAX 64u
#define CONTROL_CHECK_TEXT_MAX 1023u
#define CONTROL_CHECK_PROCESSES_MAX 64u
#define CONTROL_CHECK_WALLS_MAX 32u
#define CONTROL_CHECK_PID_MAX ((uint32_t)CONTROL_PID_MAX)

MUST_CHECK int control_check_hello(const ProtobufCMessage *msg);
MUST_CHECK int control_check_confinement(const ProtobufCMessage *msg);
/** control_check_reply() - what a monitor says; it may have been taken over. */
MUST_CHECK int control_check_reply(const ProtobufCMessage *msg);

#endif
