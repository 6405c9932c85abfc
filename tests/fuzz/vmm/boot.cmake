# SPDX-License-Identifier: Apache-2.0
bh_fuzzer(boot_load SOURCES boot_load_fuzz.c DEPS bulkhead_vmm_boot)
bh_fuzzer(elf_note SOURCES elf_note_fuzz.c DEPS bulkhead_vmm_boot)
