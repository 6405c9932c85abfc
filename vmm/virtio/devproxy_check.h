/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devproxy_check.h - pure tests of what a device process sends. Fuzzed.
 */
#ifndef VMM_VIRTIO_DEVPROXY_CHECK_H
#define VMM_VIRTIO_DEVPROXY_CHECK_H

#include <protobuf-c/protobuf-c.h>

#include "ipc/compiler.h"

/* Each returns 0 or -EPROTO. */
MUST_CHECK int devproxy_info_check(const ProtobufCMessage *msg);
MUST_CHECK int devproxy_reply_check(const ProtobufCMessage *msg);
MUST_CHECK int devproxy_stop_check(const ProtobufCMessage *msg);
MUST_CHECK int devproxy_push_check(const ProtobufCMessage *msg);
MUST_CHECK int devproxy_needs_reset_check(const ProtobufCMessage *msg);

#endif
