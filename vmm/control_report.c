// SPDX-License-Identifier: Apache-2.0
/*
 * control_report.c - builds what the vmm tells the monitor: READY, PREPARED,
 * RUNNING, EXIT and STATS_REPLY.
 */
#include <errno.h>
#include <linux/pci_regs.h>
#include <string.h>

#include "vmm/control.h"

/** control_text() - protobuf-c has no const strings; packing only reads. */
static char *control_text(const char *s)
{
	return (char *)(uintptr_t)s;
}

int control_send_ready(struct control *c, const struct confine_report *report)
{
	Bulkhead__Child__Ready m = BULKHEAD__CHILD__READY__INIT;
	Bulkhead__Child__Wall wall[CONFINE_WALLS_MAX];
	Bulkhead__Child__Wall *ptr[CONFINE_WALLS_MAX];
	struct phase_list *phases = &c->machine.phases;

	BUG_ON(report->cnt > CONFINE_WALLS_MAX);
	for (size_t i = 0; i < report->cnt; i++) {
		bulkhead__child__wall__init(&wall[i]);
		wall[i].name = control_text(report->wall[i].name);
		wall[i].stands = report->wall[i].stands;
		wall[i].detail = control_text(report->wall[i].detail);
		ptr[i] = &wall[i];
	}
	m.n_walls = report->cnt;
	m.walls = ptr;
	m.n_phases = phases->cnt;
	m.phases = phases->ptr;
	m.facts = report->facts;
	int ret = peer_event(&c->peer, BULKHEAD__CHILD__OP__OP_READY, &m.base,
			     NULL, 0);

	phase_clear(phases);
	return ret;
}

/**
 * struct control_prepared - PREPARED with the arrays that it points to
 */
struct control_prepared {
	Bulkhead__Child__Prepared msg;
	Bulkhead__Child__E820Entry e820[BOOT_E820_MAX];
	Bulkhead__Child__E820Entry *e820_ptr[BOOT_E820_MAX];
	Bulkhead__Child__PciDevice dev[MACHINE_DEVICES_MAX];
	Bulkhead__Child__PciDevice *dev_ptr[MACHINE_DEVICES_MAX];
};

/** control_fill_plan() - what was loaded */
static void control_fill_plan(struct control_prepared *p,
			      const struct machine *m)
{
	const struct boot_plan *plan = &m->plan;
	Bulkhead__Child__Prepared *msg = &p->msg;

	msg->kernel_format = control_text(plan->format);
	msg->has_kernel_entry = 1;
	msg->kernel_entry = plan->entry;
	msg->has_kernel_start = 1;
	msg->kernel_start = plan->kernel_start;
	msg->has_kernel_end = 1;
	msg->kernel_end = plan->kernel_end;
	msg->has_initrd_start = plan->initrd_size != 0;
	msg->initrd_start = plan->initrd_start;
	msg->has_initrd_size = plan->initrd_size != 0;
	msg->initrd_size = plan->initrd_size;
	msg->has_initrd_limit = 1;
	msg->initrd_limit = plan->initrd_limit;
	msg->has_cmdline_bytes = 1;
	msg->cmdline_bytes = m->cfg.cmdline_len;
	msg->has_cmdline_limit = 1;
	msg->cmdline_limit = plan->cmdline_limit;
	for (uint32_t i = 0; i < plan->e820_cnt; i++) {
		bulkhead__child__e820_entry__init(&p->e820[i]);
		p->e820[i].addr = plan->e820[i].addr;
		p->e820[i].size = plan->e820[i].size;
		p->e820[i].type = plan->e820[i].type;
		p->e820_ptr[i] = &p->e820[i];
	}
	msg->n_e820 = plan->e820_cnt;
	msg->e820 = p->e820_ptr;
}

/** control_fill_devices() - what is on the bus */
static void control_fill_devices(struct control_prepared *p,
				 const struct machine *m)
{
	for (uint32_t i = 0; i < m->device_cnt; i++) {
		const struct devproxy *d = m->devices[i];
		const struct pci_config *cfg = &d->vp.func.cfg;
		Bulkhead__Child__PciDevice *out = &p->dev[i];

		bulkhead__child__pci_device__init(out);
		out->id = control_text(d->id);
		out->slot = d->slot;
		out->vendor = pci_config_get(cfg, PCI_VENDOR_ID, 2);
		out->device = pci_config_get(cfg, PCI_DEVICE_ID, 2);
		out->bar_gpa = d->vp.func.bar_gpa;
		out->bar_size = d->vp.func.bar_size;
		out->features = d->vp.offered;
		out->queue_cnt = d->vp.queue_cnt;
		p->dev_ptr[i] = out;
	}
	p->msg.n_devices = m->device_cnt;
	p->msg.devices = p->dev_ptr;
}

int control_send_prepared(struct control *c)
{
	struct machine *m = &c->machine;
	struct control_prepared p;

	memset(&p, 0, sizeof(p));
	bulkhead__child__prepared__init(&p.msg);
	p.msg.error = (uint32_t)-m->error;
	if (m->error) {
		p.msg.message = m->message;
	} else {
		control_fill_plan(&p, m);
		control_fill_devices(&p, m);
	}
	p.msg.n_phases = m->phases.cnt;
	p.msg.phases = m->phases.ptr;
	int ret = peer_answer(&c->peer, BULKHEAD__CHILD__OP__OP_PREPARED,
			      c->prepare_id, &p.msg.base);

	phase_clear(&m->phases);
	return ret;
}

int control_send_running(struct control *c)
{
	Bulkhead__Child__Running m = BULKHEAD__CHILD__RUNNING__INIT;
	struct phase_list *phases = &c->machine.phases;

	phase_mark(phases, "run");
	m.n_phases = phases->cnt;
	m.phases = phases->ptr;
	return peer_event(&c->peer, BULKHEAD__CHILD__OP__OP_RUNNING, &m.base,
			  NULL, 0);
}

int control_send_exit(struct control *c, Bulkhead__Child__ExitReason reason,
		      uint32_t code, const char *message)
{
	Bulkhead__Child__Exit m = BULKHEAD__CHILD__EXIT__INIT;

	m.reason = reason;
	if (reason == BULKHEAD__CHILD__EXIT_REASON__EXIT_DEBUG) {
		m.has_code = 1;
		m.code = code;
	}
	if (message && message[0])
		m.message = control_text(message);
	return peer_event(&c->peer, BULKHEAD__CHILD__OP__OP_EXIT, &m.base, NULL,
			  0);
}

int control_send_stats(struct control *c, uint32_t id)
{
	Bulkhead__Child__StatsReply m = BULKHEAD__CHILD__STATS_REPLY__INIT;
	Bulkhead__Child__Counter counter[STAT_COUNT];
	Bulkhead__Child__Counter *ptr[STAT_COUNT];

	for (uint32_t i = 0; i < STAT_COUNT; i++) {
		bulkhead__child__counter__init(&counter[i]);
		counter[i].name =
			control_text(stats_name((enum stats_counter)i));
		counter[i].value =
			stats_get(&c->machine.stats, (enum stats_counter)i);
		ptr[i] = &counter[i];
	}
	m.n_counters = STAT_COUNT;
	m.counters = ptr;
	return peer_answer(&c->peer, BULKHEAD__CHILD__OP__OP_STATS_REPLY, id,
			   &m.base);
}
