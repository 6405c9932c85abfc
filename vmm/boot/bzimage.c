// SPDX-License-Identifier: Apache-2.0
/*
 * bzimage.c - Linux bzImage: the setup header. Runs in the confined vmm; every
 * field is a tenant's and not trusted.
 * Spec: Linux/x86 boot protocol 2.15 (Documentation/arch/x86/boot.rst), "The
 * Real-Mode Kernel Header" and "64-bit Boot Protocol".
 */
#include <asm/bootparam.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "vmm/boot/kernel.h"
#include "vmm/boot/message.h"
#include "vmm/layout.h"

/* First protocol with xloadflags, which say that there is a 64-bit entry. */
#define BZIMAGE_VERSION_MIN 0x020cu
#define BZIMAGE_SECTOR 512u
/* setup_sects 0 means 4, for ancient images. */
#define BZIMAGE_SETUP_SECTS_DEFAULT 4u
/* The 64-bit entry is this far behind the load address. */
#define BZIMAGE_ENTRY64 0x200u
#define BZIMAGE_MAGIC 0x53726448u /* "HdrS" */
/* The header ends this far behind the byte at 0x201 plus its value. */
#define BZIMAGE_HDR_JUMP_END 0x202u

#define HDR(field) offsetof(struct boot_params, hdr.field)

/**
 * struct bzimage - the header fields that are used, copied once
 * @payload_offset: of the protected-mode code in the file
 * @payload_bytes: its length
 */
struct bzimage {
	uint16_t version;
	uint8_t loadflags;
	uint16_t xloadflags;
	uint8_t relocatable;
	uint32_t alignment;
	uint64_t pref_address;
	uint32_t init_size;
	uint32_t initrd_addr_max;
	uint32_t cmdline_size;
	uint64_t payload_offset;
	uint64_t payload_bytes;
};

bool bzimage_detect(const struct boot_image *image)
{
	return image->head_bytes >= HDR(version) + 2 &&
	       boot_image_le32(image, HDR(header)) == BZIMAGE_MAGIC;
}

/* bzimage_read() - the header as numbers. */
static void bzimage_read(const struct boot_image *image, struct bzimage *b)
{
	uint32_t sects = image->head[HDR(setup_sects)];

	if (sects == 0)
		sects = BZIMAGE_SETUP_SECTS_DEFAULT;
	b->version = boot_image_le16(image, HDR(version));
	b->loadflags = image->head[HDR(loadflags)];
	b->xloadflags = boot_image_le16(image, HDR(xloadflags));
	b->relocatable = image->head[HDR(relocatable_kernel)];
	b->alignment = boot_image_le32(image, HDR(kernel_alignment));
	b->pref_address = boot_image_le64(image, HDR(pref_address));
	b->init_size = boot_image_le32(image, HDR(init_size));
	b->initrd_addr_max = boot_image_le32(image, HDR(initrd_addr_max));
	b->cmdline_size = boot_image_le32(image, HDR(cmdline_size));
	b->payload_offset = (uint64_t)(sects + 1) * BZIMAGE_SECTOR;
	b->payload_bytes = (uint64_t)boot_image_le32(image, HDR(syssize)) * 16;
}

/* bzimage_check() - may this image be booted by its 64-bit entry? */
static int bzimage_check(const struct boot_image *image,
			 const struct bzimage *b, char *ret_message)
{
	if (b->version < BZIMAGE_VERSION_MIN)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a bzImage of boot protocol "
				   "%u.%02u; 2.12 or newer is accepted",
				   b->version >> 8, b->version & 0xff);
	if (image->head_bytes < BOOT_HDR_END ||
	    b->payload_offset + b->payload_bytes > image->bytes)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a truncated bzImage: its header "
				   "promises %" PRIu64 " bytes, the file has "
				   "%" PRIu64,
				   b->payload_offset + b->payload_bytes,
				   image->bytes);
	if (!(b->loadflags & LOADED_HIGH))
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a zImage, loaded low; give a "
				   "bzImage or an ELF vmlinux");
	if (!(b->xloadflags & XLF_KERNEL_64))
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a bzImage for 32-bit machines, "
				   "without a 64-bit entry; give an x86-64 "
				   "bzImage or ELF vmlinux");
	if (b->payload_bytes <= BZIMAGE_ENTRY64)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a bzImage with %" PRIu64
				   " bytes of code; more than %u are needed "
				   "for a 64-bit entry",
				   b->payload_bytes, BZIMAGE_ENTRY64);
	return 0;
}

/*
 * bzimage_place() - the load address
 * The preferred address is kept even for a relocatable kernel: Linux unpacks
 * itself there or above, so a lower one would not need less RAM.
 */
static int bzimage_place(const struct bzimage *b, uint64_t *ret_gpa,
			 char *ret_message)
{
	uint64_t align = b->relocatable ? b->alignment : 1;

	if (align == 0 || (align & (align - 1)) != 0)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a bzImage with kernel_alignment "
				   "0x%" PRIx64 "; a power of two is needed",
				   align);
	*ret_gpa = b->pref_address;
	if (!b->relocatable)
		return 0;
	if (*ret_gpa < LAYOUT_HIMEM_GPA)
		*ret_gpa = LAYOUT_HIMEM_GPA;
	if (__builtin_add_overflow(*ret_gpa, align - 1, ret_gpa))
		*ret_gpa = UINT64_MAX;
	*ret_gpa &= ~(align - 1);
	return 0;
}

/* bzimage_header_copy() - the part of the file that goes into boot_params. */
static void bzimage_header_copy(const struct boot_image *image,
				struct boot_kernel *k)
{
	size_t end = BZIMAGE_HDR_JUMP_END + image->head[HDR(jump) + 1];

	if (end > BOOT_HDR_END)
		end = BOOT_HDR_END;
	memcpy(k->hdr, image->head + BOOT_HDR_START, end - BOOT_HDR_START);
}

int bzimage_parse(const struct boot_image *image, enum boot_protocol protocol,
		  struct boot_kernel *k, char *ret_message)
{
	struct bzimage b;
	uint64_t need;
	int rc;

	bzimage_read(image, &b);
	if (protocol == BOOT_PROTOCOL_PVH)
		return boot_refuse(ret_message, -ENOEXEC,
				   "kernel is a bzImage, which has no PVH "
				   "entry; give an ELF vmlinux or another "
				   "boot protocol");
	rc = bzimage_check(image, &b, ret_message);
	if (rc == 0)
		rc = bzimage_place(&b, &k->start, ret_message);
	if (rc < 0)
		return rc;
	need = b.init_size > b.payload_bytes ? b.init_size : b.payload_bytes;
	if (__builtin_add_overflow(k->start, need, &k->end))
		k->end = UINT64_MAX;
	k->protocol = BOOT_PROTOCOL_LINUX64;
	k->entry = k->start + BZIMAGE_ENTRY64;
	k->cmdline_limit = b.cmdline_size;
	k->initrd_limit = b.xloadflags & XLF_CAN_BE_LOADED_ABOVE_4G
				  ? UINT32_MAX
				  : b.initrd_addr_max;
	k->segment[0] = (struct boot_segment){
		.gpa = k->start,
		.offset = b.payload_offset,
		.file_bytes = b.payload_bytes,
		.mem_bytes = b.payload_bytes,
	};
	k->segment_cnt = 1;
	bzimage_header_copy(image, k);
	snprintf(k->format, sizeof(k->format),
		 "bzImage, protocol %u.%02u, 64-bit entry", b.version >> 8,
		 b.version & 0xff);
	return 0;
}
