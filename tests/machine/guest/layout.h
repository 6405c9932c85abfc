/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: numbers that assembly and C share.
 */
#ifndef GUEST_LAYOUT_H
#define GUEST_LAYOUT_H

#define CPU_MAX 32
#define KERNEL_STACK 4096
#define USER_STACK 16384

#define KERNEL_CS 0x08
#define KERNEL_DS 0x10
#define USER_DS 0x1b
#define USER_CS 0x23
#define TSS_SEL(cpu) (0x40 + 16 * (cpu))

/* How the guest was entered. */
#define BOOT_PVH 1
#define BOOT_LINUX64 2
#define BOOT_AP 3

/* Page below 1 MiB that APs start on; its SIPI vector is the page number. */
#define AP_TRAMPOLINE 0x8000

/* Interrupt vectors; those from VEC_WHERE on also note the LAPIC id. */
#define VEC_FIRST 0x40
#define VEC_COUNT 0x40
#define VEC_WHERE 0x60
#define VEC_IPI 0x70
#define VEC_TIMER 0x71
#define VEC_UART 0x72
#define VEC_BUTTON 0x73
#define VEC_SPURIOUS 0xff

#endif
