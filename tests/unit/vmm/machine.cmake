# SPDX-License-Identifier: Apache-2.0
# The machine half of the vmm. virtio_fake.c plays KVM and the device process.
foreach(module bus uart pci_bus msix console power_button)
	bh_unit_test(vmm.${module} SOURCES ${module}_test.c DEPS bulkhead_vmm)
endforeach()
foreach(module regs queues jobs pci)
	bh_unit_test(vmm.virtio_${module}
		SOURCES virtio_${module}_test.c virtio_fake.c
		DEPS bulkhead_vmm)
endforeach()
bh_unit_test(vmm.checks SOURCES checks_test.c DEPS bulkhead_vmm)
