// SPDX-License-Identifier: Apache-2.0
/*
 * machine.c - builds the machine before the walls stand, runs it and ends it.
 * No guest byte is read here.
 */
#include "vmm/machine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOG_MODULE "machine"
#include "ipc/fds.h"
#include "ipc/log.h"
#include "vmm/layout.h"
#include "vmm/power.h"

/* What a stuck terminal may cost at the end. */
#define MACHINE_FLUSH_NS 1000000000ULL

void machine_fault(struct machine *m, int error, const char *fmt, ...)
{
	va_list ap;

	if (m->error)
		return;
	m->error = error;
	va_start(ap, fmt);
	vsnprintf(m->message, sizeof(m->message), fmt, ap);
	va_end(ap);
}

/** machine_end() - a reason was given: stop, flush, tell. */
static void machine_end(void *ctx)
{
	struct machine *m = ctx;

	if (m->ended)
		return;
	m->ended = true;
	vcpu_set_stop(&m->vcpus);
	if (m->cfg.serial)
		console_flush(&m->console, MACHINE_FLUSH_NS);
	m->events.ended(m->events.ctx);
}

/** machine_doorbell() - doorbell_set for virtio_pci */
static int machine_doorbell(void *ctx, uint64_t gpa, int fd, bool assign)
{
	return doorbell_set(ctx, gpa, fd, assign);
}

void machine_init(struct machine *m, struct loop *loop,
		  const struct machine_events *events)
{
	memset(m, 0, sizeof(*m));
	m->loop = loop;
	m->events = *events;
	m->fds = (struct machine_fds){-1, -1, -1, -1, -1, -1};
	m->vm.vm_fd = -1;
	m->serial_irq_fd = -1;
	m->button_irq_fd = -1;
	exit_cause_init(&m->exit, loop, machine_end, m);
	vcpu_set_init(&m->vcpus);
	m->vcpus.pio = &m->pio;
	m->vcpus.mmio = &m->mmio;
	m->vcpus.exit = &m->exit;
	m->vcpus.stats = &m->stats;
	pci_bus_init(&m->pci);
	m->dev_env = (struct devproxy_env){
		.loop = loop,
		.irq = &m->irq,
		.bus = &m->pci,
		.virtio = {.doorbell = machine_doorbell,
			   .doorbell_ctx = &m->doorbell,
			   .msix_ops = &irq_msix_ops,
			   .msix_ctx = &m->irq,
			   .ram = &m->mem.table,
			   .stats = &m->stats},
		.ready = machine_device_ready,
		.failed = machine_device_failed,
		.ctx = m,
	};
}

/** machine_setup_memory() - maps RAM; machine_load still needs the fd. */
static int machine_setup_memory(struct machine *m)
{
	int ret = guestmem_map(m->fds.memory, &m->cfg.table, &m->cfg.memory,
			       &m->mem);

	if (ret < 0)
		machine_fault(m, ret, "cannot map the guest's memory: %s",
			      strerrordesc_np(-ret));
	return ret;
}

/** machine_button_masked() - masked for power_button */
static bool machine_button_masked(void *ctx)
{
	const struct machine *m = ctx;
	int ret = irq_line_masked(&m->irq, LAYOUT_POWER_BUTTON_GSI);

	if (ret < 0)
		log_err("power button: cannot look at its pin: errno %d", -ret);
	/* Rather an edge that may be lost than none. */
	return ret > 0;
}

/** machine_setup_button() - connects the power button to its pin. */
static int machine_setup_button(struct machine *m)
{
	int ret = irq_line_new(&m->irq, LAYOUT_POWER_BUTTON_GSI,
			       &m->button_irq_fd);
	const struct power_button_config cfg = {
		.loop = m->loop,
		.irq_fd = m->button_irq_fd,
		.masked = machine_button_masked,
		.ctx = m,
	};

	power_button_init(&m->button, &cfg);
	return ret;
}

/** machine_setup_vm() - KVM's part: VM, slots, routes. */
static int machine_setup_vm(struct machine *m)
{
	char message[KVM_MESSAGE_BYTES] = "";
	int ret = kvm_vm_new(m->fds.kvm, m->cfg.cpus, &m->vm, message);

	fd_cleanup(&m->fds.kvm);
	if (ret < 0) {
		machine_fault(m, ret, "%s", message);
		return ret;
	}
	m->doorbell = (struct doorbell_kvm){
		.vm_fd = m->vm.vm_fd,
		.any_length = m->vm.ioeventfd_any_length,
		.stats = &m->stats,
	};
	ret = kvm_vm_memory(&m->vm, &m->mem);
	if (ret == 0)
		ret = irq_init(&m->irq, m->vm.vm_fd, &m->stats,
			       m->cfg.device_cnt * MSIX_VECTORS_MAX);
	if (ret == 0)
		ret = machine_setup_button(m);
	if (ret == 0 && m->cfg.serial)
		ret = irq_line_new(&m->irq, LAYOUT_SERIAL_GSI,
				   &m->serial_irq_fd);
	if (ret < 0)
		machine_fault(m, ret, "KVM cannot set up the machine: %s",
			      strerrordesc_np(-ret));
	return ret;
}

/** machine_setup_buses() - what answers which port and address. */
static int machine_setup_buses(struct machine *m)
{
	const struct power_config power = {.debug_exit = m->cfg.debug_exit,
					   .pvpanic = m->cfg.pvpanic};
	const struct bus_range ecam = {"ecam",
				       LAYOUT_ECAM_GPA,
				       LAYOUT_ECAM_SIZE,
				       BUS_W8 | BUS_W16 | BUS_W32,
				       &pci_bus_ecam_ops,
				       &m->pci};
	const struct bus_range bars = {"pci",
				       LAYOUT_MMIO32_GPA,
				       LAYOUT_MMIO32_SIZE,
				       BUS_W8 | BUS_W16 | BUS_W32 | BUS_W64,
				       &pci_bus_mmio_ops,
				       &m->pci};
	const struct bus_range serial = {
		"serial", LAYOUT_SERIAL_PORT, LAYOUT_SERIAL_PORTS,
		BUS_W8,   &console_bus_ops,   &m->console};
	int ret = power_ports_add(&m->pio, &m->exit, &power);

	if (ret == 0 && m->cfg.serial)
		ret = bus_add(&m->pio, &serial);
	if (ret == 0)
		ret = bus_add(&m->mmio, &ecam);
	if (ret == 0)
		ret = bus_add(&m->mmio, &bars);
	return ret;
}

/** machine_setup_console() - connects the UART; also without any fd. */
static void machine_setup_console(struct machine *m)
{
	const struct console_config cfg = {
		.in_fd = fd_steal(&m->fds.console_in),
		.out_fd = fd_steal(&m->fds.console_out),
		.irq_fd = m->serial_irq_fd,
		.escape = m->cfg.console_escape,
		.loop = m->loop,
		.exit = &m->exit,
		.stats = &m->stats,
	};

	console_init(&m->console, &cfg);
}

void machine_setup(struct machine *m)
{
	int ret;

	if (machine_setup_memory(m) < 0)
		return;
	phase_mark(&m->phases, "memory");
	if (machine_setup_vm(m) < 0)
		return;
	if (m->cfg.serial)
		machine_setup_console(m);
	/* Our own table: it cannot be wrong on one host and right on another.
	 */
	BUG_ON(machine_setup_buses(m) < 0);
	ret = vcpu_set_create(&m->vcpus, &m->vm, m->cfg.cpus);
	if (ret < 0)
		machine_fault(m, ret, "KVM cannot make %u vCPUs: %s",
			      m->cfg.cpus, strerrordesc_np(-ret));
	phase_mark(&m->phases, "kvm");
}

int machine_device_add(struct machine *m, const char *id, uint32_t slot, int fd)
{
	for (uint32_t i = 0; i < m->device_cnt; i++) {
		if (m->devices[i]->slot != slot &&
		    strcmp(m->devices[i]->id, id) != 0)
			continue;
		fd_cleanup(&fd);
		return -EEXIST;
	}
	if (m->device_cnt == MACHINE_DEVICES_MAX) {
		fd_cleanup(&fd);
		return -ENOSPC;
	}
	int ret = devproxy_new(&m->dev_env, id, slot, fd,
			       &m->devices[m->device_cnt]);

	if (ret == 0)
		m->device_cnt++;
	return ret;
}

int machine_console_start(struct machine *m)
{
	return m->cfg.serial ? console_start(&m->console) : 0;
}

void machine_run(struct machine *m)
{
	vcpu_set_run(&m->vcpus);
}
