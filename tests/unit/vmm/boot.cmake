# SPDX-License-Identifier: Apache-2.0
bh_unit_test(vmm.guestmem SOURCES guestmem_test.c boot_guest.c
	DEPS bulkhead_vmm_boot)
foreach(part boot boot_refuse boot_place handover)
	bh_unit_test(vmm.${part}
		SOURCES ${part}_test.c boot_guest.c boot_images.c
		DEPS bulkhead_vmm_boot)
endforeach()
bh_unit_test(vmm.elf_note SOURCES elf_note_test.c DEPS bulkhead_vmm_boot)
bh_unit_test(vmm.aml SOURCES aml_test.c DEPS bulkhead_vmm_boot)
bh_unit_test(vmm.acpi SOURCES acpi_test.c acpi_iasl.c boot_guest.c
	DEPS bulkhead_vmm_boot)
bh_unit_test(vmm.cpuid SOURCES cpuid_test.c cpuid_hosts.c
	DEPS bulkhead_vmm_boot)
