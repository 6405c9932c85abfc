# SPDX-License-Identifier: Apache-2.0
# The machine half: what a guest can do to registers, what peers can send.
set(fake ${PROJECT_SOURCE_DIR}/tests/unit/vmm/virtio_fake.c)
bh_fuzzer(virtio_pci SOURCES virtio_pci_fuzz.c ${fake} DEPS bulkhead_vmm)
bh_fuzzer(vmm_messages SOURCES vmm_messages_fuzz.c DEPS bulkhead_vmm)
bh_fuzzer(uart SOURCES uart_fuzz.c DEPS bulkhead_vmm)
