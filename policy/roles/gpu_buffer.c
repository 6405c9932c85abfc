// SPDX-License-Identifier: Apache-2.0
/*
 * gpu_buffer.c - buffers and fences that are fds (dma-buf, sync_file, udmabuf),
 * and the small calls that renderers make between submits. Refined when the GPU
 * process is built.
 */
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <linux/udmabuf.h>
#include <unistd.h>

#include "policy/roles/gpu.h"

#define BUFFER_ROW(request, reason) \
	ALLOW_IF(ioctl, T_EQ_AS(1, (request), #request), reason)

static const struct policy_row buffer_rows[] = {
	BUFFER_ROW(DMA_BUF_IOCTL_SYNC,
		   "Mesa: a mapped dma-buf read or written"),
	BUFFER_ROW(DMA_BUF_IOCTL_EXPORT_SYNC_FILE, "Mesa: fences of a dma-buf"),
	BUFFER_ROW(DMA_BUF_IOCTL_IMPORT_SYNC_FILE, "Mesa: fences of a dma-buf"),
	BUFFER_ROW(SYNC_IOC_MERGE, "Mesa: two fences to one"),
	BUFFER_ROW(SYNC_IOC_FILE_INFO, "Mesa: state of a fence"),
	BUFFER_ROW(UDMABUF_CREATE, "devices/gpu: guest blob of one piece"),
	BUFFER_ROW(UDMABUF_CREATE_LIST, "devices/gpu: guest blob of pieces"),
	ALLOW_IF(lseek, T_EQ(2, SEEK_END), "Mesa: size of a dma-buf"),
	ALLOW_IF(lseek, T_EQ(2, SEEK_SET), "Mesa: after its size was asked"),
	ALLOW_IF(fcntl, T_EQ(1, F_DUPFD_CLOEXEC),
		 "Mesa: keeps an fd that it is lent; RLIMIT_NOFILE bounds it"),
};
POLICY_SET(set_gpu_buffer, buffer_rows);

static const struct policy_row wait_rows[] = {
	ALLOW(sched_yield, "Mesa: short waits between its threads"),
	ALLOW(clock_nanosleep, "Mesa: waits for a fence without an fd"),
};
POLICY_SET(set_gpu_wait, wait_rows);
