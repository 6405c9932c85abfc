/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: the ELF note that names the PVH entry (Xen, type 18). Linked
 * into guest.elf only; guest64.elf goes without and enters at e_entry.
 */
	.section .note.Xen, "a", @note
	.balign 4
	.long 4
	.long 4
	.long 18
	.asciz "Xen"
	.long pvh_start
	.section .note.GNU-stack, "", @progbits
