// SPDX-License-Identifier: Apache-2.0
/*
 * config_schema.c - every key that a configuration may hold. Runs in the
 * monitor.
 */
#include "monitor/config/config_schema.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const config_boot_words[] = {"auto", "linux64", "pvh", NULL};
static const char *const config_hugepages_words[] = {"none", "2m", "1g", NULL};
static const char *const config_console_words[] = {"stdio", "file", "none",
						   NULL};
static const char *const config_level_words[] = {"err", "warn", "info", "debug",
						 NULL};
static const char *const config_confine_words[] = {"enforce", "log", "off",
						   NULL};
static const char *const config_disk_confine_words[] = {"machine", "enforce",
							"log", "off", NULL};
static const char *const config_missing_words[] = {
	[CONFIG_MISSING_USERNS] = "userns",
	[CONFIG_MISSING_PIDNS] = "pidns",
	[CONFIG_MISSING_MNTNS] = "mntns",
	[CONFIG_MISSING_NETNS] = "netns",
	[CONFIG_MISSING_IPCNS] = "ipcns",
	[CONFIG_MISSING_UTSNS] = "utsns",
	[CONFIG_MISSING_CGROUPNS] = "cgroupns",
	[CONFIG_MISSING_ROOT] = "root",
	[CONFIG_MISSING_LANDLOCK] = "landlock",
	[CONFIG_MISSING_CGROUP] = "cgroup",
	[CONFIG_MISSING_COUNT] = NULL,
};

const char *config_missing_word(enum config_missing wall)
{
	return config_missing_words[wall];
}

/* config_id_valid() - ids go into logs, file names and shell commands. */
static const char *config_id_valid(const char *text)
{
	static const char accepted[] =
		"lower-case letters, digits and '-', a letter or digit first, "
		"not \"vmm\" or \"monitor\"";

	if (!strcmp(text, "vmm") || !strcmp(text, "monitor") || text[0] == '-')
		return accepted;
	for (const char *c = text; *c; c++) {
		if (!islower((unsigned char)*c) &&
		    !isdigit((unsigned char)*c) && *c != '-')
			return accepted;
	}
	return NULL;
}

/* config_serial_valid() - guests show it as text. */
static const char *config_serial_valid(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c <= ' ' || *c > '~')
			return "printable ASCII without spaces";
	}
	return NULL;
}

/* config_control_valid() - a path, or one of two words. */
static const char *config_control_valid(const char *text)
{
	if (!strcmp(text, "auto") || !strcmp(text, "none") || strchr(text, '/'))
		return NULL;
	return "auto, none, or a path with a '/'";
}

/* config_cgroup_valid() - no path of a configuration file's directory. */
static const char *config_cgroup_valid(const char *text)
{
	if (text[0] == '/' || !strcmp(text, CONFIG_CGROUP_OWN))
		return NULL;
	return "an absolute path such as /sys/fs/cgroup/machines, or "
	       "own";
}

#define PATH_LENGTH .min = 1, .max = 4095
#define FIELD(member) .offset = offsetof(struct config, member)
#define DISK_FIELD(member) .offset = offsetof(struct config_disk, member)

static const struct config_key config_kernel_keys[] = {
	{.name = "path",
	 .type = CONFIG_TYPE_PATH,
	 FIELD(kernel_path),
	 PATH_LENGTH,
	 .flag = "--kernel",
	 .arg = "PATH",
	 .help = "kernel image: bzImage or ELF vmlinux, required"},
	{.name = "initrd",
	 .type = CONFIG_TYPE_PATH,
	 FIELD(initrd_path),
	 PATH_LENGTH,
	 .flag = "--initrd",
	 .arg = "PATH",
	 .help = "initial RAM disk"},
	{.name = "cmdline",
	 .type = CONFIG_TYPE_STRING,
	 FIELD(cmdline),
	 .max = CONFIG_CMDLINE_MAX,
	 .flag = "--cmdline",
	 .arg = "TEXT",
	 .preset = "empty",
	 .help = "kernel command line; never cut, a kernel's own limit is "
		 "checked before it starts"},
	{.name = "boot",
	 .type = CONFIG_TYPE_ENUM,
	 FIELD(boot),
	 .words = config_boot_words,
	 .flag = "--boot",
	 .arg = "PROTOCOL",
	 .preset = "auto",
	 .help = "boot protocol; auto takes what the image offers"},
};
static const struct config_object config_kernel_object = {
	config_kernel_keys, ARRAY_SIZE(config_kernel_keys)};

static const struct config_key config_memory_keys[] = {
	{.name = "size-mib",
	 .type = CONFIG_TYPE_UINT,
	 FIELD(memory_mib),
	 .min = CONFIG_MEMORY_MIN_MIB,
	 .max = 0,
	 .flag = "--memory",
	 .arg = "MIB",
	 .preset = "512",
	 .help = "guest memory in MiB"},
	{.name = "hugepages",
	 .type = CONFIG_TYPE_ENUM,
	 FIELD(hugepages),
	 .words = config_hugepages_words,
	 .flag = "--hugepages",
	 .arg = "SIZE",
	 .preset = "none",
	 .help = "back guest memory by reserved huge pages of this size"},
	{.name = "transparent-hugepages",
	 .type = CONFIG_TYPE_BOOL,
	 FIELD(transparent_huge),
	 .flag = "--no-transparent-hugepages",
	 .preset = "true",
	 .help = "ask the host for transparent huge pages"},
	{.name = "prefault",
	 .type = CONFIG_TYPE_BOOL,
	 FIELD(prefault),
	 .flag = "--prefault",
	 .preset = "false",
	 .help = "allocate all guest memory before the guest starts"},
};
static const struct config_object config_memory_object = {
	config_memory_keys, ARRAY_SIZE(config_memory_keys)};

static const struct config_key config_disk_keys[] = {
	{.name = "path",
	 .type = CONFIG_TYPE_PATH,
	 DISK_FIELD(path),
	 PATH_LENGTH,
	 .help = "raw image file or block device, required"},
	{.name = "id",
	 .type = CONFIG_TYPE_STRING,
	 DISK_FIELD(id),
	 .min = 1,
	 .max = CONFIG_ID_MAX,
	 .valid = config_id_valid,
	 .preset = "diskN",
	 .help = "name in logs and messages, unique in the machine"},
	{.name = "readonly",
	 .type = CONFIG_TYPE_BOOL,
	 DISK_FIELD(readonly),
	 .preset = "false",
	 .help = "the guest cannot write; the image may be shared"},
	{.name = "serial",
	 .type = CONFIG_TYPE_STRING,
	 DISK_FIELD(serial),
	 .min = 1,
	 .max = CONFIG_SERIAL_MAX,
	 .valid = config_serial_valid,
	 .preset = "random",
	 .help = "serial number that the guest sees"},
	{.name = "confine",
	 .type = CONFIG_TYPE_ENUM,
	 DISK_FIELD(confine),
	 .words = config_disk_confine_words,
	 .preset = "machine",
	 .help = "walls around this drive's process, if other than the "
		 "machine's"},
};
const struct config_object config_disk_object = {config_disk_keys,
						 ARRAY_SIZE(config_disk_keys)};

static const struct config_key config_console_keys[] = {
	{.name = "mode",
	 .type = CONFIG_TYPE_ENUM,
	 FIELD(console_mode),
	 .words = config_console_words,
	 .preset = "stdio",
	 .help = "where the guest's serial port goes"},
	{.name = "path",
	 .type = CONFIG_TYPE_PATH,
	 FIELD(console_path),
	 PATH_LENGTH,
	 .help = "file of mode \"file\": created with mode 0600, an existing "
		 "one is appended to"},
};
static const struct config_object config_console_object = {
	config_console_keys, ARRAY_SIZE(config_console_keys)};

static const struct config_key config_root_keys[] = {
	{.name = "kernel",
	 .type = CONFIG_TYPE_OBJECT,
	 .object = &config_kernel_object,
	 .help = "what to boot"},
	{.name = "cpus",
	 .type = CONFIG_TYPE_UINT,
	 FIELD(cpus),
	 .min = 1,
	 .max = CONFIG_CPUS_MAX,
	 .flag = "--cpus",
	 .arg = "N",
	 .preset = "1",
	 .help = "number of virtual CPUs"},
	{.name = "memory",
	 .type = CONFIG_TYPE_OBJECT,
	 .object = &config_memory_object,
	 .help = "guest memory"},
	{.name = "disks",
	 .type = CONFIG_TYPE_DISKS,
	 .object = &config_disk_object,
	 .max = CONFIG_DISKS_MAX,
	 .flag = "--disk",
	 .arg = "KEY=VALUE,...",
	 .help = "list of drives, one process each; keys as below, a comma "
		 "in a value is written twice; the flag adds a drive"},
	{.name = "console",
	 .type = CONFIG_TYPE_OBJECT,
	 .object = &config_console_object,
	 .flag = "--console",
	 .arg = "stdio|file=PATH|none",
	 .help = "the guest's serial port"},
	{.name = "debug-exit",
	 .type = CONFIG_TYPE_BOOL,
	 FIELD(debug_exit),
	 .flag = "--debug-exit",
	 .preset = "false",
	 .help = "a byte that the guest writes to port 0xf4 ends the machine "
		 "and becomes the exit code"},
	{.name = "pvpanic",
	 .type = CONFIG_TYPE_BOOL,
	 FIELD(pvpanic),
	 .flag = "--no-pvpanic",
	 .preset = "true",
	 .help = "device by which a guest reports its panic"},
	{.name = "power-button-grace-ms",
	 .type = CONFIG_TYPE_UINT,
	 FIELD(power_button_grace_ms),
	 .max = CONFIG_GRACE_MAX_MS,
	 .flag = "--power-button-grace-ms",
	 .arg = "MS",
	 .preset = "30000",
	 .help = "time from the power button (first SIGTERM, SIGINT or "
		 "SIGHUP) to the end of the machine"},
	{.name = "log-level",
	 .type = CONFIG_TYPE_ENUM,
	 FIELD(log_level),
	 .words = config_level_words,
	 .flag = "--log-level",
	 .arg = "LEVEL",
	 .preset = "warn",
	 .help = "least important log records to print"},
	{.name = "confine",
	 .type = CONFIG_TYPE_ENUM,
	 FIELD(confine),
	 .words = config_confine_words,
	 .flag = "--confine",
	 .arg = "MODE",
	 .preset = "enforce",
	 .help = "walls around each process; log prints what enforce would "
		 "refuse, off is for debuggers"},
	{.name = "confine-missing",
	 .type = CONFIG_TYPE_WORDS,
	 FIELD(confine_missing),
	 .words = config_missing_words,
	 .flag = "--confine-missing",
	 .arg = "WALL,...",
	 .preset = "none",
	 .help = "walls that this host cannot build and that may be missing"},
	{.name = "uid-base",
	 .type = CONFIG_TYPE_UINT,
	 FIELD(uid_base),
	 .min = 1,
	 .max = CONFIG_UID_BASE_MAX,
	 .flag = "--uid-base",
	 .arg = "UID",
	 .preset = "720896",
	 .help = "started as root: the user and group of the monitor; the "
		 "vmm gets the next, then each drive"},
	{.name = "control",
	 .type = CONFIG_TYPE_STRING,
	 FIELD(control),
	 .min = 1,
	 .max = 107,
	 .valid = config_control_valid,
	 .flag = "--control",
	 .arg = "PATH",
	 .preset = "auto",
	 .help = "control socket, mode 0600; auto makes one for bulkhead "
		 "status in $XDG_RUNTIME_DIR/bulkhead, for root in "
		 "/run/bulkhead"},
	{.name = "cgroup",
	 .type = CONFIG_TYPE_STRING,
	 FIELD(cgroup_path),
	 PATH_LENGTH,
	 .valid = config_cgroup_valid,
	 .flag = "--cgroup",
	 .arg = "PATH",
	 .help = "absolute path of a delegated cgroup v2 group, or own, the "
		 "group that bulkhead is started in; each process gets a "
		 "group of its own below it"},
	{.name = "limits",
	 .type = CONFIG_TYPE_OBJECT,
	 .object = &config_quotas_object,
	 .flag = "--limit",
	 .arg = "ROLE:KEY=VALUE,...",
	 .help = "what each process of a role may use, set in its group below "
		 "cgroup; keys as below, the flag may be repeated"},
	{.name = "timings-file",
	 .type = CONFIG_TYPE_PATH,
	 FIELD(timings_path),
	 PATH_LENGTH,
	 .flag = "--timings-file",
	 .arg = "PATH",
	 .help = "where to write the CPU and wall time of each start phase "
		 "of each process, as JSON"},
};
const struct config_object config_root = {config_root_keys,
					  ARRAY_SIZE(config_root_keys)};

const struct config_key *config_key_find(const struct config_object *object,
					 const char *name)
{
	for (size_t i = 0; i < object->cnt; i++) {
		if (!strcmp(object->keys[i].name, name))
			return &object->keys[i];
	}
	return NULL;
}

/**
 * config_walk_rows() - rows of one object and of those in it
 * @prefix: its path with dot
 * Recursion is as deep as the schema.
 */
static int config_walk_rows( // NOLINT(misc-no-recursion)
	const struct config_object *object, const char *prefix,
	int (*fn)(void *ctx, const char *path, const struct config_key *key),
	void *ctx)
{
	int r = 0;

	for (size_t i = 0; i < object->cnt && !r; i++) {
		const struct config_key *key = &object->keys[i];
		char path[128];
		char below[sizeof(path) + 4];

		(void)snprintf(path, sizeof(path), "%s%s", prefix, key->name);
		(void)snprintf(below, sizeof(below), "%s%s.", path,
			       key->type == CONFIG_TYPE_DISKS ? "[]" : "");
		r = fn(ctx, path, key);
		if (!r && key->object)
			r = config_walk_rows(key->object, below, fn, ctx);
	}
	return r;
}

int config_schema_walk(int (*fn)(void *ctx, const char *path,
				 const struct config_key *key),
		       void *ctx)
{
	return config_walk_rows(&config_root, "", fn, ctx);
}
