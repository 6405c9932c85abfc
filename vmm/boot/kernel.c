// SPDX-License-Identifier: Apache-2.0
/*
 * kernel.c - from an image's format to its bytes in RAM. Runs in the confined
 * vmm; the image is a tenant's and not trusted: each number was bounded by the
 * format's parser, and is checked against RAM here, before the first write.
 */
#include "vmm/boot/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "vmm/boot/message.h"
#include "vmm/layout.h"

int boot_kernel_parse(const struct boot_image *image,
		      enum boot_protocol protocol,
		      struct boot_kernel *ret_kernel, char *ret_message)
{
	*ret_kernel = (struct boot_kernel){.segment_cnt = 0};
	if (bzimage_detect(image))
		return bzimage_parse(image, protocol, ret_kernel, ret_message);
	if (elf_detect(image))
		return elf_parse(image, protocol, ret_kernel, ret_message);
	return boot_refuse(ret_message, -ENOEXEC,
			   "kernel is %s; give a bzImage or an ELF vmlinux",
			   format_name(image));
}

int boot_kernel_fit(const struct boot_kernel *k, uint64_t low_end,
		    char *ret_message)
{
	if (k->start < LAYOUT_HIMEM_GPA)
		return boot_refuse(ret_message, -ENOSPC,
				   "kernel wants to be loaded at 0x%" PRIx64
				   ", over the boot structures; the lowest "
				   "address that is accepted is 0x%llx",
				   k->start, LAYOUT_HIMEM_GPA);
	if (k->end > low_end)
		return boot_refuse(
			ret_message, -ENOSPC,
			"kernel needs memory from 0x%" PRIx64 " to 0x%" PRIx64
			", but RAM below 4 GiB ends at 0x%" PRIx64
			": give the machine at least %" PRIu64 " MiB",
			k->start, k->end, low_end,
			(k->end >> 20) + ((k->end & 0xfffff) != 0));
	return 0;
}

/* kernel_segment_load() - one segment: file bytes, then zeroes. */
static int kernel_segment_load(const struct boot_segment *s, int fd,
			       struct guestmem *mem)
{
	int rc = 0;

	if (s->file_bytes > 0)
		rc = guestmem_pread(mem, s->gpa, fd, s->offset, s->file_bytes);
	if (rc == 0 && s->mem_bytes > s->file_bytes)
		rc = guestmem_zero(mem, s->gpa + s->file_bytes,
				   s->mem_bytes - s->file_bytes);
	return rc;
}

int boot_kernel_load(const struct boot_kernel *k,
		     const struct boot_image *image, struct guestmem *mem,
		     char *ret_message)
{
	for (uint32_t i = 0; i < k->segment_cnt; i++) {
		int rc = kernel_segment_load(&k->segment[i], image->fd, mem);

		if (rc == -ENODATA)
			return boot_refuse(ret_message, -EIO,
					   "kernel file became shorter while "
					   "it was read");
		if (rc < 0)
			return boot_refuse(ret_message, -EIO,
					   "kernel cannot be read: %s",
					   strerrordesc_np(-rc));
	}
	return 0;
}
