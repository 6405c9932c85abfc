/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vmm_rows.h - pure tests of backend.proto messages as a device receives them;
 * what the fuzzers and unit tests call.
 */
#ifndef DEVICES_CORE_VMM_ROWS_H
#define DEVICES_CORE_VMM_ROWS_H

#include <protobuf-c/protobuf-c.h>

/* Each: 0; -EPROTO a value that only a broken vmm sends. */
int vmm_memory_check(const ProtobufCMessage *msg);
int vmm_queue_set_check(const ProtobufCMessage *msg);
int vmm_queue_start_check(const ProtobufCMessage *msg);
int vmm_queue_stop_check(const ProtobufCMessage *msg);
int vmm_config_write_check(const ProtobufCMessage *msg);

#endif
