// SPDX-License-Identifier: Apache-2.0
/*
 * verb.c - finds and runs the verb. Runs in the monitor.
 */
#include "monitor/cli/verb.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ipc/fds.h"
#include "ipc/frame.h"
#include "monitor/cli/help.h"
#include "monitor/config/config_suggest.h"
#include "monitor/exit.h"

/* verb_help() - `bulkhead help [VERB]`. */
static int verb_help(const struct verb *self, int argc, char **argv,
		     struct phases *phases)
{
	bool self_help = argc > 0 && !strcmp(argv[0], "--help");
	const struct verb *verb = argc > 0 ? verb_find(argv[0]) : NULL;

	(void)phases;
	if (self_help)
		verb = self;
	if (argc > 1 || (argc == 1 && !verb)) {
		fprintf(stderr,
			"bulkhead: no such verb: %.64s; see bulkhead "
			"help\n",
			argv[argc > 1 ? 1 : 0]);
		return EXIT_CODE_INPUT;
	}
	if (verb)
		help_verb(stdout, verb);
	else
		help_all(stdout);
	return 0;
}

/* verb_version() - `bulkhead version`. */
static int verb_version(const struct verb *self, int argc, char **argv,
			struct phases *phases)
{
	(void)phases;
	if (argc == 1 && !strcmp(argv[0], "--help")) {
		help_verb(stdout, self);
		return 0;
	}
	if (argc > 0) {
		fprintf(stderr, "bulkhead: %.64s: unexpected\n", argv[0]);
		return EXIT_CODE_INPUT;
	}
	printf("bulkhead %s, protocol %u\n", BULKHEAD_VERSION,
	       PROTOCOL_VERSION);
	return 0;
}

static const struct verb verb_table[] = {
	{.name = "run",
	 .args = "[CONFIG.json] [FLAGS]",
	 .summary = "start a machine and wait for its end",
	 .help = "Starts a machine whose vCPUs, drives and monitor are "
		 "separate processes, and waits for its end. Flags override "
		 "the values of CONFIG.json and extend its lists. The first "
		 "SIGTERM, SIGINT or SIGHUP presses the guest's power button; "
		 "the second one, or the end of the grace time, ends the "
		 "machine. On a terminal, Ctrl-A x ends it at once.",
	 .takes_config = true,
	 .run = verb_run},
	{.name = "check",
	 .args = "[CONFIG.json] [FLAGS]",
	 .summary = "do all of run up to the guest's first instruction",
	 .help = "Does all that run does up to the guest's first instruction "
		 "and prints what was found: kernel format and entry, limits, "
		 "placement, memory map, each device with its process, the "
		 "walls of each process and what the kernel says of it (ids, "
		 "capabilities, namespaces, filters, limits, open fds, "
		 "executable mappings), host features missing.",
	 .takes_config = true,
	 .takes_format = true,
	 .run = verb_check},
	{.name = "policy",
	 .args = "list | diff ROLE ROLE | show ROLE [FLAGS]",
	 .summary = "show the system calls that each process may make",
	 .help = "Shows the tables from which the filters of system calls are "
		 "made. ROLE is the name of a process or, with a hyphen, of a "
		 "thread of it: vmm, vmm-vcpu. list prints all names. show "
		 "prints each row with its tests, the answer that a refused "
		 "call gets, and who needs it; whatever has no row ends the "
		 "process. Its flag --format is text, json or pfc, "
		 "libseccomp's pseudo filter code. "
		 "diff prints the rows that only the first has after \"-\" and "
		 "those that only the second has after \"+\".",
	 .run = verb_policy},
	{.name = "status",
	 .args = "[SOCK|PID] [--confinement] [--format text|json] [--json]",
	 .summary = "tell what runs, and which walls stand",
	 .help = "Tells the state of the machine whose control socket is SOCK "
		 "(a path with a '/') or whose monitor has PID; without one, "
		 "of all machines of this user. With --confinement, for each "
		 "process: its walls, what the kernel says of it now "
		 "(kernel), and what only the process itself can tell, as of "
		 "the end of its start (ready). --json is --format json. Exit "
		 "code 3: no such machine, or it does not answer.",
	 .run = verb_status},
	{.name = "version",
	 .args = "",
	 .summary = "print the program's and the protocol's version",
	 .help = "Prints the program's and the protocol's version.",
	 .run = verb_version},
	{.name = "help",
	 .args = "[VERB]",
	 .summary = "explain the command or one verb",
	 .help = "Explains the command, or one verb with all its flags.",
	 .run = verb_help},
};

const struct verb *verb_rows(size_t *ret_cnt)
{
	*ret_cnt = ARRAY_SIZE(verb_table);
	return verb_table;
}

const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(verb_table); i++) {
		if (!strcmp(verb_table[i].name, name))
			return &verb_table[i];
	}
	return NULL;
}

/* verb_unknown() - refuses with a suggestion. */
static int verb_unknown(const char *name)
{
	struct suggest near;

	suggest_start(&near, name);
	for (size_t i = 0; i < ARRAY_SIZE(verb_table); i++)
		suggest_offer(&near, verb_table[i].name);
	fprintf(stderr, "bulkhead: no such verb: %.64s; %s%s%s\n", name,
		near.best ? "did you mean \"" : "see bulkhead help",
		near.best ? near.best : "", near.best ? "\"?" : "");
	return EXIT_CODE_INPUT;
}

/* verb_fds_open() - 0, 1 and 2 must be something before anything is opened. */
static int verb_fds_open(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_NOCTTY);
		if (fd < 0)
			return -1;
	} while (fd <= STDERR_FILENO);
	fd_cleanup(&fd);
	return 0;
}

int verb_main(int argc, char **argv)
{
	static const char *const help_words[] = {"--help", "-h"};
	struct phases phases = {.cnt = 0};
	const struct verb *verb;

	phases_mark(&phases, "main");
	if (verb_fds_open())
		return EXIT_CODE_HOST;
	(void)signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		help_all(stderr);
		return EXIT_CODE_INPUT;
	}
	for (size_t i = 0; i < ARRAY_SIZE(help_words); i++) {
		if (!strcmp(argv[1], help_words[i])) {
			help_all(stdout);
			return 0;
		}
	}
	verb = verb_find(!strcmp(argv[1], "--version") ? "version" : argv[1]);
	if (!verb)
		return verb_unknown(argv[1]);
	return verb->run(verb, argc - 2, argv + 2, &phases);
}
