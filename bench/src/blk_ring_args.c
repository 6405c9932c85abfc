// SPDX-License-Identifier: Apache-2.0
/*
 * blk_ring_args.c - the command line of blk_ring. Runs in it.
 */
#include "bench/src/blk_ring_args.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/src/blk_load.h"
#include "bench/src/blk_pattern.h"

enum ring_option {
	OPT_PROGRAM,
	OPT_IMAGE,
	OPT_CONFINE,
	OPT_OP,
	OPT_DEPTH,
	OPT_SIZE,
	OPT_SECONDS,
	OPT_WARMUP,
	OPT_SEED,
	OPT_CPUS,
	OPT_DIRECT,
	OPT_SLEEP,
	OPT_REALTIME,
	OPT_FILL,
	OPT_COUNT
};

static const struct option ring_options[] = {
	{"program", required_argument, NULL, OPT_PROGRAM},
	{"image", required_argument, NULL, OPT_IMAGE},
	{"confine", required_argument, NULL, OPT_CONFINE},
	{"op", required_argument, NULL, OPT_OP},
	{"depth", required_argument, NULL, OPT_DEPTH},
	{"size", required_argument, NULL, OPT_SIZE},
	{"seconds", required_argument, NULL, OPT_SECONDS},
	{"warmup", required_argument, NULL, OPT_WARMUP},
	{"seed", required_argument, NULL, OPT_SEED},
	{"cpus", required_argument, NULL, OPT_CPUS},
	{"direct", no_argument, NULL, OPT_DIRECT},
	{"sleep", no_argument, NULL, OPT_SLEEP},
	{"realtime", no_argument, NULL, OPT_REALTIME},
	{"fill-mib", required_argument, NULL, OPT_FILL},
	{NULL, 0, NULL, 0},
};

static const char ring_usage[] =
	"usage: blk_ring --image FILE --fill-mib N\n"
	"       blk_ring --program BULKHEAD-BLK --image FILE [OPTION...]\n"
	"  --confine enforce|log|off   default enforce\n"
	"  --op randread|read|randwrite|write   default randread\n"
	"  --depth 1..256              default 1\n"
	"  --size BYTES                4096..1048576, a multiple of 4096\n"
	"  --seconds S --warmup S      0.01..3600; default 2 and 0.5\n"
	"  --seed N                    order of random offsets\n"
	"  --cpus DRIVER,DEVICE        pins each to a CPU\n"
	"  --direct                    O_DIRECT, past the page cache\n"
	"  --sleep                     sleep for interrupts, not look\n"
	"  --realtime                  no wait for ordinary processes\n";

/* What is said in words, as what it means. */
static const struct ring_word {
	const char *word;
	int value;
} ring_modes[] = {{"enforce", BULKHEAD__CHILD__CONFINE__CONFINE_ENFORCE},
		  {"log", BULKHEAD__CHILD__CONFINE__CONFINE_LOG},
		  {"off", BULKHEAD__CHILD__CONFINE__CONFINE_OFF},
		  {NULL, 0}},
  ring_ops[] = {{"read", 0},
		{"write", 1},
		{"randread", 2},
		{"randwrite", 3},
		{NULL, 0}};

/* ring_word() - value of @text in @words; @fallback without a text; -EINVAL */
static int ring_word(const struct ring_word *words, const char *text,
		     int fallback)
{
	if (!text)
		return fallback;
	for (; words->word; words++) {
		if (strcmp(words->word, text) == 0)
			return words->value;
	}
	return -EINVAL;
}

/* ring_number() - @min..@max, or @fallback without a text. */
static bool ring_number(const char *text, double min, double max,
			double fallback, double *ret)
{
	char *end;

	*ret = fallback;
	if (!text)
		return true;
	*ret = strtod(text, &end);
	return *end == '\0' && end != text && *ret >= min && *ret <= max;
}

/* ring_whole() - the same without a fraction. */
static bool ring_whole(const char *text, double min, double max,
		       double fallback, uint64_t *ret)
{
	double v;

	if (!ring_number(text, min, max, fallback, &v))
		return false;
	*ret = (uint64_t)v;
	return (double)*ret >= v;
}

/* ring_cpus() - "DRIVER,DEVICE"; without a text nothing changes. */
static bool ring_cpus(const char *text, int ret_cpu[2])
{
	char *end;
	long cpu;

	for (int i = 0; text && i < 2; i++) {
		cpu = strtol(text, &end, 10);
		if (end == text || *end != (i ? '\0' : ',') || cpu < 0 ||
		    cpu >= CPU_SETSIZE)
			return false;
		ret_cpu[i] = (int)cpu;
		text = end + 1;
	}
	return true;
}

/* ring_values() - texts by enum ring_option; the option that is wrong. */
static const char *ring_values(const char *const *text, struct ring_args *a)
{
	int mode =
		ring_word(ring_modes, text[OPT_CONFINE], ring_modes[0].value);
	int op = ring_word(ring_ops, text[OPT_OP], 2);

	if (mode < 0)
		return "--confine";
	if (op < 0)
		return "--op";
	a->confine = (Bulkhead__Child__Confine)mode;
	a->write = op & 1;
	a->random = op & 2;
	if (!ring_whole(text[OPT_DEPTH], 1, BLK_LOAD_DEPTH_MAX, 1, &a->depth))
		return "--depth";
	if (!ring_whole(text[OPT_SIZE], 4096, 1 << 20, 4096, &a->size) ||
	    a->size % BLK_PATTERN_BLOCK)
		return "--size";
	if (!ring_number(text[OPT_SECONDS], 0.01, 3600, 2, &a->seconds))
		return "--seconds";
	if (!ring_number(text[OPT_WARMUP], 0.01, 3600, 0.5, &a->warmup))
		return "--warmup";
	if (!ring_whole(text[OPT_SEED], 0, 1e15, 1, &a->seed))
		return "--seed";
	if (!ring_whole(text[OPT_FILL], 1, 1 << 20, 0, &a->fill_mib))
		return "--fill-mib";
	if (!ring_cpus(text[OPT_CPUS], a->cpu))
		return "--cpus";
	a->direct = text[OPT_DIRECT];
	a->sleep = text[OPT_SLEEP];
	a->realtime = text[OPT_REALTIME];
	a->image = text[OPT_IMAGE];
	a->program = text[OPT_PROGRAM];
	if (!a->program && !a->fill_mib)
		return "--program";
	return a->image ? NULL : "--image";
}

int ring_parse(int argc, char **argv, struct ring_args *ret_args)
{
	const char *text[OPT_COUNT] = {NULL};
	const char *wrong;
	int opt;

	*ret_args = (struct ring_args){.cpu = {-1, -1}};
	while ((opt = getopt_long(argc, argv, "", ring_options, NULL)) >= 0) {
		if (opt >= OPT_COUNT)
			return 2;
		text[opt] = optarg ? optarg : "";
	}
	wrong = optind < argc ? argv[optind] : ring_values(text, ret_args);
	if (!wrong)
		return 0;
	fprintf(stderr, "blk_ring: %s is missing or wrong\n%s", wrong,
		ring_usage);
	return 2;
}
