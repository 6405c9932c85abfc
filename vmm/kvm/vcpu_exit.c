// SPDX-License-Identifier: Apache-2.0
/*
 * vcpu_exit.c - what a vCPU thread does about each reason for which KVM_RUN
 * returned. Addresses, ports and data come from the guest.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "vmm/kvm/vcpu.h"

#define LOG_MODULE "vcpu"
#include "ipc/log.h"

#define VCPU_DETAIL_WORDS 4u

/** vcpu_pio_one() - one port access of @len bytes at @data */
static void vcpu_pio_one(struct vcpu *v, uint8_t *data, uint32_t len)
{
	struct vcpu_set *s = v->set;
	uint64_t value = 0;
	int ret;

	if (v->run->io.direction == KVM_EXIT_IO_OUT) {
		memcpy(&value, data, len);
		ret = bus_write(s->pio, v->run->io.port, len, value);
	} else {
		ret = bus_read(s->pio, v->run->io.port, len, &value);
		memcpy(data, &value, len);
	}
	if (ret < 0)
		stats_add(s->stats, STAT_PIO_UNKNOWN, 1);
}

/** vcpu_exit_io() - string instructions come as several accesses at once */
static void vcpu_exit_io(struct vcpu *v)
{
	uint8_t *data = (uint8_t *)v->run + v->run->io.data_offset;
	uint32_t len = v->run->io.size;

	stats_add(v->set->stats, STAT_EXIT_IO, 1);
	for (uint32_t i = 0; i < v->run->io.count; i++)
		vcpu_pio_one(v, data + (size_t)i * len, len);
}

static void vcpu_exit_mmio(struct vcpu *v)
{
	struct vcpu_set *s = v->set;
	struct kvm_run *run = v->run;
	uint32_t len = run->mmio.len;
	uint64_t value = 0;
	int ret;

	stats_add(s->stats, STAT_EXIT_MMIO, 1);
	if (len > sizeof(run->mmio.data))
		return;
	if (run->mmio.is_write) {
		memcpy(&value, run->mmio.data, len);
		ret = bus_write(s->mmio, run->mmio.phys_addr, len, value);
	} else {
		ret = bus_read(s->mmio, run->mmio.phys_addr, len, &value);
		memcpy(run->mmio.data, &value, len);
	}
	if (ret < 0)
		stats_add(s->stats, STAT_MMIO_UNKNOWN, 1);
}

/** vcpu_exit_hlt() - the in-kernel APIC waits for us; nothing to do */
static void vcpu_exit_hlt(struct vcpu *v)
{
	stats_add(v->set->stats, STAT_EXIT_HLT, 1);
}

/** vcpu_exit_intr() - a signal */
static void vcpu_exit_intr(struct vcpu *v)
{
	stats_add(v->set->stats, STAT_EXIT_SIGNAL, 1);
}

/** vcpu_exit_shutdown() - triple fault: on a PC, a reset */
static void vcpu_exit_shutdown(struct vcpu *v)
{
	exit_request(v->set->exit, BULKHEAD__CHILD__EXIT_REASON__EXIT_RESET, 0,
		     "vCPU %u: triple fault", v->index);
}

/** vcpu_rip() - for a diagnosis; 0 if KVM does not tell */
static uint64_t vcpu_rip(const struct vcpu *v)
{
	struct kvm_regs regs;

	return ioctl(v->fd, KVM_GET_REGS, &regs) < 0 ? 0 : regs.rip;
}

static void vcpu_exit_fail_entry(struct vcpu *v)
{
	exit_request(v->set->exit, BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR, 0,
		     "vCPU %u: the CPU refused the guest: reason %#llx, "
		     "rip %#" PRIx64,
		     v->index,
		     (unsigned long long)
			     v->run->fail_entry.hardware_entry_failure_reason,
		     vcpu_rip(v));
}

/** vcpu_exit_internal() - most often an instruction that KVM cannot emulate */
static void vcpu_exit_internal(struct vcpu *v)
{
	const struct kvm_run *run = v->run;
	char words[VCPU_DETAIL_WORDS * 20 + 1] = "";
	size_t at = 0;

	for (uint32_t i = 0; i < run->internal.ndata && i < VCPU_DETAIL_WORDS;
	     i++) {
		int n = snprintf(words + at, sizeof(words) - at, " %#llx",
				 (unsigned long long)run->internal.data[i]);

		at += n > 0 ? (size_t)n : 0;
	}
	exit_request(v->set->exit, BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR, 0,
		     "vCPU %u: KVM internal error %u%s, rip %#" PRIx64
		     ", data%s",
		     v->index, run->internal.suberror,
		     run->internal.suberror == KVM_INTERNAL_ERROR_EMULATION
			     ? " (cannot emulate an instruction)"
			     : "",
		     vcpu_rip(v), words);
}

static void vcpu_exit_unknown(struct vcpu *v)
{
	exit_request(
		v->set->exit, BULKHEAD__CHILD__EXIT_REASON__EXIT_ERROR, 0,
		"vCPU %u: KVM exit reason %u is not handled, rip %#" PRIx64,
		v->index, v->run->exit_reason, vcpu_rip(v));
}

/* Reasons without a row end the machine. */
static void (*const vcpu_exits[])(struct vcpu *v) = {
	[KVM_EXIT_IO] = vcpu_exit_io,
	[KVM_EXIT_MMIO] = vcpu_exit_mmio,
	[KVM_EXIT_HLT] = vcpu_exit_hlt,
	[KVM_EXIT_INTR] = vcpu_exit_intr,
	[KVM_EXIT_IRQ_WINDOW_OPEN] = vcpu_exit_intr,
	[KVM_EXIT_SHUTDOWN] = vcpu_exit_shutdown,
	[KVM_EXIT_FAIL_ENTRY] = vcpu_exit_fail_entry,
	[KVM_EXIT_INTERNAL_ERROR] = vcpu_exit_internal,
};

void vcpu_exit_handle(struct vcpu *v)
{
	uint32_t reason = v->run->exit_reason;

	if (reason < ARRAY_SIZE(vcpu_exits) && vcpu_exits[reason])
		vcpu_exits[reason](v);
	else
		vcpu_exit_unknown(v);
}
