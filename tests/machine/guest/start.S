/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test guest: entry points, tables and gates.
 *
 * Runs in the guest, ring 0. Three ways in meet at enter_long: the PVH entry
 * (32-bit, %ebx = start info; the note is in pvh_note.S), the 64-bit entry of
 * the Linux boot protocol (%rsi = zero page) and the AP trampoline (SIPI).
 * Ring 0 is kept short because some hosts emulate it instruction by
 * instruction; user_main and ap_main run in ring 3.
 */
#include "layout.h"

/* ---- descriptor table, page tables: all static, nothing to compute ---- */

	.data
	.balign 16
	.globl gdt
gdt:
	.quad 0
	.quad 0x00af9b000000ffff	/* 0x08 ring 0 code, 64 bit */
	.quad 0x00cf93000000ffff	/* 0x10 ring 0 data */
	.quad 0x00cff3000000ffff	/* 0x18 ring 3 data */
	.quad 0x00affb000000ffff	/* 0x20 ring 3 code, 64 bit */
	.quad 0x00cf9b000000ffff	/* 0x28 ring 0 code, 32 bit */
	.quad 0, 0
	.fill 2 * CPU_MAX, 8, 0		/* 0x40 one TSS a CPU, 16 bytes each */
gdt_end:
	.balign 8
gdt_ptr:
	.word gdt_end - gdt - 1
	.quad gdt

	.balign 4096
	.globl page_pml4, page_pdpt
page_pml4:
	.quad page_pdpt + 0x67
	.fill 511, 8, 0
page_pdpt:
	.quad page_pd + 0x0067, page_pd + 0x1067
	.quad page_pd + 0x2067, page_pd + 0x3067
	.fill 508, 8, 0
	/* 0-2 GiB write back, 2-4 GiB uncached, user and writable, 2 MiB each */
page_pd:
	.set i, 0
	.rept 2048
	.if i < 1024
	.quad (i << 21) + 0xe7
	.else
	.quad (i << 21) + 0xff
	.endif
	.set i, i + 1
	.endr

	.balign 8
	.globl ap_boot_cpu
ap_boot_cpu:
	.long 0

/* ---- entries ---- */

	.text
	.code32
	.globl pvh_start
pvh_start:
	cli
	cld
	lgdtl gdt_ptr
	movl %ebx, %edi
	movl $BOOT_PVH, %esi
	xorl %ebp, %ebp
/* %edi boot data, %esi how, %ebp CPU number */
enter_long:
	movl $0x20, %eax		/* PAE */
	movl %eax, %cr4
	movl $page_pml4, %eax
	movl %eax, %cr3
	movl $0xc0000080, %ecx		/* EFER: LME */
	xorl %edx, %edx
	movl $0x100, %eax
	wrmsr
	movl $0x80000033, %eax		/* PG NE ET MP PE */
	movl %eax, %cr0
	ljmpl $KERNEL_CS, $long_start

ap_start32:
	movl $KERNEL_DS, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	movl ap_boot_cpu, %ebp
	xorl %edi, %edi
	movl $BOOT_AP, %esi
	jmp enter_long

	.code64
	.globl start64
start64:
	cli
	cld
	lgdt gdt_ptr(%rip)
	movl %esi, %edi
	movl $BOOT_LINUX64, %esi
	xorl %ebp, %ebp
	movl $0x20, %eax
	movq %rax, %cr4
	movl $page_pml4, %eax
	movq %rax, %cr3
	movl $0xc0000080, %ecx		/* EFER: LMA, LME */
	xorl %edx, %edx
	movl $0x500, %eax
	wrmsr
	movl $kernel_stacks + KERNEL_STACK, %esp
	pushq $KERNEL_CS
	pushq $long_start
	lretq

long_start:
	movl $KERNEL_DS, %eax
	movl %eax, %ss
	movl %eax, %ds
	movl %eax, %es
	xorl %eax, %eax
	movl %eax, %fs
	movl %eax, %gs
	movl %ebp, %eax
	incl %eax
	imull $KERNEL_STACK, %eax, %ecx
	leaq kernel_stacks(%rcx), %rsp
	imull $USER_STACK, %eax, %ecx
	leaq user_stacks(%rcx), %r12
	movl %edi, %r13d
	movl %esi, %r14d
	movl %ebp, %edi
	call ring0_init
	movl $USER_DS, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %r13d, %edi
	movl %r14d, %esi
	movl %ebp, %edx
	pushq $USER_DS
	pushq %r12
	pushq $0x202			/* interrupts on */
	pushq $USER_CS
	pushq $user_start
	iretq

/* ring 3 from here: (boot data, how, CPU number) */
user_start:
	xorl %ebp, %ebp
	cmpl $BOOT_AP, %esi
	je 1f
	call user_main
1:	movl %edx, %edi
	call ap_main
2:	pause
	jmp 2b

/* ---- AP trampoline, copied to AP_TRAMPOLINE ---- */

	.section .rodata
	.globl ap_trampoline, ap_trampoline_end
	.code16
ap_trampoline:
	cli
	cld
	lgdtl %cs:(ap_gdt_ptr - ap_trampoline)
	movl %cr0, %eax
	orl $1, %eax
	movl %eax, %cr0
	ljmpl $0x28, $ap_start32
	.balign 4
ap_gdt_ptr:
	.word gdt_end - gdt - 1
	.long gdt
ap_trampoline_end:
	.code64

/* ---- interrupts: count, EOI, return ---- */

	.text
	.globl irq_stubs
	.balign 32
irq_stubs:
	.set vec, VEC_FIRST
	.rept VEC_COUNT
	.balign 32
	lock incl irq_count + 4 * vec
	.if vec >= VEC_WHERE
	pushq %rax
	movl $0xfee00020, %eax
	movl (%rax), %eax
	movl %eax, irq_where + 4 * vec
	popq %rax
	.endif
	jmp irq_eoi
	.set vec, vec + 1
	.endr
	.balign 32
irq_eoi:
	pushq %rax
	movl $0xfee000b0, %eax
	movl $0, (%rax)
	popq %rax
	.globl irq_spurious
irq_spurious:
	iretq

/* ---- exceptions: note where, go on in ring 3 at fault_report ---- */

	.globl exc_stubs
	.balign 16
exc_stubs:
	.set vec, 0
	.rept 32
	.balign 16
	.if (vec == 8) || ((vec >= 10) && (vec <= 14)) || (vec == 17) || (vec == 21)
	.else
	pushq $0
	.endif
	pushq $vec
	jmp exc_common
	.set vec, vec + 1
	.endr
exc_common:
	popq fault_info
	popq fault_info + 8
	popq fault_info + 16		/* rip */
	popq fault_info + 24		/* cs */
	addq $8, %rsp
	popq fault_info + 32		/* rsp */
	movq %cr2, %rax
	movq %rax, fault_info + 40
	leaq fault_stack + USER_STACK(%rip), %rax
	pushq $USER_DS
	pushq %rax
	pushq $0x2
	pushq $USER_CS
	pushq $fault_report
	iretq

/*
 * INT3, the way from ring 3 into ring 0 (a gate works on every KVM; SYSCALL,
 * SYSRETQ and INT n do not). %eax = 0: wait(%rdi address, %esi old): halt
 * until an interrupt comes, unless the word has moved on. %eax = 1: call %rdi
 * with %rsi.
 */
	.globl call_gate
call_gate:
	testl %eax, %eax
	jnz 1f
	cmpl %esi, (%rdi)
	jne 2f
	sti
	hlt
	cli
2:	iretq
1:	movq %rdi, %rax
	movq %rsi, %rdi
	call *%rax
	iretq

	.bss
	.balign 4096
	.globl kernel_stacks, user_stacks, fault_stack, fault_info
kernel_stacks:
	.skip KERNEL_STACK * CPU_MAX
user_stacks:
	.skip USER_STACK * CPU_MAX
fault_stack:
	.skip USER_STACK
fault_info:
	.skip 64

	.section .note.GNU-stack, "", @progbits
