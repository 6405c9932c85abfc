/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - the virtual machine: everything the vmm holds, and the steps from
 * the grant to the first instruction and to the end. Main loop only.
 *
 * Steps, each once, in this order: init, setup (before the walls: memory, VM,
 * vCPUs), device_add for each device, [the walls], prepare (kernel, tables,
 * devices), run, end. A step that fails in the user's terms leaves a message.
 */
#ifndef VMM_MACHINE_H
#define VMM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/compiler.h"
#include "ipc/loop.h"
#include "vmm/boot/boot.h"
#include "vmm/bus.h"
#include "vmm/console/console.h"
#include "vmm/exit.h"
#include "vmm/guestmem.h"
#include "vmm/kvm/irq.h"
#include "vmm/kvm/kvm.h"
#include "vmm/kvm/vcpu.h"
#include "vmm/pci/pci_bus.h"
#include "vmm/phase.h"
#include "vmm/power_button.h"
#include "vmm/stats.h"
#include "vmm/virtio/devproxy.h"
#include "vmm/virtio/doorbell.h"

#define MACHINE_MESSAGE_BYTES 320u
#define MACHINE_DEVICES_MAX (PCI_SLOTS - 1)

/**
 * struct machine_config - what GRANT said, checked
 * @cmdline: owned, @cmdline_len bytes
 */
struct machine_config {
	uint32_t cpus;
	char *cmdline;
	uint32_t cmdline_len;
	enum boot_protocol boot;
	bool serial;
	bool console_escape;
	bool debug_exit;
	bool pvpanic;
	uint32_t device_cnt;
	struct guestmem_options memory;
	struct memtable table;
};

/**
 * struct machine_fds - what GRANT brought; owned, -1 for none
 */
struct machine_fds {
	int memory;
	int kvm;
	int kernel;
	int initrd;
	int console_in;
	int console_out;
};

/**
 * struct machine_events - told to the control channel
 * @prepared: prepare has ended; error and message are in the machine
 * @ended: the vCPUs are stopped and the output is flushed
 */
struct machine_events {
	void (*prepared)(void *ctx);
	void (*ended)(void *ctx);
	void *ctx;
};

/**
 * struct machine - the one machine of this process
 * @error: 0 or -errno of the first step that failed
 * @message: what the user is told about it
 * @preparing: prepare has begun and prepared was not told
 * @prepared: prepared was told
 */
struct machine {
	struct loop *loop;
	struct machine_config cfg;
	struct machine_fds fds;
	struct machine_events events;
	struct stats stats;
	struct exit_cause exit;
	struct phase_list phases;
	struct guestmem mem;
	struct kvm_vm vm;
	struct irq irq;
	struct doorbell_kvm doorbell;
	struct pci_bus pci;
	struct bus pio;
	struct bus mmio;
	struct console console;
	struct vcpu_set vcpus;
	struct devproxy_env dev_env;
	struct devproxy *devices[MACHINE_DEVICES_MAX];
	uint32_t device_cnt;
	struct boot_plan plan;
	int serial_irq_fd;
	int button_irq_fd;
	struct power_button button;
	bool dry_run;
	bool preparing;
	bool prepared;
	bool ended;
	int error;
	char message[MACHINE_MESSAGE_BYTES];
};

/** machine_init() - an empty machine; @events is copied. */
void machine_init(struct machine *m, struct loop *loop,
		  const struct machine_events *events);
/**
 * machine_setup() - memory, VM, vCPUs, buses; m->cfg and m->fds are set
 * What fails is kept in m->error and told by prepare.
 */
void machine_setup(struct machine *m);
/** machine_device_add() - takes @fd. Return: 0; -EEXIST slot or id; -errno. */
MUST_CHECK int machine_device_add(struct machine *m, const char *id,
				  uint32_t slot, int fd);
/** machine_prepare() - events->prepared follows, perhaps before it returns. */
void machine_prepare(struct machine *m, bool dry_run);
/** machine_console_start() - its thread, the last one. Return: 0 or -errno. */
MUST_CHECK int machine_console_start(struct machine *m);
/** machine_run() - the guest's first instruction; all walls stand by now. */
void machine_run(struct machine *m);

/** machine_fault() - keeps the first error and its message. */
void machine_fault(struct machine *m, int error, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* For devproxy_env. */
void machine_device_ready(void *ctx, struct devproxy *d);
void machine_device_failed(void *ctx, struct devproxy *d, const char *why);

#endif
