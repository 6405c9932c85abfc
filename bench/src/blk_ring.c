// SPDX-License-Identifier: Apache-2.0
/*
 * blk_ring.c - measures a real bulkhead-blk process with a driver on this side
 * of the rings: no guest, no vCPU, the device's own cost. Prints one JSON
 * object. Also makes the images that it reads (--fill-mib).
 *
 * The device runs confined or not, as the monitor would start it; what the
 * kernel says of its threads' filters is printed with each sample, so that
 * whoever reads it can tell.
 *
 * Exit status: 0 a sample was printed ("ok" says whether it counts), 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/virtio_blk.h>
#include <linux/virtio_config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/src/blk_load.h"
#include "bench/src/blk_pattern.h"
#include "bench/src/blk_ring_args.h"
#include "bench/src/cpu_hold.h"
#include "bench/src/proc_state.h"
#include "ipc/fds.h"

#define BIT(n) (UINT64_C(1) << (n))
#define RING_FEATURES                                                 \
	(BIT(VIRTIO_F_VERSION_1) | BIT(VIRTIO_RING_F_INDIRECT_DESC) | \
	 BIT(VIRTIO_RING_F_EVENT_IDX) | BIT(VIRTIO_BLK_F_FLUSH))
#define RING_QUEUE_SIZE 256u
#define RING_GUEST_SPARE (64u << 20)

/**
 * struct ring_sample - one run
 * @realtime: neither process waits for ordinary ones
 * @why: NULL as long as nothing went wrong
 */
struct ring_sample {
	struct guest guest;
	struct testdev dev;
	struct blkdrv b;
	struct blk_load_result result;
	struct proc_threads self;
	struct proc_threads threads;
	double cached[2];
	uint64_t image_bytes;
	int image_fd;
	int exit_status;
	bool realtime;
	const char *why;
};

/* ring_image() - open as the monitor would; in the page cache, unless direct */
static int ring_image(const struct ring_args *a, struct ring_sample *s)
{
	int flags = (a->write ? O_RDWR : O_RDONLY) | O_CLOEXEC |
		    (a->direct ? O_DIRECT : 0);
	struct stat st;

	s->image_fd = open(a->image, flags);
	if (s->image_fd < 0 || fstat(s->image_fd, &st) < 0)
		return -errno;
	s->image_bytes = (uint64_t)st.st_size;
	if (s->image_bytes < a->size || s->image_bytes % BLK_PATTERN_BLOCK)
		return -EINVAL;
	if (!a->direct) {
		int rc = proc_warm(s->image_fd, s->image_bytes);

		if (rc < 0)
			return rc;
	}
	return proc_cached(s->image_fd, s->image_bytes, &s->cached[0]);
}

/* ring_device() - the process, on its CPU; then we go to ours. */
static int ring_device(const struct ring_args *a, struct ring_sample *s)
{
	const struct testdev_config cfg = {
		.program = a->program,
		.image_fd = s->image_fd,
		.size = s->image_bytes,
		.read_only = !a->write,
		.serial = "bench",
		.queue_cnt = 1,
		.queue_size = RING_QUEUE_SIZE,
		.confine = a->confine,
		.no_namespaces =
			a->confine == BULKHEAD__CHILD__CONFINE__CONFINE_OFF,
		.leave_stderr = true,
	};
	int rc = a->cpu[1] < 0 ? 0 : cpu_pin(a->cpu[1]);

	/* Without the right to, the sample says so. */
	s->realtime = a->realtime && cpu_realtime() == 0;
	if (!rc)
		rc = testdev_start(&s->dev, &s->guest, &cfg);
	if (!rc && a->cpu[0] >= 0)
		rc = cpu_pin(a->cpu[0]);
	return rc;
}

/* ring_attach() - a driver like Linux's on queue 0. 0 or -errno. */
static int ring_attach(const struct ring_args *a, struct ring_sample *s)
{
	const struct drvq_config cfg = {
		.size = RING_QUEUE_SIZE, .event_idx = true, .indirect = true};
	int rc = testdev_features(&s->dev, RING_FEATURES);

	if (!rc)
		rc = blkdrv_init(&s->b, &s->guest, &cfg, (uint32_t)a->depth,
				 (uint32_t)a->size);
	return rc < 0 ? rc : blkdrv_attach(&s->b, &s->dev, 0);
}

/* ring_measure() - the load, and in which state the process was. */
static int ring_measure(const struct ring_args *a, struct ring_sample *s)
{
	const struct blk_load load = {
		.b = &s->b,
		.dev = &s->dev,
		.image_fd = s->image_fd,
		.image_bytes = s->image_bytes,
		.size_bytes = (uint32_t)a->size,
		.depth = (uint32_t)a->depth,
		.write = a->write,
		.random = a->random,
		.spin = !a->sleep,
		.warmup_ns = (uint64_t)(a->warmup * 1e9),
		.measure_ns = (uint64_t)(a->seconds * 1e9),
		.seed = a->seed * UINT64_C(0x9e3779b97f4a7c15),
	};
	int rc = proc_threads_read(getpid(), &s->self);

	if (!rc)
		rc = proc_threads_read(s->dev.child.pid, &s->threads);
	if (rc < 0)
		return rc;
	return blk_load_run(&load, &s->result, &s->why);
}

/* ring_run() - everything; s->why says what went wrong. */
static void ring_run(const struct ring_args *a, struct ring_sample *s)
{
	const char *step = "image";
	int rc = ring_image(a, s);

	if (!rc) {
		step = "memory";
		rc = guest_init(&s->guest,
				RING_GUEST_SPARE + a->depth * a->size, NULL);
	}
	if (!rc) {
		step = "device";
		rc = ring_device(a, s);
	}
	if (rc < 0) {
		fprintf(stderr, "blk_ring: %s: %s\n", step, strerror(-rc));
		s->why = step;
		return;
	}
	rc = ring_attach(a, s);
	if (!rc)
		rc = ring_measure(a, s);
	if (rc < 0 && !s->why)
		s->why = strerrordesc_np(-rc);
	s->exit_status = testdev_end(&s->dev);
	if (!s->why && s->exit_status != 0)
		s->why = "the device did not end as it should";
	if (!s->why &&
	    proc_cached(s->image_fd, s->image_bytes, &s->cached[1]) < 0)
		s->why = "page cache";
	blkdrv_fini(&s->b);
}

/* ring_print_threads() - a JSON list. */
static void ring_print_threads(const char *key, const struct proc_threads *t)
{
	printf("\"%s\": [", key);
	for (unsigned i = 0; i < t->cnt; i++)
		printf("%s{\"name\": \"%s\", \"mode\": %u, \"filters\": %u}",
		       i ? ", " : "", t->thread[i].name, t->thread[i].seccomp,
		       t->thread[i].filters);
	printf("], ");
}

/* ring_print() - the sample. */
static void ring_print(const struct ring_args *a, const struct ring_sample *s)
{
	const struct blk_load_result *r = &s->result;
	double requests = r->requests ? (double)r->requests : 1;

	printf("{\"ok\": %s, \"why\": \"%s\", ", s->why ? "false" : "true",
	       s->why ? s->why : "");
	printf("\"requests\": %llu, \"wall_ns\": %llu, \"iops\": %.1f, "
	       "\"bytes_per_s\": %.0f, ",
	       (unsigned long long)r->requests, (unsigned long long)r->wall_ns,
	       r->wall_ns ? (double)r->requests * 1e9 / (double)r->wall_ns : 0,
	       r->wall_ns ? (double)(r->requests * a->size) * 1e9 /
				    (double)r->wall_ns
			  : 0);
	printf("\"min_ns\": %llu, \"p50_ns\": %llu, \"p99_ns\": %llu, "
	       "\"max_ns\": %llu, ",
	       (unsigned long long)r->min_ns, (unsigned long long)r->p50_ns,
	       (unsigned long long)r->p99_ns, (unsigned long long)r->max_ns);
	printf("\"device_cpu_ns_per_request\": %.1f, "
	       "\"driver_cpu_ns_per_request\": %.1f, "
	       "\"kicks_per_request\": %.3f, \"calls_per_request\": %.3f, "
	       "\"wakes_per_request\": %.3f, ",
	       (double)r->device_cpu_ns / requests,
	       (double)r->driver_cpu_ns / requests, (double)r->kicks / requests,
	       (double)r->calls / requests, (double)r->wakes / requests);
	printf("\"realtime\": %s, \"waited_part\": %.4f, \"busy_part\": %.4f, ",
	       s->realtime ? "true" : "false",
	       r->wall_ns ? (double)r->waited_ns / (double)r->wall_ns : 0,
	       r->wall_ns ? (double)(r->device_cpu_ns + r->driver_cpu_ns) /
				    (double)r->wall_ns
			  : 0);
	printf("\"verified\": %llu, \"walls_down\": %u, \"refusals\": ",
	       (unsigned long long)r->verified, s->dev.walls_down);
	if (r->refusals_known)
		printf("%llu, ", (unsigned long long)r->refusals);
	else
		printf("null, ");
	ring_print_threads("self", &s->self);
	ring_print_threads("threads", &s->threads);
	printf("\"cached_before\": %.3f, \"cached_after\": %.3f}\n",
	       s->cached[0], s->cached[1]);
}

int main(int argc, char **argv)
{
	static struct ring_sample s = {.guest = {.fd = -1}, .image_fd = -1};
	struct ring_args a;
	int rc = ring_parse(argc, argv, &a);

	if (rc)
		return rc;
	if (a.fill_mib) {
		rc = blk_pattern_fill(a.image, a.fill_mib << 20);
		if (rc < 0)
			fprintf(stderr, "blk_ring: %s: %s\n", a.image,
				strerror(-rc));
		return rc < 0 ? 1 : 0;
	}
	ring_run(&a, &s);
	ring_print(&a, &s);
	guest_fini(&s.guest);
	fd_cleanup(&s.image_fd);
	return 0;
}
