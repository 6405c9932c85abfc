// SPDX-License-Identifier: Apache-2.0
/*
 * virtio_pci_job.c - what the device process is still to be told, worked out
 * from the difference between the driver's settings and what it was told. Runs
 * on the main loop's thread; pure but for the lock.
 *
 * Order after DRIVER_OK: FEATURES, QUEUE_SET of each enabled queue, QUEUE_START
 * of each, then QUEUE_STOP of queues under reset, then config writes. A reset
 * comes before all of them.
 */
#include <errno.h>
#include <linux/virtio_config.h>
#include <string.h>

#include "vmm/virtio/virtio_parts.h"

#define LOG_MODULE "virtio"
#include "ipc/log.h"

/** virtio_job_queue() - fills @job if a queue in state @told waits for @kind.
 */
static bool virtio_job_queue(struct virtio_pci *vp, enum virtio_job_kind kind,
			     enum virtio_queue_told told,
			     struct virtio_job *job)
{
	for (uint32_t i = 0; i < vp->queue_cnt; i++) {
		const struct virtio_queue *q = &vp->queue[i];

		if (!q->enabled || q->told != told)
			continue;
		if (kind == VIRTIO_JOB_QUEUE_STOP && !q->resetting)
			continue;
		*job = (struct virtio_job){.kind = kind,
					   .queue = i,
					   .size = q->size,
					   .kick_fd = q->kick_fd,
					   .call_fd = q->call_fd};
		memcpy(job->ring, q->ring, sizeof(job->ring));
		return true;
	}
	return false;
}

/** virtio_job_write() - the oldest config write that was not sent. */
static bool virtio_job_write(struct virtio_pci *vp, struct virtio_job *job)
{
	if (vp->write_cnt == 0)
		return false;
	*job = (struct virtio_job){.kind = VIRTIO_JOB_CONFIG_WRITE,
				   .write = vp->write[0]};
	vp->write_cnt--;
	memmove(&vp->write[0], &vp->write[1],
		vp->write_cnt * sizeof(vp->write[0]));
	return true;
}

/** virtio_job_pick() - the next job, under the lock. */
static bool virtio_job_pick(struct virtio_pci *vp, struct virtio_job *job)
{
	if (vp->failed)
		return false;
	if (vp->reset_wanted) {
		*job = (struct virtio_job){.kind = VIRTIO_JOB_RESET};
		if (vp->told_features)
			return true;
		virtio_pci_reset_finish(vp);
		return false;
	}
	/* Nothing new for a broken device, but a driver that resets a queue
	 * waits for its end. */
	if (vp->broken)
		return virtio_job_queue(vp, VIRTIO_JOB_QUEUE_STOP,
					VIRTIO_QUEUE_TOLD_START, job);
	if (!(vp->status & VIRTIO_CONFIG_S_DRIVER_OK))
		return false;
	if (!vp->told_features) {
		*job = (struct virtio_job){.kind = VIRTIO_JOB_FEATURES,
					   .features = virtio_pci_acked(vp)};
		return true;
	}
	return virtio_job_queue(vp, VIRTIO_JOB_QUEUE_SET,
				VIRTIO_QUEUE_TOLD_NOTHING, job) ||
	       virtio_job_queue(vp, VIRTIO_JOB_QUEUE_START,
				VIRTIO_QUEUE_TOLD_SET, job) ||
	       virtio_job_queue(vp, VIRTIO_JOB_QUEUE_STOP,
				VIRTIO_QUEUE_TOLD_START, job) ||
	       virtio_job_write(vp, job);
}

bool virtio_pci_job_next(struct virtio_pci *vp, struct virtio_job *ret_job)
{
	bool found = false;

	pthread_mutex_lock(&vp->func.lock);
	if (!vp->job_busy) {
		found = virtio_job_pick(vp, ret_job);
		vp->job_busy = found;
	}
	/* Told from here on: a reset must follow, whatever the answer is. */
	if (found && ret_job->kind == VIRTIO_JOB_FEATURES)
		vp->told_features = true;
	pthread_mutex_unlock(&vp->func.lock);
	return found;
}

/** virtio_job_failed() - the device refused. Return: as job_done. */
static int virtio_job_failed(struct virtio_pci *vp,
			     const struct virtio_job *job, uint32_t error)
{
	switch (job->kind) {
	case VIRTIO_JOB_FEATURES:
	case VIRTIO_JOB_QUEUE_SET:
	case VIRTIO_JOB_QUEUE_START:
		/* The guest asked for what cannot be: it is told, and no
		 * one else suffers. */
		log_guest(LOG_LEVEL_WARN,
			  "%s: device refused job=%d queue=%u error=%u",
			  vp->name, (int)job->kind, job->queue, error);
		virtio_pci_break(vp);
		return 0;
	case VIRTIO_JOB_CONFIG_WRITE:
		log_guest(LOG_LEVEL_INFO,
			  "%s: device refused a config write: error=%u",
			  vp->name, error);
		return 0;
	case VIRTIO_JOB_QUEUE_STOP:
	case VIRTIO_JOB_RESET:
		return -EIO;
	}
	return -EIO;
}

/** virtio_job_apply() - the device did it. */
static void virtio_job_apply(struct virtio_pci *vp,
			     const struct virtio_job *job)
{
	struct virtio_queue *q = &vp->queue[job->queue];

	switch (job->kind) {
	case VIRTIO_JOB_QUEUE_SET:
		q->told = VIRTIO_QUEUE_TOLD_SET;
		break;
	case VIRTIO_JOB_QUEUE_START:
		q->told = VIRTIO_QUEUE_TOLD_START;
		break;
	case VIRTIO_JOB_QUEUE_STOP:
		/* The driver sets the ring up anew, so the position is void. */
		virtio_queue_clear(q);
		break;
	case VIRTIO_JOB_RESET:
		virtio_pci_reset_finish(vp);
		break;
	case VIRTIO_JOB_FEATURES:
	case VIRTIO_JOB_CONFIG_WRITE:
		break;
	}
}

int virtio_pci_job_done(struct virtio_pci *vp, const struct virtio_job *job,
			uint32_t error)
{
	int ret = 0;

	pthread_mutex_lock(&vp->func.lock);
	BUG_ON(!vp->job_busy || job->queue >= VIRTIO_PCI_QUEUES_MAX);
	vp->job_busy = false;
	if (error)
		ret = virtio_job_failed(vp, job, error);
	else
		virtio_job_apply(vp, job);
	virtio_queue_resets_end(vp);
	pthread_mutex_unlock(&vp->func.lock);
	return ret;
}
