// SPDX-License-Identifier: Apache-2.0
/*
 * machine_prepare.c - from READY to "the first instruction is next": asks the
 * devices what they are while the kernel is loaded, then sets the boot CPU's
 * registers and makes the threads. Runs behind the walls: the kernel is a
 * tenant's.
 */
#include <errno.h>
#include <string.h>

#include "ipc/fds.h"
#include "vmm/acpi/acpi.h"
#include "vmm/layout.h"
#include "vmm/machine.h"

#define LOG_MODULE "machine"
#include "ipc/log.h"

/*
 * The PC's reset vector, F000:FFF0. There is no firmware, but some reboots jump
 * there: Linux does when ACPI is hardware-reduced and it has no EFI. Real mode.
 */
#define MACHINE_RESET_VECTOR 0xffff0ULL

/* mov dx, port; mov al, value; out dx, al; hlt; jmp to the hlt. */
static const uint8_t machine_reset_code[] = {
	0xba,
	LAYOUT_RESET_PORT & 0xff,
	LAYOUT_RESET_PORT >> 8,
	0xb0,
	LAYOUT_RESET_VALUE,
	0xee,
	0xf4,
	0xeb,
	0xfd,
};
_Static_assert(MACHINE_RESET_VECTOR >= LAYOUT_ACPI_GPA &&
		       MACHINE_RESET_VECTOR + sizeof(machine_reset_code) <=
			       LAYOUT_ACPI_GPA + LAYOUT_ACPI_SIZE,
	       "in memory that the guest leaves alone");

/** machine_prepare_end() - tells, once. */
static void machine_prepare_end(struct machine *m)
{
	if (!m->preparing)
		return;
	m->preparing = false;
	m->prepared = true;
	m->events.prepared(m->events.ctx);
}

/** machine_load() - tables and kernel into RAM. 0, or a fault is kept. */
static int machine_load(struct machine *m)
{
	const struct acpi_config acpi = {.cpus = m->cfg.cpus,
					 .serial = m->cfg.serial,
					 .pvpanic = m->cfg.pvpanic};
	struct boot_request req = {.kernel_fd = m->fds.kernel,
				   .initrd_fd = m->fds.initrd,
				   .cmdline = m->cfg.cmdline,
				   .cmdline_len = m->cfg.cmdline_len,
				   .protocol = m->cfg.boot};
	char message[BOOT_MESSAGE_BYTES] = "";
	int ret = acpi_build(&acpi, &m->mem, &req.rsdp_gpa);

	if (ret == 0)
		ret = guestmem_write(&m->mem, MACHINE_RESET_VECTOR,
				     machine_reset_code,
				     sizeof(machine_reset_code));
	if (ret < 0) {
		machine_fault(m, ret, "cannot place the ACPI tables: %s",
			      strerrordesc_np(-ret));
		return ret;
	}
	guestmem_load_by(&m->mem, m->fds.memory);
	ret = boot_load(&req, &m->mem, &m->plan, message);
	guestmem_load_end(&m->mem);
	fd_cleanup(&m->fds.memory);
	fd_cleanup(&m->fds.kernel);
	fd_cleanup(&m->fds.initrd);
	if (ret < 0) {
		machine_fault(m, ret, "%s", message);
		return ret;
	}
	phase_mark(&m->phases, "load");
	return 0;
}

/** machine_vcpus_ready() - first registers and, unless dry, the threads. */
static void machine_vcpus_ready(struct machine *m)
{
	int ret = vcpu_set_boot(&m->vcpus, &m->plan);

	if (ret < 0) {
		machine_fault(m, ret,
			      "KVM does not take the first registers: %s",
			      strerrordesc_np(-ret));
		return;
	}
	if (m->dry_run)
		return;
	ret = vcpu_set_start(&m->vcpus);
	if (ret < 0)
		machine_fault(m, ret, "cannot start %u vCPU threads: %s",
			      m->cfg.cpus, strerrordesc_np(-ret));
}

/** machine_prepare_test() - is everything there? */
static void machine_prepare_test(struct machine *m)
{
	if (!m->preparing)
		return;
	for (uint32_t i = 0; i < m->device_cnt && !m->error; i++) {
		if (!devproxy_is_ready(m->devices[i]))
			return;
	}
	if (!m->error) {
		phase_mark(&m->phases, "devices");
		machine_vcpus_ready(m);
		phase_mark(&m->phases, "vcpus");
	}
	machine_prepare_end(m);
}

void machine_device_ready(void *ctx, struct devproxy *d)
{
	log_debug("%s: ready", d->id);
	machine_prepare_test(ctx);
}

void machine_device_failed(void *ctx, struct devproxy *d, const char *why)
{
	struct machine *m = ctx;

	/* Before PREPARED it is the answer; afterwards, the end. */
	if (!m->prepared) {
		machine_fault(m, -EIO, "device \"%s\": %s", d->id, why);
		machine_prepare_end(m);
		return;
	}
	exit_request(&m->exit, BULKHEAD__CHILD__EXIT_REASON__EXIT_DEVICE, 0,
		     "device \"%s\": %s", d->id, why);
}

void machine_prepare(struct machine *m, bool dry_run)
{
	m->preparing = true;
	m->dry_run = dry_run;
	if (m->error) {
		machine_prepare_end(m);
		return;
	}
	for (uint32_t i = 0; i < m->device_cnt; i++)
		devproxy_start(m->devices[i]);
	/* They answer while we load; their answers wait in the channels. */
	if (machine_load(m) < 0)
		machine_prepare_end(m);
	else
		machine_prepare_test(m);
}
