// SPDX-License-Identifier: Apache-2.0
/*
 * report.c - the report of `check`. Runs in the monitor. One JSON value is made
 * from what was found; the text form is printed from that value, so that both
 * say the same. Strings of children are escaped on the way in.
 */
#include "monitor/cli/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "ipc/log.h"
#include "monitor/cli/facts_json.h"

/* report_text() - a child's string, escaped; "" for none. */
static json_t *report_text(const char *text)
{
	char escaped[1024] = "";

	if (text)
		(void)log_text_escape(escaped, sizeof(escaped), text);
	return json_string(escaped);
}

/* report_hex() - addresses are read by people. */
static json_t *report_hex(uint64_t value)
{
	return json_sprintf("0x%" PRIx64, value);
}

/* report_kernel() - format, entry, limits, placement. */
static json_t *report_kernel(const struct session *s)
{
	const Bulkhead__Child__Prepared *a = s->machine.prepared;

	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "path",
			 s->cfg.kernel_path, "format",
			 report_text(a->kernel_format), "entry",
			 report_hex(a->kernel_entry), "start",
			 report_hex(a->kernel_start), "end",
			 report_hex(a->kernel_end));
}

/* report_initrd() - null without one. */
static json_t *report_initrd(const struct session *s)
{
	const Bulkhead__Child__Prepared *a = s->machine.prepared;

	if (!s->cfg.initrd_path)
		return json_null();
	return json_pack("{s:s, s:o, s:I, s:o}", "path", s->cfg.initrd_path,
			 "start", report_hex(a->initrd_start), "bytes",
			 (json_int_t)a->initrd_size, "highest-address",
			 report_hex(a->initrd_limit));
}

/* report_e820() - the memory map that the guest sees. */
static json_t *report_e820(const struct session *s)
{
	static const char *const types[] = {"?", "ram", "reserved", "acpi"};
	const Bulkhead__Child__Prepared *a = s->machine.prepared;
	json_t *list = json_array();

	for (size_t i = 0; i < a->n_e820; i++) {
		const Bulkhead__Child__E820Entry *e = a->e820[i];
		const char *type =
			types[e->type < ARRAY_SIZE(types) ? e->type : 0];

		(void)json_array_append_new(
			list, json_pack("{s:o, s:o, s:I, s:s}", "start",
					report_hex(e->addr), "end",
					report_hex(e->addr + e->size), "bytes",
					(json_int_t)e->size, "type", type));
	}
	return list;
}

/* report_pci() - adds what the vmm says of the device of @id. */
static void report_pci(const struct session *s, const char *id, json_t *device)
{
	const Bulkhead__Child__Prepared *a = s->machine.prepared;

	for (size_t i = 0; i < a->n_devices; i++) {
		const Bulkhead__Child__PciDevice *d = a->devices[i];

		if (strcmp(d->id, id) != 0)
			continue;
		(void)json_object_update_new(
			device,
			json_pack("{s:o, s:o, s:o, s:I, s:o, s:i}", "slot",
				  json_sprintf("00:%02x.0", d->slot & 0x1f),
				  "pci-id",
				  json_sprintf("%04x:%04x", d->vendor & 0xffff,
					       d->device & 0xffff),
				  "bar", report_hex(d->bar_gpa), "bar-bytes",
				  (json_int_t)d->bar_size, "features",
				  report_hex(d->features), "queues",
				  (int)d->queue_cnt));
		return;
	}
}

/* report_devices() - each with its process. */
static json_t *report_devices(const struct session *s)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < s->cfg.disk_cnt; i++) {
		const struct child *c = &s->machine.children[1 + i];
		const struct config_disk *disk = &s->cfg.disks[i];
		json_t *device = json_pack(
			"{s:s, s:s, s:s, s:i, s:s, s:I, s:b, s:s}", "id",
			disk->id, "kind", role_info(c->role)->name, "program",
			role_info(c->role)->program, "pid", c->proc.pid, "path",
			disk->path, "bytes",
			(json_int_t)s->res.images[i].size_bytes, "readonly",
			(int)disk->readonly, "serial", s->res.serial[i]);

		report_pci(s, disk->id, device);
		(void)json_array_append_new(list, device);
	}
	return list;
}

/* report_walls() - of one process, as the kernel reported them to it. */
static json_t *report_walls(const struct child *c)
{
	json_t *list = json_array();

	for (size_t i = 0; c->ready && i < c->ready->n_walls; i++) {
		const Bulkhead__Child__Wall *w = c->ready->walls[i];

		(void)json_array_append_new(
			list, json_pack("{s:o, s:b, s:o}", "name",
					report_text(w->name), "stands",
					(int)w->stands, "detail",
					report_text(w->detail)));
	}
	return list;
}

/* report_facts() - what the kernel said to one process; null for nothing. */
static json_t *report_facts(const struct child *c)
{
	return c->ready && c->ready->facts ? facts_json(c->ready->facts)
					   : json_null();
}

/* report_processes() - every child with its walls and facts. */
static json_t *report_processes(const struct session *s)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < s->machine.child_cnt; i++) {
		const struct child *c = &s->machine.children[i];

		(void)json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:i, s:o, s:o}", "name", c->name,
				  "program", role_info(c->role)->program, "pid",
				  c->proc.pid, "walls", report_walls(c),
				  "facts", report_facts(c)));
	}
	return list;
}

/* report_missing() - host features that a machine can do without. */
static json_t *report_missing(const struct session *s)
{
	json_t *list = json_array();
	char names[KVM_PROBE_MISSING_BYTES];
	char *rest = NULL;

	(void)snprintf(names, sizeof(names), "%s", s->res.kvm.optional_missing);
	for (char *name = strtok_r(names, " ", &rest); name;
	     name = strtok_r(NULL, " ", &rest))
		(void)json_array_append_new(list, json_string(name));
	for (uint32_t i = 0; i < s->machine.child_cnt; i++) {
		const struct child *c = &s->machine.children[i];

		for (size_t k = 0; c->ready && k < c->ready->n_walls; k++) {
			if (c->ready->walls[k]->stands)
				continue;
			(void)json_array_append_new(
				list, json_sprintf("wall %.64s of %s",
						   c->ready->walls[k]->name,
						   c->name));
		}
	}
	return list;
}

/* report_make() - the whole; NULL = out of memory. */
static json_t *report_make(const struct session *s)
{
	const Bulkhead__Child__Prepared *a = s->machine.prepared;
	const struct cgroup *g = s->machine.cgroup;

	return json_pack(
		"{s:o, s:o, s:{s:I, s:I}, s:I, s:{s:I, s:I, s:b, s:s}, s:o, s:o, s:o, "
		"s:s?, s:o, s:o}",
		"kernel", report_kernel(s), "initrd", report_initrd(s),
		"cmdline", "bytes", (json_int_t)a->cmdline_bytes, "limit",
		(json_int_t)a->cmdline_limit, "cpus", (json_int_t)s->cfg.cpus,
		"memory", "size-mib", (json_int_t)s->cfg.memory_mib,
		"page-bytes", (json_int_t)s->res.memory.page_bytes,
		"transparent-hugepages", s->res.memory.transparent_huge,
		"host-shmem-enabled", s->res.memory.host_thp, "memory-map",
		report_e820(s), "devices", report_devices(s), "processes",
		report_processes(s), "cgroup", g ? g->path : NULL,
		"limits-in-force", report_limits(s), "host-features-missing",
		report_missing(s));
}

int report_print(const struct session *s, FILE *out)
{
	json_t *report = report_make(s);
	int ret;

	if (!report) {
		fprintf(stderr, "bulkhead: out of memory\n");
		return EXIT_CODE_HOST;
	}
	if (s->args.format_json) {
		ret = json_dumpf(report, out, JSON_INDENT(2));
		fputc('\n', out);
	} else {
		ret = report_text_print(report, out);
	}
	json_decref(report);
	return ret || fflush(out) ? EXIT_CODE_HOST : 0;
}
