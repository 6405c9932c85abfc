// SPDX-License-Identifier: Apache-2.0
/*
 * acpi.c - lays the tables out in guest RAM. Runs in the vmm; input is our own
 * configuration only. Spec: ACPI 6.5 section 5.2.
 */
#include "vmm/acpi/acpi.h"

#include <errno.h>

#include "vmm/acpi/table.h"
#include "vmm/layout.h"

/* Tables begin at multiples of this. */
#define ACPI_ALIGN 16u

/* acpi_next() - pads to the next table; returns its guest address. */
static uint64_t acpi_next(struct aml *a)
{
	while (!a->overflow && a->len % ACPI_ALIGN != 0)
		aml_byte(a, 0);
	return LAYOUT_ACPI_GPA + a->len;
}

int acpi_build(const struct acpi_config *cfg, struct guestmem *mem,
	       uint64_t *ret_rsdp_gpa)
{
	uint8_t rsdp[ACPI_RSDP_BYTES] = {0};
	uint64_t listed[3];
	uint64_t gpa;
	uint8_t *buf;
	struct aml a;
	int rc;

	if (cfg->cpus == 0 || cfg->cpus > LAYOUT_CPUS_MAX)
		return -ENOSPC;
	buf = malloc(LAYOUT_ACPI_SIZE);
	if (!buf)
		return -ENOMEM;
	aml_init(&a, buf, LAYOUT_ACPI_SIZE);
	/* The root pointer comes first, filled when its target is known. */
	aml_bytes(&a, rsdp, sizeof(rsdp));
	gpa = acpi_next(&a);
	acpi_dsdt_write(cfg, &a);
	listed[0] = acpi_next(&a);
	acpi_fadt_write(gpa, &a);
	listed[1] = acpi_next(&a);
	acpi_madt_write(cfg, &a);
	listed[2] = acpi_next(&a);
	acpi_mcfg_write(&a);
	gpa = acpi_next(&a);
	acpi_xsdt_write(listed, ARRAY_SIZE(listed), &a);
	acpi_rsdp_fill(gpa, buf);
	rc = a.overflow ? -ENOSPC
			: guestmem_write(mem, LAYOUT_ACPI_GPA, buf, a.len);
	free(buf);
	if (rc == 0)
		*ret_rsdp_gpa = LAYOUT_ACPI_GPA;
	return rc;
}
