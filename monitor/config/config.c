// SPDX-License-Identifier: Apache-2.0
/*
 * config.c - life of a configuration: defaults, reading the file, what only the
 * whole shows. Runs in the monitor.
 */
#include "monitor/config/config.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/log.h"
#include "ipc/memtable.h"
#include "monitor/config/config_schema.h"

/* config_cpus_probe() - nobody can use more than all of them. */
static void config_cpus_probe(struct config_limits *limits)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (cpus < 1)
		cpus = 1;
	limits->cpu_max_percent = (uint64_t)cpus * 100;
	(void)snprintf(limits->cpu_why, sizeof(limits->cpu_why),
		       "the host has %ld CPU%s of 100 percent", cpus,
		       cpus == 1 ? "" : "s");
}

void config_limits_probe(struct config_limits *ret_limits)
{
	uint32_t eax = 0;
	uint32_t ebx, ecx, edx;
	uint32_t bits = 36;
	uint64_t bytes;

	/* Leaf 80000008h EAX[7:0]: width of a physical address. */
	if (__get_cpuid(0x80000008u, &eax, &ebx, &ecx, &edx))
		bits = eax & 0xff;
	if (bits < 36)
		bits = 36;
	if (bits > 52)
		bits = 52;
	/* RAM above the hole ends at the last address that the host has. */
	bytes = (1ull << bits) - (MEMTABLE_HIGH_START - MEMTABLE_LOW_END);
	(void)snprintf(ret_limits->memory_why, sizeof(ret_limits->memory_why),
		       "the host's physical addresses have %u bits", bits);
	/* Each process maps all of it; half its addresses stay for the rest. */
	if (bytes > CONFIG_MEMORY_MAX_BYTES) {
		bytes = CONFIG_MEMORY_MAX_BYTES;
		(void)snprintf(ret_limits->memory_why,
			       sizeof(ret_limits->memory_why),
			       "a process maps it with 46 address bits");
	}
	ret_limits->memory_max_mib = bytes >> 20;
	config_cpus_probe(ret_limits);
}

void config_init(struct config *cfg)
{
	*cfg = (struct config){
		.cpus = 1,
		.memory_mib = 512,
		.transparent_huge = true,
		.pvpanic = true,
		.power_button_grace_ms = 30000,
		.log_level = LOG_LEVEL_WARN,
		.uid_base = CONFIG_UID_BASE,
	};
}

/* config_disk_fini() - the strings of one drive. */
static void config_disk_fini(struct config_disk *disk)
{
	free(disk->id);
	free(disk->path);
	free(disk->serial);
}

void config_fini(struct config *cfg)
{
	for (uint32_t i = 0; i < cfg->disk_cnt; i++)
		config_disk_fini(&cfg->disks[i]);
	free(cfg->kernel_path);
	free(cfg->initrd_path);
	free(cfg->cmdline);
	free(cfg->console_path);
	free(cfg->control);
	free(cfg->cgroup_path);
	free(cfg->timings_path);
	*cfg = (struct config){0};
}

enum config_confine config_disk_confine(const struct config *cfg, uint32_t idx)
{
	uint32_t own = cfg->disks[idx].confine;

	return (enum config_confine)(
		own == CONFIG_DISK_CONFINE_MACHINE ? cfg->confine : own - 1);
}

struct config_disk *config_disk_add(struct config *cfg,
				    const struct config_origin *at,
				    struct problem *p)
{
	if (cfg->disk_cnt == CONFIG_DISKS_MAX) {
		(void)config_refuse(at, p,
				    "too many disks; accepted: at most %u",
				    CONFIG_DISKS_MAX);
		return NULL;
	}
	return &cfg->disks[cfg->disk_cnt++];
}

/* config_text_read() - up to CONFIG_BYTES_MAX bytes of @fd; grows as needed. */
static int config_text_read(int fd, char **ret_text, size_t *ret_len)
{
	char *text = malloc(CONFIG_BYTES_MAX + 1);
	size_t len = 0;

	if (!text)
		return -ENOMEM;
	while (len <= CONFIG_BYTES_MAX) {
		ssize_t n = read(fd, text + len, CONFIG_BYTES_MAX + 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int error = -errno;

			free(text);
			return error;
		}
		if (n == 0)
			break;
		len += (size_t)n;
	}
	*ret_text = text;
	*ret_len = len;
	return len > CONFIG_BYTES_MAX ? -EFBIG : 0;
}

int config_load(struct config *cfg, const struct config_limits *limits,
		const char *name, struct problem *p)
{
	/* O_NONBLOCK: a FIFO without a writer must not hold the start. */
	int fd CLEANUP(fd_cleanup) =
		open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char *text = NULL;
	size_t len = 0;
	struct stat st;
	int ret;

	if (fd < 0)
		return problem_set(p, EXIT_CODE_INPUT, -errno,
				   "%s: cannot open the configuration: %s",
				   name, strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return problem_set(p, EXIT_CODE_INPUT, -EINVAL,
				   "%s: cannot read the configuration: %s, "
				   "not a file",
				   name,
				   S_ISDIR(st.st_mode) ? "a directory"
						       : "a pipe or device");
	ret = config_text_read(fd, &text, &len);
	if (ret == -EFBIG)
		(void)problem_set(p, EXIT_CODE_INPUT, ret,
				  "%s: configuration too long; accepted: at "
				  "most %u bytes",
				  name, CONFIG_BYTES_MAX);
	else if (ret)
		(void)problem_set(p, EXIT_CODE_INPUT, ret,
				  "%s: cannot read the configuration: %s", name,
				  strerror(-ret));
	else
		ret = config_parse(cfg, limits, name, text, len, p);
	free(text);
	return ret;
}

/* config_disk_at() - origin of a key of drive @i. */
static struct config_origin config_disk_at(const struct config *cfg, uint32_t i,
					   const char *key, char *path,
					   size_t size)
{
	struct config_origin at = {.path = path};

	if (cfg->disks[i].line) {
		at.file = cfg->file;
		at.line = cfg->disks[i].line;
	}
	(void)snprintf(path, size, "disks[%u].%s", i, key);
	return at;
}

/* config_id_taken() - does a drive before @end have @id? */
static bool config_id_taken(const struct config *cfg, uint32_t end,
			    const char *id, uint32_t *ret_idx)
{
	for (uint32_t i = 0; i < end; i++) {
		if (cfg->disks[i].id && !strcmp(cfg->disks[i].id, id)) {
			*ret_idx = i;
			return true;
		}
	}
	return false;
}

/* config_disk_name() - the first free "diskN", N from the drive's index. */
static int config_disk_name(struct config *cfg, uint32_t i, struct problem *p)
{
	char id[CONFIG_ID_MAX + 1];
	uint32_t n = i;
	uint32_t other;

	do {
		(void)snprintf(id, sizeof(id), "disk%u", n++);
	} while (config_id_taken(cfg, cfg->disk_cnt, id, &other));
	cfg->disks[i].id = strdup(id);
	if (!cfg->disks[i].id)
		return problem_set(p, EXIT_CODE_HOST, -ENOMEM, "out of memory");
	return 0;
}

/* config_disk_finish() - one drive: path there, id unique. */
static int config_disk_finish(const struct config *cfg, uint32_t i,
			      struct problem *p)
{
	const struct config_disk *disk = &cfg->disks[i];
	struct config_origin at;
	char path[64];
	uint32_t other;

	if (!disk->path) {
		at = config_disk_at(cfg, i, "path", path, sizeof(path));
		return config_refuse(&at, p, "required, but not given");
	}
	if (disk->id && config_id_taken(cfg, i, disk->id, &other)) {
		at = config_disk_at(cfg, i, "id", path, sizeof(path));
		return config_refuse(&at, p,
				     "\"%s\" is already the id of disks[%u]; "
				     "ids must differ",
				     disk->id, other);
	}
	return 0;
}

/* config_whole_refuse() - an error of the whole configuration. */
static int config_whole_refuse(const struct config *cfg, struct problem *p,
			       const char *path, const char *text)
{
	struct config_origin at = {
		.file = cfg->file, .line = cfg->file ? 1 : 0, .path = path};

	return config_refuse(&at, p, "%s", text);
}

/* config_quotas_finish() - a limit needs a group to be set in. */
static int config_quotas_finish(const struct config *cfg, struct problem *p)
{
	for (unsigned i = 0; i < ROLE_COUNT && !cfg->cgroup_path; i++) {
		if (config_quota_any(&cfg->quota[i]))
			return config_whole_refuse(
				cfg, p, "limits",
				"need a cgroup to be set in, and none is given "
				"(key \"cgroup\", flag --cgroup): start with "
				"systemd-run --user --scope -p Delegate=yes "
				"and --cgroup own, or name a group that is "
				"delegated to this user");
	}
	return 0;
}

int config_finish(struct config *cfg, struct problem *p)
{
	bool file = cfg->console_mode == CONFIG_CONSOLE_FILE;
	int ret = 0;

	if (!cfg->kernel_path)
		return config_whole_refuse(
			cfg, p, "kernel.path",
			"required, but not given (flag --kernel)");
	if (file && !cfg->console_path)
		return config_whole_refuse(cfg, p, "console.path",
					   "required with mode \"file\"");
	if (!file && cfg->console_path)
		return config_whole_refuse(cfg, p, "console.path",
					   "only accepted with mode \"file\"");
	ret = config_quotas_finish(cfg, p);
	for (uint32_t i = 0; i < cfg->disk_cnt && !ret; i++)
		ret = config_disk_finish(cfg, i, p);
	for (uint32_t i = 0; i < cfg->disk_cnt && !ret; i++) {
		if (!cfg->disks[i].id)
			ret = config_disk_name(cfg, i, p);
	}
	return ret;
}
