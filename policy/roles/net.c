// SPDX-License-Identifier: Apache-2.0
/*
 * net.c - the network device's filters. The process is built by a later issue,
 * which refines these rows with running code; here is what its design needs
 * after READY and no more. Who is not trusted: the guest, whose frames and
 * control commands are all that it reads, and whoever is on the wire.
 *
 * The monitor opens, names and configures the tap and vhost fds, and grants
 * them. Hence absent, although the fds would allow them: TUNSETIFF,
 * TUNSETPERSIST, TUNSETOWNER, TUNSETGROUP, TUNSETLINK (set-up), TUNSETVNETHDRSZ
 * (12 bytes for each driver that has VIRTIO_F_VERSION_1, thus set once, VIRTIO
 * 1.2 5.1.6), TUNSETSNDBUF, TUNSETTXFILTER (the process looks at addresses
 * itself), TUNATTACHFILTER, TUNSETFILTEREBPF and TUNSETSTEERINGEBPF (programs
 * come from the monitor if at all), TUNSETDEBUG, VHOST_SET_OWNER (once, before
 * READY), VHOST_RESET_OWNER, VHOST_SET_LOG_*, VHOST_SET_BACKEND_FEATURES (no
 * IOTLB), and all of vDPA, SCSI and vsock.
 *
 * vhost writes to what it is told to, but by addresses of this process only,
 * and the memory of this process is guest memory and its own.
 */
#include <linux/if_tun.h>
#include <linux/vhost.h>

#include "policy/rows.h"

#define NET_ROW(request, reason) \
	ALLOW_IF(ioctl, T_EQ_AS(1, (request), #request), reason)

/* TUN_F_CSUM to TUN_F_USO6; older headers end with TUN_F_UFO. */
#define TUN_OFFLOADS 0x7f

/* What commands of the control queue change in the tap, VIRTIO 1.2 5.1.6.5. */
#define NET_TAP_ROWS                                                          \
	ALLOW_IF2(ioctl, T_EQ_AS(1, TUNSETOFFLOAD, "TUNSETOFFLOAD"),          \
		  T_ONLY(2, TUN_OFFLOADS),                                    \
		  "devices/net: features acked; CTRL_GUEST_OFFLOADS; reset"), \
		NET_ROW(TUNSETQUEUE,                                          \
			"devices/net: CTRL_MQ_VQ_PAIRS_SET stops and starts " \
			"this queue of its own tap"),                         \
		ALLOW(readv, "devices/net: frames from the tap or its relay")

static const struct policy_row tap_rows[] = {NET_TAP_ROWS};
static POLICY_SET(set_net_tap, tap_rows);

static const struct policy_row wiring_rows[] = {
	NET_ROW(TUNGETIFF, "devices/net: kind of a tap that comes back"),
	/* In the order in which a start makes them, tap-vhost mode only. */
	NET_ROW(VHOST_SET_FEATURES, "devices/net: what the guest acked"),
	NET_ROW(VHOST_SET_MEM_TABLE,
		"devices/net: MEMORY, guest RAM as we map"),
	NET_ROW(VHOST_SET_VRING_NUM, "devices/net: QUEUE_START, size"),
	NET_ROW(VHOST_SET_VRING_BASE, "devices/net: QUEUE_START, position"),
	NET_ROW(VHOST_SET_VRING_ADDR, "devices/net: QUEUE_START, addresses"),
	NET_ROW(VHOST_SET_VRING_KICK, "devices/net: QUEUE_START, kick eventfd"),
	NET_ROW(VHOST_SET_VRING_CALL, "devices/net: QUEUE_START, irqfd"),
	NET_ROW(VHOST_SET_VRING_ERR, "devices/net: a bad ring: NEEDS_RESET"),
	NET_ROW(VHOST_NET_SET_BACKEND, "devices/net: tap to ring; -1: stop"),
	NET_ROW(VHOST_GET_VRING_BASE, "devices/net: QUEUE_STOP, position"),
};
static POLICY_SET(set_net_wiring, wiring_rows);

const struct policy_table table_net = {
	.name = "net",
	.role = ROLE_NET,
	.sets = {&set_net_tap, &set_net_wiring, &set_ring, &set_ring_enable,
		 &set_memory, &set_thread, &set_thread_new, &set_signal,
		 &set_end, &set_time, &set_event, &set_channel, &set_data,
		 &set_report, &set_unasked},
};

/* The main thread when all workers exist: starts and stops queues. */
const struct policy_table table_net_main = {
	.name = "net-main",
	.role = ROLE_NET,
	.sets = {&set_net_tap, &set_net_wiring, &set_memory, &set_thread,
		 &set_signal, &set_end, &set_time, &set_event, &set_channel,
		 &set_data, &set_report, &set_unasked},
};

/* A queue worker: frames, and the control queue's commands. */
const struct policy_table table_net_queue = {
	.name = "net-queue",
	.role = ROLE_NET,
	.sets = {&set_net_tap, &set_ring, &set_queue, &set_memory, &set_thread,
		 &set_signal, &set_end, &set_time, &set_unasked},
};
