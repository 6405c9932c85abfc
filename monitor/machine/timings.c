// SPDX-License-Identifier: Apache-2.0
/*
 * timings.c - writes the timings file. Runs in the monitor.
 */
#define LOG_MODULE "timings"
#include "monitor/machine/timings.h"

#include <jansson.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ipc/log.h"

/* timings_phase() - one row. */
static void timings_phase(json_t *list, const char *name, uint64_t cpu_ns,
			  uint64_t mono_ns)
{
	/* On lack of memory the row is missing, and json_dumpfd complains. */
	(void)json_array_append_new(list,
				    json_pack("{s:s, s:I, s:I}", "name", name,
					      "cpu_ns", (json_int_t)cpu_ns,
					      "mono_ns", (json_int_t)mono_ns));
}

/* timings_child_phases() - of one message; Return: CPU time of the last. */
static uint64_t timings_child_phases(json_t *list,
				     Bulkhead__Child__Phase *const *phases,
				     size_t cnt)
{
	uint64_t cpu_ns = 0;

	for (size_t i = 0; i < cnt; i++) {
		timings_phase(list, phases[i]->name, phases[i]->cpu_ns,
			      phases[i]->mono_ns);
		cpu_ns = phases[i]->cpu_ns;
	}
	return cpu_ns;
}

/* timings_cpu_now() - CPU time of process @pid until now; 0 if unknown. */
static uint64_t timings_cpu_now(pid_t pid)
{
	struct timespec t = {0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* timings_process() - one process; adds to @total_cpu_ns. */
static json_t *timings_process(const char *name, const char *role, int pid,
			       json_t *phases, uint64_t cpu_ns,
			       uint64_t *total_cpu_ns)
{
	*total_cpu_ns += cpu_ns;
	return json_pack("{s:s, s:s, s:i, s:I, s:o}", "name", name, "role",
			 role, "pid", pid, "cpu_ns", (json_int_t)cpu_ns,
			 "phases", phases);
}

/* timings_monitor() - ourselves. */
static json_t *timings_monitor(const struct machine *m, uint64_t *total_cpu_ns)
{
	json_t *phases = json_array();
	uint64_t cpu_ns = 0;

	for (size_t i = 0; i < m->phases->cnt; i++) {
		const struct phase *p = &m->phases->phase[i];

		timings_phase(phases, p->name, p->cpu_ns, p->mono_ns);
		cpu_ns = p->cpu_ns;
	}
	return timings_process("monitor", role_info(ROLE_MONITOR)->name,
			       getpid(), phases, cpu_ns, total_cpu_ns);
}

/*
 * timings_child() - the vmm stops its clock itself just before the guest's
 * first instruction; a device has no such moment and is asked for now.
 */
static json_t *timings_child(const struct machine *m, const struct child *c,
			     uint64_t *total_cpu_ns)
{
	json_t *phases = json_array();
	uint64_t cpu_ns = 0;

	if (c->ready)
		(void)timings_child_phases(phases, c->ready->phases,
					   c->ready->n_phases);
	if (c->role == ROLE_VMM && m->prepared)
		(void)timings_child_phases(phases, m->prepared->phases,
					   m->prepared->n_phases);
	if (c->running)
		cpu_ns = timings_child_phases(phases, c->running->phases,
					      c->running->n_phases);
	if (!cpu_ns)
		cpu_ns = timings_cpu_now(c->proc.pid);
	if (c->role != ROLE_VMM)
		timings_phase(phases, "running", cpu_ns, loop_now_ns());
	return timings_process(c->name, role_info(c->role)->name, c->proc.pid,
			       phases, cpu_ns, total_cpu_ns);
}

/* timings_end_ns() - when the guest began, as the vmm says, else now. */
static uint64_t timings_end_ns(const struct machine *m)
{
	const Bulkhead__Child__Running *r = m->children[0].running;

	return r && r->n_phases ? r->phases[r->n_phases - 1]->mono_ns
				: loop_now_ns();
}

void timings_begin(void)
{
	/* jansson opens /dev/urandom for its first object. */
	json_object_seed(0);
}

void timings_write(const struct machine *m)
{
	json_t *processes = json_array();
	uint64_t total_cpu_ns = 0;
	uint64_t start_ns = m->phases->phase[0].mono_ns;
	uint64_t end_ns = timings_end_ns(m);
	json_t *root;
	char *text;

	(void)json_array_append_new(processes,
				    timings_monitor(m, &total_cpu_ns));
	for (uint32_t i = 0; i < m->child_cnt; i++)
		(void)json_array_append_new(processes,
					    timings_child(m, &m->children[i],
							  &total_cpu_ns));
	root = json_pack("{s:I, s:I, s:o}", "total_cpu_ns",
			 (json_int_t)total_cpu_ns, "wall_ns",
			 (json_int_t)(end_ns - start_ns), "processes",
			 processes);
	text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
	/* At once: somebody may wait for the file and read it as it appears. */
	if (!text || write(m->res->timings_fd, text, strlen(text)) < 0)
		log_warn("cannot write %s", m->cfg->timings_path);
	free(text);
	json_decref(root);
}
