// SPDX-License-Identifier: Apache-2.0
/*
 * resources.c - opens everything at once. Runs in the monitor.
 */
#include "monitor/host/resources.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

#include "ipc/fds.h"
#include "monitor/host/program.h"

/*
 * Fds that a machine needs: those of spawn lie above 64; a disk has its image,
 * a pair for its channel to the vmm, and its process's pidfd and two channels.
 */
#define RESOURCES_FDS 80u
#define RESOURCES_FDS_PER_DISK 6u

/* resources_serial() - given, else random: no two drives look alike. */
static int resources_serial(const struct config_disk *disk,
			    char ret_serial[CONFIG_SERIAL_MAX + 1],
			    struct problem *p)
{
	uint64_t random;

	if (disk->serial) {
		(void)snprintf(ret_serial, CONFIG_SERIAL_MAX + 1, "%s",
			       disk->serial);
		return 0;
	}
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return problem_set(p, EXIT_CODE_HOST, -EIO,
				   "disk \"%s\": no random serial: %s",
				   disk->id, strerror(errno));
	(void)snprintf(ret_serial, CONFIG_SERIAL_MAX + 1, "BH%016" PRIx64,
		       random);
	return 0;
}

/*
 * resources_shared() - the same image twice? Said before the locks are tried,
 * which would only say that somebody has it.
 */
static int resources_shared(const struct config *cfg,
			    const struct resources *res, uint32_t idx,
			    const struct image *image, struct problem *p)
{
	for (uint32_t i = 0; i < idx; i++) {
		if (!image_same(&res->images[i], image))
			continue;
		if (cfg->disks[i].readonly && cfg->disks[idx].readonly)
			continue;
		return problem_set(p, EXIT_CODE_INPUT, -EBUSY,
				   "disks \"%s\" and \"%s\" are the same image "
				   "%s and not both readonly",
				   cfg->disks[i].id, cfg->disks[idx].id,
				   cfg->disks[idx].path);
	}
	return 0;
}

/* resources_disk() - image and serial of drive @idx. */
static int resources_disk(const struct config *cfg, struct resources *res,
			  uint32_t idx, struct problem *p)
{
	const struct config_disk *disk = &cfg->disks[idx];
	struct image *image = &res->images[idx];
	int ret = image_open(disk->id, disk->path, disk->readonly, image, p);

	if (!ret) {
		res->image_cnt = idx + 1;
		ret = resources_shared(cfg, res, idx, image, p);
	}
	if (!ret)
		ret = image_lock(disk->id, disk->path, disk->readonly, image,
				 p);
	if (!ret)
		ret = resources_serial(disk, res->serial[idx], p);
	return ret;
}

/* resources_images() - every drive. */
static int resources_images(const struct config *cfg, struct resources *res,
			    struct problem *p)
{
	int ret = 0;

	for (uint32_t i = 0; i < cfg->disk_cnt && !ret; i++)
		ret = resources_disk(cfg, res, i, p);
	return ret;
}

/* resources_timings() - the timings file, emptied. */
static int resources_timings(const struct config *cfg, struct resources *res,
			     struct problem *p)
{
	if (!cfg->timings_path)
		return 0;
	res->timings_fd = open(cfg->timings_path,
			       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
				       O_NOCTTY | O_NONBLOCK,
			       0600);
	if (res->timings_fd < 0)
		return problem_set(p, EXIT_CODE_INPUT, -errno,
				   "timings-file: cannot open %s for writing: "
				   "%s",
				   cfg->timings_path, strerror(errno));
	return 0;
}

/*
 * resources_files() - fds enough for this machine and its control socket; the
 * soft limit is raised where the hard one lets it
 */
static int resources_files(const struct config *cfg, struct problem *p)
{
	rlim_t need = RESOURCES_FDS + cfg->disk_cnt * RESOURCES_FDS_PER_DISK;
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) < 0)
		return problem_set(p, EXIT_CODE_HOST, -errno,
				   "RLIMIT_NOFILE: %s", strerror(errno));
	if (lim.rlim_max < need)
		return problem_set(p, EXIT_CODE_HOST, -EMFILE,
				   "at most %" PRIu64 " open files "
				   "(RLIMIT_NOFILE, ulimit -n), but this "
				   "machine needs %" PRIu64,
				   (uint64_t)lim.rlim_max, (uint64_t)need);
	if (lim.rlim_cur >= need)
		return 0;
	lim.rlim_cur = need;
	if (setrlimit(RLIMIT_NOFILE, &lim) < 0)
		return problem_set(p, EXIT_CODE_HOST, -errno,
				   "RLIMIT_NOFILE: %s", strerror(errno));
	return 0;
}

/* resources_all() - in an order that checks cheap and likely errors first. */
static int resources_all(const struct config *cfg, struct resources *res,
			 struct problem *p)
{
	int ret = resources_files(cfg, p);

	if (!ret)
		ret = image_open_boot("kernel", cfg->kernel_path,
				      &res->kernel_fd, p);
	if (!ret && cfg->initrd_path)
		ret = image_open_boot("initrd", cfg->initrd_path,
				      &res->initrd_fd, p);
	if (!ret)
		ret = resources_images(cfg, res, p);
	if (!ret)
		ret = kvm_probe_open((uint32_t)cfg->cpus, &res->kvm, p);
	if (!ret)
		ret = program_open(ROLE_VMM, &res->program_fd[ROLE_VMM], p);
	if (!ret && cfg->disk_cnt)
		ret = program_open(ROLE_BLK, &res->program_fd[ROLE_BLK], p);
	if (!ret)
		ret = memory_create(cfg, &res->memory, p);
	if (!ret)
		ret = console_open(cfg, &res->console, p);
	if (!ret)
		ret = resources_timings(cfg, res, p);
	if (!ret)
		ret = control_socket_open(cfg, &res->control, p);
	return ret;
}

int resources_open(const struct config *cfg, struct resources *ret_res,
		   struct problem *p)
{
	int ret;

	*ret_res = (struct resources){
		.kvm = {.fd = -1},
		.memory = {.fd = -1},
		.console = {.in = -1, .out = -1},
		.kernel_fd = -1,
		.initrd_fd = -1,
		.timings_fd = -1,
		.control = {.fd = -1, .dir_fd = -1, .node_fd = -1}};
	for (size_t i = 0; i < ROLE_COUNT; i++)
		ret_res->program_fd[i] = -1;
	ret = resources_all(cfg, ret_res, p);
	if (ret)
		resources_close(ret_res);
	return ret;
}

void resources_close(struct resources *res)
{
	fd_cleanup(&res->kvm.fd);
	fd_cleanup(&res->memory.fd);
	fd_cleanup(&res->console.in);
	fd_cleanup(&res->console.out);
	fd_cleanup(&res->kernel_fd);
	fd_cleanup(&res->initrd_fd);
	fd_cleanup(&res->timings_fd);
	control_socket_close(&res->control);
	for (uint32_t i = 0; i < res->image_cnt; i++)
		fd_cleanup(&res->images[i].fd);
	for (size_t i = 0; i < ROLE_COUNT; i++)
		fd_cleanup(&res->program_fd[i]);
}
