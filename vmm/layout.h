/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - where everything is in the guest: the one source of truth for the
 * memory map, ACPI's tables, PCI's windows and the port map.
 */
#ifndef VMM_LAYOUT_H
#define VMM_LAYOUT_H

#include "ipc/memtable.h"

/* Boot structures in low RAM. */
#define LAYOUT_GDT_GPA 0x500ULL
#define LAYOUT_IDT_GPA 0x540ULL /* behind the 6 entries of the GDT */
#define LAYOUT_PVH_START_INFO_GPA 0x6000ULL
#define LAYOUT_BOOT_PARAMS_GPA 0x7000ULL
#define LAYOUT_BOOT_STACK_GPA 0x8ff0ULL
#define LAYOUT_PAGE_TABLES_GPA 0x9000ULL /* PML4, PDPT, 4 PDs: 6 pages */
#define LAYOUT_CMDLINE_GPA 0x20000ULL
#define LAYOUT_CMDLINE_MAX 0x10000ULL /* room, with NUL */
#define LAYOUT_LOW_RAM_END 0x9fc00ULL /* e820: RAM below, reserved above */
#define LAYOUT_ACPI_GPA 0xe0000ULL    /* RSDP first; 128 KiB, e820 type ACPI */
#define LAYOUT_ACPI_SIZE 0x20000ULL
#define LAYOUT_HIMEM_GPA 0x100000ULL

/* The hole: MEMTABLE_LOW_END to MEMTABLE_HIGH_START. */
#define LAYOUT_MMIO32_GPA 0xc0000000ULL
#define LAYOUT_MMIO32_SIZE 0x20000000ULL /* PCI BARs, 512 MiB */
#define LAYOUT_ECAM_GPA 0xe0000000ULL
#define LAYOUT_ECAM_SIZE 0x100000ULL /* bus 0 only */
#define LAYOUT_IOAPIC_GPA 0xfec00000ULL
#define LAYOUT_LAPIC_GPA 0xfee00000ULL
#define LAYOUT_KVM_TSS_GPA 0xfffbd000ULL /* KVM_SET_TSS_ADDR, 3 pages */
#define LAYOUT_KVM_IDENTITY_GPA 0xfffbc000ULL

/* Ports. */
#define LAYOUT_DEBUG_EXIT_PORT 0xf4u
#define LAYOUT_SERIAL_PORT 0x3f8u
#define LAYOUT_SERIAL_PORTS 8u
#define LAYOUT_PVPANIC_PORT 0x505u
#define LAYOUT_SLEEP_CONTROL_PORT 0x600u
#define LAYOUT_SLEEP_STATUS_PORT 0x601u
#define LAYOUT_RESET_PORT 0x602u
#define LAYOUT_RESET_VALUE 0x01u
#define LAYOUT_S5_SLP_TYP 5u

/* GSIs: IOAPIC pins, then MSI routes. */
#define LAYOUT_SERIAL_GSI 4u
#define LAYOUT_POWER_BUTTON_GSI 5u /* edge; ACPI generic event device */
#define LAYOUT_IOAPIC_PINS 24u     /* the IOAPIC's id follows the CPUs' */
#define LAYOUT_MSI_GSI_FIRST 24u

#define LAYOUT_CPUS_MAX 32u

#endif
