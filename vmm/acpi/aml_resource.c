// SPDX-License-Identifier: Apache-2.0
/*
 * aml_resource.c - resource descriptors. Runs in the vmm; its input is our own
 * code only. Spec: ACPI 6.5 section 6.4 (resource data types).
 */
#include "vmm/acpi/aml.h"

/* Descriptor tags: small ones carry their length in the low bits. */
#define RES_IO 0x47u
#define RES_MEMORY32_FIXED 0x86u
#define RES_DWORD_SPACE 0x87u
#define RES_WORD_SPACE 0x88u
#define RES_INTERRUPT 0x89u

#define RES_IO_DECODE16 1u
#define RES_SPACE_MEMORY 0u
#define RES_SPACE_BUS 2u
/* Address space flags: both ends fixed, positive decode, producer. */
#define RES_SPACE_FIXED 0x0cu
/* Memory: read and write, not cached. */
#define RES_MEMORY_RW 0x01u
/* Interrupt: consumer, edge, active high, exclusive. */
#define RES_INTERRUPT_EDGE 0x03u

struct res_io {
	uint8_t tag;
	uint8_t decode;
	uint16_t min;
	uint16_t max;
	uint8_t align;
	uint8_t cnt;
} __attribute__((packed));

struct res_interrupt {
	uint8_t tag;
	uint16_t bytes;
	uint8_t flags;
	uint8_t cnt;
	uint32_t gsi;
} __attribute__((packed));

struct res_memory32 {
	uint8_t tag;
	uint16_t bytes;
	uint8_t writable;
	uint32_t base;
	uint32_t size;
} __attribute__((packed));

struct res_word_space {
	uint8_t tag;
	uint16_t bytes;
	uint8_t type;
	uint8_t flags;
	uint8_t type_flags;
	uint16_t granularity;
	uint16_t min;
	uint16_t max;
	uint16_t translation;
	uint16_t size;
} __attribute__((packed));

struct res_dword_space {
	uint8_t tag;
	uint16_t bytes;
	uint8_t type;
	uint8_t flags;
	uint8_t type_flags;
	uint32_t granularity;
	uint32_t min;
	uint32_t max;
	uint32_t translation;
	uint32_t size;
} __attribute__((packed));

/* Bytes behind the tag and the length of a large descriptor. */
#define RES_BYTES(type) (uint16_t)(sizeof(type) - 3)

void aml_resource_io(struct aml *a, uint16_t port, uint8_t cnt)
{
	struct res_io r = {.tag = RES_IO,
			   .decode = RES_IO_DECODE16,
			   .min = port,
			   .max = port,
			   .align = 1,
			   .cnt = cnt};

	aml_bytes(a, &r, sizeof(r));
}

void aml_resource_irq_edge(struct aml *a, uint32_t gsi)
{
	struct res_interrupt r = {.tag = RES_INTERRUPT,
				  .bytes = RES_BYTES(r),
				  .flags = RES_INTERRUPT_EDGE,
				  .cnt = 1,
				  .gsi = gsi};

	aml_bytes(a, &r, sizeof(r));
}

void aml_resource_memory32(struct aml *a, uint32_t base, uint32_t bytes)
{
	struct res_memory32 r = {.tag = RES_MEMORY32_FIXED,
				 .bytes = RES_BYTES(r),
				 .writable = 1,
				 .base = base,
				 .size = bytes};

	aml_bytes(a, &r, sizeof(r));
}

void aml_resource_bus(struct aml *a, uint16_t first, uint16_t last)
{
	struct res_word_space r = {.tag = RES_WORD_SPACE,
				   .bytes = RES_BYTES(r),
				   .type = RES_SPACE_BUS,
				   .flags = RES_SPACE_FIXED,
				   .min = first,
				   .max = last,
				   .size = (uint16_t)(last - first + 1)};

	aml_bytes(a, &r, sizeof(r));
}

void aml_resource_window32(struct aml *a, uint32_t base, uint32_t bytes)
{
	struct res_dword_space r = {.tag = RES_DWORD_SPACE,
				    .bytes = RES_BYTES(r),
				    .type = RES_SPACE_MEMORY,
				    .flags = RES_SPACE_FIXED,
				    .type_flags = RES_MEMORY_RW,
				    .min = base,
				    .max = base + (bytes - 1),
				    .size = bytes};

	aml_bytes(a, &r, sizeof(r));
}
