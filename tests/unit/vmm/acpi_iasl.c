// SPDX-License-Identifier: Apache-2.0
/*
 * acpi_iasl.c - runs iasl in a folder of its own.
 */
#include "tests/unit/vmm/acpi_iasl.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define IASL "/usr/bin/iasl"

bool iasl_is_present(void)
{
	return access(IASL, X_OK) == 0;
}

/* iasl_file_read() - at most IASL_TEXT_BYTES - 1 bytes, terminated. */
static void iasl_file_read(const char *dir, const char *name, char *ret_text)
{
	char path[64];
	size_t got = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (f) {
		got = fread(ret_text, 1, IASL_TEXT_BYTES - 1, f);
		fclose(f);
	}
	ret_text[got] = '\0';
}

/* iasl_file_write() - makes @dir/@name. */
static bool iasl_file_write(const char *dir, const char *name, const void *data,
			    size_t len)
{
	char path[64];
	bool good;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	if (!f)
		return false;
	good = fwrite(data, 1, len, f) == len;
	return fclose(f) == 0 && good;
}

/* iasl_run() - with @option on @name inside @dir; output to "log". */
static int iasl_run(const char *dir, const char *option, const char *name)
{
	char *argv[] = {strdup("iasl"), strdup(option), strdup(name), NULL};
	char *env[] = {NULL};
	posix_spawn_file_actions_t acts;
	int status = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&acts);
	posix_spawn_file_actions_addchdir_np(&acts, dir);
	posix_spawn_file_actions_addopen(&acts, 1, "log",
					 O_CREAT | O_WRONLY | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&acts, 1, 2);
	if (posix_spawn(&pid, IASL, &acts, NULL, argv, env) != 0 ||
	    waitpid(pid, &status, 0) != pid)
		status = -1;
	posix_spawn_file_actions_destroy(&acts);
	for (size_t i = 0; i < 3; i++)
		free(argv[i]);
	return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* iasl_dir_remove() - with the files that iasl makes. */
static void iasl_dir_remove(const char *dir)
{
	static const char *const names[] = {"t.aml", "t.dsl", "log"};
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

int iasl_disassemble(const uint8_t *table, size_t len, char *ret_text,
		     char *ret_log)
{
	char dir[] = "/tmp/bulkhead-iasl-XXXXXX";
	int rc = -1;

	ret_text[0] = ret_log[0] = '\0';
	if (!mkdtemp(dir))
		return -1;
	if (iasl_file_write(dir, "t.aml", table, len))
		rc = iasl_run(dir, "-d", "t.aml");
	iasl_file_read(dir, "t.dsl", ret_text);
	iasl_file_read(dir, "log", ret_log);
	iasl_dir_remove(dir);
	return rc;
}

int iasl_compile(const char *text, char *ret_log)
{
	char dir[] = "/tmp/bulkhead-iasl-XXXXXX";
	int rc = -1;

	ret_log[0] = '\0';
	if (!mkdtemp(dir))
		return -1;
	if (iasl_file_write(dir, "t.dsl", text, strlen(text)))
		rc = iasl_run(dir, "-f", "t.dsl");
	iasl_file_read(dir, "log", ret_log);
	iasl_dir_remove(dir);
	return rc;
}
